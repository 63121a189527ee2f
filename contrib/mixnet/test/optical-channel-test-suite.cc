/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "refusal.h"

#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"
#include "ns3/optical-channel-helper.h"
#include "ns3/queue-size.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/test.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t DATAGRAM = 1000; //!< payload

/// Ordinary nodes with the stock IP stack on one optical switch; nothing of RDMA is used.
class ChannelCase : public TestCase
{
  public:
    explicit ChannelCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /// @param n nodes @param policy of the drain
    void Build(uint32_t n, const std::string& policy)
    {
        m_nodes.Create(n);
        m_helper.SetSwitcherAttribute("SwitchingDelay", TimeValue(MicroSeconds(50)));
        m_helper.SetSwitcherAttribute("DrainTimeout", TimeValue(Time(0)));
        m_helper.SetSwitcherAttribute("DrainPolicy", StringValue(policy));
        m_channel = std::make_unique<OpticalChannel>(m_helper.Install(m_nodes));
        InternetStackHelper().Install(m_nodes);
        m_addresses =
            Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(m_channel->GetDevices());
        m_channel->GetSwitcher()->TraceConnectWithoutContext(
            "Reconfiguration",
            MakeCallback(&ChannelCase::OnReconfiguration, this));
    }

    void OnReconfiguration(const CircuitReconfiguration& r)
    {
        m_turned.push_back(r);
    }

    /// Datagrams from node 0 to node 1: the first one, now, resolves the address.
    void MakeUdp()
    {
        m_sink = Socket::CreateSocket(m_nodes.Get(1), UdpSocketFactory::GetTypeId());
        m_sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        m_sink->SetRecvCallback(MakeCallback(&ChannelCase::ReadUdp, this));
        m_source = Socket::CreateSocket(m_nodes.Get(0), UdpSocketFactory::GetTypeId());
        m_source->Connect(InetSocketAddress(m_addresses.GetAddress(1), 9));
        SendAt(Time(0));
    }

    void SendAt(Time at)
    {
        Simulator::ScheduleWithContext(m_nodes.Get(0)->GetId(), at, [this] {
            m_source->Send(Create<Packet>(DATAGRAM));
        });
    }

    void ReadUdp(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            m_arrivals.push_back(Simulator::Now());
            m_bytes += packet->GetSize();
        }
    }

    /// @param at when @param a node @param b node
    void TurnAt(Time at, uint32_t a, uint32_t b)
    {
        Simulator::Schedule(at, [this, a, b] {
            m_channel->GetSwitcher()->Turn({m_channel->Join(a, b)}, CircuitSwitcher::LitCallback());
        });
    }

    void DoTeardown() override
    {
        m_source = nullptr;
        m_sink = nullptr;
        m_channel.reset();
        m_nodes = NodeContainer();
        Simulator::Destroy();
    }

    OpticalChannelHelper m_helper;                //!< makes it
    NodeContainer m_nodes;                        //!< the user's
    std::unique_ptr<OpticalChannel> m_channel;    //!< under test
    Ipv4InterfaceContainer m_addresses;           //!< by node
    std::vector<CircuitReconfiguration> m_turned; //!< told
    Ptr<Socket> m_source;                         //!< at node 0
    Ptr<Socket> m_sink;                           //!< at node 1
    std::vector<Time> m_arrivals;                 //!< of datagrams at node 1
    uint64_t m_bytes{0};                          //!< arrived at node 1
};

constexpr int64_t WIRE = (1000 + 8 + 20 + 38) * 20; //!< its serialization at 400 Gb/s, ps

/**
 * A datagram every microsecond from node 0 to node 1, while the circuit is turned to node 2 and
 * back. Nothing arrives at node 1 in the dark.
 */
class UdpCase : public ChannelCase
{
  public:
    explicit UdpCase(bool drain)
        : ChannelCase(std::string("UDP sockets, ") + (drain ? "drain" : "immediate")),
          m_drain(drain)
    {
    }

  private:
    static constexpr uint64_t COUNT = 400; //!< datagrams

    void DoRun() override
    {
        Build(3, m_drain ? "ns3::FullDrainPolicy" : "ns3::ImmediateDrainPolicy");
        m_channel->Light(0, 1);
        MakeUdp();
        const Time start = MilliSeconds(50);
        for (uint64_t n = 0; n < COUNT; ++n)
        {
            SendAt(start + MicroSeconds(n));
        }
        TurnAt(start + MicroSeconds(100), 0, 2);
        TurnAt(start + MicroSeconds(200), 0, 1);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_turned.size(), 2, "turned");
        // Light of the switch reaches node 1 one fiber later; what is in that fiber at the turn
        // arrives. Two fibers and the serialization after it is lit again the next may be there.
        const Time dark = m_turned[0].drained + MicroSeconds(1);
        const Time lit = m_turned[1].lit + MicroSeconds(1);
        uint64_t before = 0;
        for (const Time& t : m_arrivals)
        {
            NS_TEST_EXPECT_MSG_EQ((t > dark && t < lit), false, "arrival in the dark: " << t);
            before += t <= dark ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_GT(before, 90, "before the dark");
        NS_TEST_EXPECT_MSG_GT(m_arrivals.size() - before, 100, "after it");
        NS_TEST_EXPECT_MSG_EQ(m_bytes, m_arrivals.size() * DATAGRAM, "whole");
        m_drain ? CheckDrained() : CheckLost(start);
    }

