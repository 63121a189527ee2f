/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "demand-predictors.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(LastIterationDemandPredictor);
NS_OBJECT_ENSURE_REGISTERED(LastLayerDemandPredictor);

TypeId
LastIterationDemandPredictor::GetTypeId()
{
    static TypeId tid = TypeId("ns3::LastIterationDemandPredictor")
                            .SetParent<DemandPredictor>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<LastIterationDemandPredictor>();
    return tid;
}

void
LastIterationDemandPredictor::Observe(const AllToAllId& id, const DemandMatrix& demand)
{
    m_last[{id.group, id.layer, id.microBatch}] = demand;
}

const DemandMatrix*
LastIterationDemandPredictor::Predict(const AllToAllId& id) const
{
    const auto it = m_last.find({id.group, id.layer, id.microBatch});
    return it == m_last.end() ? nullptr : &it->second;
}

TypeId
LastLayerDemandPredictor::GetTypeId()
{
    static TypeId tid = TypeId("ns3::LastLayerDemandPredictor")
                            .SetParent<DemandPredictor>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<LastLayerDemandPredictor>();
    return tid;
}

void
LastLayerDemandPredictor::Observe(const AllToAllId& id, const DemandMatrix& demand)
{
    m_last[id.group] = demand;
}

const DemandMatrix*
LastLayerDemandPredictor::Predict(const AllToAllId& id) const
{
    const auto it = m_last.find(id.group);
    return it == m_last.end() ? nullptr : &it->second;
}

} // namespace ns3
