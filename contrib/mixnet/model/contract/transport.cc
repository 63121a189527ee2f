/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "transport.h"

#include "router.h"

#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(Transport);
NS_OBJECT_ENSURE_REGISTERED(RoutingPolicy);
NS_OBJECT_ENSURE_REGISTERED(Router);

TypeId
RoutingPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoutingPolicy").SetParent<Object>().SetGroupName("Mixnet");
    return tid;
}

TypeId
Router::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MixnetRouter").SetParent<Object>().SetGroupName("Mixnet");
    return tid;
}

bool
Router::UsesCircuits(const Transfer& /* transfer */) const
{
    return true;
}

void
Router::ResolveWay(const RouteQuery& /* lane */,
                   const LaneRoute& /* way */,
                   FluidRoute& route) const
{
    route = FluidRoute();
}

TypeId
Transport::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MixnetTransport")
                            .SetParent<Object>()
                            .SetGroupName("Mixnet")
                            .AddTraceSource("Completion",
                                            "A transfer has ended.",
                                            MakeTraceSourceAccessor(&Transport::m_completionTrace),
                                            "ns3::Transport::CompletionTracedCallback");
    return tid;
}

void
Transport::DoDispose()
{
    m_active.clear();
    m_awaiting.clear();
    m_awaited.clear();
    m_awaitedGraph = nullptr;
    m_meter.reset();
    Object::DoDispose();
}

TransferId
Transport::Send(const Transfer* batch, std::size_t count, TransferSink& sink)
{
    const TransferId first(m_next);
    m_next += count;
    std::size_t from = 0;
    for (std::size_t i = 0; i < count; ++i)
    {
        const Transfer& t = batch[i];
        MIXNET_CHECK(t.lanes > 0 && t.source.IsValid() && t.destination.IsValid(), "bad transfer");
        const bool trivial = t.bytes == ByteCount(0) || t.source == t.destination;
        const bool waits = !trivial && IsAwaited(t);
        m_active.emplace(first.Get() + i, Active{t, &sink, Simulator::Now(), false, waits});
        m_totals.injected += t.bytes;
        m_totals.unfinished += t.bytes;
        ++m_totals.transfers;
        if (trivial || waits)
        {
            if (i > from)
            {
                DoSend(TransferId(first.Get() + from), batch + from, i - from);
            }
            from = i + 1;
        }
        if (trivial)
        {
            Simulator::ScheduleNow(&Transport::EndTrivial,
                                   this,
                                   TransferId(first.Get() + i),
                                   TransferStatus::DELIVERED);
        }
        else if (waits)
        {
            m_awaiting.emplace_back(first.Get() + i);
        }
    }
    if (count > from)
    {
        DoSend(TransferId(first.Get() + from), batch + from, count - from);
    }
    return first;
}

std::size_t
Transport::GetNWayless() const
{
    return 0;
}

void
Transport::NoteMove(ByteCount bytes)
{
    ++m_moves.moves;
    m_moves.bytes += bytes;
}

bool
Transport::UsesCircuits(const Transfer& /* transfer */) const
{
    return true;
}

bool
Transport::IsAwaited(const Transfer& t) const
{
    return !m_awaited.empty() &&
           std::binary_search(m_awaited.begin(),
                              m_awaited.end(),
                              std::make_pair(m_awaitedGraph->GetServerOf(t.source),
                                             m_awaitedGraph->GetServerOf(t.destination))) &&
           UsesCircuits(t);
}

void
Transport::SetAwaited(Ptr<FabricGraph> graph,
                      const std::vector<std::pair<ServerId, ServerId>>& pairs)
{
    m_awaitedGraph = graph;
    m_awaited = pairs;
    std::vector<TransferId> free;
    for (const TransferId id : m_awaiting)
    {
        if (!IsAwaited(m_active.at(id.Get()).transfer))
        {
            free.push_back(id);
        }
    }
    Launch(free);
}

std::size_t
Transport::GetNAwaiting() const
{
    return m_awaiting.size();
}

void
Transport::Launch(const std::vector<TransferId>& ids)
{
    std::vector<Transfer> batch;
    for (std::size_t i = 0; i < ids.size(); ++i)
    {
        Active& active = m_active.at(ids[i].Get());
        active.awaiting = false;
        m_awaiting.erase(std::lower_bound(m_awaiting.begin(), m_awaiting.end(), ids[i]));
        batch.push_back(active.transfer);
        if (i + 1 == ids.size() || ids[i + 1].Get() != ids[i].Get() + 1)
        {
            const TransferId first(ids[i].Get() + 1 - batch.size());
            DoSend(first, batch.data(), batch.size());
            batch.clear();
        }
    }
}

