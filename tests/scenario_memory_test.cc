/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a dry run says of memory.

#include "scenario_run_fixture.h"

using namespace ns3;

namespace
{

// 3 layers x 2 micro-batches x 16 operations and 3 x 2 x 4 all-to-alls per iteration; the latter
// count where controllers decide.
TEST_F(ScenarioRun, MemoryByHand)
{
    const auto estimate = [this](const char* iterations, std::size_t fabric) {
        const Scenario s = ReadScenario((m_dir / "small.json").string(),
                                        m_dir.string(),
                                        {{"iterations", iterations}});
        return TrainingRun(s, {0, s.fabrics.at(fabric), s.compute.at(0)}, nullptr)
            .EstimateMemory()
            .Get();
    };
    EXPECT_EQ(estimate("3", 0) - estimate("2", 0), 3 * 2 * 16 * 1000U);
    EXPECT_EQ(estimate("3", 1) - estimate("2", 1), 3 * 2 * 16 * 1000U + 3 * 2 * 4 * 6000U);
    EXPECT_LT(estimate("1", 0), 15000000U);
}

} // namespace
