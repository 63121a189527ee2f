/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/circuit-switcher.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t BYTES = 4 << 20;            //!< of a message: about 86 us at 400 Gb/s
constexpr const char* LINK_DOWN = "link-down"; //!< a drop in the fiber
constexpr const char* DARK = "dark";           //!< a drop in the switch

/// How circuits are turned in a case.
struct Manner
{
    std::string name;   //!< in messages
    std::string policy; //!< TypeId name
    Time timeout;       //!< of the drain
    std::string held;   //!< held traffic
    bool loses;         //!< light under way is lost
};

/// Eight servers, each with one NIC on the EPS and one on an OCS, in either world. Messages run
/// while circuits are turned.
class DrainCase : public TestCase, public TransferSink
{
  public:
    DrainCase(const std::string& name, Fidelity fidelity)
        : TestCase(name + (fidelity == Fidelity::PACKET ? ", packets" : ", flows")),
          m_fidelity(fidelity)
    {
    }

    void OnCompletion(const Completion& c) override
    {
        NS_TEST_EXPECT_MSG_EQ((c.status == TransferStatus::DELIVERED), true, "delivered");
        const uint64_t light = c.bytesByPath[static_cast<std::size_t>(PathClass::CIRCUIT)].Get();
        const uint64_t eps = c.bytesByPath[static_cast<std::size_t>(PathClass::PACKET)].Get();
        NS_TEST_EXPECT_MSG_EQ(light + eps, c.bytes.Get(), "each byte once");
        const bool fresh = m_ends.emplace(c.tag, c).second;
        NS_TEST_EXPECT_MSG_EQ(fresh, true, "message " << c.tag << " ends once");
    }

  protected:
    void Build()
    {
        MixnetFabricHelper helper;
        helper.SetTopology("ns3::HybridTopology");
        helper.SetTopologyAttribute("OcsNics", UintegerValue(1));
        helper.SetFidelity(m_fidelity);
        m_fabric = std::make_unique<MixnetFabric>(helper.Install(ClusterSpec(8, 2)));
        m_fabric->AssignStreams(1);
        m_graph = m_fabric->GetGraph();
        m_ocs = m_graph->GetRegionOcs(RegionId(0))[0];
        m_device = CreateObject<CircuitSwitcher>();
        m_device->SetFabric(m_fabric->GetControl(), RegionId(0));
        m_device->SetAttribute("SwitchingDelay", TimeValue(MicroSeconds(30)));
        m_device->SetAttribute("DrainTimeout", TimeValue(Time(0)));
        m_device->TraceConnectWithoutContext("Reconfiguration",
                                             MakeCallback(&DrainCase::OnReconfiguration, this));
        m_device->TraceConnectWithoutContext("PortState", MakeCallback(&DrainCase::OnPort, this));
        m_fabric->GetControl()->Connect({At(0, 1), At(2, 3), At(4, 5)}, {});
        m_ends.clear();
        m_turned.clear();
        m_carried.clear();
        m_inDark = 0;
    }

    /// End the world.
    void Clear()
    {
        m_device->Dispose();
        m_fabric.reset();
        Simulator::Destroy();
    }

    void OnReconfiguration(const CircuitReconfiguration& r)
    {
        m_turned.push_back(r);
    }

    /// Bytes that the switch sends on over a fiber between dark and lit, and at the servers' end.
    void OnPort(VertexId ocs, uint32_t port, RegionState from, RegionState to)
    {
        const uint64_t carried = m_fabric->GetWorld().GetWireBytes(m_graph->GetEgress(ocs, port));
        if (to == RegionState::SWITCHING)
        {
            m_carried[port] = carried;
        }
        else if (to == RegionState::STEADY)
        {
            m_inDark += carried - m_carried.at(port);
            ++m_darkPorts;
        }
    }

    /// @param a port, which is server @param b another @return the circuit
    Circuit At(uint32_t a, uint32_t b) const
    {
        return {m_ocs, a, b};
    }

