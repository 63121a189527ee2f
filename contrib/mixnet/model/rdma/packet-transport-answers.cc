/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// PacketTransport: how answers come back.

#include "packet-transport.h"

#include "ns3/path-probe.h"

#include <algorithm>
#include <utility>

namespace ns3
{

bool
PacketTransport::IsTwoWay(const std::vector<NetworkLeg>& legs) const
{
    return std::all_of(legs.begin(), legs.end(), [this](const NetworkLeg& leg) {
        return leg.path == PathClass::PACKET ||
               m_graph->GetLitPeer(leg.to, leg.toNic) == std::make_pair(leg.from, leg.fromNic);
    });
}

bool
PacketTransport::AreAnswersAlive(const PacketPart& part) const
{
    if (!part.answer.empty())
    {
        return IsAlive(part.answer);
    }
    return !m_graph->HasOneWay() || part.legs.back().path == PathClass::PACKET ||
           IsTwoWay(part.legs);
}

bool
PacketTransport::IsReverseHeld(const std::vector<NetworkLeg>& legs) const
{
    return std::any_of(legs.begin(), legs.end(), [this](const NetworkLeg& leg) {
        const ChannelId out = m_graph->GetEgress(m_graph->GetVertex(leg.from), leg.fromNic);
        const ChannelId in = m_graph->GetEgress(m_graph->GetVertex(leg.to), leg.toNic);
        return leg.path == PathClass::CIRCUIT &&
               (m_heldChannels[in.Get()] != 0 ||
                m_heldChannels[FabricGraph::GetReverse(out).Get()] != 0);
    });
}

bool
PacketTransport::AreAnswersHeld(const PacketPart& part) const
{
    if (!part.answer.empty())
    {
        return IsHeld(part.answer);
    }
    return part.legs.back().path == PathClass::CIRCUIT && IsReverseHeld(part.legs);
}

void
PacketTransport::AddRule(PacketPart& part, ServerId at, const NicEnd& end, uint32_t nic)
{
    m_world->GetNic(at).GetRelay().AddRule(end.address, end.qp, nic);
    part.rules.push_back({at, end.address, end.qp});
}

PacketTransport::NicEnd
PacketTransport::Translate(PacketPart& part,
                           ServerId at,
                           uint32_t in,
                           const NicEnd& end,
                           uint32_t nic)
{
    const uint32_t own = m_world->GetAddress(at, in);
    const uint32_t number =
        m_world->GetNic(at).GetRelay().AddTranslation(own, end.address, end.qp, nic);
    part.rules.push_back({at, own, number});
    return {own, number};
}

PacketTransport::NicEnd
PacketTransport::SetRules(PacketPart& part)
{
    const NetworkLeg& last = part.legs.back();
    NicEnd end{m_world->GetAddress(last.to, last.toNic), part.peer};
    for (std::size_t i = part.legs.size() - 1; i > 0; --i)
    {
        const NetworkLeg& in = part.legs[i - 1];
        const NetworkLeg& out = part.legs[i];
        if (in.path == PathClass::CIRCUIT)
        {
            AddRule(part, out.from, end, out.fromNic);
        }
        else
        {
            // the packet fabric delivers to the NIC of the relay only
            end = Translate(part, out.from, in.toNic, end, out.fromNic);
        }
    }
    return end;
}

void
PacketTransport::SetDataPeer(PacketPart& part, const NicEnd& data)
{
    if (data.qp != part.peer || part.readdressed)
    {
        part.readdressed = true;
        m_world->GetNic(part.legs.front().from).SetDataEnd(part.qp, data.address, data.qp);
    }
}

PacketTransport::NicEnd
PacketTransport::SetAnswerRules(PacketPart& part)
{
    const NetworkLeg& first = part.legs.front();
    NicEnd end{m_world->GetAddress(first.from, first.fromNic), part.qp};
    for (std::size_t i = 1; i < part.legs.size(); ++i)
    {
        const NetworkLeg& in = part.legs[i - 1];
        const NetworkLeg& out = part.legs[i];
        if (out.path == PathClass::CIRCUIT)
        {
            AddRule(part, out.from, end, in.toNic);
        }
        else
        {
            end = Translate(part, out.from, out.fromNic, end, in.toNic);
        }
    }
    return end;
}

uint32_t
PacketTransport::SetAnswerAddress(PacketPart& part)
{
    const NetworkLeg& first = part.legs.front();
    const NicEnd own{m_world->GetAddress(first.from, first.fromNic), part.qp};
    RdmaNic& from = m_world->GetNic(first.from);
    if (part.legs.size() < 2)
    {
        SetAnswerPeer(part, own);
        return own.address;
    }
    if (part.legs.back().path == PathClass::PACKET && first.path == PathClass::CIRCUIT)
    {
        for (const uint32_t nic : m_graph->GetNics(first.from, EdgeKind::PACKET))
        {
            if (m_graph->IsUp(m_graph->GetEdge(m_graph->GetVertex(first.from), nic)))
            {
                const NicEnd direct{m_world->GetAddress(first.from, nic), part.qp};
                SetAnswerPeer(part, direct);
                from.SetAnswerAddress(part.qp, direct.address);
                return direct.address;
            }
        }
    }
    const NicEnd end = SetAnswerRules(part);
    SetAnswerPeer(part, end);
    from.SetAnswerAddress(part.qp, end.address);
    return end.address;
}

void
PacketTransport::SetAnswerPeer(PacketPart& part, const NicEnd& end)
{
    if (end.qp != part.qp || part.readdressed)
    {
        part.readdressed = true;
        m_world->GetNic(part.legs.back().to).SetAnswerEnd(part.peer, end.qp);
    }
}

void
PacketTransport::AnswerOverSameWay(PacketPart& part)
{
    const uint32_t address = SetAnswerAddress(part);
    if (part.detour)
    {
        const NetworkLeg& last = part.legs.back();
        m_world->GetNic(part.legs.front().from).StretchTimeout(part.qp, 0);
        m_world->GetNic(last.to).SetAnswerWay(part.peer, last.toNic, address);
        part.answer.clear();
    }
}

bool
PacketTransport::SetAnswerWay(PacketPart& part)
{
    if (part.legs.back().path == PathClass::PACKET ||
        ((!m_graph->HasOneWay() || IsTwoWay(part.legs)) && !IsReverseHeld(part.legs)))
    {
        AnswerOverSameWay(part);
        return true;
    }
    RouteQuery query = MakeQuery(part.transfer, part.lane);
    std::swap(query.source, query.destination);
    m_answers.clear();
    m_router->ResolveLane(query, Get(part.transfer).transfer.policy, m_answers);
    if (m_answers.empty())
    {
        return false;
    }
    const auto best =
        std::max_element(m_answers.begin(), m_answers.end(), [](const auto& a, const auto& b) {
            return a.share < b.share;
        });
    part.answer = best->legs;
    const NetworkLeg& first = part.answer.front();
    const NetworkLeg& last = part.answer.back();
    const uint32_t address = m_world->GetAddress(last.to, last.toNic);
    for (std::size_t i = 1; i < part.answer.size(); ++i)
    {
        const NetworkLeg& out = part.answer[i];
        m_world->GetNic(out.from).GetRelay().AddRule(address, part.qp, out.fromNic);
        part.rules.push_back({out.from, address, part.qp});
    }
    RdmaNic& from = m_world->GetNic(last.to);
    RdmaNic& to = m_world->GetNic(first.from);
    to.SetAnswerWay(part.peer, first.fromNic, address);
    part.detour = true;
    Frame answer;
    answer.source = m_world->GetAddress(first.from, first.fromNic);
    answer.destination = address;
    answer.destinationQp = part.qp;
    answer.sourcePort = GetEntropy(part);
    answer.opcode = FrameOpcode::ACK;
    answer.wireBytes = WireBytes(FrameOpcode::ACK, 0);
    const PathProbe probe = PathProbe::Follow(to.GetPort(first.fromNic), answer, answer.wireBytes);
    from.StretchTimeout(part.qp, probe.complete ? probe.roundTrip : 0);
    return true;
}

} // namespace ns3
