/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "parallel-config.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

namespace
{

constexpr uint64_t MOST = 1000000; //!< of any degree

/// @param o object "parallel" @param d the other degrees @return DP
uint32_t
ReadReplicas(const JsonReader& o, const ParallelDegrees& d)
{
    if (!o.Accepts("gpus"))
    {
        return static_cast<uint32_t>(o.GetCount("dp", JsonReader::required, 1, MOST));
    }
    const uint64_t gpus = o.GetCount("gpus", JsonReader::required, 1, INT32_MAX);
    const uint64_t replica = d.GetGpus();
    const std::string experts = " x EP " + std::to_string(d.GetExpertRanks());
    const std::string factors =
        d.ranksPerBlock == 1
            ? "TP " + std::to_string(d.tensor) + " x PP " + std::to_string(d.pipeline) + experts
            : "PP " + std::to_string(d.pipeline) + experts + " x ETP " +
                  std::to_string(d.GetExpertTensor());
    const std::string arithmetic =
        std::to_string(gpus) + " GPUs / (" + factors + " = " + std::to_string(replica) + ")";
    if (gpus % replica != 0)
    {
        throw InputError(o.Where("gpus"),
                         arithmetic + " is no whole number of replicas",
                         "a multiple of " + std::to_string(replica));
    }
    const std::string dp = std::to_string(gpus / replica);
    const uint64_t given = o.GetCount("dp", dp.c_str(), 1, MOST);
    if (given != gpus / replica)
    {
        throw InputError(o.Where("dp"),
                         std::to_string(given) + ", but " + arithmetic + " = " + dp,
                         dp + ", or no dp beside gpus");
    }
    return static_cast<uint32_t>(gpus / replica);
}

/// @param o object "parallel", TP of which is known @param d in and out: TP blocks of an EP group
void
ReadExpertDegrees(const JsonReader& o, ParallelDegrees& d)
{
    const uint64_t ep = o.GetCount("ep", JsonReader::required, 1, MOST);
    const uint64_t etp = o.GetCount("etp", std::to_string(d.tensor).c_str(), 1, MOST);
    if (d.tensor % etp != 0)
    {
        throw InputError(o.Where("etp"),
                         "TP " + std::to_string(d.tensor) + " / ETP " + std::to_string(etp) +
                             " is no whole number: EP ranks are equal parts of TP blocks",
                         "an expert TP that divides TP");
    }
    if (ep * etp % d.tensor != 0)
    {
        throw InputError(o.Where("ep"),
                         "EP " + std::to_string(ep) + " x ETP " + std::to_string(etp) + " / TP " +
                             std::to_string(d.tensor) +
                             " is no whole number: an EP group consists of whole TP blocks",
                         "a multiple of TP / ETP = " + std::to_string(d.tensor / etp));
    }
    d.ranksPerBlock = static_cast<uint32_t>(d.tensor / etp);
    d.expert = static_cast<uint32_t>(ep / d.ranksPerBlock);
}

} // namespace

ParallelDegrees
ReadParallel(const JsonReader& o, const std::string& file)
{
    const auto degree = [&o](const char* key, const char* def) {
        return static_cast<uint32_t>(o.GetCount(key, def, 1, MOST));
    };
    ParallelDegrees d;
    d.tensor = degree("tp", JsonReader::required);
    d.pipeline = degree("pp", JsonReader::required);
    ReadExpertDegrees(o, d);
    d.context = degree("cp", "1");
    d.chunks = static_cast<uint32_t>(o.GetCount("vpp", "1", 1, 1000));
    d.order =
        AxisOrder::Parse(o.GetString("order", AxisOrder().GetText().c_str()), o.Where("order"));
    d.data = ReadReplicas(o, d);
    d.Validate(file);
    return d;
}

void
CheckServers(const ParallelDegrees& degrees,
             uint32_t servers,
             uint32_t gpusPerServer,
             const std::string& where)
{
    const uint64_t gpus = degrees.GetGpus();
    if (gpus % gpusPerServer != 0)
    {
        throw InputError(where,
                         std::to_string(gpusPerServer) + " GPUs per server do not divide " +
                             degrees.Describe() + " GPUs",
                         "a layout that fills whole servers");
    }
    if (servers != 0 && uint64_t(servers) * gpusPerServer != gpus)
    {
        throw InputError(where,
                         std::to_string(servers) + " servers x " + std::to_string(gpusPerServer) +
                             " GPUs = " + std::to_string(uint64_t(servers) * gpusPerServer) +
                             ", but the layout needs " + degrees.Describe() + " GPUs",
                         std::to_string(gpus / gpusPerServer) + " servers");
    }
}

} // namespace ns3