void
Transport::EndTrivial(TransferId id, TransferStatus status)
{
    const auto it = m_active.find(id.Get());
    if (it != m_active.end() && it->second.aborting == (status == TransferStatus::ABORTED))
    {
        End(id, status, {});
    }
}

void
Transport::Abort(TransferId id)
{
    const auto it = m_active.find(id.Get());
    if (it == m_active.end() || it->second.aborting)
    {
        return;
    }
    it->second.aborting = true;
    const Transfer& t = it->second.transfer;
    if (it->second.awaiting)
    {
        m_awaiting.erase(std::lower_bound(m_awaiting.begin(), m_awaiting.end(), id));
    }
    else if (t.bytes != ByteCount(0) && t.source != t.destination)
    {
        DoAbort(id);
    }
    Simulator::ScheduleNow(&Transport::EndTrivial, this, id, TransferStatus::ABORTED);
}

std::size_t
Transport::AbortAll(const TransferSink& sink)
{
    std::vector<TransferId> ids;
    for (const auto& [id, active] : m_active)
    {
        if (active.sink == &sink && !active.aborting)
        {
            ids.emplace_back(id);
        }
    }
    std::sort(ids.begin(), ids.end());
    for (const TransferId id : ids)
    {
        Abort(id);
    }
    return ids.size();
}

void
Transport::Reroute(TransferId id)
{
    const auto it = m_active.find(id.Get());
    if (it != m_active.end() && it->second.awaiting && !it->second.aborting)
    {
        Launch({id});
    }
    else if (it != m_active.end() && !it->second.aborting &&
             it->second.transfer.bytes != ByteCount(0) &&
             it->second.transfer.source != it->second.transfer.destination)
    {
        DoReroute(id);
    }
}

void
Transport::End(TransferId id,
               TransferStatus status,
               const std::array<ByteCount, N_PATH_CLASSES>& bytesByPath)
{
    const auto it = m_active.find(id.Get());
    MIXNET_CHECK(it != m_active.end(), "transfer " << id << " ends twice");
    const Active active = it->second;
    m_active.erase(it);
    m_totals.unfinished -= active.transfer.bytes;
    switch (status)
    {
    case TransferStatus::DELIVERED:
        m_totals.delivered += active.transfer.bytes;
        m_totals.byTraffic[static_cast<size_t>(active.transfer.trafficClass)] +=
            active.transfer.bytes;
        for (size_t p = 0; p < N_PATH_CLASSES; ++p)
        {
            m_totals.byPath[p] += bytesByPath[p];
        }
        break;
    case TransferStatus::ABORTED:
        m_totals.aborted += active.transfer.bytes;
        break;
    case TransferStatus::FAILED:
        m_totals.failed += active.transfer.bytes;
        break;
    }
    const Completion completion{id,
                                active.transfer.tag,
                                status,
                                active.transfer.trafficClass,
                                active.transfer.source,
                                active.transfer.destination,
                                active.transfer.bytes,
                                bytesByPath,
                                active.posted,
                                Simulator::Now()};
    m_completionTrace(completion);
    active.sink->OnCompletion(completion);
}

void
Transport::EnableLoadMeter()
{
    if (!m_meter)
    {
        m_meter = DoMakeLoadMeter();
    }
}

LoadMeter*
Transport::GetLoadMeter() const
{
    return m_meter.get();
}

std::unique_ptr<LoadMeter>
Transport::DoMakeLoadMeter()
{
    return nullptr;
}

TransferTotals
Transport::GetTotals() const
{
    MIXNET_CHECK(m_totals.injected ==
                     m_totals.delivered + m_totals.unfinished + m_totals.aborted + m_totals.failed,
                 "bytes injected are not delivered + unfinished + aborted + failed");
    return m_totals;
}

std::vector<UnfinishedTransfer>
Transport::GetUnfinished() const
{
    std::vector<UnfinishedTransfer> list;
    list.reserve(m_active.size());
    for (const auto& [id, active] : m_active)
    {
        list.push_back({TransferId(id), active.transfer, active.posted});
    }
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    return list;
}

} // namespace ns3
