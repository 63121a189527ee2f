/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "moe_fixture.h"

#include "ns3/compute-variation.h"
#include "ns3/mixnet-error.h"
#include "ns3/pointer.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

class Variation : public testing::Test
{
  protected:
    Variation()
    {
        EnsurePicosecondClock();
    }

    /// @param job job @param variation how GPUs differ @param latency of every transfer
    /// @param stream first stream @return its only iteration
    static IterationRecord Run(const TrainingJob& job,
                               const ComputeVariation& variation,
                               Time latency = Time(),
                               int64_t stream = 7)
    {
        JobRun run(job,
                   MakeServers(static_cast<uint32_t>(job.degrees.GetGpus()) / job.degrees.tensor,
                               job.degrees.tensor));
        run.transport->latency = latency;
        run.engine->SetAttribute("Compute", PointerValue(MakeFixed()));
        run.engine->SetVariation(variation);
        run.engine->AssignStreams(stream);
        run.Run();
        ExpectCompleted(run);
        return run.iterations.at(0);
    }

    /// @param variable text @return message of the refusal, empty when accepted
    static std::string Refusal(const std::string& variable)
    {
        try
        {
            ComputeVariation{variable, {}}.CheckJitter("here");
        }
        catch (const InputError& e)
        {
            return e.what();
        }
        return "";
    }
};

// A layer's pass takes attention 3 + gate 1 + 128 copies x 10 us = 5.28 ms forward, 10.56 ms
// backward; two layers 31.68 ms. All-to-alls of 1 ms, 4 per layer, and the 2 steps of the gradient
// ring: 10 ms. A GPU of half the speed makes everybody wait: its rank computes twice as long, and
// so lasts the iteration; the other idles, exposed to nothing more than before.
TEST_F(Variation, ASlowGpuStretchesTheStepsOfItsGroup)
{
    const IterationRecord even = Run(TinyJob(), {}, MilliSeconds(1));
    EXPECT_EQ(even.GetDuration(), MicroSeconds(31680 + 10000));
    EXPECT_EQ(even.compute, MicroSeconds(31680));
    const IterationRecord slow = Run(TinyJob(), {"", {{1, 2.0}}}, MilliSeconds(1));
    EXPECT_EQ(slow.GetDuration(), MicroSeconds(2 * 31680 + 10000));
    EXPECT_EQ(slow.compute, MicroSeconds(31680 * 3 / 2));
    EXPECT_EQ(slow.GetExposed(), MicroSeconds(10000));
}

// TP 2, PP 2, EP 2: GPU 5 is lane 1 of rank 0 of stage 1. One micro-batch passes both stages, so
// the iteration grows by what stage 1 computes on one layer, 5.28 + 10.56 ms, and its TP
// collectives stay.
TEST_F(Variation, OneSlowGpuSlowsItsTensorBlockAndNoOtherStage)
{
    TrainingJob job = TinyJob();
    job.degrees = {1, 2, 2, 2};
    const IterationRecord even = Run(job, {});
    const IterationRecord slow = Run(job, {"", {{5, 2.0}}});
    EXPECT_EQ(slow.GetDuration() - even.GetDuration(), MicroSeconds(15840));
    const auto tp = static_cast<std::size_t>(TrafficClass::TP);
    EXPECT_GT(even.exposed[tp], Time());
    EXPECT_EQ(slow.exposed[tp], even.exposed[tp]);
    const IterationRecord both = Run(job, {"", {{4, 1.5}, {5, 2.0}}});
    EXPECT_EQ(both.GetDuration(), slow.GetDuration());
}

TEST_F(Variation, AConstantFactorIsExact)
{
    const ComputeVariation longer{"ns3::ConstantRandomVariable[Constant=1.5]", {}};
    EXPECT_EQ(Run(TinyJob(), longer).GetDuration(), MicroSeconds(31680 * 3 / 2));
    const ComputeVariation both{"ns3::ConstantRandomVariable[Constant=1.5]", {{0, 3.0}}};
    EXPECT_EQ(Run(TinyJob(), both).GetDuration(), MicroSeconds(31680 * 9 / 2));
}

// Every step waits for the slower of two ranks; the larger of two uniform factors of 1 +- h has the
// mean 1 + h / 3, while each computes 1 on average. 1,200 steps on 200 layers: standard deviations
// below 0.2 %.
TEST_F(Variation, JitterCostsWhatTheSlowestOfTheRanksCosts)
{
    TrainingJob job = TinyJob();
    job.model.layers = 200;
    job.model.moeLayers = 200;
    const double even = Run(job, {}).GetDuration().GetSeconds();
    const ComputeVariation jitter{"ns3::UniformRandomVariable[Min=0.7|Max=1.3]", {}};
    const IterationRecord varied = Run(job, jitter);
    EXPECT_NEAR(varied.GetDuration().GetSeconds() / even, 1.1, 0.01);
    EXPECT_NEAR(varied.compute.GetSeconds() / even, 1, 0.01);
}

TEST_F(Variation, DrawsFollowTheStreamAndNotTheNetwork)
{
    TrainingJob job = TinyJob();
    job.degrees = {2, 1, 2, 2};
    job.microBatches = 4;
    const ComputeVariation jitter{"ns3::UniformRandomVariable[Min=0.7|Max=1.3]", {}};
    const IterationRecord a = Run(job, jitter);
    const IterationRecord again = Run(job, jitter);
    const IterationRecord slower = Run(job, jitter, MilliSeconds(3));
    const IterationRecord other = Run(job, jitter, Time(), 1007);
    EXPECT_EQ(a.GetDuration(), again.GetDuration());
    EXPECT_EQ(a.compute, slower.compute);
    EXPECT_GT(slower.GetDuration(), a.GetDuration());
    EXPECT_NE(a.compute, other.compute);
}

TEST_F(Variation, JitterIsRefusedUnlessItsMeanIsOne)
{
    EXPECT_EQ(Refusal(""), "");
    EXPECT_EQ(Refusal("ns3::UniformRandomVariable[Min=0.9|Max=1.1]"), "");
    EXPECT_NE(Refusal("ns3::UniformRandomVariable[Min=1|Max=2]").find("draws is 1."),
              std::string::npos);
    EXPECT_NE(Refusal("ns3::NormalRandomVariable[Mean=1|Variance=1]").find("drew -"),
              std::string::npos);
    EXPECT_NE(Refusal("ns3::NoSuchVariable").find("here"), std::string::npos);
    EXPECT_NE(Refusal("ns3::Node").find("here"), std::string::npos);
}

// What the check at the begin did not see ends the run, too.
TEST_F(Variation, DrawsOfZeroAreRefusedInARun)
{
    const ComputeVariation jitter{"ns3::ConstantRandomVariable[Constant=0]", {}};
    EXPECT_THROW(Run(TinyJob(), jitter), InputError);
}

} // namespace