    /// Nothing is lost but what node 2 got while it had the light: between the turns the circuit
    /// is lit for 50 us less the drain of the second, and those are node 1's datagrams.
    void CheckDrained()
    {
        NS_TEST_EXPECT_MSG_EQ(m_channel->GetSwitch()->GetLost(), 0, "none in the dark");
        NS_TEST_EXPECT_MSG_LT(m_turned[0].drained - m_turned[0].held,
                              MicroSeconds(3),
                              "drained under an endless stream");
        const uint64_t astray = COUNT + 1 - m_arrivals.size();
        NS_TEST_EXPECT_MSG_GT(astray, 45, "to node 2: sent in its light, and what had waited");
        NS_TEST_EXPECT_MSG_LT(astray, 105, "to node 2: sent in its light, and what had waited");
    }

    /**
     * Datagram n passes the switch in [n us + 1 us, + WIRE]. Lost in the switch are those whose
     * passage touches [100, 150] us or [200, 250] us, to node 2 go those between.
     *
     * @param start first datagram
     */
    void CheckLost(Time start)
    {
        uint64_t lost = 0;
        uint64_t arrive = 1;
        for (uint64_t n = 0; n < COUNT; ++n)
        {
            const Time first = start + MicroSeconds(n + 1);
            const Time last = first + PicoSeconds(WIRE);
            bool dark = false;
            for (const CircuitReconfiguration& r : m_turned)
            {
                dark = dark || (last > r.drained && first < r.lit);
            }
            lost += dark ? 1 : 0;
            arrive += last <= m_turned[0].drained || first >= m_turned[1].lit ? 1 : 0;
        }
        NS_TEST_EXPECT_MSG_GT(lost, 90, "the dark was long");
        NS_TEST_EXPECT_MSG_EQ(m_channel->GetSwitch()->GetLost(), lost, "lost in the dark");
        NS_TEST_EXPECT_MSG_EQ(m_arrivals.size(), arrive, "arrived");
    }

    bool m_drain; //!< drain
};

/// A TCP stream whose whole switch goes dark three times for other nodes' sake waits and goes on:
/// no frame is lost, every byte arrives once.
class TcpCase : public ChannelCase
{
  public:
    TcpCase()
        : ChannelCase("TCP stream through three dark times")
    {
    }

  private:
    static constexpr uint32_t SEGMENT = 8000;   //!< of TCP
    static constexpr uint32_t BYTES = 20000000; //!< of the stream

    void Accept(Ptr<Socket> socket, const Address&)
    {
        socket->SetRecvCallback(MakeCallback(&TcpCase::Read, this));
    }

    void Read(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            m_bytes += packet->GetSize();
        }
        if (m_bytes > BYTES / 4 * (m_turned.size() + 1) && m_bytes < BYTES && !m_turning)
        {
            m_turning = true;
            Simulator::ScheduleNow(&TcpCase::TurnOthers, this);
        }
    }

    void TurnOthers()
    {
        const uint32_t other = 3 + m_turned.size() % 2;
        m_channel->GetSwitcher()->Turn({m_channel->Join(2, other)},
                                       MakeCallback(&TcpCase::OnLit, this));
    }

    void OnLit()
    {
        m_turning = false;
    }

    void DoRun() override
    {
        m_helper.SetSwitcherAttribute("DarkScope", StringValue("region"));
        Build(5, "ns3::FullDrainPolicy");
        m_channel->Light(0, 1);
        const auto sink = Socket::CreateSocket(m_nodes.Get(1), TcpSocketFactory::GetTypeId());
        sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), 80));
        sink->Listen();
        sink->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                MakeCallback(&TcpCase::Accept, this));
        const auto source = Socket::CreateSocket(m_nodes.Get(0), TcpSocketFactory::GetTypeId());
        source->SetAttribute("SndBufSize", UintegerValue(BYTES + 1));
        source->SetAttribute("SegmentSize", UintegerValue(SEGMENT));
        source->Connect(InetSocketAddress(m_addresses.GetAddress(1), 80));
        for (uint32_t sent = 0; sent < BYTES; sent += SEGMENT)
        {
            source->Send(Create<Packet>(SEGMENT));
        }
        source->Close();
        Simulator::Stop(Seconds(100));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_turned.size(), 3, "three times");
        NS_TEST_EXPECT_MSG_EQ(m_channel->GetSwitch()->GetLost(), 0, "nothing in the dark");
        NS_TEST_EXPECT_MSG_EQ(m_bytes, BYTES, "every byte once");
    }

    bool m_turning{false}; //!< dark, or about to be
};

