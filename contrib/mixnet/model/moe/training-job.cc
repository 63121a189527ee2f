/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "training-job.h"

#include "ns3/mixnet-error.h"

#include <limits>

namespace ns3
{

namespace
{

/// @throws InputError when a count is zero
void
RequireCount(const std::string& where, const char* key, uint32_t value)
{
    if (value == 0)
    {
        throw InputError(where + ": job." + key, "0", "a number above zero");
    }
}

} // namespace

const char*
GetName(TensorShards s)
{
    return s == TensorShards::SHARDED ? "sharded" : "replicated";
}

TensorShards
ParseTensorShards(const std::string& name, const std::string& where)
{
    for (const TensorShards s : {TensorShards::SHARDED, TensorShards::REPLICATED})
    {
        if (name == GetName(s))
        {
            return s;
        }
    }
    throw InputError(where, "'" + name + "'", "sharded, replicated");
}

const char*
GetName(GradientAlgorithm a)
{
    static constexpr const char* names[] = {"ring", "tree", "two-level"};
    return names[static_cast<std::size_t>(a)];
}

GradientAlgorithm
ParseGradientAlgorithm(const std::string& name, const std::string& where)
{
    for (const GradientAlgorithm a :
         {GradientAlgorithm::RING, GradientAlgorithm::TREE, GradientAlgorithm::TWO_LEVEL})
    {
        if (name == GetName(a))
        {
            return a;
        }
    }
    throw InputError(where, "'" + name + "'", "ring, tree, two-level");
}

void
TrainingJob::Validate(const std::string& where) const
{
    model.Validate(where);
    RequireCount(where, "dp", degrees.data);
    RequireCount(where, "tp", degrees.tensor);
    RequireCount(where, "pp", degrees.pipeline);
    RequireCount(where, "ep", degrees.expert);
    RequireCount(where, "vpp", degrees.chunks);
    RequireCount(where, "iterations", iterations);
    RequireCount(where, "microBatches", microBatches);
    RequireCount(where, "microBatchSequences", microBatchSequences);
    RequireCount(where, "sequenceLength", sequenceLength);
    if (GetCopies() > std::numeric_limits<uint32_t>::max())
    {
        throw InputError(where + ": batch.microBatchSize",
                         std::to_string(microBatchSequences) + " sequences x " +
                             std::to_string(sequenceLength) + " tokens x top-" +
                             std::to_string(model.topK) + " = " + std::to_string(GetCopies()) +
                             " token copies",
                         "at most 4294967295 per EP rank");
    }
    if (model.heads % degrees.tensor != 0)
    {
        throw InputError(where + ": parallel.tp",
                         "heads " + std::to_string(model.heads) + " / TP " +
                             std::to_string(degrees.tensor) + " is no whole number",
                         "a TP that divides the heads");
    }
}

} // namespace ns3
