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
#include <tuple>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PacketTransport);

namespace
{

/// @param id transfer @param lane lane @return 64 well-mixed bits
uint64_t
HashFlow(TransferId id, uint32_t lane)
{
    // finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014)
    uint64_t h = (id.Get() << 8) + lane + 0x9e3779b97f4a7c15ULL;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
    return h ^ (h >> 31);
}

/// @param c path class @return its bit
constexpr uint8_t
BitOf(PathClass c)
{
    return static_cast<uint8_t>(1U << static_cast<uint8_t>(c));
}

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
    m_heldEdges.assign(m_graph->GetNEdges(), 0);
    m_scaleUp = std::make_unique<ScaleUpDomains>(
        *m_graph,
        [this](const std::vector<uint32_t>& cookies) { CrossingsDone(cookies); });
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
    const Transfer& transfer = Get(id).transfer;
    RouteQuery query;
    query.source = GpuId(transfer.source.Get() + lane);
    query.destination = GpuId(transfer.destination.Get() + lane);
    query.lane = lane;
    query.lanes = transfer.lanes;
    query.trafficClass = transfer.trafficClass;
    query.balance = m_balance;
    query.hash = HashFlow(id, lane);
    m_routes.clear();
    m_router->ResolveLane(query, transfer.policy, m_routes);
}

void
PacketTransport::LaunchLane(TransferId id, uint32_t lane, uint64_t bytes)
{
    Record& record = Get(id);
    Resolve(id, lane);
    const std::vector<LaneRoute> routes = m_routes;
    double share = 0;
    uint64_t before = 0;
    for (std::size_t w = 0; w < routes.size(); ++w)
    {
        share += routes[w].share;
        const uint64_t upTo =
            w + 1 == routes.size() ? bytes : std::max(before, Portion(bytes, share));
        if (upTo > before)
        {
            PacketPart& part = NewPart(id, record);
            part.lane = lane;
            part.source = GpuId(record.transfer.source.Get() + lane);
            part.destination = GpuId(record.transfer.destination.Get() + lane);
            part.bytes = upTo - before;
            part.legs = routes[w].legs;
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

void
PacketTransport::StartPart(Record& record, PacketPart& part)
{
    if (part.legs.empty())
    {
        PartCrossing& move = part.crossings[0];
        move.active = true;
        m_scaleUp->Add(part.source,
                       part.destination,
                       ByteCount(part.bytes),
                       2 * part.index,
                       &move.handle);
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
        config.windowPackets = static_cast<uint32_t>(
            std::max<uint64_t>(m_relayWindow / from.GetPayloadSize(), 1));
    }
    QpConfig other = config;
    other.port = last.toNic;
    std::tie(part.qp, part.peer) = RdmaNic::CreatePair(from, config, to, other);
    part.classes.assign(1, GetClasses(part, part.legs));
    SetRules(part);
    from.PostSend(part.qp, part.index, ByteCount(part.bytes));
}

void
PacketTransport::SetRules(PacketPart& part)
{
    const NetworkLeg& first = part.legs.front();
    const NetworkLeg& last = part.legs.back();
    const uint32_t source = m_world->GetAddress(first.from, first.fromNic);
    const uint32_t destination = m_world->GetAddress(last.to, last.toNic);
    for (std::size_t i = 1; i < part.legs.size(); ++i)
    {
        const NetworkLeg& in = part.legs[i - 1];
        const NetworkLeg& out = part.legs[i];
        MIXNET_CHECK(in.path == PathClass::CIRCUIT && out.path == PathClass::CIRCUIT,
                     "servers relay from circuit to circuit only");
        RdmaRelay& relay = m_world->GetNic(out.from).GetRelay();
        relay.AddRule(destination, part.peer, out.fromNic);
        relay.AddRule(source, part.qp, in.toNic);
        part.rules.push_back({out.from, destination, part.peer});
        part.rules.push_back({out.from, source, part.qp});
    }
}

void
PacketTransport::StartCrossings(Record& record, PacketPart& part, uint64_t bytes)
{
    const NetworkLeg& first = part.legs.front();
    const NetworkLeg& last = part.legs.back();
    const GpuId out = m_graph->GetGpu(first.from, m_graph->GetNicGpu(first.from, first.fromNic));
    const GpuId in = m_graph->GetGpu(last.to, m_graph->GetNicGpu(last.to, last.toNic));
    const std::array<std::pair<GpuId, GpuId>, 2> moves{
        {{part.source, out}, {in, part.destination}}};
    for (uint32_t k = 0; k < moves.size(); ++k)
    {
        PartCrossing& move = part.crossings[k];
        if (moves[k].first == moves[k].second || bytes == 0)
        {
            continue;
        }
        move.active = true;
        ++record.open;
        m_scaleUp->Add(moves[k].first,
                       moves[k].second,
                       ByteCount(bytes),
                       2 * part.index + k,
                       &move.handle);
    }
}

void
PacketTransport::StopCrossings(Record& record, PacketPart& part)
{
    for (PartCrossing& move : part.crossings)
    {
        if (move.active)
        {
            m_scaleUp->Stop(move.handle);
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
    const bool crosses =
        m_graph->GetNicGpu(first.from, first.fromNic) != m_graph->GetLocalIndex(part.source) ||
        m_graph->GetNicGpu(last.to, last.toNic) != m_graph->GetLocalIndex(part.destination);
    return classes | (crosses ? BitOf(PathClass::SCALE_UP) : 0);
}

void
PacketTransport::PartArrived(PacketPart& part)
{
    Record& record = Get(part.transfer);
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
    --record.open;
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
        part.crossings[cookie % 2].active = false;
        --record.open;
        if (touched.empty() || touched.back() != part.transfer)
        {
            touched.push_back(part.transfer);
        }
        if (part.legs.empty())
        {
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
    part.qp = 0;
    part.peer = 0;
}

void
PacketTransport::FreePart(PacketPart& part)
{
    part.state = PartState::FREE;
    part.transfer = TransferId();
    part.legs.clear();
    part.classes.clear();
    m_freeParts.push_back(part.index);
}

} // namespace ns3
