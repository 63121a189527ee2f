/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Packets of sockets that a drain holds: their order, and who gets them.

#include "ns3/node-container.h"
#include "ns3/ns3-compat.h"
#include "ns3/optical-channel-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Four nodes on a switch. Node 0 sends numbered packets to node 1, one every 50 ns for 100 us:
/// 62 % of the circuit's rate.
class HeldPackets : public ::testing::TestWithParam<const char*>
{
  protected:
    static constexpr uint32_t COUNT = 2000;

    void SetUp() override
    {
        EnsurePicosecondClock();
        NodeContainer nodes;
        nodes.Create(4);
        OpticalChannelHelper helper;
        helper.SetSwitcherAttribute("SwitchingDelay", TimeValue(MicroSeconds(5)));
        helper.SetSwitcherAttribute("HeldTraffic", StringValue(GetParam()));
        m_channel = std::make_unique<OpticalChannel>(helper.Install(nodes));
        m_channel->Light(0, 1);
        for (uint32_t node = 0; node < 4; ++node)
        {
            m_channel->GetDevices().Get(node)->SetReceiveCallback(
                MakeCallback(&HeldPackets::OnPacket, this));
        }
        for (uint32_t n = 0; n < COUNT; ++n)
        {
            Simulator::Schedule(NanoSeconds(50 * n), [this, n] {
                const Ptr<NetDevice> from = m_channel->GetDevices().Get(0);
                // the size is the number; 1,600 B take 32 ns
                const Ptr<Packet> packet = Create<Packet>(600 + n % 1000);
                m_sent.push_back(packet->GetSize());
                m_accepted +=
                    from->Send(packet, m_channel->GetDevices().Get(1)->GetAddress(), 0x88b5);
            });
        }
    }

    void TearDown() override
    {
        m_channel.reset();
        Simulator::Destroy();
    }

    bool OnPacket(Ptr<NetDevice> device, Ptr<const Packet> packet, uint16_t, const Address&)
    {
        const bool right = device == m_channel->GetDevices().Get(1);
        EXPECT_TRUE(right) << "only node 1 is addressed";
        m_received.push_back(packet->GetSize());
        return true;
    }

    void Turn(Time at, uint32_t a, uint32_t b)
    {
        Simulator::Schedule(at, [=] {
            m_channel->GetSwitcher()->Turn({m_channel->Join(a, b)}, CircuitSwitcher::LitCallback());
        });
    }

    /// What arrived is a subsequence of what was sent: nothing twice, nothing overtakes.
    void ExpectInOrder()
    {
        std::size_t at = 0;
        for (const uint32_t size : m_received)
        {
            while (at < m_sent.size() && m_sent[at] != size)
            {
                ++at;
            }
            ASSERT_LT(at, m_sent.size()) << "overtaken or duplicated";
            ++at;
        }
    }

    std::unique_ptr<OpticalChannel> m_channel; //!< under test
    std::vector<uint32_t> m_sent;              //!< sizes, in order
    std::vector<uint32_t> m_received;          //!< sizes, in order
    uint32_t m_accepted{0};                    //!< packets taken by the device
};

// The circuit goes to node 2 at 20 us and comes back at 60 us. What is held at each turn waits in
// the queue; in the light of node 2 the packets for node 1 are sent, and node 2 discards them.
TEST_P(HeldPackets, KeepTheirOrderAndAreNeverTakenByAnotherPeer)
{
    Turn(MicroSeconds(20), 0, 2);
    Turn(MicroSeconds(60), 0, 1);
    Simulator::Run();
    EXPECT_EQ(m_sent.size(), COUNT);
    EXPECT_GT(m_received.size(), COUNT / 2) << "those of 20 us and of the last 35 us at least";
    EXPECT_LT(m_received.size(), COUNT) << "those of the light of node 2 are lost";
    ExpectInOrder();
}

// The circuit stays but goes dark with its region, for 5 us and the drain: with `wait` every packet
// arrives, in order; with `move` what is sent in the dark is lost.
TEST_P(HeldPackets, WaitThroughTheDarkOfTheRegion)
{
    m_channel->GetSwitcher()->SetAttribute("DarkScope", StringValue("region"));
    Turn(MicroSeconds(20), 2, 3);
    Simulator::Run();
    ExpectInOrder();
    if (std::string(GetParam()) == "wait")
    {
        EXPECT_EQ(m_received.size(), COUNT);
    }
    else
    {
        EXPECT_LT(m_received.size(), COUNT - 50) << "one packet every 50 ns";
        EXPECT_GT(m_received.size(), COUNT - 250);
    }
}

INSTANTIATE_TEST_SUITE_P(Manners,
                         HeldPackets,
                         ::testing::Values("wait", "move"),
                         [](const auto& manner) { return std::string(manner.param); });

} // namespace
