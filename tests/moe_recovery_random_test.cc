/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "recovery_fixture.h"

#include "ns3/object-factory.h"
#include "ns3/random-variable-stream.h"

#include <gtest/gtest.h>
#include <map>

using namespace ns3;

// Whatever dies and comes back, every run ends, keeps the law of bytes, and is reproducible.
TEST(Recovery, RandomSchedulesAlwaysEnd)
{
    std::size_t recoveries = 0;
    std::size_t stops = 0;
    for (int64_t seed = 0; seed < 150; ++seed)
    {
        std::vector<Time> ends;
        for (int twice = 0; twice < 2; ++twice)
        {
            Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
            random->SetStream(seed);
            const char* policies[] = {"ns3::SpareRecoveryPolicy",
                                      "ns3::ShrinkRecoveryPolicy",
                                      "ns3::SpareOrShrinkRecoveryPolicy"};
            TrainingJob job = SmallJob();
            job.gradientOverlap = seed / 3 % 2 == 1;
            job.gradientBucket = ByteCount(100000);
            const bool sharded = seed / 6 % 2 == 1;
            job.optimizerSharding = sharded ? OptimizerSharding::ZERO1 : OptimizerSharding::NONE;
            job.optimizerTime = MicroSeconds(seed / 12 % 2 * 300);
            RecoveryRun run(job, random->GetInteger(0, 3), random->GetInteger(0, 1));
            ObjectFactory factory(policies[seed % 3]);
            run.recovery->SetAttribute("Policy", PointerValue(factory.Create<RecoveryPolicy>()));
            run.recovery->SetAttribute("RestartTime", TimeValue(MicroSeconds(seed % 2 * 700)));
            run.checkpoints.interval = seed % 5;
            run.checkpoints.sharded = sharded;
            run.recovery->SetCheckpoints(run.checkpoints);
            std::map<uint32_t, bool> dead;
            Time at;
            for (uint32_t i = 0; i < 1 + seed % 6; ++i)
            {
                at += MicroSeconds(random->GetInteger(1, 2500));
                run.detection = MicroSeconds(random->GetInteger(1, 900));
                const uint32_t gpu = random->GetInteger(0, run.graph->GetNGpus() - 1);
                if (random->GetInteger(0, 3) == 0)
                {
                    const uint32_t first = gpu - gpu % 4;
                    run.At(at, {first, first + 1, first + 2, first + 3}, dead[first]);
                    dead[first] = !dead[first];
                }
                else
                {
                    run.At(at, {gpu}, dead[gpu]);
                    dead[gpu] = !dead[gpu];
                }
            }
            run.Run();
            ASSERT_EQ(run.finished, 1) << "seed " << seed;
            EXPECT_EQ(run.transport->GetTotals().unfinished, ByteCount(0)) << "seed " << seed;
            if (run.completed)
            {
                EXPECT_EQ(run.iterations.back().iteration, 3U) << "seed " << seed;
            }
            recoveries += run.recoveries.size();
            stops += run.completed ? 0 : 1;
            ends.push_back(run.iterations.empty() ? Time() : run.iterations.back().end);
        }
        EXPECT_EQ(ends[0], ends[1]) << "seed " << seed;
    }
    EXPECT_GT(recoveries, 200U);
    EXPECT_GT(stops, 20U);
}
