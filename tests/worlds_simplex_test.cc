/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Simplex circuits beat duplex ones where demand has a direction, by the closed form, in both
// worlds, planned and lit by a controller.

#include "ns3/mixnet-fabric-helper.h"
#include "ns3/optical-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t SERVERS = 4;          //!< one region
constexpr uint32_t LANES = 8;            //!< one per GPU
constexpr uint64_t LANE_BYTES = 4 << 20; //!< of each

/// A region whose servers send to the next one only, once their controller says so.
class Ring : public TransferSink
{
  public:
    /// @param fidelity world @param circuits "duplex" or "simplex" @param alpha optical NICs
    Ring(Fidelity fidelity, const std::string& circuits, uint32_t alpha)
    {
        MixnetFabricHelper helper;
        helper.SetTopology("ns3::HybridTopology");
        helper.SetTopologyAttribute("OcsNics", UintegerValue(alpha));
        helper.SetTopologyAttribute("ServersPerRegion", UintegerValue(SERVERS));
        WorldConfig world;
        world.fidelity = fidelity;
        world.congestionType = "ns3::NoCongestionControl";
        helper.SetWorld(world);
        MixnetFabric fabric = helper.Install(ClusterSpec(SERVERS, LANES));
        fabric.AssignStreams(1);
        OpticalHelper optical;
        optical.SetControllerAttribute("Circuits", StringValue(circuits));
        const Ptr<RegionalController> controller =
            optical.Install(fabric.GetControl(), RegionId(0));
        controller->TraceConnectWithoutContext("Reconfiguration", MakeCallback(&Ring::OnLit, this));
        controller->TraceConnectWithoutContext("Decision", MakeCallback(&Ring::OnDecision, this));
        controller->Start();
        DemandMatrix demand(SERVERS, SERVERS, 0);
        for (uint32_t s = 0; s < SERVERS; ++s)
        {
            const uint32_t next = (s + 1) % SERVERS;
            Transfer t;
            t.source = fabric.GetGraph()->GetGpu(ServerId(s), 0);
            t.destination = fabric.GetGraph()->GetGpu(ServerId(next), 0);
            t.bytes = ByteCount(LANES * LANE_BYTES);
            t.lanes = LANES;
            t.trafficClass = TrafficClass::EP;
            demand(s, next) = t.bytes.Get();
            m_batch.push_back(t);
        }
        m_transport = fabric.GetTransport();
        controller->Request(AllToAllId(), demand, MakeCallback(&Ring::Start, this));
        Simulator::Run();
        controller->Dispose();
        m_transport = nullptr;
    }

    ~Ring() override
    {
        Simulator::Destroy();
    }

    void OnCompletion(const Completion& c) override
    {
        EXPECT_EQ(c.status, TransferStatus::DELIVERED);
        delivered += c.bytes.Get();
        byCircuit += c.bytesByPath[static_cast<std::size_t>(PathClass::CIRCUIT)].Get();
        last = std::max(last, c.finished - m_start);
    }

    Time last;                      //!< of the transfers
    Time predicted;                 //!< by the controller
    uint64_t delivered{0};          //!< bytes
    uint64_t byCircuit{0};          //!< bytes over circuits
    std::vector<CircuitKind> kinds; //!< of circuits lit in the run
    uint32_t idlePorts{0};          //!< as the decision says

  private:
    void Start()
    {
        m_start = Simulator::Now();
        m_transport->Send(m_batch, *this);
    }

    void OnLit(const CircuitReconfiguration& lit)
    {
        for (const Circuit& c : lit.added)
        {
            kinds.push_back(c.kind);
        }
    }

    void OnDecision(const CircuitDecision& decision)
    {
        predicted = decision.predictedProposed;
        idlePorts = decision.idlePorts;
    }

    Ptr<Transport> m_transport;    //!< where
    std::vector<Transfer> m_batch; //!< what
    Time m_start;                  //!< when
};

/// @param circuits from a server to the next one @return time of the ring at 400 Gb/s: wire bytes
/// of all lanes over these circuits, and two fibers of 1 us
Time
ClosedForm(uint32_t circuits)
{
    const uint64_t packets = LANE_BYTES / 4096;
    const uint64_t wire = LANES * (LANE_BYTES + packets * 82 + 16);
    return ByteCount(wire / circuits) / DataRate("400Gbps") + MicroSeconds(2);
}

} // namespace

// alpha ports make alpha circuits to the next server if they are simplex, alpha / 2 if duplex.
// Lanes take circuits by number, so alpha divides them. Frames in turn at the NICs and rounding
// stay below two frames.
TEST(WorldsSimplex, ARingOfDemandTakesHalfTheTime)
{
    for (const Fidelity fidelity : {Fidelity::PACKET, Fidelity::FLOW})
    {
        for (const uint32_t alpha : {2U, 4U})
        {
            const std::string what =
                std::to_string(static_cast<int>(fidelity)) + ", alpha " + std::to_string(alpha);
            const Ring duplex(fidelity, "duplex", alpha);
            EXPECT_LE(Abs(duplex.last - ClosedForm(alpha / 2)), NanoSeconds(200))
                << what << ": " << duplex.last << " and " << ClosedForm(alpha / 2);
            const Ring simplex(fidelity, "simplex", alpha);
            EXPECT_LE(Abs(simplex.last - ClosedForm(alpha)), NanoSeconds(200))
                << what << ": " << simplex.last << " and " << ClosedForm(alpha);
            for (const Ring* ring : {&duplex, &simplex})
            {
                EXPECT_EQ(ring->delivered, SERVERS * LANES * LANE_BYTES) << what;
                EXPECT_EQ(ring->byCircuit, ring->delivered) << what;
                ASSERT_FALSE(ring->kinds.empty()) << what << ": nothing was switched";
                EXPECT_EQ(ring->idlePorts, 0U) << what;
                for (const CircuitKind kind : ring->kinds)
                {
                    EXPECT_EQ(kind == CircuitKind::SIMPLEX, ring == &simplex) << what;
                }
            }
            EXPECT_EQ(simplex.predicted,
                      ByteCount(LANES * LANE_BYTES) / DataRate(uint64_t(alpha) * 400000000000));
        }
    }
}

