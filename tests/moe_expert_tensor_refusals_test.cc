/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What an expert TP below TP needs.

#include "folded_job.h"

#include "ns3/mixnet-error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ns3;
using ::testing::HasSubstr;

namespace
{

/// @param job a job @return why it is refused
std::string
Refusal(const TrainingJob& job)
{
    try
    {
        job.Validate("s.json");
        return "";
    }
    catch (const InputError& e)
    {
        return e.what();
    }
}

TEST(ExpertTensorRefusals, RefusesWhatItCannotBe)
{
    TrainingJob job = FoldedJob(1);
    EXPECT_EQ(Refusal(job), "");
    EXPECT_EQ(job.degrees.Describe(), "DP 1 x PP 1 x EP 8 x ETP 1 = 8, TP 4");
    EXPECT_EQ(FoldedJob(4).degrees.Describe(), "DP 1 x TP 4 x PP 1 x EP 2 = 8");
    job.sequenceParallel = false;
    EXPECT_THAT(Refusal(job), HasSubstr("ETP 1 below TP 4 without sequence parallelism"));
    job = FoldedJob(1);
    job.tensorShards = TensorShards::REPLICATED;
    EXPECT_THAT(Refusal(job), HasSubstr("ETP 1 below TP 4 with epTraffic replicated"));
    job = FoldedJob(1);
    job.model.experts = 12;
    EXPECT_THAT(Refusal(job), HasSubstr("12 experts / EP 8 is no whole number"));
    job = FoldedJob(1);
    job.degrees.context = 3;
    job.sequenceLength = 48;
    EXPECT_THAT(Refusal(job), HasSubstr("EP 8 x ETP 1 / TP 4 / CP 3 is no whole number"));
    job = FoldedJob(1);
    job.model.ffnHidden = 202; // TP 4 does not divide it, and need not
    EXPECT_EQ(Refusal(job), "");
    job = FoldedJob(4);
    job.model.ffnHidden = 202;
    EXPECT_THAT(Refusal(job),
                HasSubstr("parallel.tp: ffnHiddenSize 202 / TP 4 is no whole number"));
    job.degrees = Folded(4, 2, 4);
    job.model.ffnHidden = 201;
    EXPECT_THAT(Refusal(job),
                HasSubstr("parallel.etp: ffnHiddenSize 201 / ETP 2 is no whole number"));
    job = FoldedJob(1);
    job.model.moeLayers = 1; // a dense layer has ffnHidden, too
    job.model.ffnHidden = 202;
    EXPECT_THAT(Refusal(job),
                HasSubstr("parallel.tp: ffnHiddenSize 202 / TP 4 is no whole number"));
    job = FoldedJob(1);
    job.degrees.ranksPerBlock = 3;
    EXPECT_THAT(Refusal(job), HasSubstr("TP 4 / 3 EP ranks of a TP block is no whole number"));
}

} // namespace
