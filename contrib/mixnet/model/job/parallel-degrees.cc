/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "parallel-degrees.h"

#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @throws InputError when a degree is zero
void
RequireDegree(const std::string& where, const char* key, uint32_t value)
{
    if (value == 0)
    {
        throw InputError(where + ": parallel." + key, "0", "a number above zero");
    }
}

/// @return "TP 8"
std::string
Name(const char* degree, uint32_t value)
{
    return std::string(degree) + " " + std::to_string(value);
}

} // namespace

uint64_t
ParallelDegrees::GetGpus() const
{
    uint64_t gpus = 1;
    for (const uint64_t degree : {data, tensor, pipeline, expert})
    {
        gpus = degree > 0 && gpus > UINT64_MAX / degree ? UINT64_MAX : gpus * degree;
    }
    return gpus;
}

std::string
ParallelDegrees::Describe() const
{
    const bool folded = ranksPerBlock > 1;
    std::string text = Name("DP", data) + (folded ? "" : " x " + Name("TP", tensor)) + " x " +
                       Name("PP", pipeline) + " x " + Name("EP", GetExpertRanks());
    if (context > 1)
    {
        text +=
            " (" + Name("CP", context) + " x " + std::to_string(GetExpertRanks() / context) + ")";
    }
    text += folded ? " x " + Name("ETP", GetExpertTensor()) : "";
    text += (GetGpus() == UINT64_MAX ? " = more than " : " = ") + std::to_string(GetGpus());
    return text + (folded ? ", " + Name("TP", tensor) : "");
}

uint32_t
ParallelDegrees::GetSize(LayoutAxis a) const
{
    switch (a)
    {
    case LayoutAxis::TP:
        return tensor;
    case LayoutAxis::CP:
        return context;
    case LayoutAxis::EP:
        return expert / context;
    case LayoutAxis::DP:
        return data;
    case LayoutAxis::PP:
        break;
    }
    return pipeline;
}

uint32_t
ParallelDegrees::GetStride(LayoutAxis a) const
{
    uint32_t stride = 1;
    for (const LayoutAxis faster : order.GetAxes())
    {
        if (faster == a)
        {
            break;
        }
        stride *= GetSize(faster);
    }
    return stride;
}

uint32_t
ParallelDegrees::GetGroupBlock() const
{
    uint32_t block = 1;
    for (const LayoutAxis a : {LayoutAxis::TP, LayoutAxis::CP, LayoutAxis::EP})
    {
        if (GetSize(a) > 1)
        {
            block = std::max(block, GetStride(a) * GetSize(a));
        }
    }
    return block;
}

void
ParallelDegrees::Validate(const std::string& where) const
{
    RequireDegree(where, "dp", data);
    RequireDegree(where, "tp", tensor);
    RequireDegree(where, "pp", pipeline);
    RequireDegree(where, "ep", expert);
    RequireDegree(where, "vpp", chunks);
    RequireDegree(where, "cp", context);
    if (GetGpus() > INT32_MAX || uint64_t(pipeline) * chunks > INT32_MAX)
    {
        throw InputError(where + ": parallel",
                         Describe() + " GPUs, " + Name("PP", pipeline) + " x " +
                             Name("VPP", chunks),
                         "at most " + std::to_string(INT32_MAX) + " of each");
    }
    if (ranksPerBlock == 0 || tensor % ranksPerBlock != 0)
    {
        throw InputError(where + ": parallel.etp",
                         Name("TP", tensor) + " / " + std::to_string(ranksPerBlock) +
                             " EP ranks of a TP block is no whole number",
                         "an expert TP that divides TP");
    }
    if (expert % context != 0)
    {
        const std::string blocks = ranksPerBlock == 1 ? Name("EP", expert) + " / "
                                                      : Name("EP", GetExpertRanks()) + " x " +
                                                            Name("ETP", GetExpertTensor()) + " / " +
                                                            Name("TP", tensor) + " / ";
        throw InputError(where + ": parallel.cp",
                         blocks + Name("CP", context) +
                             " is no whole number: an EP group consists of whole CP groups",
                         "a CP that divides EP x ETP / TP");
    }
    for (std::size_t i = 0; i < N_LAYOUT_AXES; ++i)
    {
        const LayoutAxis a = order.GetAxes()[i];
        if (!order.Names(a) && GetSize(a) > 1)
        {
            throw InputError(where + ": parallel.order",
                             "has no " + std::string(GetName(a)) + ", which has " +
                                 std::to_string(GetSize(a)) + " steps",
                             "an order that names all axes of more than one step");
        }
    }
    if (tensor > 1 && GetStride(LayoutAxis::TP) != 1)
    {
        throw InputError(where + ": parallel.order",
                         "'" + order.GetText() + "' puts the GPUs of " + Name("TP", tensor) + " " +
                             std::to_string(GetStride(LayoutAxis::TP)) +
                             " apart: what a TP block sends runs in lanes over neighboring GPUs "
                             "of one server",
                         "tp first");
    }
}

} // namespace ns3