    /// @param tag names it @param from server @param to server @param bytes payload
    void Send(uint64_t tag, uint32_t from, uint32_t to, uint64_t bytes = BYTES)
    {
        Transfer t;
        t.source = m_graph->GetGpu(ServerId(from), 0);
        t.destination = m_graph->GetGpu(ServerId(to), 0);
        t.bytes = ByteCount(bytes);
        t.trafficClass = TrafficClass::EP;
        t.tag = tag;
        m_sent += bytes;
        m_fabric->GetTransport()->Send({t}, *this);
    }

    /// @param at when @param wanted circuits
    void TurnAt(Time at, std::vector<Circuit> wanted)
    {
        Simulator::Schedule(at, [this, wanted] {
            m_device->Turn(wanted, CircuitSwitcher::LitCallback());
        });
    }

    /// @param reason a reason @return frames dropped for it; none in the fluid world
    uint64_t Dropped(const std::string& reason) const
    {
        uint64_t frames = 0;
        for (const DropCount& d : m_fabric->GetWorld().GetDrops())
        {
            frames += d.reason == reason ? d.frames : 0;
        }
        return frames;
    }

    /// @param tag a message @return what it says of circuits
    uint64_t OnCircuits(uint64_t tag) const
    {
        return m_ends.at(tag).bytesByPath[static_cast<std::size_t>(PathClass::CIRCUIT)].Get();
    }

    void DoTeardown() override
    {
        m_fabric.reset();
        Simulator::Destroy();
    }

    Fidelity m_fidelity;                          //!< which world
    std::unique_ptr<MixnetFabric> m_fabric;       //!< the world
    Ptr<FabricGraph> m_graph;                     //!< its graph
    VertexId m_ocs;                               //!< its switch
    Ptr<CircuitSwitcher> m_device;                //!< under test
    std::map<uint64_t, Completion> m_ends;        //!< by tag
    std::vector<CircuitReconfiguration> m_turned; //!< told
    std::map<uint32_t, uint64_t> m_carried;       //!< by port: bytes when it went dark
    uint64_t m_inDark{0};                         //!< wire bytes carried in the dark
    uint32_t m_darkPorts{0};                      //!< ports that were dark
    uint64_t m_sent{0};                           //!< payload
};

/**
 * Messages 0-1 and 2-3 lose their circuits in the middle, message 4-5 keeps it, and 1-3 starts in
 * the dark. All arrive once, whatever the manner; nothing passes a dark port; 4-5 ends at the same
 * picosecond as without any turn.
 */
class MannerCase : public DrainCase
{
  public:
    MannerCase(const Manner& manner, Fidelity fidelity)
        : DrainCase(manner.name, fidelity),
          m_manner(manner)
    {
    }

  private:
    /// @param turn whether circuits are turned @return when 4-5 ends
    Time Play(bool turn)
    {
        Build();
        m_device->SetAttribute("DrainPolicy", StringValue(m_manner.policy));
        m_device->SetAttribute("DrainTimeout", TimeValue(m_manner.timeout));
        m_device->SetAttribute("HeldTraffic", StringValue(m_manner.held));
        Send(1, 0, 1);
        Send(2, 2, 3);
        Send(3, 4, 5);
        if (turn)
        {
            TurnAt(MicroSeconds(20), {At(0, 2), At(1, 3), At(6, 7)});
        }
        Simulator::Schedule(MicroSeconds(40), [this] { Send(4, 1, 3); });
        Simulator::Schedule(MicroSeconds(150), [this] { Send(5, 0, 2); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_ends.size(), 5, "all end");
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetTransport()->GetUnfinished().size(), 0, "none is left");
        return m_ends[3].finished;
    }

