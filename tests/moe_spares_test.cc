/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/mixnet-error.h"
#include "ns3/spare-choice.h"
#include "ns3/spare-pool.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @return 20 servers of 8 GPUs in regions of 8, with spares
SparePlan
MakePlan(uint32_t gpusPerRegion, uint32_t globalServers)
{
    return {20, 8, 8, gpusPerRegion, globalServers};
}

/// @return the lowest spare GPU of a region that is ready, taken
std::optional<GpuId>
TakeGpu(SparePool& pool, uint32_t region)
{
    const auto gpu = SpareChoice({}, 8).FindGpu(pool.GetGpus(region), ServerId(0));
    if (gpu)
    {
        pool.RemoveGpu(*gpu);
    }
    return gpu;
}

/// @return the lowest spare server that is ready, taken
std::optional<ServerId>
TakeServer(SparePool& pool)
{
    const auto server = SpareChoice({}, 8).FindServer(pool.GetServers());
    if (server)
    {
        pool.RemoveServer(*server);
    }
    return server;
}

} // namespace

// 5 % of the 64 GPUs of a region are 3.2, of 128 servers 6.4: rounded up.
TEST(Spares, FractionsAreRoundedUp)
{
    EXPECT_EQ((SpareShare{0.05, std::nullopt}.GetCount(64)), 4U);
    EXPECT_EQ((SpareShare{0.05, std::nullopt}.GetCount(128)), 7U);
    EXPECT_EQ((SpareShare{0.25, std::nullopt}.GetCount(64)), 16U);
    for (uint32_t permille = 0; permille <= 1000; ++permille)
    {
        for (const uint32_t of : {64U, 100U, 200U, 32768U})
        {
            EXPECT_EQ((SpareShare{permille / 1000.0, std::nullopt}.GetCount(of)),
                      (permille * of + 999) / 1000)
                << permille << " permille of " << of;
        }
    }
    EXPECT_EQ((SpareShare{0, std::nullopt}.GetCount(64)), 0U);
    EXPECT_EQ((SpareShare{0.05, 2}.GetCount(64)), 2U);
}

// Servers of the job keep their numbers; regions 0, 1, 2 (8, 8 and 4 servers) have a host each.
TEST(Spares, HostsFollowTheServersOfTheJob)
{
    const SparePlan plan = MakePlan(4, 2);
    EXPECT_EQ(plan.GetNRegions(), 3U);
    EXPECT_EQ(plan.GetHostsPerRegion(), 1U);
    EXPECT_EQ(plan.GetNServers(), 25U);
    EXPECT_EQ(plan.GetHost(2, 0), ServerId(22));
    EXPECT_EQ(plan.GetFirstGlobal(), ServerId(23));
    EXPECT_EQ(plan.GetRegionOf(ServerId(7)), 0U);
    EXPECT_EQ(plan.GetRegionOf(ServerId(19)), 2U);
    EXPECT_EQ(plan.GetRegionOf(ServerId(21)), 1U);
    EXPECT_THROW(plan.GetRegionOf(ServerId(23)), InvariantError);
    EXPECT_EQ(MakePlan(9, 0).GetHostsPerRegion(), 2U);
}

TEST(Spares, LowestGpuOfTheRegionFirstThenNone)
{
    SparePool pool(MakePlan(2, 1));
    EXPECT_EQ(pool.GetNGpus(1), 2U);
    EXPECT_EQ(TakeGpu(pool, 1), GpuId(21 * 8));
    EXPECT_EQ(TakeGpu(pool, 1), GpuId(21 * 8 + 1));
    EXPECT_EQ(TakeGpu(pool, 1), std::nullopt);
    EXPECT_EQ(TakeGpu(pool, 0), GpuId(20 * 8));
    pool.AddGpu(1, GpuId(21 * 8));
    EXPECT_EQ(TakeGpu(pool, 1), GpuId(21 * 8));
    EXPECT_EQ(TakeServer(pool), ServerId(23));
    EXPECT_EQ(TakeServer(pool), std::nullopt);
}

TEST(Spares, DeadSparesAreNotTaken)
{
    SparePool pool(MakePlan(2, 2));
    pool.RemoveGpu(GpuId(20 * 8));
    EXPECT_EQ(TakeGpu(pool, 0), GpuId(20 * 8 + 1));
    pool.RemoveServer(ServerId(21));
    EXPECT_EQ(TakeGpu(pool, 1), std::nullopt);
    pool.RemoveServer(ServerId(23));
    EXPECT_EQ(TakeServer(pool), ServerId(24));
    // A server with a dead GPU cannot stand in for a whole one.
    pool.AddServer(ServerId(24));
    pool.RemoveGpu(GpuId(24 * 8 + 3));
    EXPECT_EQ(TakeServer(pool), std::nullopt);
}

TEST(Spares, NoneWithoutAny)
{
    SparePool pool(MakePlan(0, 0));
    EXPECT_EQ(MakePlan(0, 0).GetNServers(), 20U);
    EXPECT_EQ(TakeGpu(pool, 2), std::nullopt);
    EXPECT_EQ(TakeServer(pool), std::nullopt);
}
