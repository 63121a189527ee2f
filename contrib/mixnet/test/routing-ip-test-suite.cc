/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "routing-ip-test-case.h"

#include "ns3/fabric-ipv4-routing.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"
#include "ns3/output-stream-wrapper.h"
#include "ns3/udp-socket-factory.h"

#include <sstream>

using namespace ns3;

namespace
{

/**
 * @ingroup mixnet-test
 * A stream takes the circuit while it is lit and the packet fabric while it is held or dark.
 *
 * The circuit is held at 1,000 us and lit again at 2,000 us, the stream goes on to 3,000 us:
 * segments leave at 11, 13, ... 999 us (495), 1,001 ... 1,999 us (500), 2,001 ... 2,999 us (500).
 *
 * Held (drained): nothing is lost, so the ports carry exactly those. Torn without a hold: lost are
 * the frames whose last byte was to reach the OCS after 1,000 us, which the ports' logs tell; as
 * many are counted there, and each lost segment is sent once more, in the dark.
 */
class DarkTimeTest : public SocketCase
{
  public:
    /// @param drain hold the circuit before it is torn
    explicit DarkTimeTest(bool drain)
        : SocketCase(std::string("stream over a circuit that is ") + (drain ? "drained" : "torn")),
          m_drain(drain)
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(2, 1);
        BuildDoors();
        InstallSockets();
        const Circuit circuit = Join(0, 0, 1, 0);
        m_control->Connect({circuit}, {});
        Stream(1, 495 + 500 + 500);
        Simulator::Schedule(DARK, [this, circuit] {
            if (!m_drain)
            {
                m_control->Connect({}, {circuit});
                return;
            }
            m_token = m_control->Quiesce(
                {FiberOf(0, 0), FiberOf(1, 0)},
                Time(0),
                Callback<void, bool>([this, circuit](bool) { m_control->Connect({}, {circuit}); }));
        });
        Simulator::Schedule(LIT, [this, circuit] {
            m_control->Connect({circuit}, {});
            if (m_drain)
            {
                m_control->Resume(m_token);
            }
        });
        Run();
        CheckPorts();
    }

    /// @return payload of frames lost by server 0, and number of frames lost by both servers
    std::pair<uint64_t, uint64_t> FindLost() const
    {
        uint64_t payload = 0;
        uint64_t frames = 0;
        for (uint32_t s = 0; s < 2; ++s)
        {
            for (const PortLog::Entry& e : m_logs[s][1].entries)
            {
                const Time last = e.at + PicoSeconds(e.wire * PICOS + FIBER);
                const bool lost = !m_drain && e.at < LIT && last > DARK;
                payload += lost ? e.payload : 0;
                frames += lost ? 1 : 0;
            }
        }
        return {payload, frames};
    }

    /// Bytes by port and phase.
    void CheckPorts()
    {
        const auto [lost, lostFrames] = FindLost();
        const PortLog& eps = m_logs[0][0];
        const PortLog& fiber = m_logs[0][1];
        NS_TEST_EXPECT_MSG_EQ((lostFrames > 0), !m_drain, "something was in flight");
        NS_TEST_EXPECT_MSG_EQ(m_world->GetFabric().GetTotalDrops(), lostFrames, "and nothing else");
        NS_TEST_EXPECT_MSG_EQ(m_world->GetFabric().GetDrops(DropReason::DARK), lostFrames, "dark");
        NS_TEST_EXPECT_MSG_EQ(fiber.Count(Time(0), DARK), 495 * SEGMENT, "light before");
        NS_TEST_EXPECT_MSG_EQ(eps.Count(Time(0), DARK), 0, "EPS before");
        NS_TEST_EXPECT_MSG_EQ(fiber.Count(DARK, LIT), 0, "light in the dark");
        NS_TEST_EXPECT_MSG_EQ(eps.Count(DARK, LIT), 500 * SEGMENT + lost, "EPS in the dark");
        NS_TEST_EXPECT_MSG_EQ(fiber.Count(LIT, Time::Max()), 500 * SEGMENT, "light after");
        NS_TEST_EXPECT_MSG_EQ(eps.Count(LIT, Time::Max()), 0, "EPS after");
        NS_TEST_EXPECT_MSG_EQ(m_received, 1495 * SEGMENT, "the stream is whole");
        NS_TEST_EXPECT_MSG_EQ(CountAll(0, 0) + CountAll(0, 1),
                              m_received + lost,
                              "paths sum to what arrived and what was lost");
        // acknowledgements follow the same rule
        NS_TEST_EXPECT_MSG_GT(m_logs[1][1].entries.size(), 400, "ACKs over the circuit");
        for (const PortLog::Entry& e : m_logs[1][0].entries)
        {
            NS_TEST_EXPECT_MSG_EQ((e.at >= DARK && e.at < LIT), true, "ACKs over the EPS");
        }
    }

