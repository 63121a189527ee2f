/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "crossed-compute.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

CrossedCompute::CrossedCompute(StageContext& context,
                               StageHost& host,
                               ExposureMeter& meter,
                               const TensorCrossings& crossings,
                               const DoneCallback& done)
    : m_context(context),
      m_host(host),
      m_meter(meter),
      m_crossings(crossings),
      m_done(done)
{
}

const ComputeBlock&
CrossedCompute::FindSlowest(const std::vector<ComputeBlock>& blocks, uint32_t block) const
{
    const uint32_t size = m_context.job->degrees.ranksPerBlock;
    return *std::max_element(
        blocks.begin() + std::size_t(block) * size,
        blocks.begin() + std::size_t(block + 1) * size,
        [](const ComputeBlock& a, const ComputeBlock& b) { return a.GetTotal() < b.GetTotal(); });
}

template <class F>
void
CrossedCompute::ForEachRank(uint32_t block, const F& visit) const
{
    const uint32_t size = m_context.job->degrees.ranksPerBlock;
    for (uint32_t rank = block * size; rank < (block + 1) * size; ++rank)
    {
        visit(rank);
    }
}

ByteCount
CrossedCompute::GetBytes(const std::vector<ComputeBlock>& blocks) const
{
    uint64_t bytes = 0;
    for (const BrokenBlock& block : m_crossings.GetBlocks())
    {
        const ComputeBlock& b = FindSlowest(blocks, block.rank);
        bytes += block.crossings.size() * (m_crossings.GetEdgeBytes(b.gather).Get() +
                                           m_crossings.GetEdgeBytes(b.scatter).Get());
    }
    return ByteCount(bytes);
}

void
CrossedCompute::Start(const std::vector<ComputeBlock>& blocks)
{
    const std::vector<BrokenBlock>& broken = m_crossings.GetBlocks();
    m_start = Simulator::Now();
    m_blocks = blocks;
    m_courses.assign(broken.size(), Course());
    for (uint32_t i = 0; i < broken.size(); ++i)
    {
        m_courses[i].planned = FindSlowest(blocks, broken[i].rank);
        ForEachRank(broken[i].rank, [this](uint32_t rank) { m_blocks[rank] = ComputeBlock(); });
    }
    m_whole = *std::max_element(
        m_blocks.begin(),
        m_blocks.end(),
        [](const ComputeBlock& a, const ComputeBlock& b) { return a.GetTotal() < b.GetTotal(); });
    m_meter.StartBlocks(m_start, m_blocks);
    m_open = static_cast<uint32_t>(broken.size());
    for (uint32_t i = 0; i < broken.size(); ++i)
    {
        if (m_courses[i].planned.gather.IsZero())
        {
            StartCompute(i);
        }
        else
        {
            StartCollective(i, m_courses[i].planned.gather);
        }
    }
}

void
CrossedCompute::FillTaken(std::vector<ComputeBlock>& blocks) const
{
    for (std::size_t i = 0; i < m_courses.size(); ++i)
    {
        ForEachRank(m_crossings.GetBlocks()[i].rank,
                    [&](uint32_t rank) { blocks[rank] = m_courses[i].taken; });
    }
}

void
CrossedCompute::Abort()
{
    ++m_generation;
}

void
CrossedCompute::StartCollective(uint32_t index, Time time)
{
    const BrokenBlock& block = m_crossings.GetBlocks()[index];
    m_courses[index].since = Simulator::Now();
    ForEachRank(block.rank, [this](uint32_t rank) { m_meter.OpenTensor(Simulator::Now(), rank); });
    const CollectiveRunner::Run run = m_context.runner->Open();
    m_crossings.Append(m_context.runner->GetGraph(run), block, time);
    m_context.runner->Start(run, *this, (uint64_t(m_generation) << 32) | index);
}

void
CrossedCompute::OnCollective(const CollectiveResult& result)
{
    if (result.tag >> 32 != m_generation)
    {
        return;
    }
    const auto index = static_cast<uint32_t>(result.tag);
    Course& course = m_courses[index];
    const uint32_t block = m_crossings.GetBlocks()[index].rank;
    m_context.ledger.AddTransfers(result.transfers);
    m_context.ledger.AddBytes(TrafficClass::TP, result.bytesByPath);
    course.load[course.after] = result.load;
    const Time took = Simulator::Now() - course.since;
    (course.after ? course.taken.scatter : course.taken.gather) = took;
    if (result.lost > 0)
    {
        m_host.OnLoss("TP collective of TP block " + std::to_string(block));
        return;
    }
    if (course.after)
    {
        ForEachRank(block,
                    [this](uint32_t rank) { m_meter.CloseTensor(Simulator::Now(), rank, Time()); });
        EndBlock(index);
        return;
    }
    StartCompute(index);
}

void
CrossedCompute::StartCompute(uint32_t index)
{
    Course& course = m_courses[index];
    course.taken.compute = course.planned.compute;
    ForEachRank(m_crossings.GetBlocks()[index].rank, [&](uint32_t rank) {
        m_meter.CloseTensor(Simulator::Now(), rank, course.planned.compute);
    });
    Simulator::Schedule(course.planned.compute,
                        &CrossedCompute::OnComputed,
                        this,
                        index,
                        m_generation);
}

void
CrossedCompute::OnComputed(uint32_t index, uint32_t generation)
{
    if (generation != m_generation)
    {
        return;
    }
    Course& course = m_courses[index];
    course.after = true;
    if (course.planned.scatter.IsZero())
    {
        EndBlock(index);
        return;
    }
    StartCollective(index, course.planned.scatter);
}

void
CrossedCompute::EndBlock(uint32_t index)
{
    m_last = m_courses[index].taken;
    m_lastLoad = m_courses[index].load;
    if (--m_open > 0)
    {
        return;
    }
    const Time left = m_start + m_whole.GetTotal() - Simulator::Now();
    if (left.IsStrictlyPositive())
    {
        m_last = m_whole;
        m_lastLoad = {};
        Simulator::Schedule(left, &CrossedCompute::End, this, m_generation);
        return;
    }
    End(m_generation);
}

void
CrossedCompute::End(uint32_t generation)
{
    if (generation == m_generation)
    {
        m_done(m_last);
    }
}

} // namespace ns3
