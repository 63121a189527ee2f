/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The insides of the servers of a scenario.

#include "mixnet-scenario.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-json.h"
#include "ns3/mixnet-units.h"

namespace ns3
{

void
ReadServers(const JsonReader& c, ClusterConfig& cluster)
{
    cluster.numaNodes = static_cast<uint32_t>(c.GetCount("numaNodes", "2", 1, 64));
    const std::string rate = c.GetString("numaLinkRate", "none");
    cluster.numaLinkRate = rate == "none" ? DataRate(0) : ParseRate(rate, c.Where("numaLinkRate"));
    cluster.numaLinkDelay = c.GetTime("numaLinkDelay", "0ns");
    cluster.nicAccess = c.GetChoice("nicAccess", "gather", {"gather", "pcie"});
    cluster.scaleUpRate = c.GetRate("scaleUpRate", "450GB/s");
    const bool limited = cluster.numaLinkRate.GetBitRate() > 0;
    if (cluster.numaNodes == 1 && (limited || cluster.numaLinkDelay.IsStrictlyPositive()))
    {
        throw InputError(c.Where(limited ? "numaLinkRate" : "numaLinkDelay"),
                         "servers of one NUMA node have no link between nodes",
                         "numaNodes of 2 or more, or neither of numaLinkRate and numaLinkDelay");
    }
    if (limited && cluster.numaLinkRate.GetBitRate() < 1000000)
    {
        throw InputError(c.Where("numaLinkRate"), "'" + rate + "' is too slow", "1Mbps or more");
    }
    if (cluster.numaLinkDelay > MilliSeconds(25))
    {
        throw InputError(c.Where("numaLinkDelay"), "is too long", "at most 25ms");
    }
}

ServerSpec
MakeServerSpec(const ClusterConfig& cluster)
{
    ServerSpec server;
    server.gpus = cluster.gpusPerServer;
    server.scaleUpRate = cluster.scaleUpRate;
    server.numaNodes = cluster.numaNodes;
    server.numaLinkRate = cluster.numaLinkRate;
    server.numaLinkDelay = cluster.numaLinkDelay;
    server.nicAccess = cluster.nicAccess == "pcie" ? NicAccess::PCIE : NicAccess::GATHER;
    return server;
}

} // namespace ns3
