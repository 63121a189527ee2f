/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nic-address-map.h"

#include "ns3/fabric-graph.h"

namespace ns3
{

NicAddressMap::NicAddressMap(const FabricGraph& graph)
{
    for (uint32_t s = 0; s < graph.GetNServers(); ++s)
    {
        m_first.push_back(GetSize());
        m_server.insert(m_server.end(), graph.GetNPorts(graph.GetVertex(ServerId(s))), ServerId(s));
    }
}

} // namespace ns3
