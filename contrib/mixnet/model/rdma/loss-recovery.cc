/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "loss-recovery.h"

#include "ns3/mixnet-error.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(LossRecovery);

TypeId
LossRecovery::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::LossRecovery")
            .SetParent<Object>()
            .SetGroupName("Mixnet")
            .AddAttribute("Timeout",
                          "Retransmission timeout: IBTA's 4.096 us x 2^12 by default. It doubles "
                          "with every timeout in a row.",
                          TimeValue(NanoSeconds(16777216)),
                          MakeTimeAccessor(&LossRecovery::SetTimeout, &LossRecovery::GetTimeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("RetryLimit",
                          "Timeouts in a row after which a queue pair reports an error. 0: at the "
                          "first one.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&LossRecovery::m_retryLimit),
                          MakeUintegerChecker<uint32_t>(0, 254))
            .AddAttribute("BackoffLimit",
                          "Most doublings of the timeout.",
                          UintegerValue(6),
                          MakeUintegerAccessor(&LossRecovery::m_backoffLimit),
                          MakeUintegerChecker<uint32_t>(0, 16));
    return tid;
}

LossRecovery::LossRecovery()
    : m_timeoutTicks(0),
      m_backoffLimit(0),
      m_retryLimit(0)
{
}

void
LossRecovery::NotifyConstructionCompleted()
{
    Object::NotifyConstructionCompleted();
    MIXNET_CHECK(m_timeoutTicks > 0, "retransmission timeout below a tick of the clock");
}

void
LossRecovery::SetTimeout(Time timeout)
{
    m_timeoutTicks = timeout.GetTimeStep();
}

Time
LossRecovery::GetTimeout() const
{
    return TimeStep(m_timeoutTicks);
}

bool
LossRecovery::OnTimeout(SendState& state) const
{
    if (state.retries >= m_retryLimit)
    {
        return false;
    }
    ++state.retries;
    DoTimeout(state);
    return true;
}

} // namespace ns3
