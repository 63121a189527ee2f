/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_TEST_CASE_H
#define FLOW_TEST_CASE_H

#include "ns3/fabric-graph.h"
#include "ns3/flow-fabric-control.h"
#include "ns3/flow-transport.h"
#include "ns3/router.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet-test
 * Router of a star: between servers over all lit circuits that join them, else over all packet
 * NICs, each with the same share; within a server over the scale-up ports.
 */
class StarRouter : public Router
{
  public:
    /// @param graph servers on one switch and one OCS
    explicit StarRouter(Ptr<FabricGraph> graph)
        : m_graph(graph)
    {
    }

    void ResolveLane(const RouteQuery&,
                     const RoutingPolicy*,
                     std::vector<LaneRoute>&) const override
    {
    }

    void ResolveTransfer(const Transfer& transfer,
                         LoadBalance,
                         TransferId,
                         FluidRoute& route) const override
    {
        ++resolved;
        route = FluidRoute();
        const ServerId from = m_graph->GetServerOf(transfer.source);
        const ServerId to = m_graph->GetServerOf(transfer.destination);
        if (from == to)
        {
            route.scaleUp = {{transfer.source, true, 1}, {transfer.destination, false, 1}};
            route.pathShare[static_cast<size_t>(PathClass::SCALE_UP)] = 1;
            route.reachable = true;
            return;
        }
        std::vector<ChannelId> out;
        std::vector<ChannelId> in;
        for (const uint32_t nic : m_graph->GetNics(from, EdgeKind::FIBER))
        {
            const auto peer = m_graph->GetLitPeer(from, nic);
            if (peer && peer->first == to)
            {
                out.push_back(m_graph->GetEgress(m_graph->GetVertex(from), nic));
                in.push_back(FabricGraph::GetReverse(
                    m_graph->GetEgress(m_graph->GetVertex(to), peer->second)));
            }
        }
        const bool circuit = !out.empty();
        if (!circuit)
        {
            out = PacketChannels(from);
            in = PacketChannels(to);
            for (ChannelId& c : in)
            {
                c = FabricGraph::GetReverse(c);
            }
        }
        route.reachable = !out.empty() && !in.empty();
        Fill(out, route);
        Fill(in, route);
        route.propagation = route.reachable ? Delay(out[0]) + Delay(in[0]) : Time(0);
        route.storeAndForward = circuit ? 0 : 1;
        const auto path = circuit ? PathClass::CIRCUIT : PathClass::PACKET;
        route.pathShare[static_cast<size_t>(path)] = 1;
    }

    uint64_t GetVersion(const Transfer&) const override
    {
        return m_graph->GetPacketVersion() + m_graph->GetOpticalVersion();
    }

    mutable uint32_t resolved{0}; //!< calls of ResolveTransfer

  private:
    /// @param s server @return channels of its packet NICs that are up
    std::vector<ChannelId> PacketChannels(ServerId s) const
    {
        std::vector<ChannelId> channels;
        for (const uint32_t nic : m_graph->GetNics(s, EdgeKind::PACKET))
        {
            if (m_graph->IsUp(m_graph->GetEdge(m_graph->GetVertex(s), nic)))
            {
                channels.push_back(m_graph->GetEgress(m_graph->GetVertex(s), nic));
            }
        }
        return channels;
    }

    /// @param c channel @return its propagation
    Time Delay(ChannelId c) const
    {
        return m_graph->GetSpec(FabricGraph::GetEdgeOf(c)).delay;
    }

    /// @param channels channels that share evenly @param route out
    static void Fill(const std::vector<ChannelId>& channels, FluidRoute& route)
    {
        for (const ChannelId c : channels)
        {
            route.channels.push_back({c, 1.0 / static_cast<double>(channels.size())});
        }
    }

    Ptr<FabricGraph> m_graph; //!< the graph
};

/**
 * @ingroup mixnet-test
 * Servers of 8 GPUs on one switch and one OCS, the fluid world on it, and what completes.
 */
class FlowCase : public TestCase, public TransferSink
{
  public:
    /// @param name what it checks
    explicit FlowCase(const std::string& name)
        : TestCase(name)
    {
    }

    void OnCompletion(const Completion& completion) override
    {
        completions.push_back(completion);
    }

