/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-port-options.h"

#include "rdma-port.h"

#include <algorithm>

namespace ns3
{

QpSender*
RdmaPortOptions::Take(QpTable& table, uint8_t open, SimTick now, SimTick& retry)
{
    retry = NEVER;
    if (bus && bus->GetReady() > now)
    {
        retry = bus->GetReady();
        return nullptr;
    }
    uint8_t ready = 0;
    for (uint8_t c = 0; c < N_PRIORITIES; ++c)
    {
        if (!((m_used & open) >> c & 1))
        {
            continue;
        }
        if (QpSender* qp = m_schedulers[c].Take(table, now))
        {
            m_schedulers[c].AddFirst(*qp);
            ready |= static_cast<uint8_t>(1U << c);
        }
        else
        {
            retry = std::min(retry, m_schedulers[c].GetNext());
        }
    }
    return ready == 0 ? nullptr : m_schedulers[chooser.Choose(ready, open)].Take(table, now);
}

void
RdmaPortOptions::OnSent(QpSender& qp, uint32_t wireBytes, uint32_t payload, SimTick now)
{
    chooser.OnSent(qp.trafficClass, wireBytes);
    if (bus)
    {
        bus->OnSent(payload, now);
    }
    const bool more = qp.send.HasPacket();
    const bool keeps =
        scheduling && scheduling->KeepsTurn(qp.number & QpTable::SLOT_MASK, wireBytes, more);
    if (more && keeps)
    {
        m_schedulers[qp.trafficClass].AddFirst(qp);
    }
    else if (more)
    {
        m_schedulers[qp.trafficClass].Add(qp);
    }
}

Frame*
RdmaPort::PullWithOptions(uint8_t openClasses, SimTick now, SimTick& retry)
{
    QpSender* qp = m_options->Take(m_core.table, openClasses, now, retry);
    if (!qp)
    {
        return nullptr;
    }
    Frame* frame = MakeData(*qp, now);
    m_options->OnSent(*qp, frame->wireBytes, frame->payloadBytes, now);
    return frame;
}

RdmaPortOptions&
RdmaPort::GetOptions()
{
    if (!m_options)
    {
        m_options = std::make_unique<RdmaPortOptions>();
        m_options->SetScheduler(m_core.dataClass, std::move(m_scheduler));
    }
    return *m_options;
}

} // namespace ns3
