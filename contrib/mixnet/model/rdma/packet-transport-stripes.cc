/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// PacketTransport: lanes whose ways share them by packet.

#include "packet-transport.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

uint64_t
PacketTransport::LaunchStripe(TransferId id,
                              uint32_t lane,
                              uint64_t bytes,
                              const std::vector<LaneRoute>& routes)
{
    std::vector<const LaneRoute*> ways;
    double share = 0;
    for (const LaneRoute& route : routes)
    {
        if (route.pooled && IsHeld(route.legs))
        {
            return 0; // what does not wait, and what does, are parts of their own
        }
        if (route.pooled)
        {
            ways.push_back(&route);
            share += route.share;
        }
    }
    if (ways.size() < 2)
    {
        return 0;
    }
    const double exact = std::floor(static_cast<double>(bytes) * share + 0.5);
    const uint64_t total = std::min(bytes, static_cast<uint64_t>(exact));
    Record& record = Get(id);
    record.stripes.emplace_back();
    PacketStripe& stripe = record.stripes.back();
    stripe.left = total;
    // the shortest messages have fewer pieces than there are ways
    const uint64_t piece = GetPieceBytes();
    const std::size_t used = std::min<uint64_t>(ways.size(), (total + piece - 1) / piece);
    const GpuId source(record.transfer.source.Get() + lane);
    const std::size_t first = m_graph->GetLocalIndex(source);
    for (std::size_t i = 0; i < used; ++i)
    {
        const LaneRoute& way = *ways[(first + i) % ways.size()];
        PacketPart& part = NewPart(id, record, lane, way);
        part.stripe = static_cast<uint32_t>(record.stripes.size());
        part.state = PartState::MOVING;
        stripe.parts.push_back(part.index);
        StartMessage(part);
        const double expected = way.share / share * static_cast<double>(total);
        StartCrossings(record, part, static_cast<uint64_t>(expected));
    }
    while (stripe.left > 0)
    {
        PacketPart* next = FindReady(stripe);
        if (!next)
        {
            break;
        }
        PostPiece(record, *next);
    }
    return total;
}

uint64_t
PacketTransport::GetPieceBytes() const
{
    return uint64_t(m_stripePackets) * m_world->GetNic(ServerId(0)).GetPayloadSize();
}

PacketPart*
PacketTransport::FindReady(const PacketStripe& stripe) const
{
    PacketPart* next = nullptr;
    double least = 0;
    for (const uint32_t i : stripe.parts)
    {
        PacketPart& part = *m_parts[i];
        const NetworkLeg& leg = part.legs.front();
        const EdgeId edge = m_graph->GetEdge(m_graph->GetVertex(leg.from), leg.fromNic);
        const double ready =
            (part.pieces + 1.0) / static_cast<double>(m_graph->GetSpec(edge).rate.GetBitRate());
        if (part.pieces < GetPiecesAhead(part) && (!next || ready < least))
        {
            next = &part;
            least = ready;
        }
    }
    return next;
}

uint32_t
PacketTransport::GetPiecesAhead(const PacketPart& part) const
{
    double bits = 0; // that the way and back hold
    for (const NetworkLeg& leg : part.legs)
    {
        for (const EdgeId edge : GetEdges(leg))
        {
            const EdgeSpec& spec = m_graph->GetSpec(edge);
            bits += 2 * spec.delay.GetSeconds() * static_cast<double>(spec.rate.GetBitRate());
        }
    }
    const double piece = 8.0 * m_stripePackets * m_world->GetNic(ServerId(0)).GetPayloadSize();
    return static_cast<uint32_t>(std::ceil(bits / piece)) +
           4; // being sent, acknowledged, and spare
}

void
PacketTransport::PostPiece(Record& record, PacketPart& part)
{
    PacketStripe& stripe = record.stripes[part.stripe - 1];
    RdmaNic& from = m_world->GetNic(m_graph->GetServerOf(part.source));
    const uint64_t bytes = std::min(stripe.left, GetPieceBytes());
    stripe.left -= bytes;
    part.bytes += bytes;
    ++part.pieces;
    from.PostSend(part.qp, part.index, ByteCount(bytes));
}

void
PacketTransport::Feed(Record& record, PacketPart& part)
{
    PacketStripe& stripe = record.stripes[part.stripe - 1];
    const bool had = stripe.left > 0;
    const uint32_t ahead = GetPiecesAhead(part);
    while (stripe.left > 0 && part.pieces < ahead)
    {
        PostPiece(record, part);
    }
    if (had && stripe.left == 0)
    {
        EndStripe(record, stripe);
    }
}

void
PacketTransport::PieceEnded(PacketPart& part)
{
    --part.pieces;
    if (part.state == PartState::MOVING)
    {
        Feed(Get(part.transfer), part);
    }
    if (part.pieces == 0 && part.state == PartState::ARRIVED)
    {
        CloseMessage(part);
        if (!part.IsCrossing())
        {
            FreePart(part);
        }
    }
}

void
PacketTransport::EndStripe(Record& record, const PacketStripe& stripe)
{
    for (const uint32_t i : stripe.parts)
    {
        PacketPart& part = *m_parts[i];
        // one that ended may serve another transfer by now
        const bool ours = part.transfer.IsValid() && Find(part.transfer) == &record &&
                          part.stripe != 0 && &record.stripes[part.stripe - 1] == &stripe;
        if (!ours || part.state == PartState::ARRIVED)
        {
            continue;
        }
        RdmaNic& to = m_world->GetNic(m_graph->GetServerOf(part.destination));
        if (to.GetReceived(part.peer) == ByteCount(part.bytes))
        {
            BookArrival(record, part);
            if (part.pieces == 0) // all acknowledged while it was held
            {
                CloseMessage(part);
                if (!part.IsCrossing())
                {
                    FreePart(part);
                }
            }
        }
    }
}

} // namespace ns3
