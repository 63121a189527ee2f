/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-file.h"

#include "hdf5-table.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <set>

namespace ns3
{

namespace
{

constexpr uint64_t MOST_DELAY = 25000000000; //!< ps, as cluster.linkDelay

/// @param t topology @param table /topology/nodes
void
CheckNodes(const TopologyFile& t, const Hdf5Table& table)
{
    std::set<uint64_t> ids;
    std::vector<std::pair<uint64_t, std::size_t>> hosts;
    for (std::size_t n = 0; n < t.id.size(); ++n)
    {
        if (!ids.insert(t.id[n]).second)
        {
            table.Refuse(n, "id " + std::to_string(t.id[n]) + " comes twice");
        }
        if (t.kind[n] > TopologyFile::SWITCH)
        {
            table.Refuse(n,
                         "has the kind " + std::to_string(t.kind[n]),
                         "0 host, 1 GPU, 2 NVSwitch, 3 packet switch");
        }
        if (t.nodeDelay[n] > MOST_DELAY)
        {
            table.Refuse(n, "holds a frame for " + std::to_string(t.nodeDelay[n]) + " ps", "25ms");
        }
        if (t.IsHost(n))
        {
            hosts.emplace_back(t.id[n], n);
        }
        else if (t.host[n] != TopologyFile::NONE)
        {
            table.Refuse(n, "is a switch with a host number");
        }
        const bool inServer = t.nodeServer[n] < t.gpus.size();
        const bool none = t.nodeServer[n] == TopologyFile::NONE;
        if (t.IsHost(n) ? !inServer : !(none || (inServer && t.kind[n] == TopologyFile::NVSWITCH)))
        {
            table.Refuse(n,
                         "names server " + std::to_string(t.nodeServer[n]),
                         "a row of /topology/servers");
        }
    }
    std::sort(hosts.begin(), hosts.end());
    for (std::size_t h = 0; h < hosts.size(); ++h)
    {
        const std::size_t n = hosts[h].second;
        const uint32_t s = t.nodeServer[n];
        if (t.host[n] != h)
        {
            table.Refuse(n,
                         "has the host number " + std::to_string(t.host[n]),
                         std::to_string(h) + ", in the order of ids");
        }
        if (h < t.firstHost[s] || h - t.firstHost[s] >= t.gpus[s])
        {
            table.Refuse(n, "is not one of the hosts of its server " + std::to_string(s));
        }
    }
}

/// @param t topology @param hosts number of hosts @param table /topology/servers
void
CheckServers(const TopologyFile& t, std::size_t hosts, const Hdf5Table& table)
{
    uint64_t next = 0;
    for (std::size_t s = 0; s < t.gpus.size(); ++s)
    {
        if (t.gpus[s] == 0 || t.firstHost[s] != next)
        {
            table.Refuse(s,
                         "has " + std::to_string(t.gpus[s]) + " hosts from number " +
                             std::to_string(t.firstHost[s]),
                         "1 or more, from " + std::to_string(next));
        }
        next += t.gpus[s];
    }
    if (next != hosts)
    {
        throw InputError(t.path + ": /topology/servers",
                         "has " + std::to_string(next) + " hosts",
                         std::to_string(hosts) + ", as /topology/nodes");
    }
}

/// @param t topology @param link a link @return why its scale_up is wrong, empty when it is right
std::string
CheckScaleUp(const TopologyFile& t, std::size_t link)
{
    const auto kinds = std::minmax(t.kind[t.a[link]], t.kind[t.b[link]]);
    const uint32_t a = t.nodeServer[t.a[link]];
    const bool inside =
        kinds.first == TopologyFile::NVSWITCH
            ? kinds.second == TopologyFile::NVSWITCH
            : kinds.first == TopologyFile::GPU &&
                  (kinds.second == TopologyFile::NVSWITCH ||
                   (kinds.second == TopologyFile::GPU && a == t.nodeServer[t.b[link]]));
    if (t.scaleUp[link] == 1)
    {
        return inside ? "" : "is a scale-up link, but not between GPUs of a server and NVSwitches";
    }
    const bool outside =
        kinds.first != TopologyFile::NVSWITCH && kinds.second != TopologyFile::NVSWITCH;
    if (!outside)
    {
        return "joins an NVSwitch to the packet fabric";
    }
    const bool same = a != TopologyFile::NONE && a == t.nodeServer[t.b[link]];
    return same ? "joins two hosts of one server, but is no scale-up link" : "";
}

/// @param t topology, nodes checked @param table /topology/links
void
CheckLinks(const TopologyFile& t, const Hdf5Table& table)
{
    for (std::size_t l = 0; l < t.a.size(); ++l)
    {
        if (std::max(t.a[l], t.b[l]) >= t.id.size() || t.a[l] == t.b[l])
        {
            table.Refuse(l,
                         "joins nodes " + std::to_string(t.a[l]) + " and " + std::to_string(t.b[l]),
                         "two different ones of 0 to " + std::to_string(t.id.size() - 1));
        }
        if (t.rate[l] < 1000000)
        {
            table.Refuse(l,
                         "has a rate of " + std::to_string(t.rate[l]) + " bit/s",
                         "1Mbps or more");
        }
        if (t.delay[l] > MOST_DELAY)
        {
            table.Refuse(l, "has a delay of " + std::to_string(t.delay[l]) + " ps", "25ms at most");
        }
        if (!(t.errorRate[l] >= 0 && t.errorRate[l] < 1))
        {
            table.Refuse(l, "has the error rate " + std::to_string(t.errorRate[l]), "0 to below 1");
        }
        const std::string wrong =
            t.scaleUp[l] > 1 ? "has scale_up " + std::to_string(t.scaleUp[l]) : CheckScaleUp(t, l);
        if (!wrong.empty())
        {
            table.Refuse(l, wrong);
        }
    }
}

} // namespace

TopologyFile
ReadTopologyFile(const std::string& path)
{
    const Hdf5Reader reader(path);
    CheckImported(reader, "/topology", "mixnet-topology/1", "a topology of ./mixnet import");
    TopologyFile t;
    t.path = path;
    Hdf5Table nodes(reader, "/topology/nodes");
    t.id = nodes.Read<uint64_t>("id");
    t.kind = nodes.Read<uint8_t>("kind");
    t.nodeServer = nodes.Read<uint32_t>("server");
    t.host = nodes.Read<uint32_t>("host");
    t.tier = nodes.Read<uint32_t>("tier");
    t.nodeDelay = nodes.Read<uint64_t>("delay");
    Hdf5Table links(reader, "/topology/links");
    t.a = links.Read<uint32_t>("a");
    t.b = links.Read<uint32_t>("b");
    t.rate = links.Read<uint64_t>("rate");
    t.delay = links.Read<uint64_t>("delay");
    t.errorRate = links.Read<double>("error_rate");
    t.scaleUp = links.Read<uint8_t>("scale_up");
    Hdf5Table servers(reader, "/topology/servers");
    t.gpus = servers.Read<uint32_t>("gpus");
    t.firstHost = servers.Read<uint32_t>("first_host");
    t.scaleUpRate = servers.Read<uint64_t>("scale_up_rate");
    if (reader.Has("/topology/tiers/queue_down") && reader.Has("/topology/tiers/queue_up"))
    {
        Hdf5Table tiers(reader, "/topology/tiers");
        for (const char* column : {"queue_down", "queue_up"})
        {
            const std::vector<uint64_t> sizes = tiers.Read<uint64_t>(column);
            t.queues |= std::any_of(sizes.begin(), sizes.end(), [](uint64_t s) { return s != 0; });
        }
    }
    const uint64_t hosts = reader.ReadCount("/topology", "hosts");
    const auto declared = static_cast<uint64_t>(
        std::count_if(t.kind.begin(), t.kind.end(), [](uint8_t k) { return k <= 1; }));
    if (hosts != declared || hosts == 0 ||
        reader.ReadCount("/topology", "servers") != t.gpus.size())
    {
        throw InputError(path + ": /topology",
                         "declares " + std::to_string(hosts) + " hosts, its tables have " +
                             std::to_string(declared) + " on " + std::to_string(t.gpus.size()) +
                             " servers",
                         "equal numbers, at least 1");
    }
    CheckServers(t, hosts, servers);
    CheckNodes(t, nodes);
    CheckLinks(t, links);
    return t;
}

} // namespace ns3
