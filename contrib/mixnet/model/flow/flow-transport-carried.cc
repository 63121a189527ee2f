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
    const double bytes = GetCarried()[FlowWayBook::GetResource(channel)];
    return ByteCount(static_cast<uint64_t>(bytes + 0.5));
}

ByteCount
FlowTransport::GetScaleUpBytes(GpuId gpu, bool egress)
{
    const double bytes = GetCarried()[m_book->GetResource(gpu, egress)];
    return ByteCount(static_cast<uint64_t>(bytes + 0.5));
}

ByteCount
FlowTransport::GetNumaBytes(uint32_t link)
{
    const std::vector<double>& carried = GetCarried();
    return ByteCount(static_cast<uint64_t>(carried[m_book->GetNumaResource(link)] + 0.5));
}

FlowSolverStats
FlowTransport::GetSolverStats() const
{
    return m_engine ? m_engine->GetSolver().GetStats() : FlowSolverStats();
}

} // namespace ns3
