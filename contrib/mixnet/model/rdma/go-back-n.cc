/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "go-back-n.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(GoBackN);

TypeId
GoBackN::GetTypeId()
{
    static TypeId tid = TypeId("ns3::GoBackN")
                            .SetParent<LossRecovery>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<GoBackN>();
    return tid;
}

ReceiveVerdict
GoBackN::OnData(ReceiveState& state, uint64_t psn, bool last)
{
    ReceiveVerdict verdict;
    if (psn > state.expected)
    {
        if (!state.IsGapOpen())
        {
            state.gap = psn;
            state.unacked = 0;
            verdict.reply = ReceiveVerdict::Reply::NACK;
            verdict.psn = state.expected;
        }
        return verdict;
    }
    if (psn == state.expected)
    {
        verdict.accept = true;
        ++state.expected;
    }
    if (++state.unacked >= m_ackInterval || last)
    {
        state.unacked = 0;
        verdict.reply = ReceiveVerdict::Reply::ACK;
        verdict.psn = state.expected;
    }
    return verdict;
}

bool
GoBackN::OnAck(SendState& state, uint64_t psn)
{
    return state.Acknowledge(psn);
}

bool
GoBackN::OnNack(SendState& state, uint64_t psn, uint64_t)
{
    const bool fresh = state.Acknowledge(psn);
    if (psn == state.acked)
    {
        state.next = state.acked;
    }
    return fresh;
}

void
GoBackN::DoTimeout(SendState& state)
{
    state.next = state.acked;
}

} // namespace ns3
