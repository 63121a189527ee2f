/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "recovery-config.h"

#include "mixnet-scenario.h"

#include "ns3/failure-rates.h"
#include "ns3/mixnet-error.h"
#include "ns3/recovery-policy.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @return true when GPUs or servers fail, or GPUs become slower
bool
TouchesRanks(const FailureConfig& failures)
{
    const auto ranks = {FailureKind::GPU, FailureKind::SERVER};
    return std::any_of(failures.events.begin(),
                       failures.events.end(),
                       [&ranks](const FailureEvent& e) {
                           return std::find(ranks.begin(), ranks.end(), e.element.kind) !=
                                  ranks.end();
                       }) ||
           std::any_of(ranks.begin(), ranks.end(), [&failures](FailureKind k) {
               return failures.rates[static_cast<std::size_t>(k)].mtbf > 0;
           });
}

/// @param o object "spares" @param share key of the fraction @param count key of the number
/// @return what it says
SpareShare
ReadShare(const JsonReader& o, const std::string& share, const std::string& count)
{
    SpareShare s;
    if (o.Accepts(count))
    {
        if (o.Has(share))
        {
            throw InputError(o.Where(count), "beside " + share, "one of the two");
        }
        s.count = static_cast<uint32_t>(o.GetCount(count, JsonReader::required, 0, 4096));
        return s;
    }
    s.fraction = o.GetNumber(share, "0.05", 0, 1);
    return s;
}

/// @param c object "checkpoint" @param sharded default: the job shards its optimizer
/// @return what it says
CheckpointSpec
ReadCheckpoints(const JsonReader& c, bool sharded)
{
    CheckpointSpec s;
    s.interval = static_cast<uint32_t>(c.GetCount("interval", "100"));
    s.serverRate = c.GetRate("serverRate", "8Gbps");
    if (c.Accepts("totalRate"))
    {
        s.totalRate = c.GetRate("totalRate", JsonReader::required);
    }
    s.blockingShare = c.GetNumber("blockingShare", "1", 0, 1);
    s.optimizerBytes = static_cast<uint32_t>(c.GetCount("optimizerBytes", "12", 0, 1000));
    s.sharded = c.GetBool("sharded", sharded ? "true" : "false");
    if (sharded && !s.sharded)
    {
        throw InputError(c.Where("sharded"),
                         "false with optimizer.sharding zero1: a replica that has all of the "
                         "optimizer's state",
                         "true, or optimizer.sharding none");
    }
    return s;
}

} // namespace

AvailabilityConfig
ReadAvailability(const JsonReader& a)
{
    AvailabilityConfig c;
    if (!a.Accepts("days"))
    {
        return c;
    }
    constexpr double secondsPerDay = 86400;
    c.horizon = a.GetNumber("days", JsonReader::required, 0.001, 36500) * secondsPerDay;
    const JsonReader rates = a.GetObject("rates");
    bool any = false;
    for (const FailureKind kind : {FailureKind::NIC, FailureKind::GPU, FailureKind::SERVER})
    {
        if (rates.Accepts(GetName(kind)))
        {
            const JsonReader r = rates.GetObject(GetName(kind));
            FailureRate& rate = c.rates[static_cast<std::size_t>(kind)];
            rate.mtbf = ParseLongTime(r.GetString("mtbf", JsonReader::required), r.Where("mtbf"));
            rate.mttr = ParseLongTime(r.GetString("mttr", JsonReader::required), r.Where("mttr"));
            any = true;
        }
    }
    if (!any)
    {
        throw InputError(a.Where("rates"), "names nothing that fails", "nic, gpu, server");
    }
    return c;
}

RecoveryConfig
ReadRecovery(const JsonReader& r,
             const FailureConfig& failures,
             const AvailabilityConfig& availability,
             const TrainingJob& job)
{
    RecoveryConfig c;
    const bool given = r.Accepts("policy") || r.Accepts("spares") || r.Accepts("checkpoint") ||
                       r.Accepts("restartTime") || r.Accepts("restoreFromPeers") ||
                       r.Accepts("tensorChannels");
    c.active = given || TouchesRanks(failures) || availability.horizon > 0;
    if (!c.active)
    {
        return c;
    }
    c.policy = ReadStrategy(r,
                            "policy",
                            {"spare", "shrink", "spare-or-shrink"},
                            RecoveryPolicy::GetTypeId(),
                            "recovery policy");
    const JsonReader spares = r.GetObject("spares");
    c.regionGpus = ReadShare(spares, "regionShare", "regionGpus");
    c.globalServers = ReadShare(spares, "globalShare", "globalServers");
    c.restartTime = r.GetTime("restartTime", "5s");
    c.restoreFromPeers = r.GetBool("restoreFromPeers", "true");
    c.tensorChannels = static_cast<uint32_t>(r.GetCount("tensorChannels", "0", 0, 1024));
    c.checkpoints = ReadCheckpoints(r.GetObject("checkpoint"),
                                    job.optimizerSharding == OptimizerSharding::ZERO1);
    return c;
}

SparePlan
MakeSparePlan(const RecoveryConfig& config,
              uint32_t servers,
              uint32_t gpusPerServer,
              uint32_t serversPerRegion)
{
    SparePlan plan;
    plan.jobServers = servers;
    plan.gpusPerServer = gpusPerServer;
    plan.serversPerRegion = std::max(1U, std::min(serversPerRegion, servers));
    if (config.active)
    {
        plan.gpusPerRegion = config.regionGpus.GetCount(plan.serversPerRegion * gpusPerServer);
        plan.globalServers = config.globalServers.GetCount(servers);
    }
    return plan;
}

} // namespace ns3
