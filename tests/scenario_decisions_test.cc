/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Decisions of a training run: they join with operations and reconfigurations.

#include "result_columns.h"
#include "scenario_run_fixture.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;

namespace
{

// A decision made when an all-to-all is ready serves it, so its `served`, `actual` and `waited` are
// those of the operations it joins with: one, or both of a pass. Decisions that changed circuits
// join with a reconfiguration of the same dark time. In both worlds.
TEST_F(ScenarioRun, DecisionsJoinWithOperationsAndReconfigurations)
{
    for (const char* fidelity : {"flow", "packet"})
    {
        const auto tables = RunSecond({{"fidelity", fidelity},
                                       {"model.layers", "2"},
                                       {"model.moeLayers", "1"},
                                       {"batch.sequenceLength", "64"},
                                       {"fabrics.1.alpha", "5"}});
        const ResultColumns ops(tables, "/ops");
        const ResultColumns circuits(tables, "/circuits");
        const ResultColumns d(tables, "/decisions");
        using Key = std::tuple<double, double, double, double, double, double, std::string>;
        std::map<Key, std::size_t> index;
        const auto key = [](const ResultColumns& t, const char* layer, std::size_t i) {
            return Key{t.Number("iteration", i),
                       t.Number("replica", i),
                       t.Number("stage", i),
                       t.Number(layer, i),
                       t.Number("micro_batch", i),
                       t.Number("backward", i),
                       t.Text("kind", i)};
        };
        for (std::size_t i = 0; i < ops.GetNRows(); ++i)
        {
            if (ops.Text("kind", i) == "dispatch" || ops.Text("kind", i) == "combine")
            {
                EXPECT_TRUE(index.emplace(key(ops, "layer", i), i).second) << "keys are unique";
            }
        }
        // 2 iterations, 2 micro-batches, 1 MoE layer (the second one), 4 all-to-alls
        EXPECT_EQ(index.size(), 16U);
        std::map<double, double> dark;
        for (std::size_t i = 0; i < circuits.GetNRows(); ++i)
        {
            dark[circuits.Number("reconfiguration", i)] =
                circuits.Number("lit", i) - circuits.Number("held", i);
        }
        std::size_t changed = 0;
        std::size_t both = 0;
        for (std::size_t i = 0; i < d.GetNRows(); ++i)
        {
            const auto own = index.find(key(d, "op_layer", i));
            ASSERT_NE(own, index.end()) << "decision " << i;
            EXPECT_EQ(d.Number("op_layer", i), d.Number("layer", i) + 1) << "one dense layer";
            auto second = key(d, "op_layer", i);
            std::get<6>(second) = d.Number("backward", i) != 0 ? "dispatch" : "combine";
            double actual = 0;
            double waited = 0;
            std::vector<std::size_t> served{own->second};
            if (index.at(second) != own->second)
            {
                served.push_back(index.at(second));
                ++both;
            }
            for (const std::size_t op : served)
            {
                waited += ops.Number("waited", op);
                actual += ops.Number("end", op) - ops.Number("start", op);
            }
            actual -= waited;
            EXPECT_EQ(d.Number("served", i), served.size()) << "decision " << i;
            EXPECT_NEAR(d.Number("actual", i), actual, 1e-11);
            EXPECT_NEAR(d.Number("waited", i), waited, 1e-11);
            EXPECT_NEAR(d.Number("actual_gain", i),
                        static_cast<double>(served.size()) * d.Number("predicted_current", i) -
                            actual,
                        1e-11);
            EXPECT_GT(actual,
                      static_cast<double>(served.size()) * d.Number("predicted_proposed", i))
                << "the prediction is a lower bound";
            changed += d.Number("kept", i) == 0 ? 1 : 0;
            if (d.Number("kept", i) == 0)
            {
                ASSERT_EQ(dark.count(d.Number("reconfiguration", i)), 1U);
                EXPECT_NEAR(d.Number("dark", i), dark[d.Number("reconfiguration", i)], 1e-12);
            }
        }
        EXPECT_GT(changed, 0U) << fidelity;
        EXPECT_EQ(changed, circuits.GetNRows());
        EXPECT_GT(both, 0U);
    }
}

// The summary counts decisions that changed circuits, and says what was predicted, what came of it,
// and how often it was worth its dark time: never with a delay of a second, mostly without any.
TEST_F(ScenarioRun, TheSummarySaysWhetherDecisionsPaid)
{
    const auto decisions = [this](const char* delay, const std::string& name) {
        EXPECT_EQ(Run({{"optical.switchingDelay", delay},
                       {"optical.alpha", "3"},
                       {"cluster.nicRate", "10Gbps"}},
                      name),
                  0)
            << m_err.str();
        return Summary(name)[1]["decisions"];
    };
    const auto slow = decisions("1s", "slow");
    const auto fast = decisions("0ms", "fast");
    for (const auto& s : {slow, fast})
    {
        EXPECT_GT(s["changed"].get<int>(), 0);
        EXPECT_GT(s["judged"].get<int>(), 0);
        EXPECT_LE(s["judged"].get<int>(), s["changed"].get<int>());
        EXPECT_GE(s["mean_predicted_gain_s"].get<double>(), s["mean_actual_gain_s"].get<double>())
            << "the prediction of the new circuits is a lower bound of what happens";
    }
    EXPECT_NEAR(slow["mean_dark_s"].get<double>(), 1, 0.1);
    EXPECT_EQ(slow["share_gain_above_dark"].get<double>(), 0);
    EXPECT_LT(fast["mean_dark_s"].get<double>(), 1e-3);
    EXPECT_EQ(Summary("slow")[0]["decisions"]["changed"].get<int>(), 0) << "a fat-tree";
}

} // namespace
