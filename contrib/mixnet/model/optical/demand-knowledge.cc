/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "demand-knowledge.h"

namespace ns3
{

void
DemandKnowledge::Configure(PlanBasis basis, Ptr<DemandPredictor> predictor)
{
    m_basis = basis;
    m_predictor = predictor;
}

void
DemandKnowledge::Learn(const AllToAllId& id, const DemandMatrix& demand)
{
    if (id.phase != AllToAllPhase::FORWARD_DISPATCH)
    {
        return;
    }
    if (m_basis == PlanBasis::PREDICTED && m_predictor)
    {
        m_predictor->Observe(id, demand);
    }
    if (m_basis == PlanBasis::ITERATION)
    {
        History& history = m_histories[id.group];
        if (history.sum.Rows() == 0 || history.iteration != id.iteration)
        {
            history.iteration = id.iteration;
            history.sum = DemandMatrix(demand.Rows(), demand.Columns(), 0);
        }
        for (std::size_t i = 0; i < demand.Data().size(); ++i)
        {
            history.sum.Data()[i] += demand.Data()[i];
        }
    }
}

const DemandMatrix*
DemandKnowledge::Find(PlanBasis basis, const AllToAllId& id, const DemandMatrix& demand)
{
    if (basis == PlanBasis::EXACT || basis == PlanBasis::CURRENT)
    {
        return &demand;
    }
    if (basis == PlanBasis::PREDICTED)
    {
        return m_predictor ? m_predictor->Predict(id) : nullptr;
    }
    History& history = m_histories[id.group];
    std::optional<AllToAllId>& first = history.first[IsBackward(id.phase)];
    if (!first || first->iteration != id.iteration)
    {
        first = id;
    }
    if (first->layer != id.layer || first->microBatch != id.microBatch || first->phase != id.phase)
    {
        return nullptr;
    }
    return history.sum.Rows() > 0 ? &history.sum : &demand;
}

} // namespace ns3
