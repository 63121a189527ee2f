/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet-transport.h"

#include "ns3/boolean.h"
#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PacketTransport);

namespace
{

/// @param total bytes @param share cumulative share @return bytes up to there
uint64_t
Portion(uint64_t total, double share)
{
    const double part = std::floor(static_cast<double>(total) * share + 0.5);
    return part >= static_cast<double>(total) ? total : static_cast<uint64_t>(std::max(part, 0.0));
}

} // namespace

TypeId
PacketTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PacketTransport")
            .SetParent<Transport>()
            .SetGroupName("Mixnet")
            .AddConstructor<PacketTransport>()
            .AddAttribute("LoadBalance",
                          "How lanes are shared over parallel NICs and circuits: per-flow (one way "
                          "per lane, by hash) or ideal (evenly). Inside the packet fabric every "
                          "message is one flow.",
                          StringValue("per-flow"),
                          MakeStringAccessor(&PacketTransport::SetLoadBalance,
                                             &PacketTransport::GetLoadBalanceName),
                          MakeStringChecker())
            .AddAttribute("FailUnreachable",
                          "Whether a transfer without a way fails; otherwise it waits for one.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&PacketTransport::m_failUnreachable),
                          MakeBooleanChecker())
            .AddAttribute("StripePackets",
                          "Packets that one of the ways that share a message by packet takes at a "
                          "time: each lot is a message of its own (16 B more on the wire, an "
                          "acknowledgement, an event)",
                          UintegerValue(1),
                          MakeUintegerAccessor(&PacketTransport::m_stripePackets),
                          MakeUintegerChecker<uint32_t>(1, 1 << 16))
            .AddAttribute("RelayWindow",
                          "Most payload bytes under way of a message that other servers relay; 0: "
                          "no cap.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&PacketTransport::m_relayWindow),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

PacketTransport::PacketTransport() = default;

PacketTransport::~PacketTransport()
{
    Detach();
}

void
PacketTransport::DoDispose()
{
    Detach();
    m_records.clear();
    m_parts.clear();
    m_freeParts.clear();
    m_scaleUp.reset();
    m_world = nullptr;
    m_router = nullptr;
    Transport::DoDispose();
}

void
PacketTransport::Detach()
{
    if (m_graph)
    {
        m_graph->Unsubscribe(GraphPhase::WORLD, MakeCallback(&PacketTransport::OnChange, this));
        m_graph = nullptr;
    }
}

void
PacketTransport::SetWorld(Ptr<PacketWorld> world, Ptr<Router> router)
{
    MIXNET_CHECK(!m_world && world->GetGraph(), "a transport gets one world, built");
    m_world = world;
    m_router = router;
    m_graph = world->GetGraph();
    m_graph->Subscribe(GraphPhase::WORLD, MakeCallback(&PacketTransport::OnChange, this));
    m_heldChannels.assign(2 * std::size_t(m_graph->GetNEdges()), 0);
    m_scaleUp =
        std::make_unique<ScaleUpDomains>(*m_graph, [this](const std::vector<uint32_t>& cookies) {
            CrossingsDone(cookies);
        });
    m_numaBytes.assign(m_scaleUp->GetPaths().GetNumaLinks().size(), 0);
}

void
PacketTransport::SetLoadBalance(std::string text)
{
    if (text != "ideal" && text != "per-flow")
    {
        throw InputError("ns3::PacketTransport::LoadBalance", "'" + text + "'", "ideal, per-flow");
    }
    m_balance = text == "ideal" ? LoadBalance::IDEAL : LoadBalance::PER_FLOW;
}

std::string
PacketTransport::GetLoadBalanceName() const
{
    return m_balance == LoadBalance::IDEAL ? "ideal" : "per-flow";
}

LoadBalance
PacketTransport::GetLoadBalance() const
{
    return m_balance;
}

uint32_t
PacketTransport::GetNParts() const
{
    return static_cast<uint32_t>(m_parts.size() - m_freeParts.size());
}

PacketTransport::Record*
PacketTransport::Find(TransferId id)
{
    const auto it = m_records.find(id.Get());
    return it == m_records.end() ? nullptr : &it->second;
}

PacketTransport::Record&
PacketTransport::Get(TransferId id)
{
    Record* record = Find(id);
    MIXNET_CHECK(record, "no transfer " << id);
    return *record;
}

void
PacketTransport::DoSend(TransferId first, const Transfer* batch, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
    {
        const TransferId id(first.Get() + i);
        const Transfer& transfer = batch[i];
        m_records[id.Get()].transfer = transfer;
        const uint64_t base = transfer.bytes.Get() / transfer.lanes;
        const uint64_t longer = transfer.bytes.Get() % transfer.lanes;
        for (uint32_t lane = 0; lane < transfer.lanes; ++lane)
        {
            const uint64_t bytes = base + (lane < longer ? 1 : 0);
            if (bytes > 0)
            {
                LaunchLane(id, lane, bytes);
            }
        }
    }
    m_scaleUp->Launch();
}

void
PacketTransport::Resolve(TransferId id, uint32_t lane)
{
    m_routes.clear();
    m_router->ResolveLane(MakeQuery(id, lane), Get(id).transfer.policy, m_routes);
}

RouteQuery
PacketTransport::MakeQuery(TransferId id, uint32_t lane)
{
    const Transfer& transfer = Get(id).transfer;
    RouteQuery query;
    query.source = GpuId(transfer.source.Get() + lane);
    query.destination = GpuId(transfer.destination.Get() + lane);
    query.lane = lane;
    query.lanes = transfer.lanes;
    query.trafficClass = transfer.trafficClass;
    query.balance = m_balance;
    query.hash = HashFlow(id, lane);
    return query;
}

void
PacketTransport::LaunchLane(TransferId id, uint32_t lane, uint64_t bytes)
{
    Record& record = Get(id);
    Resolve(id, lane);
    const std::vector<LaneRoute> routes = m_routes;
    const uint64_t striped = LaunchStripe(id, lane, bytes, routes);
    double share = 0;
    double all = striped == 0 ? 1 : 0; // shares of the ways that are not pooled
    for (const LaneRoute& route : routes)
    {
        all += striped > 0 && !route.pooled ? route.share : 0;
    }
    uint64_t before = 0;
    for (std::size_t w = 0; w < routes.size() && striped < bytes; ++w)
    {
        if (striped > 0 && routes[w].pooled)
        {
            continue;
        }
        share += routes[w].share;
        const uint64_t upTo = w + 1 == routes.size() || share >= all
                                  ? bytes - striped
                                  : std::max(before, Portion(bytes - striped, share / all));
        if (upTo > before)
        {
            PacketPart& part = NewPart(id, record, lane, routes[w]);
            part.bytes = upTo - before;
            part.state = IsHeld(part.legs) ? PartState::HELD : PartState::MOVING;
            if (part.state == PartState::MOVING)
            {
                StartPart(record, part);
            }
        }
        before = upTo;
    }
    if (routes.empty())
    {
        PacketPart& part = NewPart(id, record);
        part.lane = lane;
        part.bytes = bytes;
        part.state = PartState::WAITING;
        if (m_failUnreachable)
        {
            Simulator::ScheduleNow(&PacketTransport::Fail, this, id);
        }
    }
}

void
PacketTransport::BookArrival(Record& record, PacketPart& part)
{
    part.state = PartState::ARRIVED;
    RdmaNic& to = m_world->GetNic(m_graph->GetServerOf(part.destination));
    MIXNET_CHECK(to.GetReceived(part.peer) == ByteCount(part.bytes),
                 "message of " << part.bytes << " B delivered with " << to.GetReceived(part.peer));
    for (uint32_t path = 0; path < part.classes.size(); ++path)
    {
        const ByteCount bytes = to.GetReceived(part.peer, path);
        for (std::size_t c = 0; c < N_PATH_CLASSES; ++c)
        {
            record.byPath[c] += (part.classes[path] >> c & 1) != 0 ? bytes : ByteCount(0);
        }
    }
    MeterArrived(part);
    if (part.lag.IsZero())
    {
        --record.open;
        return;
    }
    Simulator::Schedule(part.lag, &PacketTransport::Arrive, this, part.transfer);
}

void
PacketTransport::Arrive(TransferId id)
{
    if (Record* record = Find(id))
    {
        --record->open;
        Settle(id);
    }
}

void
PacketTransport::PartArrived(PacketPart& part)
{
    Record& record = Get(part.transfer);
    if (part.stripe != 0)
    {
        const PacketStripe& stripe = record.stripes[part.stripe - 1];
        if (stripe.left > 0)
        {
            return;
        }
        EndStripe(record, stripe);
    }
    else
    {
        BookArrival(record, part);
    }
    Settle(part.transfer);
}

void
PacketTransport::PartEnded(PacketPart& part, bool success)
{
    if (!success && part.state != PartState::ARRIVED)
    {
        Fail(part.transfer);
        return;
    }
    if (part.stripe != 0 && success)
    {
        PieceEnded(part);
        return;
    }
    CloseMessage(part);
    if (!part.IsCrossing())
    {
        FreePart(part);
    }
}

void
PacketTransport::CrossingsDone(const std::vector<uint32_t>& cookies)
{
    std::vector<TransferId> touched;
    for (const uint32_t cookie : cookies)
    {
        PacketPart& part = *m_parts[cookie / 2];
        Record& record = Get(part.transfer);
        PartCrossing& move = part.crossings[cookie % 2];
        move.active = false;
        CountMove(move, move.bytes);
        if (!part.lag.IsZero())
        {
            Simulator::Schedule(part.lag, &PacketTransport::Arrive, this, part.transfer);
        }
        else
        {
            --record.open;
            if (touched.empty() || touched.back() != part.transfer)
            {
                touched.push_back(part.transfer);
            }
        }
        if (part.legs.empty())
        {
            if (record.transfer.account != LoadMeter::NONE)
            {
                Meter(part, record.transfer.account, part.bytes);
            }
            record.byPath[static_cast<std::size_t>(PathClass::SCALE_UP)] += ByteCount(part.bytes);
        }
        if (part.qp == 0 && !part.IsCrossing() &&
            (part.legs.empty() || part.state == PartState::ARRIVED))
        {
            FreePart(part);
        }
    }
    for (const TransferId id : touched)
    {
        Settle(id);
    }
}

void
PacketTransport::Settle(TransferId id)
{
    const Record* record = Find(id);
    if (!record || record->open > 0)
    {
        return;
    }
    const auto byPath = record->byPath;
    m_records.erase(id.Get());
    End(id, TransferStatus::DELIVERED, byPath);
}

} // namespace ns3