    const Time DARK = MicroSeconds(1000); //!< the circuit is held or torn
    const Time LIT = MicroSeconds(2000);  //!< it is lit again
    bool m_drain;                         //!< hold it first
    FabricControl::Token m_token{0};      //!< of the hold
};

/**
 * @ingroup mixnet-test
 * A stream as fast as TCP goes, whose circuit is drained in the middle and turned to another
 * server. Packets that waited in the queue of the NIC go there, where nobody wants them; TCP sends
 * them again over the EPS. Every byte that left is one that arrived, here or there, or was counted
 * as lost.
 */
class TurnedAwayTest : public SocketCase
{
  public:
    TurnedAwayTest()
        : SocketCase("bulk stream whose circuit is turned to another server")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(3, 1);
        BuildDoors();
        InstallSockets();
        m_control->Connect({Join(0, 0, 1, 0)}, {});
        Open(1);
        m_client->SetAttribute("SndBufSize", UintegerValue(BYTES + 1));
        Simulator::Schedule(MicroSeconds(11), [this] {
            m_client->Send(Create<Packet>(BYTES));
            m_client->Close();
        });
        const std::vector<EdgeId> fibers{FiberOf(0, 0), FiberOf(1, 0), FiberOf(2, 0)};
        Simulator::Schedule(MicroSeconds(60), [this, fibers] {
            m_token =
                m_control->Quiesce(fibers, Time(0), Callback<void, bool>([this](bool) {
                                       m_control->Connect({Join(0, 0, 2, 0)}, {Join(0, 0, 1, 0)});
                                   }));
        });
        Simulator::Schedule(MicroSeconds(90), [this] { m_control->Resume(m_token); });
        Run();
        const auto& fabric = m_world->GetFabric();
        NS_TEST_EXPECT_MSG_EQ(m_received, BYTES, "the stream is whole");
        NS_TEST_EXPECT_MSG_GT(CountAll(0, 0), 0, "EPS");
        NS_TEST_EXPECT_MSG_GT(CountAll(0, 1), 0, "circuit");
        NS_TEST_EXPECT_MSG_GT(CountArrived(2), 0, "at the wrong server");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetDrops(DropReason::UNWANTED),
                              m_arrivals[2].entries.size(),
                              "counted there");
        NS_TEST_EXPECT_MSG_EQ(fabric.GetDrops(DropReason::DARK), 0, "a drain loses no light");
        NS_TEST_EXPECT_MSG_EQ(CountAll(0, 0) + CountAll(0, 1),
                              CountArrived(1) + CountArrived(2),
                              "what left arrived");
        NS_TEST_EXPECT_MSG_EQ((CountArrived(1) >= BYTES), true, "some of it twice");
    }

    static constexpr uint32_t BYTES = 4000000; //!< of the stream
    FabricControl::Token m_token{0};           //!< of the hold
};

/**
 * @ingroup mixnet-test
 * The class decides: DP has the policy "EPS only", lit circuit or not.
 */
class SocketClassTest : public SocketCase
{
  public:
    SocketClassTest()
        : SocketCase("traffic class of sockets")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(2, 1);
        BuildDoors();
        InstallSockets(TrafficClass::DP);
        m_control->Connect({Join(0, 0, 1, 0)}, {});
        Stream(1, 100);
        Run();
        NS_TEST_EXPECT_MSG_EQ(m_received, 100 * SEGMENT, "received");
        NS_TEST_EXPECT_MSG_EQ(CountAll(0, 0), 100 * SEGMENT, "EPS");
        NS_TEST_EXPECT_MSG_EQ(m_logs[0][1].entries.size(), 0, "circuit");
    }
};

/**
 * @ingroup mixnet-test
 * Without a packet fabric the server between two circuits forwards, both ways.
 */
class SocketForwardTest : public SocketCase
{
  public:
    SocketForwardTest()
        : SocketCase("stream over two circuits")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(3, 2, false);
        BuildDoors();
        InstallSockets();
        m_control->Connect({Join(0, 0, 1, 0), Join(1, 1, 2, 0)}, {});
        Stream(2, 100);
        Run();
        NS_TEST_EXPECT_MSG_EQ(m_received, 100 * SEGMENT, "received");
        NS_TEST_EXPECT_MSG_EQ(CountAll(0, 0), 100 * SEGMENT, "first circuit");
        NS_TEST_EXPECT_MSG_EQ(CountAll(1, 1), 100 * SEGMENT, "second circuit");
        NS_TEST_EXPECT_MSG_EQ(m_logs[1][0].entries.size(),
                              m_logs[2][0].entries.size(),
                              "acknowledgements");
    }
};

