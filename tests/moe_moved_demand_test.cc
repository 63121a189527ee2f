/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What controllers plan for when the work of a GPU is done by a spare in another server.

#include "moe_fixture.h"

#include "ns3/all-to-all.h"
#include "ns3/gate-traffic.h"
#include "ns3/moved-demand.h"
#include "ns3/moved-lanes.h"
#include "ns3/synthetic-gate.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// Servers 0 and 1 of the job and server 2 with spares are a region, server 3 is not part of it.
class MovedGpus : public ::testing::Test
{
  protected:
    /// @param moved by GPU: its spare @param ranksPerBlock EP ranks of a TP block @return EP 4, TP
    /// 2: ranks 0 and 1 in server 0
    void Place(const std::map<GpuId, GpuId>& moved, uint32_t ranksPerBlock = 1)
    {
        job = TinyJob();
        job.model.experts = 16;
        job.degrees.tensor = 2;
        job.degrees.expert = 4;
        job.degrees.ranksPerBlock = ranksPerBlock;
        graph = MakeServers(4, 4);
        graph->AddRegion({ServerId(0), ServerId(1), ServerId(2)}, {});
        GpuMap map;
        map.moved = moved;
        layout = std::make_unique<ParallelLayout>(job, *graph, "test", map, 8);
        Ptr<SyntheticGate> gate = CreateObject<SyntheticGate>();
        gate->AssignStreams(7);
        gate->Configure(MakeGateShape(job, *layout));
        GateTraffic(job, *layout, *gate).Route({}, 0, traffic);
        crossings = std::make_unique<TensorCrossings>(*layout, GetGroup(), 0);
        demand = std::make_unique<MovedDemand>(*layout, GetGroup(), *crossings);
    }

    /// @return the only group
    const StageGroup& GetGroup() const
    {
        return layout->GetGroups()[0];
    }

    /// @param transfers what is sent @return bytes between the servers of the region
    DemandMatrix Count(const TransferGraph& transfers) const
    {
        DemandMatrix sent(3, 3);
        std::vector<Transfer> parts;
        for (const Transfer& t : transfers.GetTransfers())
        {
            AppendCut(t, layout->GetMap().moved, parts);
        }
        for (const Transfer& t : parts)
        {
            const uint32_t from = graph->GetServerOf(t.source).Get();
            const uint32_t to = graph->GetServerOf(t.destination).Get();
            if (from != to && from < 3 && to < 3)
            {
                sent(from, to) += t.bytes.Get();
            }
        }
        return sent;
    }

    /// @param back the way back @return what the engine would send of the all-to-all
    DemandMatrix CountAllToAll(bool back) const
    {
        Ptr<DirectAllToAll> algorithm = CreateObject<DirectAllToAll>();
        algorithm->SetFabric(graph, nullptr);
        TransferGraph transfers;
        algorithm->Append(transfers,
                          {GetGroup().expertRanks,
                           job.degrees.GetExpertTensor(),
                           TrafficClass::EP,
                           traffic.GetBytes(back),
                           back});
        return Count(transfers);
    }

    TrainingJob job;                            //!< job
    Ptr<FabricGraph> graph;                     //!< cluster
    std::unique_ptr<ParallelLayout> layout;     //!< where it runs
    TrafficMatrix traffic;                      //!< an all-to-all
    std::unique_ptr<TensorCrossings> crossings; //!< of its group
    std::unique_ptr<MovedDemand> demand;        //!< under test
};

} // namespace

TEST_F(MovedGpus, NothingMoved)
{
    Place({});
    EXPECT_TRUE(demand->IsEmpty());
    EXPECT_TRUE(GetGroup().regions.at(0).members.empty());
}

// The demand is what is sent, counted from the messages: one lane, both of a TP block, lanes of
// both ends of a pair, to a spare of another region, with experts of a lane each.
TEST_F(MovedGpus, SharesOfAllToAlls)
{
    const std::map<GpuId, GpuId> cases[] = {{{GpuId(1), GpuId(8)}},
                                            {{GpuId(0), GpuId(9)}, {GpuId(1), GpuId(8)}},
                                            {{GpuId(1), GpuId(8)}, {GpuId(5), GpuId(9)}},
                                            {{GpuId(2), GpuId(8)}, {GpuId(6), GpuId(12)}},
                                            {{GpuId(6), GpuId(12)}}};
    for (const auto& moved : cases)
    {
        for (const uint32_t ranksPerBlock : {1U, 2U})
        {
            Place(moved, ranksPerBlock);
            ASSERT_FALSE(demand->IsEmpty());
            const GroupRegion& region = GetGroup().regions.at(0);
            for (const bool back : {false, true})
            {
                DemandMatrix planned;
                traffic.GetDemand(region, back, planned);
                const DemandMatrix atHome = planned;
                demand->MoveShares(region, traffic, back, planned);
                EXPECT_EQ(planned.Data(), CountAllToAll(back).Data());
                EXPECT_NE(planned.Data(), atHome.Data());
            }
        }
    }
}

// A group that a failure has spread over two servers of a region has a demand there.
TEST_F(MovedGpus, AGroupOfOneServer)
{
    Place({});
    job.degrees = {2, 2, 1, 2};
    GpuMap map;
    EXPECT_TRUE(ParallelLayout(job, *graph, "test", map, 8).GetGroups()[0].regions.empty());
    map.moved = {{GpuId(1), GpuId(8)}};
    const ParallelLayout spread(job, *graph, "test", map, 8);
    ASSERT_EQ(spread.GetGroups()[0].regions.size(), 1U);
    EXPECT_TRUE(spread.GetGroups()[1].regions.empty());
    map.moved = {{GpuId(1), GpuId(12)}};
    EXPECT_TRUE(ParallelLayout(job, *graph, "test", map, 8).GetGroups()[0].regions.empty());
}

// TP collectives: what CollectiveRunner is given for the broken blocks, twice as much for two.
TEST_F(MovedGpus, TensorCollectives)
{
    Place({{GpuId(1), GpuId(8)}, {GpuId(6), GpuId(9)}, {GpuId(2), GpuId(12)}});
    const GroupRegion& region = GetGroup().regions.at(0);
    ASSERT_EQ(crossings->GetBlocks().size(), 3U);
    const std::vector<Time> times{MicroSeconds(10), MicroSeconds(20), MicroSeconds(35)};
    std::vector<ByteCount> edges;
    TransferGraph transfers;
    for (std::size_t b = 0; b < times.size(); ++b)
    {
        edges.push_back(crossings->GetEdgeBytes(times[b]));
        TransferGraph one;
        crossings->Append(one, crossings->GetBlocks()[b], times[b]);
        for (const Transfer& t : one.GetTransfers())
        {
            transfers.AddTransfer(t);
        }
    }
    DemandMatrix planned(3, 3);
    demand->AddTensor(region, edges, planned);
    DemandMatrix sent(3, 3);
    for (const Transfer& t : transfers.GetTransfers())
    {
        const uint32_t from = graph->GetServerOf(t.source).Get();
        const uint32_t to = graph->GetServerOf(t.destination).Get();
        if (from < 3 && to < 3)
        {
            sent(from, to) += t.bytes.Get();
        }
    }
    EXPECT_EQ(planned.Data(), sent.Data());
    // 3,600 Gb/s x 10 us from server 0 to 2 and back; GPU 2's spare is elsewhere.
    EXPECT_EQ(planned(0, 2), 4500000U);
    EXPECT_EQ(planned(2, 0), 4500000U);
    EXPECT_EQ(planned(1, 2), edges[2].Get());
    EXPECT_EQ(planned(0, 1), 0U);
}
