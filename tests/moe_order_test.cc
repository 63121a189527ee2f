/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Orders of the axes of a layout: which GPU does what.

#include "megatron_groups.h"
#include "moe_fixture.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace ns3;

namespace
{

/// @param text order @return it
AxisOrder
Order(const std::string& text)
{
    return AxisOrder::Parse(text, "s.json: parallel.order");
}

/// @param d degrees @return a tiny job with them
TrainingJob
JobWith(const ParallelDegrees& d)
{
    TrainingJob job = TinyJob();
    job.model.layers = job.model.moeLayers = std::max(2U, d.GetParts());
    job.model.experts = std::max(4U, d.expert);
    job.degrees = d;
    return job;
}

/// @return DP 3, TP 2, PP 5, EP 4 of 2 CP groups, VPP 1
ParallelDegrees
OddDegrees()
{
    ParallelDegrees d;
    d.data = 3;
    d.tensor = 2;
    d.pipeline = 5;
    d.expert = 4;
    d.context = 2;
    return d;
}

// The oracle counts GPUs in nested loops, the last axis outermost.
TEST(AxisOrder, EveryOrderWithTpFirstIsACount)
{
    std::vector<std::string> rest{"cp", "dp", "ep", "pp"};
    uint32_t orders = 0;
    do
    {
        ParallelDegrees d = OddDegrees();
        d.order = Order("tp-" + rest[0] + "-" + rest[1] + "-" + rest[2] + "-" + rest[3]);
        d.Validate("test");
        const TrainingJob job = JobWith(d);
        const ParallelLayout layout(job, *MakeServers(60, 2), "test");
        std::map<std::string, uint32_t> size{{"cp", 2}, {"ep", 2}, {"pp", 5}, {"dp", 3}};
        std::map<std::string, uint32_t> at;
        uint32_t gpu = 0;
        for (at[rest[3]] = 0; at[rest[3]] < size[rest[3]]; ++at[rest[3]])
        {
            for (at[rest[2]] = 0; at[rest[2]] < size[rest[2]]; ++at[rest[2]])
            {
                for (at[rest[1]] = 0; at[rest[1]] < size[rest[1]]; ++at[rest[1]])
                {
                    for (at[rest[0]] = 0; at[rest[0]] < size[rest[0]]; ++at[rest[0]])
                    {
                        for (uint32_t lane = 0; lane < 2; ++lane)
                        {
                            const uint32_t rank = at["ep"] * 2 + at["cp"];
                            ASSERT_EQ(layout.GetGpu(at["dp"], at["pp"], rank, lane), GpuId(gpu));
                            const GpuPlace p = *layout.FindPlace(GpuId(gpu++));
                            ASSERT_EQ(p.replica, at["dp"]);
                            ASSERT_EQ(p.stage, at["pp"]);
                            ASSERT_EQ(p.rank, rank);
                            ASSERT_EQ(p.lane, lane);
                        }
                    }
                }
            }
        }
        ASSERT_EQ(gpu, d.GetGpus());
        EXPECT_EQ(d.order.GetText().substr(3, 2), rest[0]);
        ++orders;
    } while (std::next_permutation(rest.begin(), rest.end()));
    EXPECT_EQ(orders, 24U);
}

/// Groups of GPUs that share all but one thing. @param key what they share
template <class F>
RankGroups
OurGroups(const ParallelLayout& layout, F key)
{
    std::map<std::vector<uint32_t>, std::set<uint32_t>> groups;
    for (uint32_t g = 0; g < layout.GetDegrees().GetGpus(); ++g)
    {
        groups[key(*layout.FindPlace(GpuId(g)))].insert(g);
    }
    RankGroups all;
    for (const auto& [shared, members] : groups)
    {
        all.insert(members);
    }
    return all;
}

// Megatron-Core numbers attention by (tp, cp, dp, pp) and experts by (tp, ep, dp, pp) with dp what
// is left of the world; its default order is tp-cp-ep-dp-pp. TP 2, CP 2, EP 4, PP 2 of 64 ranks:
// its DP is 8, its expert DP 4, which is ours.
TEST(AxisOrder, MegatronsDefaultOrderGivesMegatronsGroups)
{
    ParallelDegrees d;
    d.tensor = 2;
    d.context = 2;
    d.expert = 4;
    d.pipeline = 2;
    d.data = 64 / (2 * 4 * 2);
    d.order = Order("tp-cp-ep-dp-pp");
    const ParallelLayout layout(JobWith(d), *MakeServers(8, 8), "test");
    const std::vector<std::pair<std::string, uint32_t>> attention{{"tp", 2},
                                                                  {"cp", 2},
                                                                  {"dp", 8},
                                                                  {"pp", 2}};
    const std::vector<std::pair<std::string, uint32_t>> experts{{"tp", 2},
                                                                {"ep", 4},
                                                                {"dp", 4},
                                                                {"pp", 2}};
    using P = const GpuPlace&;
    const auto key = [](std::initializer_list<uint32_t> parts) {
        return std::vector<uint32_t>(parts);
    };
    EXPECT_EQ(OurGroups(layout,
                        [&](P p) {
                            return key({p.replica, p.stage, p.rank});
                        }),
              MegatronGroups(attention, {"tp"}));
    EXPECT_EQ(OurGroups(layout,
                        [&](P p) {
                            return key({p.replica, p.stage, p.rank / 2, p.lane});
                        }),
              MegatronGroups(attention, {"cp"}));
    EXPECT_EQ(OurGroups(layout,
                        [&](P p) {
                            return key({p.replica, p.stage, p.lane});
                        }),
              MegatronGroups(experts, {"ep"}));
    EXPECT_EQ(OurGroups(layout,
                        [&](P p) {
                            return key({p.stage, p.rank, p.lane});
                        }),
              MegatronGroups(experts, {"dp"}));
    EXPECT_EQ(OurGroups(layout,
                        [&](P p) {
                            return key({p.replica, p.rank, p.lane});
                        }),
              MegatronGroups(attention, {"pp"}));
}

// An EP group of 4 in blocks that start at multiples of their size.
TEST(AxisOrder, KnowsTheBlockThatHoldsAGroup)
{
    ParallelDegrees d = OddDegrees();
    EXPECT_EQ(d.GetGroupBlock(), 2U * 4);
    d.order = Order("tp-cp-pp-ep-dp");
    EXPECT_EQ(d.GetGroupBlock(), 2U * 2 * 5 * 2);
    d.order = Order("tp-dp-ep-pp-cp");
    EXPECT_EQ(d.GetGroupBlock(), 120U);
    d.context = 1; // then its place does not matter
    EXPECT_EQ(d.GetGroupBlock(), 2U * 3 * 4);
    d.expert = 1;
    EXPECT_EQ(d.GetGroupBlock(), 2U);
    for (const std::string text : {"tp-dp-ep-pp", "dp-tp-ep-pp"})
    {
        d = {1, 2, 1, 8};
        d.order = Order(text);
        d.Validate("test"); // axes of one step may be anywhere, or left out
        EXPECT_EQ(ParallelLayout(JobWith(d), *MakeServers(2, 8), "test").GetGpu(0, 0, 3, 1),
                  GpuId(7));
    }
}

// Where every GPU is a server and nothing is shared, no order is better than another.
TEST(AxisOrder, WithoutLocalityAndContentionNoOrderMatters)
{
    TrainingJob job = TinyJob();
    job.model.layers = job.model.moeLayers = 4;
    job.microBatches = 3;
    job.degrees = {2, 1, 2, 4, 1, 2};
    std::vector<std::string> axes{"cp", "dp", "ep", "pp"};
    IterationRecord first;
    std::set<std::vector<GpuId>> groups;
    do
    {
        job.degrees.order = Order(axes[0] + "-" + axes[1] + "-" + axes[2] + "-" + axes[3]);
        JobRun run(job, MakeServers(16, 1));
        run.transport->bitsPerSecond = 8000000000ULL;
        run.transport->latency = MicroSeconds(3);
        run.Run();
        ExpectCompleted(run);
        groups.insert(run.layout->GetGroups()[0].ranks);
        const IterationRecord& it = run.iterations.at(0);
        first = first.ops == 0 ? it : first;
        EXPECT_EQ(it.GetDuration(), first.GetDuration()) << job.degrees.order.GetText();
        EXPECT_EQ(it.bytes, first.bytes);
        EXPECT_EQ(it.exposed, first.exposed);
        EXPECT_EQ(it.transfers, first.transfers);
    } while (std::next_permutation(axes.begin(), axes.end()));
    EXPECT_GT(groups.size(), 10U) << "the orders differ";
    EXPECT_GT(first.exposed[At(TrafficClass::CP)], Time());
}

} // namespace
