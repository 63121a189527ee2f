/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Which spare is taken when NICs of their hosts are down or slow.

#include "recovery_fixture.h"

#include "ns3/spare-choice.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// Servers 0-3 of the job in regions of 2, hosts 4 and 5 of region 0, 6 and 7 of region 1 (one GPU
/// of the second), 8 and 9 global. Each has two packet NICs and a fiber.
class NicRun : public RecoveryRun
{
  public:
    NicRun()
        : RecoveryRun(SmallJob(), SparePlan{4, 4, 2, 5, 2})
    {
        const VertexId leaf = graph->AddSwitch(0, "leaf");
        const VertexId ocs = graph->AddOcs(16, "ocs");
        for (uint32_t s = 0; s < graph->GetNServers(); ++s)
        {
            const VertexId server = graph->GetVertex(ServerId(s));
            EdgeSpec spec{DataRate("100Gbps"), MicroSeconds(1), EdgeKind::PACKET};
            packet.push_back(graph->AddEdge(server, leaf, spec));
            packet.push_back(graph->AddEdge(server, leaf, spec));
            spec.kind = EdgeKind::FIBER;
            fibers.push_back(graph->AddEdge(server, ocs, spec));
        }
    }

    /// @param server server @param nics how many of its packet NICs fail
    void Break(uint32_t server, uint32_t nics = 2)
    {
        for (uint32_t i = 0; i < nics; ++i)
        {
            graph->SetEdges({packet[2 * server + i]}, EdgeCause::FAILURE, false);
        }
    }

    /// Lose GPU 1. @return the recovery
    RecoveryRecord Lose()
    {
        At(MicroSeconds(150), {1});
        Run();
        return recoveries.empty() ? RecoveryRecord() : recoveries[0];
    }

    std::vector<EdgeId> packet; //!< two by server
    std::vector<EdgeId> fibers; //!< by server
};

} // namespace

TEST(SpareChoice, HealthIsWhatWorksOfWhatWasBuilt)
{
    NicRun run;
    EXPECT_EQ(ReadHostHealth(*run.graph, ServerId(4)).Describe(), "all NICs work");
    // A fiber between two circuits is dark, and whole.
    run.graph->SetEdges({run.fibers[4]}, EdgeCause::OPTICAL, false);
    EXPECT_EQ(ReadHostHealth(*run.graph, ServerId(4)).Describe(), "all NICs work");
    run.graph->SetEdges({run.fibers[4]}, EdgeCause::FAILURE, false);
    run.graph->SetRate({run.packet[8]}, DataRate("25Gbps"));
    const HostHealth health = ReadHostHealth(*run.graph, ServerId(4));
    EXPECT_EQ(health.packet, 125000000000ULL);
    EXPECT_EQ(health.packetBuilt, 200000000000ULL);
    EXPECT_EQ(health.Describe(), "125 of 200 Gb/s of packet NICs work, no optical NIC works");
    EXPECT_TRUE(health.IsReachable());
    EXPECT_EQ(ReadHostHealth(*run.graph).size(), 10U);
    // Fibers alone reach a server that was built with nothing else, and no other.
    EXPECT_FALSE((HostHealth{0, 1, 1, 1}.IsReachable()));
    EXPECT_TRUE((HostHealth{0, 0, 1, 1}.IsReachable()));
    EXPECT_FALSE((HostHealth{0, 0, 0, 1}.IsReachable()));
    EXPECT_TRUE(HostHealth().IsReachable());
}

TEST(SpareChoice, HomeFirstThenPacketNicsThenFibersThenNumbers)
{
    std::vector<HostHealth> hosts(4, HostHealth{200, 200, 100, 100});
    const SpareChoice choice(hosts, 4);
    const std::set<GpuId> ready{GpuId(5), GpuId(9), GpuId(13), GpuId(14)};
    EXPECT_EQ(choice.FindGpu(ready, ServerId(0)), GpuId(5));
    hosts[1].fiber = 0;
    EXPECT_EQ(choice.FindGpu(ready, ServerId(0)), GpuId(9));
    hosts[2].packet = 199;
    EXPECT_EQ(choice.FindGpu(ready, ServerId(0)), GpuId(13));
    EXPECT_EQ(choice.Explain(ready, ServerId(0), GpuId(13)),
              "GPU 13 in server 3: all NICs work, not server 1 (no optical NIC works), not server "
              "2 (1.99e-07 of 2e-07 Gb/s of packet NICs work)");
    hosts[3].packet = 0;
    EXPECT_EQ(choice.FindGpu(ready, ServerId(0)), GpuId(5));
    EXPECT_EQ(choice.FindGpu(ready, ServerId(3)), GpuId(13));
    EXPECT_EQ(choice.Explain(ready, ServerId(3), GpuId(13)),
              "GPU 13 in server 3: with the rest of its TP block");
    const std::set<ServerId> servers{ServerId(1), ServerId(3)};
    EXPECT_EQ(choice.FindServer(servers), ServerId(1));
    EXPECT_EQ(choice.FindServer({ServerId(3)}), std::nullopt);
    EXPECT_EQ(choice.Explain({ServerId(3)}, std::nullopt), "not server 3 (no packet NIC works)");
    EXPECT_EQ(choice.FindServer({}), std::nullopt);
    EXPECT_EQ(choice.Explain(std::set<ServerId>(), std::nullopt), "");
}

