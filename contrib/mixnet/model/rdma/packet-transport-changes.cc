/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// PacketTransport: what disturbs transfers in progress.

#include "packet-transport.h"

#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// @param a way @param b way @return true when they are the same
bool
IsSame(const std::vector<NetworkLeg>& a, const std::vector<NetworkLeg>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.path == y.path && x.from == y.from && x.to == y.to && x.fromNic == y.fromNic &&
               x.toNic == y.toNic;
    });
}

} // namespace

std::array<EdgeId, 2>
PacketTransport::GetEdges(const NetworkLeg& leg) const
{
    return {m_graph->GetEdge(m_graph->GetVertex(leg.from), leg.fromNic),
            m_graph->GetEdge(m_graph->GetVertex(leg.to), leg.toNic)};
}

bool
PacketTransport::IsAlive(const std::vector<NetworkLeg>& legs) const
{
    return std::all_of(legs.begin(), legs.end(), [this](const NetworkLeg& leg) {
        if (leg.path == PathClass::CIRCUIT)
        {
            return m_graph->GetLitPeer(leg.from, leg.fromNic) == std::make_pair(leg.to, leg.toNic);
        }
        const auto edges = GetEdges(leg);
        return m_graph->IsUp(edges[0]) && m_graph->IsUp(edges[1]);
    });
}

bool
PacketTransport::IsFailed(const std::vector<NetworkLeg>& legs) const
{
    return std::any_of(legs.begin(), legs.end(), [this](const NetworkLeg& leg) {
        const auto edges = GetEdges(leg);
        return std::any_of(edges.begin(), edges.end(), [this](EdgeId e) {
            return m_graph->IsBroken(e) || m_graph->HasCause(e, EdgeCause::FAILURE);
        });
    });
}

bool
PacketTransport::IsHeld(const std::vector<NetworkLeg>& legs) const
{
    return std::any_of(legs.begin(), legs.end(), [this](const NetworkLeg& leg) {
        const ChannelId out = m_graph->GetEgress(m_graph->GetVertex(leg.from), leg.fromNic);
        const ChannelId in =
            FabricGraph::GetReverse(m_graph->GetEgress(m_graph->GetVertex(leg.to), leg.toNic));
        return m_heldChannels[out.Get()] != 0 || m_heldChannels[in.Get()] != 0;
    });
}

std::vector<uint32_t>
PacketTransport::Select(const std::function<bool(const PacketPart&)>& select) const
{
    std::vector<uint32_t> found;
    for (const auto& part : m_parts)
    {
        if (part->state != PartState::FREE && select(*part))
        {
            found.push_back(part->index);
        }
    }
    std::sort(found.begin(), found.end(), [this](uint32_t a, uint32_t b) {
        const auto& x = *m_parts[a];
        const auto& y = *m_parts[b];
        return std::make_tuple(x.transfer.Get(), x.lane, a) <
               std::make_tuple(y.transfer.Get(), y.lane, b);
    });
    return found;
}

void
PacketTransport::Park(PacketPart& part, PartState state)
{
    part.state = state;
    m_world->GetNic(m_graph->GetServerOf(part.source)).HoldQp(part.qp, true);
}

void
PacketTransport::Retry(PacketPart& part)
{
    const TransferId id = part.transfer;
    Record& record = Get(id);
    if (part.qp == 0)
    {
        // nothing has been sent: the whole part may take several ways
        const uint32_t lane = part.lane;
        const uint64_t bytes = part.bytes;
        FreePart(part);
        --record.open;
        LaunchLane(id, lane, bytes);
        return;
    }
    Resolve(id, part.lane);
    if (m_routes.empty())
    {
        Park(part, PartState::WAITING);
        if (m_failUnreachable)
        {
            Simulator::ScheduleNow(&PacketTransport::Fail, this, id);
        }
        return;
    }
    auto best = std::max_element(m_routes.begin(),
                                 m_routes.end(),
                                 [](const auto& a, const auto& b) { return a.share < b.share; });
    if (part.stripe != 0)
    {
        const auto same = std::find_if(m_routes.begin(), m_routes.end(), [&part](const auto& r) {
            return IsSame(r.legs, part.legs);
        });
        best = same == m_routes.end() ? best : same;
    }
    if (IsHeld(best->legs))
    {
        Park(part, PartState::HELD);
        return;
    }
    Move(part, best->legs);
}

