/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "moe_fixture.h"

#include "ns3/checkpoint-model.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @return checkpoints of a job @param spec what and how fast
CheckpointModel
MakeModel(const CheckpointSpec& spec, const TrainingJob& job, uint32_t gpusPerServer)
{
    const auto servers = static_cast<uint32_t>(job.degrees.GetGpus() / gpusPerServer);
    const ParallelLayout layout(job, *MakeServers(servers, gpusPerServer), "test");
    return {spec, job, layout};
}

} // namespace

// Mixtral 8x22B: bf16 weight, fp32 master weight and two moments: 2 + 4 + 4 + 4 = 14 bytes each.
TEST(Checkpoint, StoresEveryParameterOnce)
{
    const TrainingJob job = MainJob();
    const CheckpointModel model = MakeModel({}, job, 8);
    EXPECT_EQ(model.GetState().stored, ByteCount(14 * job.model.GetParameters()));
    EXPECT_NEAR(double(model.GetState().stored.Get()), 14 * 140.6e9, 14e9);
}

// fp32 weights: 4 + 12 bytes each, whatever activations have.
TEST(Checkpoint, WeightsHaveTheBytesOfParameters)
{
    TrainingJob job = MainJob();
    job.model.bytesPerParameter = 4;
    const StateBytes wide = MakeModel({}, job, 8).GetState();
    EXPECT_EQ(wide.stored, ByteCount(16 * job.model.GetParameters()));
    job.model.bytesPerActivation = 1;
    const StateBytes narrow = MakeModel({}, job, 8).GetState();
    EXPECT_EQ(narrow.stored, wide.stored);
    EXPECT_EQ(narrow.loaded, wide.loaded);
}

// A GPU of stage 0 (7 layers) holds 1/8 of attention, gate and one expert per layer, and of the
// embedding; that of the last stage as much with the head. All 8 of a server hold one EP rank.
TEST(Checkpoint, AServerLoadsWhatItsRankHolds)
{
    const TrainingJob job = MainJob();
    const ModelSpec& m = job.model;
    const uint64_t layer =
        m.GetAttentionParameters() + m.GetGateParameters() + m.GetExpertParameters();
    const uint64_t ends = 7 * layer + m.GetVocabularyParameters();
    const StateBytes state = MakeModel({}, job, 8).GetState();
    EXPECT_EQ(state.largestServer, ByteCount(14 * ends));
    EXPECT_EQ(state.largestGpu, ByteCount(14 * ends / 8));
    EXPECT_EQ(state.loaded, ByteCount(14 * 2 * 8 * (56 * layer + 2 * m.GetVocabularyParameters())));
}

// ZeRO stage 1: 12 of the 14 bytes are spread, those of shared weights over DP x EP = 16, those of
// experts over DP = 2.
TEST(Checkpoint, ShardedOptimizersAreSpreadOverTheReplicas)
{
    const TrainingJob job = MainJob();
    const ModelSpec& m = job.model;
    CheckpointSpec spec;
    spec.sharded = true;
    const uint64_t shared =
        7 * (m.GetAttentionParameters() + m.GetGateParameters()) + m.GetVocabularyParameters();
    const uint64_t expert = 7 * m.GetExpertParameters();
    const StateBytes state = MakeModel(spec, job, 8).GetState();
    EXPECT_EQ(state.largestServer,
              ByteCount(2 * (shared + expert) + 12 * shared / 16 + 12 * expert / 2));
    EXPECT_EQ(state.stored, ByteCount(14 * m.GetParameters()));
}

// 2 servers of one GPU; 1 GB/s each; whatever limits.
TEST(Checkpoint, TimesFollowTheSlowerOfServersAndStorage)
{
    const TrainingJob job = TinyJob();
    CheckpointSpec spec;
    spec.serverRate = DataRate("8Mbps");
    const CheckpointModel servers = MakeModel(spec, job, 1);
    const uint64_t stored = 14 * job.model.GetParameters();
    EXPECT_EQ(servers.GetSaveTime(), ByteCount(stored / 2) / DataRate("8Mbps"));
    EXPECT_EQ(servers.GetBlockingTime(), servers.GetSaveTime());
    EXPECT_EQ(servers.GetRestoreTime(), servers.GetState().largestServer / DataRate("8Mbps"));
    spec.totalRate = DataRate("8Mbps");
    spec.blockingShare = 0.25;
    const CheckpointModel storage = MakeModel(spec, job, 1);
    EXPECT_EQ(storage.GetSaveTime(), ByteCount(stored) / DataRate("8Mbps"));
    EXPECT_NEAR(storage.GetBlockingTime().GetSeconds(),
                storage.GetSaveTime().GetSeconds() / 4,
                1e-9);
    EXPECT_EQ(storage.GetRestoreTime(), storage.GetState().loaded / DataRate("8Mbps"));
    EXPECT_EQ(storage.GetPeerTime(3, DataRate("16Mbps")),
              storage.GetState().largestGpu * 3 / DataRate("16Mbps"));
    // Without rates, storage costs no time.
    EXPECT_EQ(MakeModel({}, job, 1).GetSaveTime(), Time());
}

TEST(Checkpoint, GoesBackToTheLastOne)
{
    CheckpointSpec spec;
    spec.interval = 10;
    const CheckpointModel model = MakeModel(spec, TinyJob(), 1);
    EXPECT_EQ(model.GetLastCheckpoint(9), 0U);
    EXPECT_EQ(model.GetLastCheckpoint(10), 10U);
    EXPECT_EQ(model.GetLastCheckpoint(27), 20U);
    EXPECT_FALSE(model.IsDue(0));
    EXPECT_TRUE(model.IsDue(20));
    EXPECT_FALSE(model.IsDue(21));
    spec.interval = 0;
    EXPECT_EQ(MakeModel(spec, TinyJob(), 1).GetLastCheckpoint(27), 0U);
    EXPECT_FALSE(MakeModel(spec, TinyJob(), 1).IsDue(10));
}

// sqrt(2 x 50 s x 10,000 s) = 1,000 s.
TEST(Checkpoint, YoungsInterval)
{
    CheckpointSpec spec;
    const TrainingJob job = TinyJob();
    // A rate at which the save takes 50 s: two servers, half of the bytes each.
    spec.serverRate = DataRate(14 * job.model.GetParameters() / 2 * 8 / 50);
    const CheckpointModel model = MakeModel(spec, job, 1);
    ASSERT_NEAR(model.GetBlockingTime().GetSeconds(), 50, 0.01);
    EXPECT_NEAR(model.GetBestInterval(Seconds(10000)).GetSeconds(), 1000, 0.2);
}