    void DoRun() override
    {
        const Time undisturbed = Play(false);
        NS_TEST_EXPECT_MSG_EQ(OnCircuits(5), 0, "no circuit 0-2 without a turn");
        Clear();
        const Time disturbed = Play(true);
        NS_TEST_EXPECT_MSG_EQ(disturbed, undisturbed, "untouched to the picosecond");
        NS_TEST_EXPECT_MSG_EQ(OnCircuits(3), BYTES, "in its light");
        NS_TEST_EXPECT_MSG_EQ(OnCircuits(5), BYTES, "the new circuit is used");
        NS_TEST_ASSERT_MSG_EQ(m_turned.empty(), false, "turned");
        NS_TEST_EXPECT_MSG_EQ(m_darkPorts, 6, "ports were dark");
        NS_TEST_EXPECT_MSG_GT(m_carried.at(1), BYTES / 16, "port 1 carried bytes before");
        NS_TEST_EXPECT_MSG_EQ(m_inDark, 0, "bytes in the dark");
        const CircuitReconfiguration& last = m_turned.back();
        NS_TEST_EXPECT_MSG_EQ(last.lit - last.drained, MicroSeconds(30), "switching delay");
        NS_TEST_EXPECT_MSG_EQ(last.forced, m_manner.loses, "drained");
        for (const uint64_t tag : {1, 2})
        {
            NS_TEST_EXPECT_MSG_GT(OnCircuits(tag), 0, "part in the light");
            NS_TEST_EXPECT_MSG_LT(OnCircuits(tag), BYTES, "part over the EPS");
        }
        if (m_fidelity == Fidelity::PACKET)
        {
            const uint64_t lost = Dropped(DARK) + Dropped(LINK_DOWN);
            NS_TEST_EXPECT_MSG_EQ((lost > 0), m_manner.loses, lost << " frames lost");
        }
        CheckHeld(last);
        Clear();
    }

    /**
     * What is left of message 1 when its circuit is gone crosses the EPS: 3 MB and more, above 60
     * us. Traffic that waits begins with it when there is light; traffic that moves, when it is
     * dark.
     *
     * @param last the turn that took its circuit
     */
    void CheckHeld(const CircuitReconfiguration& last)
    {
        const uint64_t rest = BYTES - OnCircuits(1);
        const Time least = PicoSeconds(static_cast<int64_t>(rest) * 20);
        const bool waits = m_manner.held == "wait" && !m_manner.policy.empty() &&
                           m_manner.policy != "ns3::ImmediateDrainPolicy";
        const Time from = waits ? last.lit : last.drained;
        NS_TEST_EXPECT_MSG_GT(m_ends[1].finished, from + least, "the EPS has one rate");
        NS_TEST_EXPECT_MSG_LT(m_ends[1].finished,
                              from + least * 1.25 + MicroSeconds(25),
                              "and begins at once");
    }

    Manner m_manner; //!< how
};

/// A new message every microsecond, for ever: the region drains all the same, again and again.
class StreamCase : public DrainCase
{
  public:
    explicit StreamCase(Fidelity fidelity)
        : DrainCase("new flows keep coming", fidelity)
    {
    }

  private:
    void DoRun() override
    {
        Build();
        constexpr uint64_t COUNT = 600;
        constexpr uint64_t SIZE = 60000; // 1.2 us at 400 Gb/s: more than the circuit carries
        for (uint64_t n = 0; n < COUNT; ++n)
        {
            Simulator::Schedule(MicroSeconds(n), [this, n] { Send(n, 0, 1, SIZE); });
        }
        for (int turn = 0; turn < 5; ++turn)
        {
            TurnAt(MicroSeconds(20 + 100 * turn), {turn % 2 == 0 ? At(0, 2) : At(0, 1)});
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_turned.size(), 5, "every turn came to its end");
        for (const CircuitReconfiguration& r : m_turned)
        {
            NS_TEST_EXPECT_MSG_EQ(r.forced, false, "drained by itself");
            NS_TEST_EXPECT_MSG_LT(r.drained - r.held, MicroSeconds(20), "soon");
        }
        NS_TEST_EXPECT_MSG_EQ(m_ends.size(), COUNT, "all arrive");
        NS_TEST_EXPECT_MSG_EQ(m_fabric->GetTransport()->GetTotals().delivered.Get(), m_sent, "sum");
        uint64_t light = 0;
        for (uint64_t n = 0; n < COUNT; ++n)
        {
            light += OnCircuits(n);
        }
        NS_TEST_EXPECT_MSG_GT(light, 0, "some in the light");
        NS_TEST_EXPECT_MSG_LT(light, m_sent, "some over the EPS");
        NS_TEST_EXPECT_MSG_EQ(m_inDark, 0, "none in the dark");
        NS_TEST_EXPECT_MSG_EQ(Dropped(DARK) + Dropped(LINK_DOWN), 0, "none lost");
        Clear();
    }
};

