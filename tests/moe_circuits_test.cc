/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "moe_fixture.h"

#include "ns3/fabric-control.h"
#include "ns3/hybrid-topology.h"
#include "ns3/pointer.h"
#include "ns3/reconfiguration-policies.h"
#include "ns3/regional-controller.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// A network that is always drained.
class EmptyControl : public FabricControl
{
  private:
    void DoQuiesce(Token token, const std::vector<ChannelId>&) override
    {
        Simulator::ScheduleNow(&EmptyControl::Tell, this, token);
    }

    void DoResume(Token, const std::vector<ChannelId>&) override
    {
    }

    void Tell(Token token)
    {
        Drained(token);
    }
};

/// @param servers servers of one GPU @param perRegion servers of a region @return a hybrid fabric
Ptr<FabricGraph>
MakeHybrid(uint32_t servers, uint32_t perRegion)
{
    Ptr<HybridTopology> topology = CreateObject<HybridTopology>();
    topology->SetAttribute("OcsNics", UintegerValue(6));
    topology->SetAttribute("ServersPerRegion", UintegerValue(perRegion));
    ServerSpec spec;
    spec.gpus = 1;
    return topology->Build(ClusterSpec(servers, 8, spec));
}

/// @return a job of 8 ranks, 2 layers and a head
TrainingJob
EightRanks()
{
    TrainingJob job = TinyJob();
    job.model.experts = 8;
    job.model.vocabulary = 1000;
    job.degrees.expert = 8;
    return job;
}

/// @return a gate in which every rank prefers one other, which depends on the layer
Ptr<ScriptedGate>
MakeShiftingGate()
{
    Ptr<ScriptedGate> gate = CreateObject<ScriptedGate>();
    gate->script = [](const GateQuery& q, Matrix<uint32_t>& tokens) {
        for (uint32_t rank = 0; rank < 8; ++rank)
        {
            for (uint32_t expert = 0; expert < 8; ++expert)
            {
                const uint32_t shift = (expert + 8 - rank) % 8;
                // Copies 16 on average; layer l avoids shifts 4 - l (and its mirror).
                const bool avoided = shift == 4 - q.layer || shift == 4 + q.layer;
                tokens(rank, expert) = avoided ? 1 : 16;
            }
            uint32_t sum = 0;
            for (uint32_t expert = 0; expert < 8; ++expert)
            {
                sum += tokens(rank, expert);
            }
            tokens(rank, rank) += 128 - sum;
        }
    };
    return gate;
}

/// A run with controllers of all regions.
class CircuitRun : public JobRun
{
  public:
    /// @param theJob job @param theGraph hybrid fabric @param policy when to reconfigure
    CircuitRun(const TrainingJob& theJob,
               Ptr<FabricGraph> theGraph,
               Ptr<ReconfigurationPolicy> policy)
        : JobRun(theJob, theGraph),
          control(CreateObject<EmptyControl>())
    {
        control->SetGraph(graph);
        for (uint32_t r = 0; r < graph->GetNRegions(); ++r)
        {
            Ptr<RegionalController> c = CreateObject<RegionalController>();
            c->SetAttribute("ReconfigurationPolicy", PointerValue(policy));
            c->SetFabric(control, RegionId(r));
            c->SetAverageDemand(DemandMatrix(graph->GetRegionServers(RegionId(r)).size(),
                                             graph->GetRegionServers(RegionId(r)).size(),
                                             1));
            c->Start();
            engine->SetController(c);
            controllers.push_back(c);
        }
        engine->SetAttribute("Compute", PointerValue(MakeFixed()));
        engine->SetAttribute("Gate", PointerValue(MakeShiftingGate()));
        transport->bitsPerSecond = 8000000000ULL;
    }

    ~CircuitRun()
    {
        for (const auto& c : controllers)
        {
            c->Dispose();
        }
    }

    Ptr<EmptyControl> control;                        //!< door
    std::vector<Ptr<RegionalController>> controllers; //!< by region
};

// 25 ms of switching. The dispatches of layers 0 and 1 wait for all of it. Backward, layer 1 finds
// its plan lit; layer 0's is announced when layer 1's attention (6 ms) starts and awaited for the
// other 19 ms. The second all-to-all of a pass never waits.
TEST(IterationEngineOnCircuits, ThePaperRuleWaitsWhereItSays)
{
    CircuitRun run(EightRanks(), MakeHybrid(8, 8), CreateObject<PaperReconfigurationPolicy>());
    run.Run();
    ASSERT_TRUE(run.completed);
    ASSERT_EQ(run.allToAlls.size(), 8U);
    const std::vector<int64_t> waits{25, 0, 25, 0, 0, 0, 19, 0};
    Time exchanged;
    for (std::size_t i = 0; i < 8; ++i)
    {
        const AllToAllRecord& a = run.allToAlls[i];
        EXPECT_EQ(a.launched - a.ready, MilliSeconds(waits[i])) << i;
        exchanged += a.finished - a.launched;
    }
    const IterationRecord& it = run.iterations[0];
    EXPECT_EQ(run.controllers[0]->GetNReconfigurations(), 3U);
    EXPECT_EQ(it.waitingForCircuits, MilliSeconds(69));
    EXPECT_EQ(it.exposed[static_cast<std::size_t>(TrafficClass::EP)],
              it.waitingForCircuits + exchanged);
    Time waited;
    for (const OpRecord& op : run.ops)
    {
        waited += op.waited;
    }
    EXPECT_EQ(waited, MilliSeconds(69));
    EXPECT_EQ(run.controllers[0]->GetState(), RegionState::STEADY);
}

TEST(IterationEngineOnCircuits, AStaticPlanCostsNothing)
{
    CircuitRun with(EightRanks(), MakeHybrid(8, 8), CreateObject<NeverReconfigurationPolicy>());
    with.Run();
    ASSERT_TRUE(with.completed);
    const Time duration = with.iterations[0].GetDuration();
    EXPECT_EQ(with.iterations[0].waitingForCircuits, Time());
    EXPECT_EQ(with.controllers[0]->GetNReconfigurations(), 0U);

    JobRun without(EightRanks(), MakeHybrid(8, 8));
    without.engine->SetAttribute("Compute", PointerValue(MakeFixed()));
    without.engine->SetAttribute("Gate", PointerValue(MakeShiftingGate()));
    without.transport->bitsPerSecond = 8000000000ULL;
    without.Run();
    EXPECT_EQ(without.iterations[0].GetDuration(), duration);
}

// Two replicas in a region of 16, and one replica over two regions of 4: both run to the end and
// ask all their controllers. With 4 servers and alpha 6 the plan stays the same (two circuits a
// pair).
TEST(IterationEngineOnCircuits, GroupsNeedNotMatchRegions)
{
    TrainingJob job = EightRanks();
    job.degrees.data = 2;
    job.microBatches = 2;
    {
        CircuitRun run(job, MakeHybrid(16, 16), CreateObject<PaperReconfigurationPolicy>());
        run.Run();
        EXPECT_TRUE(run.completed);
        EXPECT_EQ(run.iterations[0].allToAlls, 32U);
        EXPECT_GT(run.controllers[0]->GetNReconfigurations(), 0U);
    }
    job.degrees.data = 1;
    {
        CircuitRun run(job, MakeHybrid(8, 4), CreateObject<PaperReconfigurationPolicy>());
        run.Run();
        EXPECT_TRUE(run.completed);
        ASSERT_EQ(run.controllers.size(), 2U);
        EXPECT_GT(run.controllers[0]->GetNKept(), 0U);
        EXPECT_GT(run.controllers[1]->GetNKept(), 0U);
    }
}

} // namespace