/**
 * @ingroup mixnet-test
 * Bound devices, destinations without a way, mistakes.
 */
class SocketEdgesTest : public SocketCase
{
  public:
    SocketEdgesTest()
        : SocketCase("bound devices and mistakes")
    {
    }

  private:
    /// @param nic to bind to, or more than there are: none @param to destination
    /// @return 1 when the datagram left
    int SendDatagram(uint32_t nic, Ipv4Address to)
    {
        const auto socket = MakeSocket(0, UdpSocketFactory::GetTypeId());
        socket->Bind();
        if (nic < 2)
        {
            socket->BindToNetDevice(Device(0, nic));
        }
        return socket->SendTo(Create<Packet>(1000), 0, InetSocketAddress(to, 9)) > 0 ? 1 : 0;
    }

    void DoRun() override
    {
        MakeHybrid(2, 1);
        BuildDoors();
        InstallSockets();
        m_control->Connect({Join(0, 0, 1, 0)}, {});
        NS_TEST_EXPECT_MSG_EQ(SendDatagram(0, AddressOf(1, 0)), 1, "to the EPS");
        NS_TEST_EXPECT_MSG_EQ(SendDatagram(0, AddressOf(1, 1)), 1, "to the EPS all the same");
        NS_TEST_EXPECT_MSG_EQ(SendDatagram(1, AddressOf(1, 0)), 1, "to the circuit");
        NS_TEST_EXPECT_MSG_EQ(SendDatagram(9, AddressOf(1, 0)), 1, "to the circuit by policy");
        NS_TEST_EXPECT_MSG_EQ(SendDatagram(9, AddressOf(0, 1)), 1, "to this server");
        NS_TEST_EXPECT_MSG_EQ(SendDatagram(9, Ipv4Address("172.16.0.1")), 0, "unknown");
        Run();
        // the first one of each server's port draws "port unreachable" back
        NS_TEST_EXPECT_MSG_EQ(m_logs[0][0].entries.size(), 2, "by the EPS");
        NS_TEST_EXPECT_MSG_EQ(m_logs[0][1].entries.size(), 2, "by the circuit");
        m_control->Connect({}, {Join(0, 0, 1, 0)});
        NS_TEST_EXPECT_MSG_EQ(SendDatagram(1, AddressOf(1, 0)), 0, "dark");
        NS_TEST_EXPECT_MSG_EQ(SendDatagram(9, AddressOf(1, 0)), 1, "EPS by policy");
        Run();
        NS_TEST_EXPECT_MSG_EQ(m_logs[0][0].entries.size(), 3, "by the EPS");

        std::ostringstream table;
        const auto ipv4 = m_world->GetNode(m_graph->GetVertex(ServerId(0)))->GetObject<Ipv4>();
        ipv4->GetRoutingProtocol()->PrintRoutingTable(Create<OutputStreamWrapper>(&table));
        NS_TEST_EXPECT_MSG_NE(table.str().find("10.0.1.1 by NIC 0"), std::string::npos, "table");

        FabricIpv4Directory directory;
        directory.Add(AddressOf(0, 0), 0);
        directory.Add(AddressOf(0, 0), 0);
        bool refused = false;
        try
        {
            directory.Add(AddressOf(0, 0), 1);
        }
        catch (const InputError&)
        {
            refused = true;
        }
        NS_TEST_EXPECT_MSG_EQ(refused, true, "one address, two NICs");
        directory.Remove(AddressOf(0, 0));
        NS_TEST_EXPECT_MSG_EQ(directory.FindNic(AddressOf(0, 0)).has_value(), false, "removed");
        NS_TEST_EXPECT_MSG_EQ(directory.FindAddress(0).has_value(), false, "removed");
    }
};

/// @ingroup mixnet-test
class RoutingIpTestSuite : public TestSuite
{
  public:
    RoutingIpTestSuite()
        : TestSuite("mixnet-routing-ip", TestSuite::Type::UNIT)
    {
        AddTestCase(new DarkTimeTest(true));
        AddTestCase(new DarkTimeTest(false));
        AddTestCase(new TurnedAwayTest());
        AddTestCase(new SocketClassTest());
        AddTestCase(new SocketForwardTest());
        AddTestCase(new SocketEdgesTest());
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

RoutingIpTestSuite g_routingIpTestSuite; //!< the suite

} // namespace