namespace
{

/// Ends of transfers, by server of the source.
class Ends : public TransferSink
{
  public:
    void OnCompletion(const Completion& c) override
    {
        EXPECT_EQ(c.status, TransferStatus::DELIVERED);
        finished[c.tag] = c.finished;
        light[c.tag] = c.bytesByPath[static_cast<std::size_t>(PathClass::CIRCUIT)].Get();
        bytes += c.bytes.Get();
    }

    std::array<Time, SERVERS> finished;    //!< when
    std::array<uint64_t, SERVERS> light{}; //!< bytes over circuits
    uint64_t bytes{0};                     //!< delivered
};

constexpr uint64_t TURN_BYTES = 100000000; //!< of each transfer

/// Server 0 sends to 1, hears 2; 1 sends to 3. At 1 ms the light of 0 is turned to 2, in 2 ms.
/// @param fidelity world @return ends
Ends
TurnOneWay(Fidelity fidelity)
{
    Ends ends;
    {
        MixnetFabricHelper helper;
        helper.SetTopology("ns3::HybridTopology");
        helper.SetTopologyAttribute("OcsNics", UintegerValue(1));
        helper.SetTopologyAttribute("ServersPerRegion", UintegerValue(SERVERS));
        WorldConfig world;
        world.fidelity = fidelity;
        world.congestionType = "ns3::NoCongestionControl";
        helper.SetWorld(world);
        MixnetFabric fabric = helper.Install(ClusterSpec(SERVERS, 8));
        fabric.AssignStreams(1);
        const FabricGraph& graph = *fabric.GetGraph();
        const VertexId ocs = graph.GetRegionOcs(RegionId(0))[0];
        const auto one = [ocs](uint32_t from, uint32_t to) {
            return Circuit{ocs, from, to, CircuitKind::SIMPLEX};
        };
        const auto switcher = CreateObject<CircuitSwitcher>();
        switcher->SetAttribute("SwitchingDelay", TimeValue(MilliSeconds(2)));
        switcher->SetAttribute("HeldTraffic", StringValue("move"));
        switcher->SetFabric(fabric.GetControl(), RegionId(0));
        fabric.GetControl()->Connect({one(0, 1), one(1, 3), one(2, 0)}, {});
        const auto send = [&](uint32_t from, uint32_t to) {
            Transfer t;
            t.source = graph.GetGpu(ServerId(from), 0);
            t.destination = graph.GetGpu(ServerId(to), 0);
            t.bytes = ByteCount(TURN_BYTES);
            t.trafficClass = TrafficClass::EP;
            t.tag = from;
            fabric.GetTransport()->Send({t}, ends);
        };
        send(0, 1);
        send(1, 3);
        send(2, 0);
        Simulator::Schedule(MilliSeconds(1),
                            [&] { switcher->Turn({one(0, 2)}, CircuitSwitcher::LitCallback()); });
        Simulator::Run();
        EXPECT_TRUE(graph.IsLit(one(0, 2)) && graph.IsLit(one(1, 3)) && graph.IsLit(one(2, 0)));
        EXPECT_FALSE(graph.IsLit(one(0, 1)));
        switcher->Dispose();
    }
    Simulator::Destroy();
    return ends;
}

} // namespace

// What the turn does not touch ends as if there were none, to the nanosecond, though it shares the
// ports: wire bytes at 400 Gb/s and two fibers of 1 us. What it touches goes over the circuit for
// 1 ms, and over the EPS from when the light has left, two fibers later: four links of 1 us, three
// of which serialize the last packet again. In the packet world its NIC also carries the answers to
// server 2, one of 86 B for four packets of 4,178 B. A frame (84 ns) that is being sent when it is
// held back ends.
TEST(WorldsSimplex, ATurnTouchesOneDirectionOnly)
{
    const uint64_t packets = (TURN_BYTES + 4095) / 4096;
    const uint64_t wire = TURN_BYTES + packets * 82 + 16;
    const Time alone = PicoSeconds(20 * wire) + MicroSeconds(2);
    for (const Fidelity fidelity : {Fidelity::PACKET, Fidelity::FLOW})
    {
        const Ends ends = TurnOneWay(fidelity);
        EXPECT_EQ(ends.bytes, 3 * TURN_BYTES) << "exactly once";
        for (const uint32_t server : {1U, 2U})
        {
            EXPECT_LE(Abs(ends.finished[server] - alone), NanoSeconds(1)) << server;
            EXPECT_EQ(ends.light[server], TURN_BYTES);
        }
        const double rest = static_cast<double>(TURN_BYTES - ends.light[0]) / 4096;
        const double answers = fidelity == Fidelity::PACKET ? rest / 4 * 86 * 20 : 0;
        const Time moved = alone + MicroSeconds(2 + 2) + PicoSeconds(3 * 20 * (4096 + 98)) +
                           PicoSeconds(static_cast<uint64_t>(answers));
        EXPECT_LE(Abs(ends.finished[0] - moved), NanoSeconds(200))
            << ends.finished[0] << " and " << moved;
        EXPECT_NEAR(static_cast<double>(ends.light[0]), 0.001 * 400e9 / 8 * 4096 / 4178, 9000);
    }
}
