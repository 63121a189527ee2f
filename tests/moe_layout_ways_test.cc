/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What the order of the axes does to the way of the bytes, in both worlds.

#include "moe_fixture.h"

#include "ns3/mixnet-fabric-helper.h"
#include "ns3/optical-helper.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @param servers servers of 4 GPUs and 4 NICs, 3 of them on the OCS @param perRegion servers of a
/// region @param fidelity world @return the fabric
MixnetFabric
MakeFabric(uint32_t servers, uint32_t perRegion, Fidelity fidelity)
{
    MixnetFabricHelper helper;
    helper.SetTopology("ns3::HybridTopology");
    helper.SetTopologyAttribute("OcsNics", UintegerValue(3));
    helper.SetTopologyAttribute("ServersPerRegion", UintegerValue(perRegion));
    helper.SetFidelity(fidelity);
    ServerSpec server;
    server.gpus = 4;
    return helper.Install(ClusterSpec(servers, 4, server));
}

/// A job in a real world, with controllers that light circuits once, between servers of a region
/// that are an even number apart.
class PlacedRun : public JobRun
{
  public:
    /// @param theJob job @param theFabric where
    PlacedRun(const TrainingJob& theJob, MixnetFabric&& theFabric)
        : JobRun(theJob, theFabric.GetGraph(), 0, theFabric.GetTransport()),
          fabric(std::move(theFabric))
    {
        fabric.AssignStreams(1);
        OpticalHelper optical;
        optical.SetPolicy("ns3::NeverReconfigurationPolicy");
        controllers = optical.Install(fabric);
        for (const auto& controller : controllers)
        {
            const std::size_t n = graph->GetRegionServers(controller->GetRegion()).size();
            DemandMatrix demand(n, n);
            for (std::size_t i = 0; i < n; ++i)
            {
                for (std::size_t j = i % 2; j < n; j += 2)
                {
                    demand(i, j) = i != j;
                }
            }
            controller->SetAverageDemand(demand);
            controller->Start();
            engine->SetController(controller);
        }
        engine->SetAttribute("Compute", PointerValue(MakeFixed()));
        Run();
    }

    ~PlacedRun()
    {
        for (const auto& controller : controllers)
        {
            controller->Dispose();
        }
        engine->Dispose();
    }

    /// @param c class @param p path @return bytes of its iteration
    uint64_t Bytes(TrafficClass c, PathClass p) const
    {
        return iterations.at(0).bytes[At(c)][static_cast<std::size_t>(p)].Get();
    }

    MixnetFabric fabric;                              //!< where
    std::vector<Ptr<RegionalController>> controllers; //!< by region
};

/// @return 32 ranks in EP groups of 4, 256 tokens of 2,000 B, little else to send
TrainingJob
ManyReplicas()
{
    TrainingJob job = TinyJob();
    job.model.hidden = 1000;
    job.model.headDim = 10;
    job.model.ffnHidden = 10;
    job.degrees = {8, 1, 1, 4};
    job.sequenceLength = 256;
    return job;
}

class EveryWay : public ::testing::TestWithParam<Fidelity>
{
};

// 32 GPUs in 8 servers, every rank has 256 x top-2 copies, 128 for each of 4 ranks: an all-to-all
// moves 256,000 B per ordered pair of ranks, and there are 4 x 2 layers x 8 replicas of them.
//
//     tp-ep-dp        an EP group is a server: all 12 ordered pairs stay on the NVSwitch
//     tp-dp-ep        EP ranks are 8 GPUs apart, in every other server
//       regions of 8  circuits join the 4 servers of a group, each with the 3 others
//       regions of 4  2 servers of a group in either region: 4 pairs have circuits, 8 the EPS
//       regions of 2  no two servers of a group share a region: EPS only, and no controller asked
TEST_P(EveryWay, EpGroupsInsideServersAndAcrossServersAndRegions)
{
    struct Case
    {
        const char* order;
        uint32_t perRegion;
        uint64_t scaleUp;  //!< ordered pairs
        uint64_t circuits; //!< ordered pairs
        uint64_t packets;  //!< ordered pairs
        uint32_t regions;  //!< that the job uses
    };

    constexpr uint64_t perPair = 256000ULL * 4 * 2 * 8;
    Time last;
    for (const Case& c : {Case{"tp-ep-dp", 8, 12, 0, 0, 0},
                          Case{"tp-dp-ep", 8, 0, 12, 0, 1},
                          Case{"tp-dp-ep", 4, 0, 4, 8, 2},
                          Case{"tp-dp-ep", 2, 0, 0, 12, 0}})
    {
        TrainingJob job = ManyReplicas();
        job.degrees.order = AxisOrder::Parse(c.order, "test");
        const PlacedRun run(job, MakeFabric(8, c.perRegion, GetParam()));
        ExpectCompleted(run);
        const std::string what = std::string(c.order) + ", " + std::to_string(c.perRegion);
        EXPECT_EQ(run.layout->GetNRegions(), c.regions) << what;
        EXPECT_EQ(run.Bytes(TrafficClass::EP, PathClass::CIRCUIT), c.circuits * perPair) << what;
        EXPECT_EQ(run.Bytes(TrafficClass::EP, PathClass::PACKET), c.packets * perPair) << what;
        // Others pass the NVSwitch on their way to NICs of other GPUs.
        if (c.scaleUp > 0)
        {
            EXPECT_EQ(run.Bytes(TrafficClass::EP, PathClass::SCALE_UP), c.scaleUp * perPair);
            for (uint32_t group = 0; group < 8; ++group)
            {
                EXPECT_EQ(run.layout->GetGroups()[group].servers,
                          std::vector<ServerId>(4, ServerId(group)));
            }
        }
        for (const auto& controller : run.controllers)
        {
            EXPECT_EQ(controller->GetNReconfigurations(), 0U);
        }
        const Time exposed = run.iterations[0].exposed[At(TrafficClass::EP)];
        EXPECT_GT(exposed, last) << what;
        EXPECT_EQ(run.iterations[0].compute,
                  MilliSeconds(2 * 3 * (3 + 1)) + run.job.GetCopies() * MicroSeconds(2 * 3 * 10));
        last = exposed;
    }
}

INSTANTIATE_TEST_SUITE_P(Worlds,
                         EveryWay,
                         ::testing::Values(Fidelity::FLOW, Fidelity::PACKET),
                         [](const auto& info) { return std::string(GetName(info.param)); });

} // namespace
