/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "qp-scheduling.h"

#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QpScheduling);
NS_OBJECT_ENSURE_REGISTERED(RoundRobinQpScheduling);
NS_OBJECT_ENSURE_REGISTERED(DeficitQpScheduling);

TypeId
QpScheduling::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QpScheduling").SetParent<Object>().SetGroupName("Mixnet");
    return tid;
}

TypeId
RoundRobinQpScheduling::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoundRobinQpScheduling")
                            .SetParent<QpScheduling>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<RoundRobinQpScheduling>();
    return tid;
}

void
RoundRobinQpScheduling::Open(uint32_t)
{
}

bool
RoundRobinQpScheduling::KeepsTurn(uint32_t, uint32_t, bool)
{
    return false;
}

TypeId
DeficitQpScheduling::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DeficitQpScheduling")
            .SetParent<QpScheduling>()
            .SetGroupName("Mixnet")
            .AddConstructor<DeficitQpScheduling>()
            .AddAttribute("Quantum",
                          "Wire bytes of a turn. The default is one jumbo frame, so that a turn "
                          "has at least one packet.",
                          UintegerValue(9216),
                          MakeUintegerAccessor(&DeficitQpScheduling::m_quantum),
                          MakeUintegerChecker<uint32_t>(64));
    return tid;
}

void
DeficitQpScheduling::Open(uint32_t slot)
{
    if (slot >= m_credit.size())
    {
        m_credit.resize(slot + 1);
    }
    m_credit[slot] = m_quantum;
}

bool
DeficitQpScheduling::KeepsTurn(uint32_t slot, uint32_t wireBytes, bool more)
{
    int64_t& credit = m_credit[slot];
    if (!more)
    {
        credit = m_quantum;
        return false;
    }
    credit -= wireBytes;
    if (credit > 0)
    {
        return true;
    }
    credit += m_quantum;
    return false;
}

} // namespace ns3
