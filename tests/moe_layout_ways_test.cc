/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What the order of the axes does to the way of the bytes, in both worlds.

#include "moe_placed_run.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

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
