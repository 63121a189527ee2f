/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "exposure-meter.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{

/// Exposed time goes to the first of these that is in progress; TP belongs to blocks.
constexpr TrafficClass PRIORITY[] = {TrafficClass::CP,
                                     TrafficClass::EP,
                                     TrafficClass::DP,
                                     TrafficClass::PP,
                                     TrafficClass::OTHER};

/// @return ticks that [a, b) and [c, d) share
int64_t
Overlap(int64_t a, int64_t b, int64_t c, int64_t d)
{
    return std::max<int64_t>(0, std::min(b, d) - std::max(a, c));
}

/// @return ticks as Time
Time
Ticks(int64_t ticks)
{
    return TimeStep(static_cast<uint64_t>(ticks));
}

} // namespace

ExposureMeter::ExposureMeter(uint32_t ranks)
    : m_ranks(ranks)
{
}

void
ExposureMeter::Start(Time now)
{
    const int64_t ticks = now.GetTimeStep();
    std::fill(m_ranks.begin(), m_ranks.end(), Rank());
    m_inProgress.fill(0);
    m_exposed.fill(0);
    m_commonExposed.fill(0);
    m_current = QUIET;
    m_last = ticks;
    m_blockEnd = ticks;
    m_waited = 0;
    m_waiting = 0;
}

void
ExposureMeter::StartBlocks(Time now, const std::vector<ComputeBlock>& blocks)
{
    Advance(now);
    MIXNET_CHECK(blocks.size() == m_ranks.size() && m_blockEnd <= m_last,
                 "a block for " << blocks.size() << " of " << m_ranks.size() << " ranks");
    for (std::size_t r = 0; r < m_ranks.size(); ++r)
    {
        auto& edge = m_ranks[r].edge;
        edge[0] = m_last;
        edge[1] = edge[0] + blocks[r].gather.GetTimeStep();
        edge[2] = edge[1] + blocks[r].compute.GetTimeStep();
        edge[3] = edge[2] + blocks[r].scatter.GetTimeStep();
        m_blockEnd = std::max(m_blockEnd, edge[3]);
    }
}

void
ExposureMeter::StartBlock(Time now, const ComputeBlock& block)
{
    Advance(now);
    MIXNET_CHECK(m_blockEnd <= m_last, "a block in a block");
    const int64_t compute = m_last + block.gather.GetTimeStep();
    const int64_t scatter = compute + block.compute.GetTimeStep();
    m_blockEnd = scatter + block.scatter.GetTimeStep();
    for (Rank& rank : m_ranks)
    {
        rank.edge = {m_last, compute, scatter, m_blockEnd};
    }
}

void
ExposureMeter::OpenTensor(Time now, uint32_t rank)
{
    constexpr int64_t open = std::numeric_limits<int64_t>::max();
    Advance(now);
    m_ranks[rank].edge = {m_last, open, open, open};
    FindBlockEnd();
}

void
ExposureMeter::CloseTensor(Time now, uint32_t rank, Time compute)
{
    Advance(now);
    const int64_t end = m_last + compute.GetTimeStep();
    m_ranks[rank].edge = {m_last, m_last, end, end};
    FindBlockEnd();
}

void
ExposureMeter::FindBlockEnd()
{
    m_blockEnd = m_last;
    for (const Rank& rank : m_ranks)
    {
        m_blockEnd = std::max(m_blockEnd, rank.edge[3]);
    }
}

void
ExposureMeter::BeginCommunication(Time now, TrafficClass trafficClass)
{
    Advance(now);
    ++m_inProgress[static_cast<std::size_t>(trafficClass)];
    Choose();
}

void
ExposureMeter::EndCommunication(Time now, TrafficClass trafficClass)
{
    Advance(now);
    uint32_t& count = m_inProgress[static_cast<std::size_t>(trafficClass)];
    MIXNET_CHECK(count > 0, "communication of class " << GetName(trafficClass) << " ends twice");
    --count;
    Choose();
}

void
ExposureMeter::SetWaiting(Time now, bool waiting)
{
    Advance(now);
    MIXNET_CHECK(waiting || m_waiting > 0, "circuits that nobody waited for");
    m_waiting += waiting ? 1 : -1;
}

void
ExposureMeter::Choose()
{
    m_current = QUIET;
    for (const TrafficClass c : PRIORITY)
    {
        if (m_inProgress[static_cast<std::size_t>(c)] > 0)
        {
            m_current = static_cast<std::size_t>(c);
            return;
        }
    }
}

void
ExposureMeter::Advance(Time now)
{
    const int64_t to = now.GetTimeStep();
    if (to == m_last)
    {
        return;
    }
    const int64_t blocks = std::min(to, m_blockEnd);
    if (m_last < blocks)
    {
        AdvanceBlocks(m_last, blocks);
    }
    const int64_t alone = to - std::max(m_last, m_blockEnd);
    if (alone > 0 && m_current != QUIET)
    {
        m_commonExposed[m_current] += alone;
        m_waited += m_waiting > 0 ? alone * static_cast<int64_t>(m_ranks.size()) : 0;
    }
    m_last = to;
}

void
ExposureMeter::AdvanceBlocks(int64_t from, int64_t to)
{
    for (Rank& rank : m_ranks)
    {
        const int64_t tensor = Overlap(from, to, rank.edge[0], rank.edge[1]) +
                               Overlap(from, to, rank.edge[2], rank.edge[3]);
        const int64_t compute = Overlap(from, to, rank.edge[1], rank.edge[2]);
        const int64_t rest = to - from - tensor - compute;
        rank.compute += compute;
        rank.exposed += tensor;
        rank.communication += tensor;
        m_exposed[static_cast<std::size_t>(TrafficClass::TP)] += tensor;
        if (m_current != QUIET)
        {
            rank.exposed += rest;
            rank.communication += rest + compute;
            m_exposed[m_current] += rest;
            m_waited += m_waiting > 0 ? rest : 0;
        }
    }
}

void
ExposureMeter::Finish(Time now, ExposureTotals& totals)
{
    Advance(now);
    const auto ranks = static_cast<int64_t>(m_ranks.size());
    int64_t common = 0;
    for (std::size_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        common += m_commonExposed[c];
        totals.exposed[c] += Ticks(m_exposed[c] + m_commonExposed[c] * ranks);
    }
    for (const Rank& rank : m_ranks)
    {
        const int64_t communication = rank.communication + common;
        const int64_t exposed = rank.exposed + common;
        totals.compute += Ticks(rank.compute);
        totals.communication += Ticks(communication);
        if (communication > 0)
        {
            ++totals.communicating;
            totals.hidden +=
                1.0 - static_cast<double>(exposed) / static_cast<double>(communication);
        }
    }
    totals.ranks += static_cast<uint32_t>(ranks);
    totals.waiting += Ticks(m_waited);
}

} // namespace ns3