void
PacketTransport::Move(PacketPart& part, const std::vector<NetworkLeg>& legs)
{
    RdmaNic& from = m_world->GetNic(m_graph->GetServerOf(part.source));
    bool lost = part.state == PartState::WAITING;
    if (!IsSame(part.legs, legs))
    {
        Record& record = Get(part.transfer);
        const uint8_t classes = GetClasses(part, legs);
        RdmaNic& to = m_world->GetNic(m_graph->GetServerOf(part.destination));
        StopCrossings(record, part);
        // what was held has drained, unless a failure came in between
        lost =
            lost || (part.state != PartState::HELD && !IsAlive(part.legs)) || IsFailed(part.legs);
        MeterArrived(part);
        part.legs = legs;
        part.classes.push_back(classes);
        const uint64_t left = part.bytes - to.GetReceived(part.peer).Get();
        NoteMove(ByteCount(left));
        StartCrossings(record, part, left);
        const NicEnd end = SetRules(part);
        SetDataPeer(part, end);
        from.SetPath(part.qp, legs.front().fromNic, end.address, GetEntropy(part));
    }
    if (lost)
    {
        from.Resend(part.qp);
    }
    if (!SetAnswerWay(part))
    {
        Park(part, PartState::WAITING);
        return;
    }
    part.state = PartState::MOVING;
    from.HoldQp(part.qp, false);
    if (part.stripe != 0)
    {
        Feed(Get(part.transfer), part);
    }
}

void
PacketTransport::OnChange(const GraphChange& change)
{
    if (!m_world)
    {
        return;
    }
    const bool worse = !change.down.empty() || !change.removed.empty();
    const bool fabric = std::any_of(change.down.begin(), change.down.end(), [this](EdgeId e) {
        return m_graph->GetSpec(e).kind == EdgeKind::PACKET;
    });
    const auto affected = Select([&](const PacketPart& part) {
        return part.state == PartState::WAITING ||
               (worse && part.state == PartState::MOVING && !part.legs.empty() &&
                (fabric || !IsAlive(part.legs) || !AreAnswersAlive(part)));
    });
    for (const uint32_t i : affected)
    {
        PacketPart& part = *m_parts[i];
        if (part.state == PartState::WAITING || !IsAlive(part.legs) || !IsOffered(part) ||
            !SetAnswerWay(part))
        {
            Retry(part);
        }
    }
    m_scaleUp->Launch();
}

bool
PacketTransport::IsOffered(const PacketPart& part)
{
    Resolve(part.transfer, part.lane);
    return std::any_of(m_routes.begin(), m_routes.end(), [&part](const LaneRoute& route) {
        return IsSame(route.legs, part.legs);
    });
}

void
PacketTransport::Hold(const std::vector<ChannelId>& channels)
{
    for (const ChannelId c : channels)
    {
        m_heldChannels[c.Get()] = 1;
    }
    const auto affected = Select([this](const PacketPart& part) {
        return part.state == PartState::MOVING && !part.legs.empty() &&
               (IsHeld(part.legs) || AreAnswersHeld(part));
    });
    for (const uint32_t i : affected)
    {
        // answers would keep a direction busy that shall drain
        if (IsHeld(m_parts[i]->legs) || !SetAnswerWay(*m_parts[i]))
        {
            Park(*m_parts[i], PartState::HELD);
        }
    }
}

void
PacketTransport::Release(const std::vector<ChannelId>& channels)
{
    for (const ChannelId c : channels)
    {
        m_heldChannels[c.Get()] = 0;
    }
    // routing takes held circuits for dark, so that parts may also wait for the release
    for (const uint32_t i : Select([](const PacketPart& part) {
             return part.state == PartState::HELD || part.state == PartState::WAITING;
         }))
    {
        Retry(*m_parts[i]);
    }
    m_scaleUp->Launch();
}

std::size_t
PacketTransport::GetNWayless() const
{
    return Select([this](const PacketPart& part) {
               return part.state == PartState::WAITING ||
                      (part.state == PartState::MOVING && IsFailed(part.legs));
           })
        .size();
}

bool
PacketTransport::UsesCircuits(const Transfer& transfer) const
{
    return m_router->UsesCircuits(transfer);
}

void
PacketTransport::DoReroute(TransferId id)
{
    for (const uint32_t i : Select([id](const PacketPart& part) {
             return part.transfer == id &&
                    (part.state == PartState::WAITING ||
                     (part.state == PartState::MOVING && !part.legs.empty()));
         }))
    {
        Retry(*m_parts[i]);
    }
    m_scaleUp->Launch();
}

void
PacketTransport::Remove(TransferId id)
{
    Record& record = Get(id);
    for (const uint32_t i : record.parts)
    {
        PacketPart& part = *m_parts[i];
        // a part that ended may serve another transfer by now
        if (part.transfer == id && part.state != PartState::FREE)
        {
            StopCrossings(record, part);
            CloseMessage(part);
            FreePart(part);
        }
    }
    m_records.erase(id.Get());
}

void
PacketTransport::DoAbort(TransferId id)
{
    Remove(id);
}

void
PacketTransport::Fail(TransferId id)
{
    const Record* record = Find(id);
    if (!record)
    {
        return;
    }
    const auto byPath = record->byPath;
    Remove(id);
    End(id, TransferStatus::FAILED, byPath);
}

} // namespace ns3