/// A fiber that fails in the middle of a drain has nothing on it: the drain ends, messages go on.
class BrokenDrainCase : public DrainCase
{
  public:
    explicit BrokenDrainCase(Fidelity fidelity)
        : DrainCase("a fiber fails during the drain", fidelity)
    {
    }

  private:
    void DoRun() override
    {
        Build();
        Send(1, 0, 1);
        Send(2, 2, 3);
        TurnAt(MicroSeconds(20), {At(0, 2), At(1, 3)});
        const EdgeId fiber = m_graph->GetEdge(m_ocs, 1);
        Simulator::Schedule(MicroSeconds(20) + NanoSeconds(300), [this, fiber] {
            m_fabric->GetControl()->SetEdges({fiber}, EdgeCause::FAILURE, false);
        });
        Simulator::Schedule(MicroSeconds(200), [this, fiber] {
            NS_TEST_EXPECT_MSG_EQ(m_graph->IsLit(At(0, 2)), true, "the healthy one");
            NS_TEST_EXPECT_MSG_EQ(m_graph->IsLit(At(1, 3)), false, "the broken one");
            m_fabric->GetControl()->SetEdges({fiber}, EdgeCause::FAILURE, true);
            NS_TEST_EXPECT_MSG_EQ(m_graph->IsLit(At(1, 3)), true, "repaired");
            Send(3, 1, 3);
        });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_turned.size(), 1, "turned");
        NS_TEST_EXPECT_MSG_LT(m_turned[0].drained, MicroSeconds(40), "drained");
        NS_TEST_ASSERT_MSG_EQ(m_ends.size(), 3, "all arrive");
        NS_TEST_EXPECT_MSG_EQ(OnCircuits(3), BYTES, "in the repaired light");
        Clear();
    }
};

/// The suite.
class OpticalDrainTestSuite : public TestSuite
{
  public:
    OpticalDrainTestSuite()
        : TestSuite("mixnet-optical-drain", TestSuite::Type::UNIT)
    {
        const std::string full = "ns3::FullDrainPolicy";
        const Time none(0);
        const std::vector<Manner> manners{
            {"drain, wait", full, none, "wait", false},
            {"drain, move", full, none, "move", false},
            {"bounded drain, wait", full, NanoSeconds(500), "wait", true},
            {"bounded drain, move", full, NanoSeconds(500), "move", true},
            {"immediate", "ns3::ImmediateDrainPolicy", none, "wait", true},
            {"make before break", "ns3::MakeBeforeBreakDrainPolicy", none, "wait", false},
            {"make before break, move", "ns3::MakeBeforeBreakDrainPolicy", none, "move", false}};
        for (const Fidelity fidelity : {Fidelity::PACKET, Fidelity::FLOW})
        {
            for (const Manner& manner : manners)
            {
                AddTestCase(new MannerCase(manner, fidelity));
            }
            AddTestCase(new StreamCase(fidelity));
            AddTestCase(new BrokenDrainCase(fidelity));
        }
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

OpticalDrainTestSuite g_opticalDrainTestSuite; //!< registers the suite

} // namespace
