/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/node-container.h"
#include "ns3/ns3-compat.h"
#include "ns3/optical-channel-helper.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <vector>

using namespace ns3;

/**
 * @ingroup mixnet-test
 * Ordinary devices on simplex circuits: node 0 to 1 to 2. A packet of 1,000 B takes 1,038 B of wire
 * (Ethernet 14, FCS 4, preamble and gap 20), 20 ps each, and two fibers of 1 us, to the tick. What
 * a port sends into no circuit is lost and counted. The light of 1 is turned while 0 goes on
 * sending to it.
 */
class SimplexChannelTest : public TestCase
{
  public:
    SimplexChannelTest()
        : TestCase("devices on simplex circuits")
    {
    }

  private:
    bool Receive(Ptr<NetDevice> device,
                 Ptr<const Packet>,
                 uint16_t /* protocol */,
                 const Address& /* from */)
    {
        const uint32_t node = device->GetNode()->GetId() - m_first;
        m_received[node].push_back(Simulator::Now());
        return true;
    }

    void SendAt(Time at, uint32_t from, uint32_t to)
    {
        Simulator::Schedule(at, [this, from, to] {
            m_devices.Get(from)->Send(Create<Packet>(1000),
                                      m_devices.Get(to)->GetAddress(),
                                      0x0800);
        });
    }

    void DoRun() override
    {
        NodeContainer nodes;
        nodes.Create(3);
        m_first = nodes.Get(0)->GetId();
        OpticalChannelHelper helper;
        helper.SetSwitcherAttribute("SwitchingDelay", TimeValue(MicroSeconds(50)));
        helper.SetSwitcherAttribute("DrainPolicy", StringValue("ns3::ImmediateDrainPolicy"));
        {
            OpticalChannel channel = helper.Install(nodes);
            m_devices = channel.GetDevices();
            for (uint32_t n = 0; n < 3; ++n)
            {
                m_devices.Get(n)->SetReceiveCallback(
                    MakeCallback(&SimplexChannelTest::Receive, this));
            }
            channel.LightOneWay(0, 1);
            channel.LightOneWay(1, 2);
            SendAt(MicroSeconds(1), 0, 1);
            SendAt(MicroSeconds(1), 1, 2);
            SendAt(MicroSeconds(1), 2, 0);
            Simulator::Schedule(MicroSeconds(10), [&] {
                channel.GetSwitcher()->Turn({channel.JoinOneWay(1, 0)},
                                            CircuitSwitcher::LitCallback());
            });
            for (const int64_t us : {20, 55, 70})
            {
                SendAt(MicroSeconds(us), 0, 1);
            }
            SendAt(MicroSeconds(30), 1, 0);
            SendAt(MicroSeconds(70), 1, 0);
            Simulator::Run();
            const Time wire = PicoSeconds(1038 * 20) + MicroSeconds(2);
            const std::vector<Time> one{MicroSeconds(1) + wire,
                                        MicroSeconds(20) + wire,
                                        MicroSeconds(55) + wire,
                                        MicroSeconds(70) + wire};
            NS_TEST_EXPECT_MSG_EQ((m_received[1] == one), true, "the light of 0 was not touched");
            NS_TEST_ASSERT_MSG_EQ(m_received[2].size(), 1, "before the turn");
            NS_TEST_EXPECT_MSG_EQ(m_received[2][0], MicroSeconds(1) + wire, "to the tick");
            NS_TEST_ASSERT_MSG_EQ(m_received[0].size(), 1, "after the turn only, and none of 2");
            NS_TEST_EXPECT_MSG_EQ(m_received[0][0], MicroSeconds(70) + wire, "to the tick");
            NS_TEST_EXPECT_MSG_EQ(channel.GetSwitch()->GetForwarded(), 6, "arrived");
            NS_TEST_EXPECT_MSG_EQ(channel.GetSwitch()->GetLost(),
                                  2,
                                  "of 2, which has no circuit, and of 1 in the dark");
            const std::vector<Circuit> now{{channel.JoinOneWay(0, 1).ocs, 0, 1}};
            NS_TEST_EXPECT_MSG_EQ(
                (channel.GetControl()->GetGraph()->GetCircuits(now[0].ocs) == now),
                true,
                "two simplex circuits that are each other's are a duplex one");
        }
        m_devices = NetDeviceContainer();
        Simulator::Destroy();
    }

    uint32_t m_first{0};             //!< id of the first node
    NetDeviceContainer m_devices;    //!< by node
    std::vector<Time> m_received[3]; //!< by node
};

/// @ingroup mixnet-test
class OpticalSimplexTestSuite : public TestSuite
{
  public:
    OpticalSimplexTestSuite()
        : TestSuite("mixnet-optical-simplex", TestSuite::Type::UNIT)
    {
        AddTestCase(new SimplexChannelTest());
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static OpticalSimplexTestSuite g_opticalSimplexTestSuite; //!< the suite
