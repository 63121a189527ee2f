/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "no-congestion-control.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NoCongestionControl);

TypeId
NoCongestionControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NoCongestionControl")
            .SetParent<CongestionControl>()
            .SetGroupName("Mixnet")
            .AddConstructor<NoCongestionControl>()
            .AddAttribute("Rate",
                          "Rate of every queue pair in bytes on the wire; 0bps: its port's rate.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&NoCongestionControl::m_rate),
                          MakeDataRateChecker());
    return tid;
}

void
NoCongestionControl::Open(uint32_t slot, const CongestionPath& path, SimTick)
{
    MakeRoom(slot, m_bitRates);
    const uint64_t line = path.lineRate.GetBitRate();
    m_bitRates[slot] = m_rate.GetBitRate() == 0 ? line : std::min(line, m_rate.GetBitRate());
    if (m_rate.GetBitRate() > 0)
    {
        const RateClock clock{DataRate(m_bitRates[slot])};
        m_clocks.resize(std::max<std::size_t>(m_clocks.size(), slot + 1), clock);
        m_clocks[slot] = clock;
    }
}

SimTick
NoCongestionControl::OnSent(uint32_t slot, uint32_t wireBytes, SimTick)
{
    if (m_rate.GetBitRate() == 0)
    {
        return 0;
    }
    return m_clocks[slot].Advance(ByteCount(wireBytes)).GetTimeStep();
}

void
NoCongestionControl::OnFeedback(uint32_t, const CongestionFeedback&, SimTick)
{
}

DataRate
NoCongestionControl::GetRate(uint32_t slot, SimTick)
{
    return DataRate(m_bitRates[slot]);
}

} // namespace ns3
