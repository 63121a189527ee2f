/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mixnet-scenario.h"

#include "ns3/clos-plan.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-text.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @param what kind of name @param name a name @param known accepted ones @param where place
void
RequireKnown(const std::string& what,
             const std::string& name,
             const std::vector<std::string>& known,
             const std::string& where)
{
    if (std::find(known.begin(), known.end(), name) == known.end())
    {
        throw InputError(where, what + " '" + name + "' is unknown", JoinNames(known));
    }
}

} // namespace

std::vector<std::string>
GetFabricTypes()
{
    return {"fat-tree", "rail-optimized", "topoopt", "mixnet"};
}

std::vector<std::string>
GetPolicies()
{
    return {"paper", "previous", "predicted", "per-iteration", "never", "gain"};
}

const char*
GetName(Fidelity f)
{
    return f == Fidelity::PACKET ? "packet" : "flow";
}

void
CheckName(const std::string& name, const std::string& where)
{
    const bool plain = std::none_of(name.begin(), name.end(), [](char c) {
        return c == '/' || static_cast<unsigned char>(c) < ' ';
    });
    if (name.empty() || name == "." || name == ".." || !plain)
    {
        throw InputError(where, "'" + name + "' cannot name a folder", "a plain name without /");
    }
}

void
CheckCluster(const ClusterConfig& cluster, const std::string& where)
{
    constexpr uint64_t slowest = 1000000;
    if (cluster.nicRate.GetBitRate() < slowest || cluster.scaleUpRate.GetBitRate() < slowest ||
        cluster.gpuMemoryRate.GetBitRate() < slowest)
    {
        throw InputError(where,
                         "nicRate, scaleUpRate or gpuMemoryRate is below 1 Mb/s",
                         "1Mbps or more");
    }
    if (cluster.switchBuffer.Get() > UINT32_MAX || cluster.linkDelay > MilliSeconds(25))
    {
        throw InputError(where,
                         "switchBuffer or linkDelay is too large",
                         "less than 4GiB, at most 25ms");
    }
}

void
CheckSchedule(const Scenario& scenario, const std::string& where)
{
    const ParallelDegrees& d = scenario.job.degrees;
    const bool overlap = scenario.schedule == "1f1b-overlap";
    const bool interleaved = scenario.schedule == "interleaved" || (overlap && d.chunks > 1);
    if (d.chunks > 1 && !interleaved)
    {
        throw InputError(where,
                         "'" + scenario.schedule + "' with parallel.vpp " +
                             std::to_string(d.chunks),
                         "interleaved, 1f1b-overlap, or vpp 1");
    }
    if (interleaved && scenario.job.microBatches % d.pipeline != 0)
    {
        throw InputError(where,
                         "'" + scenario.schedule + "' with " +
                             std::to_string(scenario.job.microBatches) + " micro-batches on " +
                             std::to_string(d.pipeline) + " stages",
                         "a multiple of the stages as batch.microBatches");
    }
}

void
CheckLoadBalance(const Scenario& scenario, const std::string& where)
{
    if (scenario.fidelity == Fidelity::FLOW)
    {
        RequireKnown("load balancing of flows",
                     scenario.transport.loadBalance,
                     {"default", "ideal", "per-flow"},
                     where);
    }
}

void
CheckDeduplication(const Scenario& scenario, const std::string& where)
{
    for (const FabricConfig& fabric : scenario.fabrics)
    {
        if (scenario.job.deduplication == Deduplication::SERVER &&
            fabric.routing.allToAll != "direct")
        {
            throw InputError(where,
                             "server, with routing.allToAll " + fabric.routing.allToAll + " of " +
                                 fabric.name +
                                 ": a server already gets each token at one GPU, which forwards "
                                 "it to the others, and has nothing else to gather or scatter",
                             "none or rank, or routing.allToAll direct");
        }
    }
}

void
CheckLossBudget(const Scenario& scenario, const std::string& where)
{
    const bool lossy =
        std::any_of(scenario.fabrics.begin(), scenario.fabrics.end(), [](const FabricConfig& f) {
            return f.type == "mixnet" && f.optical.lossBudget;
        });
    if (lossy && scenario.fidelity == Fidelity::FLOW)
    {
        throw InputError(where,
                         "a loss budget at flow fidelity, which has no packets to lose",
                         "packet, or optical.lossBudget=off");
    }
}

uint32_t
GetServersPerRegion(const Scenario& scenario, const FabricConfig& fabric)
{
    const uint32_t block = scenario.job.degrees.GetGroupBlock();
    const uint32_t gpus = scenario.cluster.gpusPerServer;
    return fabric.optical.serversPerRegion != 0 ? fabric.optical.serversPerRegion
                                                : (block + gpus - 1) / gpus;
}

SparePlan
GetSparePlan(const Scenario& scenario, const FabricConfig& fabric)
{
    return MakeSparePlan(scenario.recovery,
                         scenario.cluster.servers,
                         scenario.cluster.gpusPerServer,
                         GetServersPerRegion(scenario, fabric));
}

void
CheckRecovery(const Scenario& scenario, const std::string& where)
{
    for (const FabricConfig& fabric : scenario.fabrics)
    {
        const SparePlan plan = MakeSparePlan(scenario.recovery,
                                             1024, // any number of servers
                                             scenario.cluster.gpusPerServer,
                                             GetServersPerRegion(scenario, fabric));
        if (fabric.type == "topoopt" && plan.GetNSpareServers() > 0)
        {
            throw InputError(where,
                             "spares in topoopt, which has no packet fabric to reach them",
                             "recovery.spares of 0 GPUs and servers, or another fabric");
        }
    }
}

Fidelity
ParseFidelity(const std::string& name, const std::string& where)
{
    if (name == "accelerated")
    {
        throw InputError(where, "'accelerated' is planned, but not built yet", "packet, flow");
    }
    RequireKnown("fidelity", name, {"packet", "flow"}, where);
    return name == "packet" ? Fidelity::PACKET : Fidelity::FLOW;
}

void
CheckFabric(const FabricConfig& fabric, const ClusterConfig& cluster, const std::string& where)
{
    RequireKnown("fabric", fabric.type, GetFabricTypes(), where);
    if (fabric.type == "fat-tree")
    {
        try
        {
            Oversubscription::Parse(fabric.oversubscription);
        }
        catch (const InputError& e)
        {
            throw InputError(where, e.what());
        }
    }
    if (fabric.type != "mixnet")
    {
        return;
    }
    if (fabric.policy.rfind("ns3::", 0) != 0)
    {
        RequireKnown("policy", fabric.policy, GetPolicies(), where);
    }
    if (fabric.optical.alpha >= cluster.nicsPerServer)
    {
        throw InputError(where,
                         "alpha " + std::to_string(fabric.optical.alpha) + " of " +
                             std::to_string(cluster.nicsPerServer) +
                             " NICs on the OCS leave none for the packet fabric",
                         "0 to " + std::to_string(cluster.nicsPerServer - 1));
    }
}

} // namespace ns3
