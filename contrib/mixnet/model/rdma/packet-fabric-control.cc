/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet-fabric-control.h"

#include "ns3/error-model.h"
#include "ns3/simulator.h"

namespace ns3
{

namespace
{

/// Frames that one of two models corrupts.
class EitherErrorModel : public ErrorModel
{
  public:
    /// @param first one @param second another
    EitherErrorModel(Ptr<ErrorModel> first, Ptr<ErrorModel> second)
        : m_first(first),
          m_second(second)
    {
    }

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        const bool corrupt = m_first->IsCorrupt(packet);
        return m_second->IsCorrupt(packet) || corrupt; // both draw, whatever the other says
    }

    void DoReset() override
    {
        m_first->Reset();
        m_second->Reset();
    }

    Ptr<ErrorModel> m_first;  //!< one
    Ptr<ErrorModel> m_second; //!< another
};

} // namespace

NS_OBJECT_ENSURE_REGISTERED(PacketFabricControl);

TypeId
PacketFabricControl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PacketFabricControl")
                            .SetParent<FabricControl>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<PacketFabricControl>();
    return tid;
}

PacketFabricControl::PacketFabricControl() = default;
PacketFabricControl::~PacketFabricControl() = default;

void
PacketFabricControl::DoDispose()
{
    for (auto& [token, draining] : m_draining)
    {
        draining.check.Cancel();
    }
    m_draining.clear();
    m_built.clear();
    m_transport = nullptr;
    m_world = nullptr;
    FabricControl::DoDispose();
}

void
PacketFabricControl::SetWorld(Ptr<PacketWorld> world, Ptr<PacketTransport> transport)
{
    m_world = world;
    m_transport = transport;
    SetGraph(world->GetGraph());
    SetAwaiting(transport);
}

void
PacketFabricControl::SetBuiltErrors(ChannelId c, Ptr<ErrorModel> model)
{
    m_built[c] = model;
    m_world->GetLink(FabricGraph::GetEdgeOf(c)).SetErrorModel(&GetSender(c), model);
}

FabricLosses
PacketFabricControl::GetLosses() const
{
    const PacketFabricContext& fabric = m_world->GetFabric();
    return {fabric.GetDrops(DropReason::LINK_DOWN) + fabric.GetDrops(DropReason::DARK),
            ByteCount(m_world->GetCounters().payloadResent)};
}

bool
PacketFabricControl::SetBitErrors(const std::vector<EdgeId>& edges, double rate, int64_t stream)
{
    for (const EdgeId e : edges)
    {
        for (const ChannelId c : {ChannelId(2 * e.Get()), ChannelId(2 * e.Get() + 1)})
        {
            const auto built = m_built.find(c);
            Ptr<ErrorModel> errors = built == m_built.end() ? nullptr : built->second;
            if (rate > 0)
            {
                const auto more = CreateObject<RateErrorModel>();
                more->SetUnit(RateErrorModel::ERROR_UNIT_BIT);
                more->SetRate(rate);
                stream += more->AssignStreams(stream);
                errors = errors ? Ptr<ErrorModel>(CreateObject<EitherErrorModel>(errors, more))
                                : Ptr<ErrorModel>(more);
            }
            m_world->GetLink(e).SetErrorModel(&GetSender(c), errors);
        }
    }
    return true;
}

MixnetPort&
PacketFabricControl::GetSender(ChannelId c) const
{
    const VertexId v = GetGraph()->GetSource(c);
    return m_world->GetPort(v, GetGraph()->GetPortAt(FabricGraph::GetEdgeOf(c), v));
}

void
PacketFabricControl::HoldPorts(const std::vector<ChannelId>& channels, bool held)
{
    const FabricGraph& graph = *GetGraph();
    const SimTick now = Simulator::Now().GetTimeStep();
    const auto ordinary = static_cast<uint8_t>(1U << m_world->GetFabric().GetBestEffortClass());
    for (const ChannelId c : channels)
    {
        const VertexId v = graph.GetSource(c);
        if (graph.GetKind(v) == VertexKind::SERVER)
        {
            const uint32_t index = graph.GetPortAt(FabricGraph::GetEdgeOf(c), v);
            m_world->GetNic(graph.GetServer(v)).HoldPort(index, held);
            GetSender(c).HoldClasses(held ? ordinary : 0, now);
        }
    }
}

void
PacketFabricControl::DoQuiesce(Token token, const std::vector<ChannelId>& channels)
{
    HoldPorts(channels, true);
    if (m_transport)
    {
        m_transport->Hold(channels);
    }
    Draining& draining = m_draining[token];
    draining.channels = GetChannels(token);
    draining.check = Simulator::ScheduleNow(&PacketFabricControl::Check, this, token);
}

void
PacketFabricControl::DoResume(Token token, const std::vector<ChannelId>& channels)
{
    const auto it = m_draining.find(token);
    if (it != m_draining.end())
    {
        it->second.check.Cancel();
        m_draining.erase(it);
    }
    HoldPorts(channels, false);
    if (m_transport)
    {
        m_transport->Release(channels);
    }
}

Time
PacketFabricControl::GetBusy(ChannelId c)
{
    const EdgeId e = FabricGraph::GetEdgeOf(c);
    const MixnetLink& link = m_world->GetLink(e);
    const SimTick now = Simulator::Now().GetTimeStep();
    const int ordinary = 1 << m_world->GetFabric().GetBestEffortClass();
    for (MixnetPort* port : {&GetSender(c), &GetSender(FabricGraph::GetReverse(c))})
    {
        port->GetElement()->Advance(now);
        port->Settle(now);
    }
    MixnetPort& sender = GetSender(c);
    const Time last = link.GetLastArrival(&sender);
    if (last.IsStrictlyPositive())
    {
        return last;
    }
    // what is queued behind a pause is looked at once per round trip
    const bool queued = (sender.GetQueues().GetBacklog() & ~ordinary) != 0;
    return queued ? Simulator::Now() + 2 * link.GetDelay() + TimeStep(1) : Time(0);
}

void
PacketFabricControl::Check(Token token)
{
    Draining& draining = m_draining[token];
    Time next(0);
    for (const ChannelId c : draining.channels)
    {
        next = Max(next, GetBusy(c));
    }
    if (next.IsStrictlyPositive())
    {
        draining.check = Simulator::Schedule(Max(next - Simulator::Now(), Time(0)),
                                             &PacketFabricControl::Check,
                                             this,
                                             token);
        return;
    }
    m_draining.erase(token);
    Drained(token);
}

} // namespace ns3
