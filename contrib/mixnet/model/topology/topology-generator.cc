/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-generator.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TopologyGenerator);

TypeId
TopologyGenerator::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TopologyGenerator")
            .SetParent<Object>()
            .SetGroupName("Mixnet")
            .AddAttribute("NicRate",
                          "Rate of every NIC and switch port, per direction",
                          DataRateValue(DataRate("400Gbps")),
                          MakeDataRateAccessor(&TopologyGenerator::m_nicRate),
                          MakeDataRateChecker())
            .AddAttribute("LinkDelay",
                          "Propagation delay of every electrical link, one way",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&TopologyGenerator::m_linkDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FiberDelay",
                          "Propagation delay of every fiber between a NIC and an optical switch, "
                          "one way; a circuit crosses two",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&TopologyGenerator::m_fiberDelay),
                          MakeTimeChecker(Time(0)));
    return tid;
}

Ptr<FabricGraph>
TopologyGenerator::Build(const ClusterSpec& cluster)
{
    cluster.Check();
    Ptr<FabricGraph> graph = CreateObject<FabricGraph>();
    for (uint32_t s = 0; s < cluster.GetNServers(); ++s)
    {
        graph->AddServer(cluster.GetSpec(s));
    }
    const std::string heading = DoBuild(cluster, *graph);
    m_description = heading + "\n" + DescribeFabric(*graph);
    return graph;
}

std::string
TopologyGenerator::Describe() const
{
    return m_description;
}

EdgeSpec
TopologyGenerator::GetPacketEdge() const
{
    return {m_nicRate, m_linkDelay, EdgeKind::PACKET};
}

EdgeSpec
TopologyGenerator::GetFiberEdge() const
{
    return {m_nicRate, m_fiberDelay, EdgeKind::FIBER};
}

namespace
{

/// Number, smallest and largest of something.
struct Tally
{
    uint32_t count{0};          //!< how many
    uint32_t least{UINT32_MAX}; //!< smallest
    uint32_t most{0};           //!< largest

    /// @param value one more
    void Add(uint32_t value)
    {
        ++count;
        least = std::min(least, value);
        most = std::max(most, value);
    }
};

/// @param os where to @param t numbers @return "8 to 16" or "16"
std::ostream&
operator<<(std::ostream& os, const Tally& t)
{
    os << t.least;
    return t.least == t.most ? os : os << " to " << t.most;
}

} // namespace

std::string
DescribeFabric(const FabricGraph& graph)
{
    std::map<uint32_t, Tally> tiers;
    Tally ocs;
    for (uint32_t i = 0; i < graph.GetNVertices(); ++i)
    {
        const VertexId v(i);
        if (graph.GetKind(v) == VertexKind::SWITCH)
        {
            tiers[graph.GetTier(v)].Add(graph.GetNPorts(v));
        }
        else if (graph.GetKind(v) == VertexKind::OCS)
        {
            ocs.Add(graph.GetOcsPortCount(v));
        }
    }
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> links; // by tiers, 0 = servers
    uint32_t fibers = 0;
    for (uint32_t e = 0; e < graph.GetNEdges(); ++e)
    {
        const EdgeId edge(e);
        if (graph.GetSpec(edge).kind == EdgeKind::FIBER)
        {
            ++fibers;
            continue;
        }
        const auto ends =
            std::minmax({graph.GetTier(graph.GetEndA(edge)), graph.GetTier(graph.GetEndB(edge))});
        ++links[{ends.first, ends.second}];
    }
    std::ostringstream os;
    os << "  servers: " << graph.GetNServers() << " with " << graph.GetNGpus() << " GPUs\n";
    for (const auto& [tier, switches] : tiers)
    {
        os << "  tier " << tier << ": " << switches.count << " switches, " << switches
           << " ports in use\n";
    }
    for (const auto& [ends, count] : links)
    {
        os << "  links " << (ends.first == 0 ? "server" : "tier " + std::to_string(ends.first))
           << " to " << (ends.second == 0 ? "server" : "tier " + std::to_string(ends.second))
           << ": " << count << "\n";
    }
    if (ocs.count > 0)
    {
        os << "  optical switches: " << ocs.count << " of " << ocs << " ports, " << fibers
           << " fibers, " << graph.GetNRegions() << " regions\n";
    }
    return os.str();
}

} // namespace ns3
