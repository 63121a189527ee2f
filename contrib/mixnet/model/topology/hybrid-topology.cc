/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hybrid-topology.h"

#include "ns3/mixnet-error.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HybridTopology);

TypeId
HybridTopology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::HybridTopology")
            .SetParent<ClosTopology>()
            .SetGroupName("Mixnet")
            .AddConstructor<HybridTopology>()
            .AddAttribute("OcsNics",
                          "alpha: NICs of each server on the optical circuit switch",
                          UintegerValue(6),
                          MakeUintegerAccessor(&HybridTopology::m_ocsNics),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("OcsPorts",
                          "Ports of an optical switch; 0 takes what a full region needs",
                          UintegerValue(0),
                          MakeUintegerAccessor(&HybridTopology::m_ocsPorts),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ServersPerRegion",
                          "Consecutive servers that share optical switches",
                          UintegerValue(8),
                          MakeUintegerAccessor(&HybridTopology::m_serversPerRegion),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("OcsPerRegion",
                          "Optical switches of a region; fiber NIC f goes to switch f mod this",
                          UintegerValue(1),
                          MakeUintegerAccessor(&HybridTopology::m_ocsPerRegion),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("SpareHosts",
                          "Spare servers of each region, beside ServersPerRegion",
                          UintegerValue(0),
                          MakeUintegerAccessor(&HybridTopology::m_spareHosts),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("SpareServers",
                          "Spare servers of all: the last ones; those of regions, then those that "
                          "have no fibers",
                          UintegerValue(0),
                          MakeUintegerAccessor(&HybridTopology::m_spareServers),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

bool
HybridTopology::IsEpsNic(uint32_t nics, uint32_t ocsNics, uint32_t nic)
{
    const uint64_t eps = nics - ocsNics;
    if (eps == 0)
    {
        return false;
    }
    const uint64_t i = (nic * eps + nics - 1) / nics; // first i with i nics / eps >= nic
    return i < eps && i * nics / eps == nic;
}

uint32_t
HybridTopology::GetPortsNeeded() const
{
    return (m_serversPerRegion + m_spareHosts) *
           ((m_ocsNics + m_ocsPerRegion - 1) / m_ocsPerRegion);
}

uint32_t
HybridTopology::CountRegions(const ClusterSpec& cluster) const
{
    return (cluster.GetNServers() - m_spareServers + m_serversPerRegion - 1) / m_serversPerRegion;
}

uint32_t
HybridTopology::FindRegion(const ClusterSpec& cluster, uint32_t server) const
{
    const uint32_t regular = cluster.GetNServers() - m_spareServers;
    if (server < regular)
    {
        return server / m_serversPerRegion;
    }
    const uint32_t host = server - regular;
    return host < CountRegions(cluster) * m_spareHosts ? host / m_spareHosts : UINT32_MAX;
}

void
HybridTopology::CheckConfig(const ClusterSpec& cluster) const
{
    for (uint32_t s = 0; s < cluster.GetNServers(); ++s)
    {
        if (cluster.GetNics(s) <= m_ocsNics)
        {
            throw InputError("OcsNics",
                             std::to_string(m_ocsNics) + " of the " +
                                 std::to_string(cluster.GetNics(s)) + " NICs of server " +
                                 std::to_string(s) + " leave none for the packet fabric",
                             "fewer than the NICs of every server, or ns3::TopoOptTopology");
        }
    }
    if (m_spareServers >= cluster.GetNServers() ||
        m_spareServers < CountRegions(cluster) * m_spareHosts)
    {
        throw InputError("SpareServers",
                         std::to_string(m_spareServers) + " of " +
                             std::to_string(cluster.GetNServers()) + " servers, " +
                             std::to_string(m_spareHosts) + " for each region",
                         "those of all regions, fewer than all servers");
    }
    const uint32_t members = m_serversPerRegion + m_spareHosts;
    const uint32_t region = std::min(members, cluster.GetNServers());
    const uint32_t perServer = GetPortsNeeded() / members;
    if (m_ocsPorts != 0 && m_ocsPorts < region * perServer)
    {
        throw InputError("OcsPorts",
                         std::to_string(m_ocsPorts) + " ports hold " +
                             std::to_string(m_ocsPorts / perServer) + " servers of " +
                             std::to_string(perServer) + " fibers, not " + std::to_string(region),
                         "more ports, fewer ServersPerRegion, or more OcsPerRegion");
    }
}

std::vector<std::vector<VertexId>>
HybridTopology::AddRegions(const ClusterSpec& cluster, FabricGraph& graph) const
{
    std::vector<std::vector<VertexId>> regions;
    if (m_ocsNics == 0)
    {
        return regions;
    }
    const uint32_t ports = m_ocsPorts != 0 ? m_ocsPorts : GetPortsNeeded();
    std::vector<std::vector<ServerId>> members(CountRegions(cluster));
    for (uint32_t s = 0; s < cluster.GetNServers(); ++s)
    {
        const uint32_t region = FindRegion(cluster, s);
        if (region != UINT32_MAX)
        {
            members[region].emplace_back(s);
        }
    }
    for (const auto& servers : members)
    {
        std::vector<VertexId> units;
        for (uint32_t u = 0; u < std::min(m_ocsPerRegion, m_ocsNics); ++u)
        {
            const std::string name = "ocs " + std::to_string(regions.size());
            units.push_back(
                graph.AddOcs(ports, m_ocsPerRegion == 1 ? name : name + "." + std::to_string(u)));
        }
        graph.AddRegion(servers, units);
        regions.push_back(units);
    }
    return regions;
}

std::string
HybridTopology::DoBuild(const ClusterSpec& cluster, FabricGraph& graph) const
{
    CheckConfig(cluster);
    const uint32_t epsNics = cluster.GetNNics() - cluster.GetNServers() * m_ocsNics;
    const ClosPlan plan = PlanClos(epsNics, GetRequest(cluster.GetNNics()));
    const std::vector<VertexId> leaves = AddSwitches(plan, graph);
    const auto regions = AddRegions(cluster, graph);
    uint32_t attached = 0;
    for (uint32_t s = 0; s < cluster.GetNServers(); ++s)
    {
        const VertexId server = graph.GetVertex(ServerId(s));
        const uint32_t region = FindRegion(cluster, s);
        uint32_t fiber = 0;
        for (uint32_t n = 0; n < cluster.GetNics(s); ++n)
        {
            if (IsEpsNic(cluster.GetNics(s), m_ocsNics, n))
            {
                graph.AddEdge(server, leaves[attached++ / plan.leafDown], GetPacketEdge());
            }
            else if (region != UINT32_MAX)
            {
                const auto& units = regions[region];
                graph.AddEdge(server, units[fiber++ % units.size()], GetFiberEdge());
            }
        }
    }
    AddTrunks(plan, leaves, graph);
    const std::string eps = "fat-tree: " + plan.Describe();
    return m_ocsNics == 0 ? eps
                          : "hybrid: " + std::to_string(m_ocsNics) +
                                " NICs of each server on the OCS of its region of " +
                                std::to_string(m_serversPerRegion) + " servers; EPS " + eps;
}

} // namespace ns3
