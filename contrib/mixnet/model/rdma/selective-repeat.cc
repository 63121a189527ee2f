/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "selective-repeat.h"

#include "ns3/mixnet-error.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SelectiveRepeat);

TypeId
SelectiveRepeat::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SelectiveRepeat")
            .SetParent<LossRecovery>()
            .SetGroupName("Mixnet")
            .AddConstructor<SelectiveRepeat>()
            .AddAttribute("ShortTimeout",
                          "Retransmission timeout while at most ShortTimeoutPackets are under way "
                          "(RTO_low of IRN). Else Timeout counts (RTO_high).",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&SelectiveRepeat::SetShortTimeout,
                                           &SelectiveRepeat::GetShortTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ShortTimeoutPackets",
                          "Packets under way up to which ShortTimeout counts (N of IRN); 0: never.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&SelectiveRepeat::m_shortPackets),
                          MakeUintegerChecker<uint32_t>(0, 1 << 16))
            .AddAttribute("BitmapSize",
                          "Most packets from the first missing one on that both ends keep track "
                          "of; the window is not larger. Memory follows the widest gap, not this.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&SelectiveRepeat::SetBitmapSize,
                                               &SelectiveRepeat::GetBitmapSize),
                          MakeUintegerChecker<uint32_t>(1, PSN_WINDOW_CAP))
            .AddAttribute("ReorderTolerance",
                          "A missing packet is deemed lost when one that many and one more behind "
                          "it was stored. 0, as in IRN: any later one. Raise it where packets are "
                          "sprayed over ways of unequal length.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SelectiveRepeat::m_reorderTolerance),
                          MakeUintegerChecker<uint32_t>(0, PSN_WINDOW_CAP));
    return tid;
}

SelectiveRepeat::SelectiveRepeat()
{
    m_defaultTimeout = MicroSeconds(320).GetTimeStep();
    m_inOrder = false;
}

void
SelectiveRepeat::SetShortTimeout(Time timeout)
{
    if (!timeout.IsStrictlyPositive())
    {
        throw InputError("ns3::SelectiveRepeat::ShortTimeout", "0", "a tick of the clock or more");
    }
    m_shortTicks = timeout.GetTimeStep();
}

Time
SelectiveRepeat::GetShortTimeout() const
{
    return TimeStep(static_cast<uint64_t>(m_shortTicks));
}

void
SelectiveRepeat::SetBitmapSize(uint32_t packets)
{
    m_windowLimit = packets;
}

uint32_t
SelectiveRepeat::GetBitmapSize() const
{
    return m_windowLimit;
}

ReceiveVerdict
SelectiveRepeat::OnData(ReceiveState& state, uint64_t psn, bool last)
{
    ReceiveVerdict verdict;
    if (psn > state.expected)
    {
        if (psn - state.expected >= m_windowLimit)
        {
            return verdict;
        }
        verdict.duplicate = OpenBuffer(state).Has(psn);
        verdict.store = !verdict.duplicate;
        verdict.reply = ReceiveVerdict::Reply::NACK;
        verdict.psn = state.expected;
        state.unacked = 0;
        return verdict;
    }
    const bool gap = state.buffer != 0;
    if (psn == state.expected)
    {
        verdict.accept = true;
        ++state.expected;
        if (gap)
        {
            ReorderBuffer& buffer = OpenBuffer(state);
            buffer.SetFront(state.expected);
            while (buffer.Has(state.expected))
            {
                ++state.expected;
                ++verdict.ready;
            }
        }
    }
    // what fills a gap, or comes twice, is answered at once: the sender waits for it
    if (++state.unacked >= m_ackInterval || last || gap || !verdict.accept)
    {
        state.unacked = 0;
        verdict.reply = ReceiveVerdict::Reply::ACK;
        verdict.psn = state.expected;
    }
    return verdict;
}

SelectiveRepeat::Recovery*
SelectiveRepeat::Begin(SendState& state)
{
    if (state.gaps == 0)
    {
        if (m_recoveries.GetInUse() >= std::numeric_limits<uint16_t>::max())
        {
            return nullptr;
        }
        state.gaps = static_cast<uint16_t>(m_recoveries.Take());
        Recovery& fresh = m_recoveries.Get(state.gaps);
        fresh.stored.Advance(state.acked);
        fresh.top = state.acked;
        fresh.lost = state.acked;
        fresh.end = state.sent;
        fresh.cursor = state.acked;
        fresh.timedOut = false;
    }
    return &m_recoveries.Get(state.gaps);
}

void
SelectiveRepeat::GoOn(SendState& state)
{
    Recovery& r = m_recoveries.Get(state.gaps);
    r.stored.Advance(state.acked);
    if (state.acked >= r.end)
    {
        if (r.top <= state.acked)
        {
            m_recoveries.Give(state.gaps);
            state.gaps = 0;
            state.next = state.sent;
            return;
        }
        r.end = state.sent;
        r.timedOut = false;
    }
    if (r.timedOut && state.acked > r.start)
    {
        const uint64_t doubled = state.acked + (state.acked - r.start);
        r.lost = std::max(r.lost, std::min(doubled, r.end));
    }
    r.cursor = r.stored.FindClear(std::max(r.cursor, state.acked), r.lost);
    state.next = r.cursor < r.lost ? r.cursor : state.sent;
}

bool
SelectiveRepeat::OnAck(SendState& state, uint64_t psn)
{
    const bool fresh = state.Acknowledge(psn);
    if (fresh && state.gaps != 0)
    {
        GoOn(state);
    }
    return fresh;
}

bool
SelectiveRepeat::OnNack(SendState& state, uint64_t psn, uint64_t sacked)
{
    const bool fresh = state.Acknowledge(psn);
    if (sacked > state.acked && sacked < state.sent)
    {
        Recovery* r = Begin(state);
        if (!r)
        {
            state.next = state.acked;
            return fresh;
        }
        r->stored.Set(sacked);
        r->top = std::max(r->top, sacked);
        r->lost = std::max(r->lost, sacked - std::min<uint64_t>(sacked, m_reorderTolerance));
    }
    if (state.gaps != 0)
    {
        GoOn(state);
    }
    return fresh;
}

void
SelectiveRepeat::OnResent(SendState& state)
{
    if (state.gaps != 0)
    {
        m_recoveries.Get(state.gaps).cursor = state.next;
        GoOn(state);
    }
}

void
SelectiveRepeat::DoTimeout(SendState& state)
{
    Recovery* r = Begin(state);
    state.next = state.acked;
    if (r)
    {
        r->end = state.sent;
        r->cursor = state.acked;
        r->start = state.acked;
        r->lost = std::max(r->lost, state.acked + 1);
        r->timedOut = true;
        GoOn(state);
    }
}

void
SelectiveRepeat::CloseSender(SendState& state)
{
    if (state.gaps != 0)
    {
        m_recoveries.Get(state.gaps).stored.Clear();
        m_recoveries.Give(state.gaps);
        state.gaps = 0;
    }
}

} // namespace ns3
