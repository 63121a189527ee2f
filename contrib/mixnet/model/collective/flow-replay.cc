/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-replay.h"

#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

FlowReplay::FlowReplay(const FlowFile& flows,
                       std::vector<Ends> ends,
                       Ptr<Transport> transport,
                       const Judge& judge)
    : m_flows(flows),
      m_ends(std::move(ends)),
      m_transport(transport),
      m_judge(judge),
      m_triggers(flows),
      m_timer(*this, 0),
      m_outcomes(flows.GetN())
{
    MIXNET_CHECK(m_ends.size() == flows.GetN(), "ends of all flows");
    bool known = false;
    for (uint32_t row = 0; row < flows.GetN(); ++row)
    {
        known = known || flows.sendDone[row] != FlowFile::NONE;
        if (flows.trigger[row] == FlowFile::NONE)
        {
            m_order.push_back(row);
        }
    }
    std::stable_sort(m_order.begin(), m_order.end(), [&flows](uint32_t a, uint32_t b) {
        return flows.start[a] < flows.start[b];
    });
    m_return.resize(known ? flows.GetN() : 0);
}

FlowReplay::~FlowReplay() = default;

void
FlowReplay::Start(const Callback<void>& finished)
{
    m_finished = finished;
    m_begin = Simulator::Now().GetTimeStep();
    if (!m_order.empty())
    {
        m_timer.Arm(m_begin + static_cast<int64_t>(m_flows.start[m_order.front()]));
    }
}

void
FlowReplay::OnTimer(uint32_t /* index */)
{
    const int64_t now = Simulator::Now().GetTimeStep() - m_begin;
    m_rows.clear();
    while (m_next < m_order.size() && static_cast<int64_t>(m_flows.start[m_order[m_next]]) <= now)
    {
        m_rows.push_back(m_order[m_next++]);
    }
    if (m_next < m_order.size())
    {
        m_timer.Arm(m_begin + static_cast<int64_t>(m_flows.start[m_order[m_next]]));
    }
    Send(m_rows);
}

void
FlowReplay::Send(const std::vector<uint32_t>& rows)
{
    if (rows.empty())
    {
        return;
    }
    const int64_t now = Simulator::Now().GetTimeStep();
    m_batch.clear();
    for (const uint32_t row : rows)
    {
        Transfer t;
        t.source = m_ends[row].first;
        t.destination = m_ends[row].second;
        t.bytes = ByteCount(m_flows.bytes[row]);
        t.tag = row;
        m_batch.push_back(t);
        m_outcomes[row].start = now;
        m_outcomes[row].state = FlowOutcome::STARTED;
    }
    const TransferId first = m_transport->Send(m_batch, *this);
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        const auto [ideal, propagation] = m_judge(m_batch[i], TransferId(first.Get() + i));
        m_outcomes[rows[i]].ideal = ideal;
        if (!m_return.empty())
        {
            m_return[rows[i]] = propagation;
        }
    }
}

void
FlowReplay::OnCompletion(const Completion& completion)
{
    const auto row = static_cast<uint32_t>(completion.tag);
    FlowOutcome& outcome = m_outcomes[row];
    outcome.end = completion.finished.GetTimeStep();
    outcome.state =
        completion.status == TransferStatus::DELIVERED ? FlowOutcome::DELIVERED : FlowOutcome::LOST;
    ++m_ended;
    if (outcome.state == FlowOutcome::DELIVERED)
    {
        if (m_flows.sendDone[row] != FlowFile::NONE)
        {
            Simulator::Schedule(TimeStep(static_cast<uint64_t>(m_return[row])),
                                &FlowReplay::Activate,
                                this,
                                m_flows.sendDone[row]);
        }
        if (m_flows.recvDone[row] != FlowFile::NONE)
        {
            Activate(m_flows.recvDone[row]);
        }
    }
    if (m_ended == m_flows.GetN())
    {
        m_finished();
    }
}

void
FlowReplay::Activate(uint32_t trigger)
{
    m_rows.clear();
    m_triggers.Activate(trigger, m_rows);
    Send(m_rows);
}

} // namespace ns3
