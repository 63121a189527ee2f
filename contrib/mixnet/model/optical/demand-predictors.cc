/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "demand-predictors.h"

#include "ns3/double.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(LastIterationDemandPredictor);
NS_OBJECT_ENSURE_REGISTERED(LastLayerDemandPredictor);
NS_OBJECT_ENSURE_REGISTERED(AverageDemandPredictor);
NS_OBJECT_ENSURE_REGISTERED(UniformDemandPredictor);

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

TypeId
AverageDemandPredictor::GetTypeId()
{
    static TypeId tid = TypeId("ns3::AverageDemandPredictor")
                            .SetParent<DemandPredictor>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<AverageDemandPredictor>()
                            .AddAttribute("Weight",
                                          "Share of the latest observation.",
                                          DoubleValue(0.25),
                                          MakeDoubleAccessor(&AverageDemandPredictor::m_weight),
                                          MakeDoubleChecker<double>(0.0, 1.0));
    return tid;
}

void
AverageDemandPredictor::Observe(const AllToAllId& id, const DemandMatrix& demand)
{
    Matrix<double>& average = m_average[{id.group, id.layer}];
    const bool first = average.Rows() != demand.Rows();
    if (first)
    {
        average = Matrix<double>(demand.Rows(), demand.Columns());
    }
    for (std::size_t i = 0; i < demand.Data().size(); ++i)
    {
        const auto bytes = static_cast<double>(demand.Data()[i]);
        double& a = average.Data()[i];
        a = first ? bytes : a + m_weight * (bytes - a);
    }
}

const DemandMatrix*
AverageDemandPredictor::Predict(const AllToAllId& id) const
{
    const auto it = m_average.find({id.group, id.layer});
    if (it == m_average.end())
    {
        return nullptr;
    }
    m_predicted = DemandMatrix(it->second.Rows(), it->second.Columns());
    for (std::size_t i = 0; i < m_predicted.Data().size(); ++i)
    {
        m_predicted.Data()[i] = static_cast<uint64_t>(it->second.Data()[i] + 0.5);
    }
    return &m_predicted;
}

TypeId
UniformDemandPredictor::GetTypeId()
{
    static TypeId tid = TypeId("ns3::UniformDemandPredictor")
                            .SetParent<DemandPredictor>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<UniformDemandPredictor>();
    return tid;
}

void
UniformDemandPredictor::Observe(const AllToAllId& id, const DemandMatrix& demand)
{
    const std::size_t n = demand.Rows();
    uint64_t sum = 0;
    for (std::size_t s = 0; s < n; ++s)
    {
        for (std::size_t d = 0; d < n; ++d)
        {
            sum += s == d ? 0 : demand(s, d);
        }
    }
    const uint64_t each = n > 1 ? sum / (n * (n - 1)) : 0;
    DemandMatrix& even = m_even[id.group];
    even = DemandMatrix(n, n, each);
    for (std::size_t s = 0; s < n; ++s)
    {
        even(s, s) = 0;
    }
}

const DemandMatrix*
UniformDemandPredictor::Predict(const AllToAllId& id) const
{
    const auto it = m_even.find(id.group);
    return it == m_even.end() ? nullptr : &it->second;
}

} // namespace ns3
