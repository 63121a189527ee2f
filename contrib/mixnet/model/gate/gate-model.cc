/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gate-model.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(GateModel);

GateShape
MakeGateShape(const TrainingJob& job, const ParallelLayout& layout)
{
    GateShape shape;
    shape.experts = layout.GetExperts();
    shape.replicas = job.degrees.data;
    shape.microBatches = job.microBatches;
    shape.copies = job.GetCopies();
    shape.groups = job.model.expertGroups;
    shape.groupLimit = job.model.groupLimit;
    shape.topK = job.model.topK;
    return shape;
}

TypeId
GateModel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::GateModel").SetParent<Object>().SetGroupName("Mixnet");
    return tid;
}

void
GateModel::Configure(const GateShape& shape)
{
    m_shape = shape;
    DoConfigure();
}

uint64_t
GateModel::Route(const GateQuery& query, Matrix<uint32_t>& tokens, Matrix<uint32_t>* chosen) const
{
    const std::size_t ranks = m_shape.GetRanks();
    const std::size_t experts = m_shape.experts.GetTotal();
    if (tokens.Rows() != ranks || tokens.Columns() != experts)
    {
        tokens = Matrix<uint32_t>(ranks, experts);
    }
    else
    {
        tokens.Data().assign(tokens.Data().size(), 0);
    }
    DoRoute(query, tokens);
    for (std::size_t rank = 0; rank < ranks; ++rank)
    {
        uint64_t sum = 0;
        for (std::size_t expert = 0; expert < experts; ++expert)
        {
            sum += tokens(rank, expert);
        }
        MIXNET_CHECK(sum == 0 || sum == m_shape.copies,
                     "EP rank " << rank << " sends " << sum << " of " << m_shape.copies
                                << " token copies");
    }
    if (chosen != nullptr)
    {
        *chosen = tokens;
    }
    return m_capacity.Apply(tokens, m_shape.copies);
}

void
GateModel::SetCapacity(const ExpertCapacity& capacity)
{
    m_capacity = capacity;
}

std::vector<std::string>
GateModel::GetAllNotes() const
{
    std::vector<std::string> notes = GetNotes();
    if (!m_capacity.Describe().empty())
    {
        notes.push_back(m_capacity.Describe());
    }
    return notes;
}

bool
GateModel::FindDistinct(const GateQuery& /* query */, Matrix<uint64_t>& /* tokens */) const
{
    return false;
}

int64_t
GateModel::AssignStreams(int64_t /* stream */)
{
    return 0;
}

std::vector<std::string>
GateModel::GetNotes() const
{
    return {};
}

} // namespace ns3
