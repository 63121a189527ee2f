/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "all-to-all.h"

#include "collective-builders.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(AllToAllAlgorithm);
NS_OBJECT_ENSURE_REGISTERED(DirectAllToAll);

TypeId
AllToAllAlgorithm::GetTypeId()
{
    static TypeId tid = TypeId("ns3::AllToAllAlgorithm").SetParent<Object>().SetGroupName("Mixnet");
    return tid;
}

void
AllToAllAlgorithm::SetFabric(Ptr<FabricGraph> graph, Ptr<Router> router)
{
    m_graph = graph;
    m_router = router;
}

void
AllToAllAlgorithm::DoDispose()
{
    m_graph = nullptr;
    m_router = nullptr;
    Object::DoDispose();
}

TypeId
DirectAllToAll::GetTypeId()
{
    static TypeId tid = TypeId("ns3::DirectAllToAll")
                            .SetParent<AllToAllAlgorithm>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<DirectAllToAll>();
    return tid;
}

void
DirectAllToAll::Append(TransferGraph& transfers, const AllToAllDemand& demand)
{
    AppendAllToAll(transfers,
                   demand.members,
                   demand.lanes,
                   demand.trafficClass,
                   demand.bytes,
                   demand.transposed);
}

} // namespace ns3
