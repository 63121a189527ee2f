/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-transport.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

/// Adds up by class of resources.
class ClassLoadMeter : public LoadMeter
{
  public:
    /// @param graph the graph @param partition classes @param book numbers; both must outlive this
    ClassLoadMeter(Ptr<const FabricGraph> graph,
                   const ResourcePartition& partition,
                   const FlowWayBook& book)
        : LoadMeter(graph),
          m_partition(partition),
          m_book(book)
    {
    }

  private:
    double GetRate(uint32_t key) const override
    {
        return m_partition.GetCapacity(key);
    }

    void GetMembers(uint32_t key, std::vector<uint32_t>& members) const override
    {
        members = m_partition.GetMembers(key);
    }

    uint32_t GetNumber(uint32_t member) const override
    {
        return m_book.GetNumber(member);
    }

    const ResourcePartition& m_partition; //!< classes
    const FlowWayBook& m_book;            //!< numbers
};

} // namespace

std::unique_ptr<LoadMeter>
FlowTransport::DoMakeLoadMeter()
{
    EnsureBuilt();
    ResourcePartition& partition = m_engine->GetSolver().GetPartition();
    auto meter = std::make_unique<ClassLoadMeter>(m_graph, partition, *m_book);
    partition.SetCutCallback([this](uint32_t from, uint32_t to) {
        if (LoadMeter* told = GetLoadMeter())
        {
            told->Split(from, to);
        }
    });
    return meter;
}

void
FlowTransport::Meter(const Item& item, uint64_t payload, uint64_t wire)
{
    LoadMeter& meter = *GetLoadMeter();
    const ResourcePartition& partition = m_engine->GetSolver().GetPartition();
    for (const auto& term : partition.GetAllTerms(m_book->Get(item.way).route))
    {
        const bool inside = partition.GetKind(term.cls) == ResourceKind::SCALE_UP;
        meter.Add(item.transfer.account,
                  term.cls,
                  term.share * static_cast<double>(inside ? payload : wire));
    }
}

const std::vector<double>&
FlowTransport::GetCarried()
{
    EnsureBuilt();
    if (m_carriedAt == m_changes && m_carriedTime == Simulator::Now())
    {
        return m_carried;
    }
    FlowSolver& solver = m_engine->GetSolver();
    const int64_t now = Simulator::Now().GetTimeStep();
    const auto add = [&](double sign) {
        for (const Item& item : m_items)
        {
            if (item.state == State::FLOWING)
            {
                const double bits = item.bitsLeft - solver.GetBitsLeft(item.flow, now);
                const double wire = std::floor(bits / 8);
                const double payload = std::floor(wire * static_cast<double>(item.payloadLeft) /
                                                  static_cast<double>(item.wireLeft));
                solver.GetPartition().AddCarried(m_book->Get(item.way).route,
                                                 sign * wire,
                                                 sign * payload);
            }
        }
    };
    add(1);
    m_carried = solver.GetPartition().GetCarried();
    add(-1);
    m_carriedAt = m_changes;
    m_carriedTime = Simulator::Now();
    return m_carried;
}

ByteCount
FlowTransport::GetWireBytes(ChannelId channel)
{
    const double bytes = GetCarried()[FabricResources::GetNumber(channel)];
    return ByteCount(static_cast<uint64_t>(bytes + 0.5));
}

ByteCount
FlowTransport::GetScaleUpBytes(GpuId gpu, bool egress)
{
    const double bytes = GetCarried()[m_book->GetResources().GetNumber(gpu, egress)];
    return ByteCount(static_cast<uint64_t>(bytes + 0.5));
}

ByteCount
FlowTransport::GetNumaBytes(uint32_t link)
{
    const std::vector<double>& carried = GetCarried();
    return ByteCount(
        static_cast<uint64_t>(carried[m_book->GetResources().GetNumaNumber(link)] + 0.5));
}

FlowSolverStats
FlowTransport::GetSolverStats() const
{
    return m_engine ? m_engine->GetSolver().GetStats() : FlowSolverStats();
}

} // namespace ns3