// 5 spare GPUs of region 0: 16-19 in server 4, 20 in server 5.
TEST(SpareChoice, AHealthyHostBeforeADegradedOne)
{
    NicRun whole;
    EXPECT_EQ(whole.Lose().action, "GPU 1 to spare GPU 16");
    EXPECT_EQ(whole.recoveries[0].why, "GPU 16 in server 4: all NICs work");
    NicRun degraded;
    degraded.Break(4, 1);
    EXPECT_EQ(degraded.Lose().action, "GPU 1 to spare GPU 20");
    EXPECT_EQ(degraded.recoveries[0].why,
              "GPU 20 in server 5: all NICs work, not server 4 (100 of 200 Gb/s of packet NICs "
              "work)");
    EXPECT_TRUE(degraded.completed);
    NicRun slow;
    slow.graph->SetRate({slow.packet[8]}, DataRate("1Gbps"));
    EXPECT_EQ(slow.Lose().action, "GPU 1 to spare GPU 20");
    // All are degraded: the least.
    NicRun all;
    all.Break(4, 1);
    all.Break(5, 2);
    EXPECT_EQ(all.Lose().action, "GPU 1 to spare GPU 16");
    // A repair in between: number decides again.
    NicRun repaired;
    repaired.Break(4, 1);
    repaired.graph->SetEdges({repaired.packet[8]}, EdgeCause::FAILURE, true);
    EXPECT_EQ(repaired.Lose().action, "GPU 1 to spare GPU 16");
}

// Nobody moves to where nothing gets: the server moves instead, past one that is cut off, too; and
// without any the job stops, and says that there were spares.
TEST(SpareChoice, NoHostThatIsCutOff)
{
    NicRun run;
    run.Break(4);
    run.Break(5);
    run.Break(8);
    EXPECT_EQ(run.Lose().action, "server 0 to spare server 9");
    EXPECT_EQ(run.recoveries[0].why,
              "not server 4 (no packet NIC works), not server 5 (no packet NIC works); server 9: "
              "all NICs work, not server 8 (no packet NIC works)");
    EXPECT_TRUE(run.completed);
    NicRun none;
    for (const uint32_t host : {4U, 5U, 8U, 9U})
    {
        none.Break(host);
    }
    EXPECT_TRUE(none.Lose().stopped);
    EXPECT_FALSE(none.completed);
    EXPECT_NE(none.recoveries[0].why.find("not server 9 (no packet NIC works)"), std::string::npos);
    EXPECT_EQ(none.recovery->GetPool().GetNGpus(0), 5U);
    NicRun smaller;
    for (const uint32_t host : {4U, 5U, 8U, 9U})
    {
        smaller.Break(host);
    }
    smaller.recovery->SetAttribute("Policy",
                                   PointerValue(CreateObject<SpareOrShrinkRecoveryPolicy>()));
    EXPECT_EQ(smaller.Lose().action, "without replica 0");
    EXPECT_FALSE(smaller.recoveries[0].why.empty());
}

// The host that was taken dies: its work moves on, to the next host that can be reached.
TEST(SpareChoice, WorkMovesOnFromAHostThatDies)
{
    for (const Time& at : {Seconds(1), Seconds(5) + MicroSeconds(500)}) // restoring; running
    {
        NicRun run;
        run.At(at, {16, 17, 18, 19});
        EXPECT_EQ(run.Lose().action.substr(0, 21), "GPU 1 to spare GPU 16");
        EXPECT_TRUE(run.completed);
        EXPECT_NE(run.recoveries.back().action.find("GPU 1 to spare GPU 20"), std::string::npos)
            << run.recoveries.back().action;
        EXPECT_NE(run.recoveries.back().why.find("GPU 20 in server 5"), std::string::npos);
    }
}

// Two GPUs of a TP block, five spares of which one has a healthy host: the second goes to the other
// host rather than nowhere.
TEST(SpareChoice, TheSecondGpuTakesWhatIsLeft)
{
    NicRun run;
    run.Break(4, 1);
    run.At(MicroSeconds(150), {0, 1});
    run.Run();
    EXPECT_TRUE(run.completed);
    ASSERT_EQ(run.recoveries.size(), 1U);
    EXPECT_EQ(run.recoveries[0].action, "GPU 0 to spare GPU 20, GPU 1 to spare GPU 16");
}
