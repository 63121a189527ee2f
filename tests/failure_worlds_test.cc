/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// All-to-alls with failures in both worlds: the same outcome, within a stated bound of time, and
// what users of other simulators missed (field reports: astra-sim 299, SimAI 59).

#include "failure_fixture.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

constexpr uint32_t SERVERS = 4;
constexpr uint64_t BYTES = 1 << 20; //!< of a pair of GPUs of the same index

/// All GPUs of a fat-tree with two NICs per server send to those of their index, from 0 on.
class Exchange : public FailureNetwork
{
  public:
    /// @param fidelity world @param script failures
    Exchange(Fidelity fidelity, const std::string& script)
        : Exchange(fidelity, script, MixnetFabricHelper())
    {
    }

    /// @return when the last transfer that ended did
    double GetEnd() const
    {
        Time end;
        for (const Completion& c : ends)
        {
            end = Max(end, c.finished);
        }
        return end.GetSeconds();
    }

  private:
    Exchange(Fidelity fidelity, const std::string& script, MixnetFabricHelper helper)
        : FailureNetwork(fidelity, Shape(helper), ClusterSpec(SERVERS, 2))
    {
        Fail(script);
        for (uint32_t from = 0; from < SERVERS; ++from)
        {
            for (uint32_t to = 0; to < SERVERS; ++to)
            {
                for (uint32_t g = 0; from != to && g < 8; ++g)
                {
                    Send(Time(0), 8 * from + g, 8 * to + g, BYTES, TrafficClass::EP);
                }
            }
        }
        Run();
    }

    static MixnetFabricHelper& Shape(MixnetFabricHelper& helper)
    {
        helper.SetTopology("ns3::FatTreeTopology");
        helper.SetTopologyAttribute("SwitchRadix", UintegerValue(4));
        return helper;
    }
};

} // namespace

// The packet world is at most 0.15 ms behind the fluid one (0.11 ms without any failure: messages
// share two spines by hash, not evenly) and never ahead, whatever fails; where a failure is over
// before somebody reacts, also one timeout of go-back-N, 16.8 ms, which then is all that senders
// have.
TEST(FailureWorlds, AgreeOnWhatFailuresCost)
{
    const std::vector<std::pair<std::string, bool>> scripts = {
        {"", false},
        {"t=50us nic 1/0 down", false},
        {"t=50us nic 1/0 down for 1ms", true},
        {"t=50us server 2 down for 2ms", true},
        {"t=50us server 2 down for 12ms", false},
        {"t=50us nic 0/1 rate 100Gbps", false},
        {"t=50us switch 0 down for 300us", false},
        {"t=50us link leaf-0 spine-0 down\nt=60us nic 3/1 down", false}};
    for (const auto& [script, unnoticed] : scripts)
    {
        double fluid = 0;
        {
            const Exchange flow(Fidelity::FLOW, script);
            EXPECT_EQ(flow.ended, flow.sent);
            fluid = flow.GetEnd();
        }
        const Exchange packet(Fidelity::PACKET, script);
        EXPECT_EQ(packet.ended, packet.sent);
        EXPECT_GE(packet.GetEnd(), fluid * 0.999) << script;
        EXPECT_LE(packet.GetEnd(), fluid + 0.15e-3 + (unnoticed ? 16.8e-3 : 0)) << script;
        EXPECT_EQ(packet.GetEnd() > fluid + 0.15e-3, unnoticed) << script;
    }
}

// A server dies at 60 us of an all-to-all and does not return: all that has nothing to do with it
// ends, the rest is listed, the run is over. When it returns, everything ends.
TEST(FailureWorlds, ADeadServerStopsOnlyItsOwnTraffic)
{
    for (const Fidelity fidelity : {Fidelity::FLOW, Fidelity::PACKET})
    {
        {
            const Exchange gone(fidelity, "t=60us server 0 down");
            EXPECT_GE(gone.ended, 6U * 8);
            EXPECT_LT(gone.ended, gone.sent);
            for (const UnfinishedTransfer& t : gone.fabric->GetTransport()->GetUnfinished())
            {
                EXPECT_TRUE(t.transfer.source.Get() < 8 || t.transfer.destination.Get() < 8);
            }
            EXPECT_EQ(gone.fabric->GetTransport()->GetUnfinished().size(), gone.sent - gone.ended);
            EXPECT_LT(Simulator::Now(), Seconds(60));
        }
        const Exchange back(fidelity, "t=60us server 0 down\nt=40ms server 0 up");
        EXPECT_EQ(back.ended, back.sent);
    }
}

// Two hosts that are joined by a circuit only, without any switch: it works, breaks and returns.
TEST(FailureWorlds, HostsOnACircuitNeedNoSwitch)
{
    for (const Fidelity fidelity : {Fidelity::FLOW, Fidelity::PACKET})
    {
        MixnetFabricHelper helper;
        helper.SetTopology("ns3::CircuitPairTopology");
        FailureNetwork net(fidelity, helper, ClusterSpec(2, 1));
        net.Fail("t=20us ocs-port 0/1 down\nt=30us nic 1/0 down\nt=1ms ocs-port 0/1 up\n"
                 "t=2ms nic 1/0 up");
        net.Send(Time(0), 0, 8, BYTES, TrafficClass::OTHER);
        net.Send(MilliSeconds(20), 8, 0, BYTES, TrafficClass::OTHER);
        net.Run();
        EXPECT_EQ(net.ended, 2U);
        EXPECT_EQ(net.GetRecord(1).note, "down already for another reason");
        EXPECT_EQ(net.GetRecord(2).note, "something else keeps it down");
        // known to be whole 10 ms after the repair of the NIC
        EXPECT_GT(net.ends[0].finished, MilliSeconds(12));
        EXPECT_LT(net.ends[0].finished, MicroSeconds(12100));
        EXPECT_EQ(net.GetBytes(0, PathClass::CIRCUIT), BYTES);
    }
}
