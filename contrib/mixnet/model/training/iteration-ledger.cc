/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iteration-ledger.h"

#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

void
IterationLedger::Start(uint32_t iteration)
{
    m_iteration = iteration;
    m_ops.clear();
    m_dependencies.clear();
    m_bytes = {};
    m_transfers = 0;
    m_allToAlls = 0;
    m_counts = GateCounts();
}

uint32_t
IterationLedger::AddOp(OpRecord op, const std::vector<uint32_t>& others)
{
    op.id = static_cast<uint32_t>(m_ops.size());
    op.iteration = m_iteration;
    for (const uint32_t other : others)
    {
        if (other != OpRecord::NONE && other != op.predecessor)
        {
            MIXNET_CHECK(other < op.id, "operation " << op.id << " waits for " << other);
            m_dependencies.emplace_back(op.id, other);
        }
    }
    m_ops.push_back(op);
    return op.id;
}

void
IterationLedger::AddBytes(TrafficClass trafficClass,
                          const std::array<ByteCount, N_PATH_CLASSES>& bytes)
{
    auto& total = m_bytes[static_cast<std::size_t>(trafficClass)];
    for (std::size_t p = 0; p < N_PATH_CLASSES; ++p)
    {
        total[p] += bytes[p];
    }
}

void
IterationLedger::AddScaleUpBytes(TrafficClass trafficClass, ByteCount bytes)
{
    m_bytes[static_cast<std::size_t>(trafficClass)]
           [static_cast<std::size_t>(PathClass::SCALE_UP)] += bytes;
}

std::array<Time, N_OP_KINDS>
IterationLedger::MarkCriticalPath(uint32_t last)
{
    std::array<Time, N_OP_KINDS> length{};
    for (uint32_t id = last; id != OpRecord::NONE; id = m_ops[id].predecessor)
    {
        OpRecord& op = m_ops[id];
        MIXNET_CHECK(op.predecessor == OpRecord::NONE || op.predecessor < id,
                     "operation " << id << " starts after " << op.predecessor);
        op.critical = true;
        length[static_cast<std::size_t>(op.kind)] += op.end - op.start;
    }
    ComputeSlack(m_ops[last].end);
    return length;
}

void
IterationLedger::ComputeSlack(Time end)
{
    // Operations wait for those with lower ids only: by falling id, all that wait come first.
    std::sort(m_dependencies.begin(), m_dependencies.end());
    m_latest.assign(m_ops.size(), end);
    auto next = m_dependencies.rbegin();
    for (std::size_t id = m_ops.size(); id-- > 0;)
    {
        OpRecord& op = m_ops[id];
        op.slack = m_latest[id] - op.end;
        const Time start = m_latest[id] - (op.end - op.start);
        if (op.predecessor != OpRecord::NONE)
        {
            m_latest[op.predecessor] = Min(m_latest[op.predecessor], start);
        }
        for (; next != m_dependencies.rend() && next->first == id; ++next)
        {
            m_latest[next->second] = Min(m_latest[next->second], start);
        }
    }
}

void
IterationLedger::Fill(IterationRecord& record) const
{
    record.iteration = m_iteration;
    record.bytes = m_bytes;
    record.transfers = m_transfers;
    record.allToAlls = m_allToAlls;
    record.tokenCopies = m_counts.copies;
    record.droppedCopies = m_counts.dropped;
    record.crossingCopies = m_counts.crossingCopies;
    record.crossingTokens = m_counts.crossingTokens;
    record.ops = static_cast<uint32_t>(m_ops.size());
}

} // namespace ns3