/// A failed port loses its light and its repair brings it back; fewer than two nodes are refused.
class FailureCase : public ChannelCase
{
  public:
    FailureCase()
        : ChannelCase("failure and repair under sockets, and refusals")
    {
    }

  private:
    void DoRun() override
    {
        Build(2, "ns3::FullDrainPolicy");
        m_channel->Light(0, 1);
        MakeUdp();
        for (const int ms : {50, 60, 70})
        {
            SendAt(MilliSeconds(ms));
        }
        const auto fail = [this](bool up) {
            m_channel->GetControl()->SetEdges({m_channel->GetFiber(1)}, EdgeCause::FAILURE, up);
        };
        Simulator::Schedule(MilliSeconds(55), [=] { fail(false); });
        Simulator::Schedule(MilliSeconds(65), [=] { fail(true); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_arrivals.size(), 3, "all but the one in the failure");
        NS_TEST_EXPECT_MSG_GT(m_arrivals.back(), MilliSeconds(70), "repaired");
        const bool one = Refuses([this] { m_helper.Install(NodeContainer(1)); }, "2 or more");
        OpticalChannelHelper wrong;
        wrong.SetSwitcherAttribute("SwitchingDelayTable", StringValue("7"));
        const auto install = [&wrong] { wrong.Install(NodeContainer(2)); };
        NS_TEST_EXPECT_MSG_EQ(Refuses(install, "'7'"), true, "delays that are none");
        NS_TEST_EXPECT_MSG_EQ(one, true, "one node");
        const auto turn = [this] { m_channel->GetSwitcher()->Turn({m_channel->Join(0, 9)}, {}); };
        NS_TEST_EXPECT_MSG_EQ(Refuses(turn, "0-9"), true, "a port that the switch does not have");
    }
};

/**
 * Of N datagrams over a circuit with bit error rate b, the share 1 - (1 - b)^(8 n) of frames of n
 * bytes is lost: here a quarter. N = 20,000 has a standard deviation of 61 frames.
 */
class BudgetCase : public ChannelCase
{
  public:
    BudgetCase()
        : ChannelCase("loss budget")
    {
    }

  private:
    static constexpr uint32_t COUNT = 20000; //!< datagrams

    void DoRun() override
    {
        Build(2, "ns3::FullDrainPolicy");
        m_channel->Light(0, 1);
        OpticalLossBudget budget;
        // Margin 0 at 3e-5: a link with error correction, out of its depth.
        budget.referenceRate = 3e-5;
        budget.launchDbm -= budget.GetMarginDb();
        MakeUdp();
        Simulator::Schedule(MilliSeconds(40),
                            [this, budget] { m_channel->SetLossBudget(budget, 5); });
        for (uint32_t n = 0; n < COUNT; ++n)
        {
            SendAt(MilliSeconds(50) + NanoSeconds(100) * n);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ_TOL(budget.GetBitErrorRate(), 3e-5, 1e-12, "margin 0");
        // The frame as a packet: 1,000 + UDP 8 + IP 20 + Ethernet 14 and 4.
        const double passed = std::pow(1 - 3e-5, 8 * 1046);
        NS_TEST_EXPECT_MSG_EQ_TOL(m_arrivals.size(), 1 + COUNT * passed, 4 * 61.0, "arrived");
        NS_TEST_EXPECT_MSG_EQ(m_channel->GetLink(1).GetLost(OcsPort()),
                              COUNT + 1 - m_arrivals.size(),
                              "counted");
    }

    /// @return the switch's port to node 1
    const MixnetPort* OcsPort() const
    {
        const MixnetPort* nic =
            PeekPointer(DynamicCast<MixnetPort>(m_channel->GetDevices().Get(1)));
        return nic->GetPeer();
    }
};

/// The suite.
class OpticalChannelTestSuite : public TestSuite
{
  public:
    OpticalChannelTestSuite()
        : TestSuite("mixnet-optical-channel", TestSuite::Type::UNIT)
    {
        AddTestCase(new UdpCase(true));
        AddTestCase(new UdpCase(false));
        AddTestCase(new TcpCase);
        AddTestCase(new FailureCase);
        AddTestCase(new BudgetCase);
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

OpticalChannelTestSuite g_opticalChannelTestSuite; //!< registers the suite

} // namespace
