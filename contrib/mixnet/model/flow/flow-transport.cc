/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-transport.h"

#include "ns3/boolean.h"
#include "ns3/mixnet-error.h"
#include "ns3/sequential-simulator.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FlowTransport);

TypeId
FlowTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FlowTransport")
            .SetParent<Transport>()
            .SetGroupName("Mixnet")
            .AddConstructor<FlowTransport>()
            .AddAttribute("LoadBalance",
                          "How parallel ways are shared: ideal (evenly over all equal ways) or "
                          "per-flow (one way per lane, by hash).",
                          StringValue("ideal"),
                          MakeStringAccessor(&FlowTransport::SetLoadBalance,
                                             &FlowTransport::GetLoadBalanceName),
                          MakeStringChecker())
            .AddAttribute("PayloadBytes",
                          "Payload of a full packet, in bytes; sets the wire overhead.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&FlowTransport::m_payload),
                          MakeUintegerChecker<uint64_t>(1, 65535))
            .AddAttribute("RecallBytes",
                          "Memory for recorded courses of components, in bytes; 0 turns recall "
                          "off. Results do not depend on it.",
                          UintegerValue(32U << 20),
                          MakeUintegerAccessor(&FlowTransport::m_recallBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("FailUnreachable",
                          "Whether a transfer without a way fails; otherwise it waits for one.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FlowTransport::m_failUnreachable),
                          MakeBooleanChecker());
    return tid;
}

FlowTransport::FlowTransport() = default;

FlowTransport::~FlowTransport()
{
    Detach();
}

void
FlowTransport::DoDispose()
{
    Detach();
    m_timer.reset();
    m_book.reset();
    m_engine.reset();
    m_router = nullptr;
    m_items.clear();
    m_freeItems.clear();
    m_deliveries.clear();
    m_waiting.clear();
    m_held.clear();
    Transport::DoDispose();
}

void
FlowTransport::Detach()
{
    if (m_graph)
    {
        m_graph->Unsubscribe(GraphPhase::WORLD, MakeCallback(&FlowTransport::OnChange, this));
        m_graph = nullptr;
    }
}

void
FlowTransport::SetGraph(Ptr<FabricGraph> graph)
{
    RequireSequentialSimulator();
    MIXNET_CHECK(!m_graph && graph, "a transport gets one graph");
    m_graph = graph;
    graph->Subscribe(GraphPhase::WORLD, MakeCallback(&FlowTransport::OnChange, this));
}

void
FlowTransport::SetRouter(Ptr<Router> router)
{
    MIXNET_CHECK(!m_engine, "the router comes before the first transfer");
    m_router = router;
}

void
FlowTransport::SetLoadBalance(std::string text)
{
    if (text != "ideal" && text != "per-flow")
    {
        throw InputError("ns3::FlowTransport::LoadBalance", "'" + text + "'", "ideal, per-flow");
    }
    MIXNET_CHECK(!m_engine, "load balancing is chosen before the first transfer");
    m_balance = text == "ideal" ? LoadBalance::IDEAL : LoadBalance::PER_FLOW;
}

std::string
FlowTransport::GetLoadBalanceName() const
{
    return m_balance == LoadBalance::IDEAL ? "ideal" : "per-flow";
}

LoadBalance
FlowTransport::GetLoadBalance() const
{
    return m_balance;
}

void
FlowTransport::EnsureBuilt()
{
    if (!m_engine)
    {
        MIXNET_CHECK(m_graph && m_router, "a flow transport needs a graph and a router");
        m_wire = FlowWire(m_payload);
        m_engine = std::make_unique<FluidEngine>(static_cast<FluidEngine::Client&>(*this));
        m_engine->GetSolver().SetRecallBudget(m_recallBytes);
        m_book = std::make_unique<FlowWayBook>(m_graph,
                                               m_router,
                                               *m_engine,
                                               m_balance,
                                               ByteCount(m_wire.GetFirstPacket(m_payload, 1)));
        m_timer = std::make_unique<StandingTimer>(static_cast<StandingTimer::Owner&>(*this), 0);
    }
}

uint32_t
FlowTransport::NewItem(const Transfer& transfer, TransferId id)
{
    if (m_freeItems.empty())
    {
        m_freeItems.push_back(static_cast<uint32_t>(m_items.size()));
        m_items.emplace_back();
    }
    const uint32_t i = m_freeItems.back();
    m_freeItems.pop_back();
    Item& item = m_items[i];
    item.state = State::LAUNCHING;
    item.id = id;
    item.transfer = transfer;
    item.payloadLeft = transfer.bytes.Get();
    const bool local =
        m_graph->GetServerOf(transfer.source) == m_graph->GetServerOf(transfer.destination);
    item.wireLeft =
        local ? transfer.bytes.Get() : m_wire.GetTransfer(transfer.bytes.Get(), transfer.lanes);
    item.bitsLeft = 8.0 * static_cast<double>(item.wireLeft);
    item.byPath = {};
    return i;
}

void
FlowTransport::FreeItem(uint32_t i)
{
    Item& item = m_items[i];
    if (item.way != NONE)
    {
        m_book->Release(item.way);
        item.way = NONE;
    }
    item.state = State::FREE;
    item.id = TransferId();
    m_freeItems.push_back(i);
}

uint32_t
FlowTransport::FindItem(TransferId id) const
{
    const auto at =
        std::find_if(m_items.begin(), m_items.end(), [id](const Item& i) { return i.id == id; });
    MIXNET_CHECK(at != m_items.end(), "transfer " << id << " is not in progress");
    return static_cast<uint32_t>(at - m_items.begin());
}

void
FlowTransport::DoSend(TransferId first, const Transfer* batch, std::size_t count)
{
    EnsureBuilt();
    for (std::size_t i = 0; i < count; ++i)
    {
        m_launching.push_back(NewItem(batch[i], TransferId(first.Get() + i)));
    }
    if (!m_telling)
    {
        LaunchSent();
    }
}

void
FlowTransport::LaunchSent()
{
    if (!m_launching.empty())
    {
        Launch(m_launching);
        m_launching.clear();
    }
}

void
FlowTransport::Launch(const std::vector<uint32_t>& items)
{
    m_specs.clear();
    m_started.clear();
    m_closed.clear();
    if (!m_shut.empty())
    {
        m_book->Mark(m_shut);
    }
    for (const uint32_t i : items)
    {
        Item& item = m_items[i];
        const uint32_t old = item.way;
        const uint32_t route = old != NONE ? m_book->Get(old).route : UINT32_MAX;
        item.way = m_book->Resolve(item.transfer, item.id);
        if (old != NONE)
        {
            m_book->Release(old);
        }
        const FlowWay& way = m_book->Get(item.way);
        if (way.reachable && route != UINT32_MAX && route != way.route)
        {
            NoteMove(ByteCount(item.payloadLeft));
        }
        if (!way.reachable && m_failUnreachable)
        {
            item.state = State::FAILING;
            Deliver(i, Time(0));
        }
        else if (!way.reachable)
        {
            Park(i, State::WAITING, m_waiting);
        }
        else if (!m_shut.empty() && m_book->Crosses(item.way))
        {
            m_closed.push_back(i);
        }
        else
        {
            item.state = State::FLOWING;
            FlowSpec spec;
            spec.route = way.route;
            spec.bits = item.bitsLeft;
            spec.weight = item.transfer.lanes;
            spec.payloadRatio =
                static_cast<double>(item.payloadLeft) / static_cast<double>(item.wireLeft);
            spec.order = item.id.Get();
            spec.cookie = i;
            m_specs.push_back(spec);
            m_started.push_back(i);
        }
    }
    if (!m_closed.empty())
    {
        m_book->Mark(m_heldChannels);
    }
    for (const uint32_t i : m_closed)
    {
        const bool held = m_book->Crosses(m_items[i].way);
        Park(i, held ? State::HELD : State::WAITING, held ? m_held : m_waiting);
    }
    m_handles.resize(m_specs.size());
    m_engine->Start(m_specs.data(), m_specs.size(), m_handles.data());
    for (std::size_t k = 0; k < m_started.size(); ++k)
    {
        m_items[m_started[k]].flow = m_handles[k];
    }
}

void
FlowTransport::Park(uint32_t i, State state, std::vector<uint32_t>& list)
{
    m_items[i].state = state;
    list.push_back(i);
}

void
FlowTransport::Account(Item& item, uint64_t payload, uint64_t wire)
{
    const FlowWay& way = m_book->Get(item.way);
    m_engine->GetSolver().GetPartition().AddCarried(way.route,
                                                    static_cast<double>(wire),
                                                    static_cast<double>(payload));
    std::array<uint64_t, N_PATH_CLASSES> bytes{};
    for (std::size_t p = 0; p < N_PATH_CLASSES; ++p)
    {
        const double part = std::floor(way.pathShare[p] * static_cast<double>(payload) + 0.5);
        bytes[p] = std::min(payload, static_cast<uint64_t>(part));
    }
    constexpr auto circuit = static_cast<std::size_t>(PathClass::CIRCUIT);
    constexpr auto packet = static_cast<std::size_t>(PathClass::PACKET);
    if (std::abs(way.pathShare[circuit] + way.pathShare[packet] - 1) < 1e-9)
    {
        bytes[packet] = payload - bytes[circuit];
    }
    for (std::size_t p = 0; p < N_PATH_CLASSES; ++p)
    {
        item.byPath[p] += ByteCount(bytes[p]);
    }
    if (item.transfer.account != LoadMeter::NONE)
    {
        Meter(item, payload, wire);
    }
    item.payloadLeft -= payload;
    item.wireLeft -= wire;
    ++m_changes;
}

void
FlowTransport::OnDrained(const FlowEnd* ends, std::size_t count)
{
    for (std::size_t k = 0; k < count; ++k)
    {
        Item& item = m_items[ends[k].cookie];
        Account(item, item.payloadLeft, item.wireLeft);
        item.state = State::DELIVERING;
        Deliver(ends[k].cookie, GetLatency(item));
    }
}

Time
FlowTransport::GetLatency(const Item& item) const
{
    const FlowWay& way = m_book->Get(item.way);
    if (!way.network || way.storeAndForward == 0)
    {
        return way.propagation;
    }
    const Transfer& t = item.transfer;
    const uint64_t longest = (t.bytes.Get() + t.lanes - 1) / t.lanes;
    if (longest >= m_payload)
    {
        return way.propagation + way.forward;
    }
    const ByteCount first(m_wire.GetFirstPacket(t.bytes.Get(), t.lanes));
    return way.propagation + (first / way.slowest) * static_cast<int64_t>(way.storeAndForward);
}

void
FlowTransport::Deliver(uint32_t i, Time delay)
{
    const int64_t tick = (Simulator::Now() + delay).GetTimeStep();
    m_deliveries.push_back({tick, m_items[i].id, i});
    std::push_heap(m_deliveries.begin(), m_deliveries.end());
    m_timer->Arm(m_deliveries.front().tick);
}

void
FlowTransport::OnTimer(uint32_t)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    m_telling = true;
    while (!m_deliveries.empty() && m_deliveries.front().tick <= now)
    {
        const Delivery delivery = m_deliveries.front();
        std::pop_heap(m_deliveries.begin(), m_deliveries.end());
        m_deliveries.pop_back();
        const Item& item = m_items[delivery.item];
        if (item.id != delivery.id) // aborted
        {
            continue;
        }
        const auto status =
            item.state == State::FAILING ? TransferStatus::FAILED : TransferStatus::DELIVERED;
        const auto byPath = item.byPath;
        FreeItem(delivery.item);
        End(delivery.id, status, byPath);
    }
    m_telling = false;
    LaunchSent();
    if (!m_deliveries.empty())
    {
        m_timer->Arm(m_deliveries.front().tick);
    }
}

} // namespace ns3
