/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The routing table of FabricIpv4Routing as text.

#include "fabric-ipv4-routing.h"

#include "ns3/node.h"
#include "ns3/output-stream-wrapper.h"
#include "ns3/simulator.h"

namespace ns3
{

void
FabricIpv4Routing::PrintRoutingTable(Ptr<OutputStreamWrapper> stream, Time::Unit unit) const
{
    std::ostream& out = *stream->GetStream();
    const auto node = m_ipv4->GetObject<Node>();
    out << "Node: " << node->GetId() << ", Time: " << Simulator::Now().As(unit)
        << ", FabricIpv4Routing of class " << GetName(m_trafficClass) << "\n";
    const EcmpTables& tables = m_router->GetTables();
    const Ipv4Address own = GetSource(Ipv4Address::GetAny(), nullptr);
    const auto from = m_directory->FindNic(own);
    for (uint32_t s = 0; from && s < tables.GetGraph().GetNServers(); ++s)
    {
        const uint32_t nic = tables.GetAddresses().GetAddress(ServerId(s), 0);
        const auto address = m_directory->FindAddress(nic);
        if (!address || ServerId(s) == tables.GetAddresses().GetServer(*from))
        {
            continue;
        }
        const auto hop = Choose(*from, nic, 0, false);
        out << *address << " by NIC ";
        if (hop)
        {
            out << tables.GetAddresses().GetNic(hop->from) << "\n";
        }
        else
        {
            out << "none\n";
        }
    }
}

} // namespace ns3
