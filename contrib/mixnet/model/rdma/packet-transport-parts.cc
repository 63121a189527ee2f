/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// PacketTransport: the parts of transfers, their messages and scale-up crossings.

#include "packet-transport.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// @param c path class @return its bit
constexpr uint8_t
BitOf(PathClass c)
{
    return static_cast<uint8_t>(1U << static_cast<uint8_t>(c));
}

} // namespace

uint64_t
PacketTransport::HashFlow(TransferId id, uint32_t lane)
{
    // finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014)
    uint64_t h = (id.Get() << 8) + lane + 0x9e3779b97f4a7c15ULL;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
    return h ^ (h >> 31);
}

PacketPart&
PacketTransport::NewPart(TransferId id, Record& record)
{
    if (m_freeParts.empty())
    {
        m_freeParts.push_back(static_cast<uint32_t>(m_parts.size()));
        m_parts.push_back(std::make_unique<PacketPart>(static_cast<PacketPart::Owner&>(*this),
                                                       m_freeParts.back()));
    }
    PacketPart& part = *m_parts[m_freeParts.back()];
    m_freeParts.pop_back();
    part.transfer = id;
    record.parts.push_back(part.index);
    ++record.open;
    return part;
}

PacketPart&
PacketTransport::NewPart(TransferId id, Record& record, uint32_t lane, const LaneRoute& way)
{
    PacketPart& part = NewPart(id, record);
    part.lane = lane;
    part.source = GpuId(record.transfer.source.Get() + lane);
    part.destination = GpuId(record.transfer.destination.Get() + lane);
    part.legs = way.legs;
    part.bytes = 0;
    return part;
}

void
PacketTransport::StartPart(Record& record, PacketPart& part)
{
    if (part.legs.empty())
    {
        const ServerPath path = m_scaleUp->GetPaths().GetPathBetween(part.source, part.destination);
        part.lag = path.delay;
        StartMove(part, 0, {part.source, part.destination, path.link}, part.bytes);
        return;
    }
    StartMessage(part);
    StartCrossings(record, part, part.bytes);
}

uint16_t
PacketTransport::GetEntropy(const PacketPart& part)
{
    return static_cast<uint16_t>(0xc000 | (HashFlow(part.transfer, part.lane) >> 50));
}

void
PacketTransport::StartMessage(PacketPart& part)
{
    const NetworkLeg& first = part.legs.front();
    const NetworkLeg& last = part.legs.back();
    RdmaNic& from = m_world->GetNic(first.from);
    RdmaNic& to = m_world->GetNic(last.to);
    QpConfig config;
    config.sink = &part;
    config.sourcePort = GetEntropy(part);
    config.port = first.fromNic;
    if (part.legs.size() > 1 && m_relayWindow > 0)
    {
        config.windowPackets =
            static_cast<uint32_t>(std::max<uint64_t>(m_relayWindow / from.GetPayloadSize(), 1));
    }
    QpConfig other = config;
    other.port = last.toNic;
    std::tie(part.qp, part.peer) = RdmaNic::CreatePair(from, config, to, other);
    part.classes.assign(1, GetClasses(part, part.legs));
    SetDataPeer(part, SetRules(part));
    const bool answered = SetAnswerWay(part);
    if (part.stripe == 0)
    {
        from.PostSend(part.qp, part.index, ByteCount(part.bytes));
    }
    if (!answered)
    {
        Park(part, PartState::WAITING);
    }
}

void
PacketTransport::StartCrossings(Record& record, PacketPart& part, uint64_t bytes)
{
    const NetworkLeg& first = part.legs.front();
    const NetworkLeg& last = part.legs.back();
    const ServerPaths& paths = m_scaleUp->GetPaths();
    const ServerPath out = paths.GetPathOut(part.source, first.fromNic);
    const ServerPath in = paths.GetPathIn(last.toNic, part.destination);
    part.lag = out.delay + in.delay;
    const std::array<ServerMove, 2> moves{
        {{part.source, out.gpu, out.link}, {in.gpu, part.destination, in.link}}};
    for (uint32_t k = 0; k < moves.size(); ++k)
    {
        if (!moves[k].IsFree() && bytes > 0)
        {
            ++record.open;
            StartMove(part, k, moves[k], bytes);
        }
    }
}

void
PacketTransport::StartMove(PacketPart& part, uint32_t end, const ServerMove& move, uint64_t bytes)
{
    PartCrossing& crossing = part.crossings[end];
    crossing.active = true;
    crossing.link = move.link;
    crossing.bytes = bytes;
    m_scaleUp->Add(move, ByteCount(bytes), 2 * part.index + end, &crossing.handle);
}

void
PacketTransport::CountMove(const PartCrossing& move, uint64_t bytes)
{
    if (move.link != UINT32_MAX)
    {
        m_numaBytes[move.link] += bytes;
    }
}

ByteCount
PacketTransport::GetNumaBytes(uint32_t link) const
{
    return ByteCount(m_numaBytes.at(link));
}

void
PacketTransport::StopCrossings(Record& record, PacketPart& part)
{
    for (PartCrossing& move : part.crossings)
    {
        if (move.active)
        {
            CountMove(move, move.bytes - m_scaleUp->Stop(move.handle).Get());
            move.active = false;
            --record.open;
        }
    }
}

uint8_t
PacketTransport::GetClasses(const PacketPart& part, const std::vector<NetworkLeg>& legs) const
{
    uint8_t classes = 0;
    for (const NetworkLeg& leg : legs)
    {
        classes |= BitOf(leg.path);
    }
    const NetworkLeg& first = legs.front();
    const NetworkLeg& last = legs.back();
    const ServerPaths& paths = m_scaleUp->GetPaths();
    const bool crosses = paths.GetPathOut(part.source, first.fromNic).gpu != part.source ||
                         paths.GetPathIn(last.toNic, part.destination).gpu != part.destination;
    return classes | (crosses ? BitOf(PathClass::SCALE_UP) : 0);
}

void
PacketTransport::CloseMessage(PacketPart& part)
{
    if (part.qp == 0)
    {
        return;
    }
    m_world->GetNic(m_graph->GetServerOf(part.source)).DestroyQp(part.qp);
    m_world->GetNic(m_graph->GetServerOf(part.destination)).DestroyQp(part.peer);
    for (const PacketPart::Rule& rule : part.rules)
    {
        m_world->GetNic(rule.server).GetRelay().RemoveRule(rule.address, rule.qp);
    }
    part.rules.clear();
    part.detour = false;
    part.readdressed = false;
    part.qp = 0;
    part.peer = 0;
}

void
PacketTransport::FreePart(PacketPart& part)
{
    part.state = PartState::FREE;
    part.transfer = TransferId();
    part.stripe = 0;
    part.pieces = 0;
    part.metered = 0;
    part.legs.clear();
    part.answer.clear();
    part.classes.clear();
    m_freeParts.push_back(part.index);
}

} // namespace ns3
