/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Every shipped model by its name in a scenario, on the fluid world: delivered bytes, and what is
// uneven, said.

#include "moe_preset.h"
#include "result_columns.h"

#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"
#include "ns3/scenario-runner.h"
#include "ns3/training-run.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// A model and a layout: EP GPUs of one stage after another.
struct PresetRun
{
    uint32_t tokens; //!< of a rank, with tokens x top-k a multiple of the experts
    uint32_t stages;
    uint32_t ranks;
    std::string note; //!< of what is uneven
};

/// @return by model
std::map<std::string, PresetRun>
ListRuns()
{
    return {{"mixtral-8x7b", {8, 2, 8, ""}},
            {"mixtral-8x22b", {8, 2, 8, ""}},
            {"llama-moe", {8, 2, 16, ""}},
            {"qwen-moe-64", {16, 1, 16, ""}},
            {"qwen-moe-32", {16, 1, 32, ""}},
            {"qwen1.5-moe-a2.7b", {15, 2, 16, "60 experts over 16 EP ranks: 12 of 4, 4 of 3"}},
            {"deepseek-v2-lite", {32, 2, 8, "27 layers over 2 stages: 1 of 14, 1 of 13"}},
            {"deepseek-v3", {32, 16, 8, "61 layers over 16 stages: 13 of 4, 3 of 3"}},
            {"qwen3-235b-a22b", {16, 2, 16, ""}},
            {"olmoe-1b-7b", {8, 1, 24, "64 experts over 24 EP ranks: 16 of 3, 8 of 2"}}};
}

/// @param name model @param p layout @return the scenario that runs it
Scenario
MakeScenario(const std::string& name, const PresetRun& p)
{
    const std::string root = std::string(MIXNET_SOURCE_DIR) + "/workloads";
    return ReadScenario(root + "/scenarios/main.json",
                        root,
                        {{"model", name},
                         {"gate", "{}"},
                         {"cluster.servers", std::to_string(p.stages * p.ranks / 8)},
                         {"parallel.dp", "1"},
                         {"parallel.tp", "1"},
                         {"parallel.pp", std::to_string(p.stages)},
                         {"parallel.ep", std::to_string(p.ranks)},
                         {"batch.sequenceLength", std::to_string(p.tokens)},
                         {"batch.microBatchSize", "1"},
                         {"batch.microBatches", "1"},
                         {"iterations", "1"},
                         {"compute", "roofline"},
                         {"fabrics", R"(["fat-tree"])"}});
}

// With a uniform gate a rank sends T k / E copies to each of E experts. All but those that it holds
// itself cross, four times per MoE layer: over all ranks, 4 T k (R - 1) copies per layer. Two of
// the four go to experts and two come back. Elements are bf16 both ways; those of DeepSeek-V3 go in
// FP8 with a 4-byte scale per 128 of them (its report, section 3.3): 7,168 + 4 x 56 bytes.
TEST(ScenarioPresets, DeliverTheBytesOfTheirCopies)
{
    EnsurePicosecondClock();
    std::set<std::string> names;
    for (const auto& [name, p] : ListRuns())
    {
        SCOPED_TRACE(name);
        names.insert(name);
        const Scenario s = MakeScenario(name, p);
        const ModelSpec model = ReadPreset(name);
        ASSERT_EQ(p.tokens * model.topK % model.experts, 0U);
        SharedProgress progress(1);
        TrainingRun run(s, {1, s.fabrics.at(0), "roofline"}, nullptr);
        const std::vector<std::string> expected =
            p.note.empty() ? std::vector<std::string>{} : std::vector<std::string>{p.note};
        EXPECT_EQ(run.Summarize().notes, expected);

        const RunResult result = run.Run(progress.At(0), nullptr);
        ASSERT_EQ(result.status, RunStatus::DONE) << result.message;
        for (const std::string& note : expected)
        {
            EXPECT_EQ(std::count(result.notes.begin(), result.notes.end(), note), 1);
        }
        const ResultColumns iterations(result.tables, "/iterations");
        const uint64_t copies = uint64_t(p.tokens) * model.topK * model.moeLayers;
        EXPECT_EQ(iterations.Number("token_copies", 0), copies * p.ranks);
        const ResultColumns flows(result.tables, "/flow_stats");
        ASSERT_EQ(flows.Text("class", 0), "ep");
        const uint64_t there = name == "deepseek-v3" ? 7168 + 4 * 56 : 2 * model.hidden;
        EXPECT_EQ(flows.Number("bytes", 0),
                  2 * copies * (p.ranks - 1) * (there + 2 * model.hidden));
    }
    EXPECT_EQ(names, ListPresets());
}

} // namespace
