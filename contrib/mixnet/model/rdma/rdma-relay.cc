/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-relay.h"

#include "queue-pair.h"

namespace ns3
{

void
RdmaRelay::AddPort(MixnetPort* port)
{
    m_ports.push_back(port);
    m_ingress.emplace_back();
    port->SetEgressObserver(m_pauseThreshold > 0 ? this : nullptr);
}

void
RdmaRelay::SetThresholds(uint64_t ecnThreshold, uint64_t pauseThreshold)
{
    m_ecnThreshold = ecnThreshold;
    m_pauseThreshold = pauseThreshold;
    for (MixnetPort* port : m_ports)
    {
        port->SetEgressObserver(m_pauseThreshold > 0 ? this : nullptr);
    }
}

uint64_t
RdmaRelay::GetKey(uint32_t destination, uint32_t qp)
{
    return (uint64_t{destination} << 32) | qp;
}

void
RdmaRelay::AddRule(uint32_t destination, uint32_t qp, uint32_t port)
{
    m_rules[GetKey(destination, qp)] = Rule{port, Rule::KEEP, 0};
}

uint32_t
RdmaRelay::AddTranslation(uint32_t own, uint32_t destination, uint32_t qp, uint32_t port)
{
    // queue pairs have generations from 1 on; 0 and 1 are reserved by IBTA
    do
    {
        m_number = m_number == QpTable::SLOT_MASK ? 2 : m_number + 1;
    } while (m_rules.count(GetKey(own, m_number)) > 0);
    m_rules[GetKey(own, m_number)] = Rule{port, destination, qp};
    return m_number;
}

void
RdmaRelay::RemoveRule(uint32_t destination, uint32_t qp)
{
    m_rules.erase(GetKey(destination, qp));
}

std::size_t
RdmaRelay::GetNRules() const
{
    return m_rules.size();
}

void
RdmaRelay::ForgetPause(uint32_t port)
{
    m_ingress[port].paused = 0;
}

void
RdmaRelay::SetOneWay(uint32_t port, bool oneWay)
{
    m_ingress[port].deaf = oneWay;
}

uint64_t
RdmaRelay::GetPauses() const
{
    return m_pauses;
}

MixnetPort*
RdmaRelay::FindPort(const Frame& frame) const
{
    const auto rule = m_rules.find(GetKey(frame.destination, frame.destinationQp));
    return rule == m_rules.end() ? nullptr : m_ports[rule->second.port];
}

bool
RdmaRelay::Forward(Frame* frame, uint32_t ingress, SimTick now)
{
    const auto rule = m_rules.find(GetKey(frame->destination, frame->destinationQp));
    if (rule == m_rules.end())
    {
        return false;
    }
    if (rule->second.destination != Rule::KEEP)
    {
        frame->destination = rule->second.destination;
        frame->destinationQp = rule->second.qp;
    }
    MixnetPort& egress = *m_ports[rule->second.port];
    if (IsData(frame->opcode))
    {
        frame->ingress = static_cast<uint16_t>(ingress);
        egress.Settle(now);
        if (m_ecnThreshold > 0 && frame->ecn != FrameEcn::NOT_ECT &&
            egress.GetQueues().GetBytes(frame->trafficClass) > m_ecnThreshold)
        {
            frame->ecn = FrameEcn::CE;
            egress.NoteMark(*frame);
        }
        Ingress& from = m_ingress[ingress];
        from.bytes += m_pauseThreshold > 0 ? frame->wireBytes : 0;
        const auto bit = static_cast<uint8_t>(1U << frame->trafficClass);
        if (m_pauseThreshold > 0 && (from.paused & bit) == 0 && !from.deaf &&
            from.bytes > m_pauseThreshold)
        {
            from.paused |= bit;
            ++m_pauses;
            m_ports[ingress]->SendPfc(bit, true, now);
        }
    }
    egress.Enqueue(frame, now);
    return true;
}

void
RdmaRelay::FrameLeaves(Frame& frame, MixnetPort&, SimTick now)
{
    // data of this server's own queue pairs do not pass the queues
    if (!IsData(frame.opcode))
    {
        return;
    }
    Ingress& from = m_ingress[frame.ingress];
    from.bytes -= frame.wireBytes;
    if (from.paused != 0 && from.bytes <= m_pauseThreshold / 2)
    {
        const uint8_t classes = from.paused;
        from.paused = 0;
        m_ports[frame.ingress]->SendPfc(classes, false, now);
    }
}

} // namespace ns3
