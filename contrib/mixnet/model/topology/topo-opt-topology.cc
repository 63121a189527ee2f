/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topo-opt-topology.h"

#include "ns3/mixnet-error.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TopoOptTopology);

TypeId
TopoOptTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TopoOptTopology")
                            .SetParent<TopologyGenerator>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<TopoOptTopology>()
                            .AddAttribute("PanelPorts",
                                          "Ports of a patch panel; 0 puts all NICs on one",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&TopoOptTopology::m_panelPorts),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

uint32_t
TopoOptTopology::GetPortsNeeded(const ClusterSpec& cluster, uint32_t panels)
{
    uint32_t ports = 0; // panel 0 is the fullest: it takes NICs 0, panels, 2 panels ...
    for (uint32_t s = 0; s < cluster.GetNServers(); ++s)
    {
        ports += (cluster.GetNics(s) + panels - 1) / panels;
    }
    return ports;
}

std::string
TopoOptTopology::DoBuild(const ClusterSpec& cluster, FabricGraph& graph) const
{
    uint32_t panels = 1;
    while (m_panelPorts != 0 && panels <= cluster.GetMaxNics() &&
           GetPortsNeeded(cluster, panels) > m_panelPorts)
    {
        ++panels;
    }
    if (panels > cluster.GetMaxNics())
    {
        throw InputError("PanelPorts",
                         std::to_string(m_panelPorts) + " ports for " +
                             std::to_string(cluster.GetNServers()) + " servers",
                         "at least one port per server, so that a panel can join any two");
    }
    const uint32_t ports = m_panelPorts != 0 ? m_panelPorts : GetPortsNeeded(cluster, 1);
    std::vector<VertexId> units;
    for (uint32_t p = 0; p < panels; ++p)
    {
        units.push_back(graph.AddOcs(ports, "panel " + std::to_string(p)));
    }
    std::vector<ServerId> members;
    for (uint32_t s = 0; s < cluster.GetNServers(); ++s)
    {
        members.emplace_back(s);
        for (uint32_t n = 0; n < cluster.GetNics(s); ++n)
        {
            graph.AddEdge(graph.GetVertex(ServerId(s)), units[n % panels], GetFiberEdge());
        }
    }
    graph.AddRegion(members, units);
    return "TopoOpt: all NICs on " + std::to_string(panels) +
           (panels == 1 ? " patch panel" : " patch panels");
}

} // namespace ns3
