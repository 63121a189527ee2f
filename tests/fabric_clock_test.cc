/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The fabric with ns-3's default clock of nanoseconds (a process of its own, because the clock is
// set once per process). Field report 27: headroom and times must not depend on the unit.

#include "ns3/mixnet-link.h"
#include "ns3/mixnet-port.h"
#include "ns3/node.h"
#include "ns3/packet-switch.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace ns3;

namespace
{

/// Sends frames of one size to one destination, and remembers when frames arrive.
class Host : public EgressSource, public FrameReceiver
{
  public:
    Frame* Pull(uint8_t open, SimTick now, SimTick& retry) override
    {
        if (frames == 0 || !(open & 0x08))
        {
            return nullptr;
        }
        --frames;
        Frame* frame = port->GetFabric().GetPool().Allocate();
        frame->opcode = FrameOpcode::DATA_MIDDLE;
        frame->source = port->GetNicAddress();
        frame->destination = destination;
        frame->payloadBytes = payload;
        frame->wireBytes = WireBytes(frame->opcode, payload);
        frame->trafficClass = 3;
        return frame;
    }

    void ReceiveFrame(Frame* frame, MixnetPort& in, SimTick now) override
    {
        arrivals.push_back(now);
        in.GetFabric().GetPool().Free(frame);
    }

    Ptr<MixnetPort> port;          //!< its port
    uint32_t destination{0};       //!< NIC address
    uint32_t frames{0};            //!< still to send
    uint16_t payload{4096};        //!< bytes of each
    std::vector<SimTick> arrivals; //!< in nanoseconds
};

/// n hosts on one switch.
class Star
{
  public:
    /// @param n hosts @param rate @param delay of the links @param buffer of the switch
    Star(uint32_t n, const std::string& rate, const std::string& delay, const std::string& buffer)
        : hosts(n)
    {
        const auto context = CreateObject<PacketFabricContext>();
        const auto node = CreateObject<Node>();
        sw = CreateObject<PacketSwitch>();
        node->AggregateObject(sw);
        sw->SetAttribute("BufferSize", StringValue(buffer));
        sw->SetAttribute("Ecn", StringValue("false"));
        fabric = context;
        std::vector<RouteRange> ranges;
        std::vector<PortGroup> groups;
        for (uint32_t i = 0; i < n; ++i)
        {
            const auto server = CreateObject<Node>();
            hosts[i].port = CreateObject<MixnetPort>();
            const auto port = CreateObject<MixnetPort>();
            hosts[i].port->SetFabric(context);
            port->SetFabric(context);
            server->AddDevice(hosts[i].port);
            node->AddDevice(port);
            hosts[i].port->SetNicAddress(i);
            hosts[i].port->SetReceiver(&hosts[i], PortRole::NIC);
            hosts[i].port->SetEgressSource(&hosts[i]);
            sw->AddPort(port);
            const auto link = CreateObject<MixnetLink>();
            link->SetAttribute("DataRate", StringValue(rate));
            link->SetAttribute("Delay", StringValue(delay));
            link->Attach(PeekPointer(hosts[i].port), PeekPointer(port));
            ranges.push_back({i, i, i});
            groups.push_back({static_cast<uint16_t>(i)});
        }
        sw->SetRoutes(ranges, groups);
        sw->Configure();
    }

    ~Star()
    {
        Simulator::Destroy();
    }

    /// @param from host @param to host @param frames how many @param payload bytes of each
    void Send(uint32_t from, uint32_t to, uint32_t frames, uint16_t payload)
    {
        hosts[from].destination = to;
        hosts[from].frames = frames;
        hosts[from].payload = payload;
        Simulator::ScheduleNow([this, from] { hosts[from].port->Kick(0); });
    }

    std::vector<Host> hosts;         //!< by NIC address
    Ptr<PacketSwitch> sw;            //!< the switch
    Ptr<PacketFabricContext> fabric; //!< the fabric
};

TEST(FabricClock, IsNanosecondsHere)
{
    ASSERT_EQ(Time::GetResolution(), Time::NS);
}

TEST(FabricClock, BackToBackFramesKeepTheLineRate)
{
    // 4,178 B at 800 Gb/s are 41.78 ns. Rounded for each frame, 1,000 of them would take 42,000 ns
    // (or 41,000); with the remainder carried they take 41,780 ns. Each of the two lines rounds by
    // less than one tick.
    Star star(2, "800Gbps", "1us", "64MiB");
    star.Send(0, 1, 1000, 4096);
    Simulator::Run();
    const auto& arrivals = star.hosts[1].arrivals;
    ASSERT_EQ(arrivals.size(), 1000U);
    for (std::size_t i = 0; i < arrivals.size(); ++i)
    {
        const double exact = 41.78 * static_cast<double>(i + 2) + 2000;
        ASSERT_NEAR(static_cast<double>(arrivals[i]), exact, 2) << "frame " << i;
    }
}

TEST(FabricClock, FramesShorterThanATickPass)
{
    // 83 B at 1,600 Gb/s are 0.415 ns.
    Star star(2, "1600Gbps", "1us", "64MiB");
    star.Send(0, 1, 2000, 1);
    Simulator::Run();
    const auto& arrivals = star.hosts[1].arrivals;
    ASSERT_EQ(arrivals.size(), 2000U);
    EXPECT_NEAR(static_cast<double>(arrivals.back()), 0.415 * 2001 + 2000, 2);
}

TEST(FabricClock, HeadroomIsTheSameAsInPicoseconds)
{
    EXPECT_EQ(SharedBuffer::ComputeHeadroom(DataRate("400Gbps"), 1000, 9216, 0), 127732U);
}

TEST(FabricClock, IncastIsLosslessWithPauses)
{
    Star star(5, "100Gbps", "1us", "1MB");
    for (uint32_t i = 0; i < 4; ++i)
    {
        star.Send(i, 4, 1000, 4096);
    }
    Simulator::Run();
    const auto& arrivals = star.hosts[4].arrivals;
    EXPECT_EQ(arrivals.size(), 4000U);
    EXPECT_EQ(star.fabric->GetTotalDrops(), 0U);
    EXPECT_GT(star.sw->GetPort(0)->GetCounters().pausesSent, 0U);
    // The last link never idles: 334.24 ns per frame.
    EXPECT_NEAR(static_cast<double>(arrivals.back()), 334.24 * 4001 + 2000, 3);
}

} // namespace