  protected:
    /**
     * @param servers number @param nics packet NICs of each @param fibers fibers of each
     * @param recall memory for recall
     */
    void Build(uint32_t servers, uint32_t nics, uint32_t fibers = 0, uint64_t recall = 1 << 20)
    {
        TearDown();
        graph = CreateObject<FabricGraph>();
        std::vector<ServerId> members;
        for (uint32_t s = 0; s < servers; ++s)
        {
            members.push_back(graph->AddServer(ServerSpec()));
        }
        const VertexId eps = graph->AddSwitch(1, "eps");
        ocs = graph->AddOcs(std::max(1U, servers * fibers), "ocs");
        EdgeSpec fiber;
        fiber.kind = EdgeKind::FIBER;
        for (const ServerId s : members)
        {
            for (uint32_t i = 0; i < nics; ++i)
            {
                graph->AddEdge(graph->GetVertex(s), eps, EdgeSpec());
            }
            for (uint32_t i = 0; i < fibers; ++i)
            {
                graph->AddEdge(graph->GetVertex(s), ocs, fiber);
            }
        }
        router = CreateObject<StarRouter>(graph);
        transport = CreateObject<FlowTransport>();
        transport->SetAttribute("RecallBytes", UintegerValue(recall));
        transport->SetGraph(graph);
        transport->SetRouter(router);
        control = CreateObject<FlowFabricControl>();
        control->SetGraph(graph);
        control->SetTransport(transport);
        completions.clear();
    }

    /// @param from server @param to server @param bytes payload @param lanes lanes @return transfer
    Transfer Make(uint32_t from, uint32_t to, uint64_t bytes, uint32_t lanes = 1) const
    {
        Transfer t;
        t.source = graph->GetGpu(ServerId(from), 0);
        t.destination = graph->GetGpu(ServerId(to), from == to ? 1 : 0);
        t.bytes = ByteCount(bytes);
        t.lanes = lanes;
        t.trafficClass = TrafficClass::EP;
        return t;
    }

    /// @param batch transfers @return id of the first
    TransferId Send(const std::vector<Transfer>& batch)
    {
        return transport->Send(batch, *this);
    }

    /// @param id transfer @return its completion
    const Completion& Find(TransferId id) const
    {
        for (const Completion& c : completions)
        {
            if (c.id == id)
            {
                return c;
            }
        }
        static const Completion none;
        return none;
    }

    /// @param server server @param fiber one of its fibers, from 0 @return its OCS port
    uint32_t OcsPort(uint32_t server, uint32_t fiber) const
    {
        return graph->GetPortAt(Fiber(server, fiber), ocs);
    }

    /// @param server server @param fiber one of its fibers @return its edge
    EdgeId Fiber(uint32_t server, uint32_t fiber) const
    {
        const uint32_t nic = graph->GetNics(ServerId(server), EdgeKind::FIBER)[fiber];
        return graph->GetEdge(graph->GetVertex(ServerId(server)), nic);
    }

    /// @param a server @param b server @return circuit between their first fibers
    Circuit Pair(uint32_t a, uint32_t b) const
    {
        const uint32_t p = OcsPort(a, 0);
        const uint32_t q = OcsPort(b, 0);
        return {ocs, std::min(p, q), std::max(p, q)};
    }

    /// End the world.
    void TearDown()
    {
        Simulator::Destroy();
        if (transport)
        {
            transport->Dispose();
            control->Dispose();
            router->Dispose();
            graph->Dispose();
        }
        transport = nullptr;
    }

    void DoTeardown() override
    {
        TearDown();
    }

    Ptr<FabricGraph> graph;              //!< the graph
    VertexId ocs;                        //!< its OCS
    Ptr<StarRouter> router;              //!< fake
    Ptr<FlowTransport> transport;        //!< under test
    Ptr<FlowFabricControl> control;      //!< under test
    std::vector<Completion> completions; //!< in order
};

/// Wire bytes beside the payload of a packet, and of the first packet of a message.
constexpr uint64_t OVERHEAD = 82;
constexpr uint64_t FIRST = 16;

/// @param bytes payload of one message @return its wire bytes, written down anew
inline uint64_t
WireOf(uint64_t bytes)
{
    return bytes + (bytes + 4095) / 4096 * OVERHEAD + FIRST;
}

/// @param bytes bytes at 400 Gb/s @return picoseconds, 20 a byte
inline int64_t
At400G(uint64_t bytes)
{
    return static_cast<int64_t>(20 * bytes);
}

} // namespace ns3

#endif // FLOW_TEST_CASE_H
