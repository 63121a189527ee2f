/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iteration-ledger.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

void
IterationLedger::Start(uint32_t iteration)
{
    m_iteration = iteration;
    m_ops.clear();
    m_bytes = {};
    m_transfers = 0;
    m_allToAlls = 0;
    m_copies = 0;
    m_dropped = 0;
}

uint32_t
IterationLedger::AddOp(OpRecord op)
{
    op.id = static_cast<uint32_t>(m_ops.size());
    op.iteration = m_iteration;
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
    return length;
}

void
IterationLedger::Fill(IterationRecord& record) const
{
    record.iteration = m_iteration;
    record.bytes = m_bytes;
    record.transfers = m_transfers;
    record.allToAlls = m_allToAlls;
    record.tokenCopies = m_copies;
    record.droppedCopies = m_dropped;
    record.ops = static_cast<uint32_t>(m_ops.size());
}

} // namespace ns3
