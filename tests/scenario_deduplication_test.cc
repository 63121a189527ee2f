/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// One copy per server in scenarios: on every fabric, in both worlds, with the bytes that are told.

#include "result_columns.h"
#include "scenario_run_fixture.h"

using namespace ns3;
using ::testing::HasSubstr;

namespace
{

constexpr uint64_t TOKEN = 128 * 2; //!< bytes

/// 16 EP ranks on 2 servers, 32 experts in 8 groups, top-6, 2 MoE layers of 32 tokens per rank.
const ScenarioOverrides WIDE = {{"iterations", "1"},
                                {"batch.microBatches", "1"},
                                {"batch.sequenceLength", "32"},
                                {"parallel.tp", "1"},
                                {"parallel.ep", "16"},
                                {"cluster.servers", "2"},
                                {"model.layers", "2"},
                                {"model.hiddenSize", "128"},
                                {"model.ffnHiddenSize", "128"},
                                {"model.experts", "32"},
                                {"model.topK", "6"},
                                {"model.expertGroups", "8"},
                                {"gate.type", "synthetic"},
                                {"optical.switchingDelay", "10us"}};

class DeduplicationRun : public ScenarioRun
{
  protected:
    /// @param more overrides @return the iteration of the first fabric
    ResultColumns Iterate(const ScenarioOverrides& more)
    {
        ScenarioOverrides all = WIDE;
        all.insert(all.end(), more.begin(), more.end());
        const Scenario s = ReadScenario((m_dir / "small.json").string(), m_dir.string(), all);
        SharedProgress progress(1);
        TrainingRun run(s, {0, s.fabrics.at(0), s.compute.at(0)}, nullptr);
        m_result = run.Run(progress.At(0), nullptr);
        EXPECT_EQ(m_result.status, RunStatus::DONE) << m_result.message;
        return ResultColumns(m_result.tables, "/iterations");
    }

    RunResult m_result; //!< of the last run
};

/// @param row a row of /iterations @return payload on the network
uint64_t
Network(const ResultColumns& row)
{
    return uint64_t(row.Number("bytes_packet", 0) + row.Number("bytes_circuit", 0));
}

// What the network carries less is what is not sent twice, in all fabrics, circuits, worlds.
TEST_F(DeduplicationRun, SavesWhatItSays)
{
    const std::string mixnet = R"([{"type": "mixnet", "policy": "paper"}])";
    const std::string simplex = R"([{"type": "mixnet", "policy": "gain", "circuits": "simplex"}])";
    for (const std::string& fabric : {std::string(R"(["fat-tree"])"),
                                      std::string(R"(["rail-optimized"])"),
                                      std::string(R"(["topoopt"])"),
                                      mixnet,
                                      simplex})
    {
        for (const char* const fidelity : {"flow", "packet"})
        {
            SCOPED_TRACE(fabric + " " + fidelity);
            ScenarioOverrides more = {{"fabrics", fabric}, {"fidelity", fidelity}};
            const ResultColumns none = Iterate(more);
            const uint64_t all = Network(none);
            const uint64_t copies = uint64_t(none.Number("crossing_copies", 0));
            EXPECT_EQ(none.Number("crossing_tokens", 0), copies);
            uint64_t before = copies;
            for (const char* const level : {"rank", "server"})
            {
                more.emplace_back("deduplication", level);
                const ResultColumns row = Iterate(more);
                EXPECT_EQ(row.Number("token_copies", 0), 2 * 16 * 32 * 6);
                EXPECT_EQ(row.Number("crossing_copies", 0), copies);
                const uint64_t tokens = uint64_t(row.Number("crossing_tokens", 0));
                EXPECT_LT(tokens, before);
                EXPECT_EQ(all - Network(row), 4 * (copies - tokens) * TOKEN) << level;
                before = tokens;
            }
        }
    }
}

// Every key moves a figure: bytes out and back, scales, chunks, the limit of groups.
TEST_F(DeduplicationRun, KeysMoveFigures)
{
    const ScenarioOverrides base = {{"fabrics", R"(["fat-tree"])"}, {"deduplication", "server"}};
    const auto with = [&base](const std::string& key, const std::string& value) {
        ScenarioOverrides more = base;
        more.emplace_back(key, value);
        return more;
    };
    const ResultColumns plain = Iterate(base);
    const uint64_t bytes = Network(plain);
    const uint64_t tokens = uint64_t(plain.Number("crossing_tokens", 0));
    const double end = plain.Number("end", 0);
    EXPECT_EQ(Network(Iterate(with("model.bytesPerDispatch", "1"))), bytes - 2 * tokens * 128);
    EXPECT_EQ(Network(Iterate(with("model.bytesPerCombine", "4"))), bytes + 2 * tokens * 256);
    EXPECT_EQ(Network(Iterate(with("model.dispatchScale", "50"))), bytes + 2 * tokens * 12);
    EXPECT_NE(Iterate(with("deduplicationChunk", "4096B")).Number("end", 0), end);
    EXPECT_LT(Iterate(with("model.groupLimit", "2")).Number("crossing_tokens", 0), 0.9 * tokens);
    // Without a limit, what the groups are does not matter.
    EXPECT_EQ(Iterate(with("model.expertGroups", "4")).Number("crossing_tokens", 0), tokens);
}

/// @return 8 tokens of each of 16 ranks: 5 of them on its own rank, 3 on every other one
TokenTrace
DifferentTokens()
{
    TokenTrace trace;
    trace.path = "t.h5";
    trace.iterations = 1;
    trace.layers = 1;
    trace.ranks = 16;
    trace.destinations = 16;
    trace.experts = 32;
    trace.topK = 6;
    trace.destinationIsExpert = false;
    trace.deduplicated = true;
    trace.tokens.assign(256, 2);
    for (uint32_t rank = 0; rank < 16; ++rank)
    {
        trace.tokens[rank * 17] = 5;
    }
    trace.tokensIn.assign(16, 8);
    return trace;
}

/// @param file scenario @param trace a trace @param more overrides
/// @return the run of the first fabric; with a message alone when it is refused
RunResult
RunTrace(const std::string& file, const TokenTrace& trace, const ScenarioOverrides& more)
{
    ScenarioOverrides all = WIDE;
    all.insert(all.end(), more.begin(), more.end());
    Scenario s = ReadScenario(file, ".", all);
    s.gate.type = "trace";
    try
    {
        SharedProgress progress(1);
        TrainingRun run(s,
                        {0, s.fabrics.at(0), s.compute.at(0)},
                        std::make_shared<const TokenTrace>(trace));
        return run.Run(progress.At(0), nullptr);
    }
    catch (const InputError& e)
    {
        RunResult refused;
        refused.message = e.what();
        return refused;
    }
}

// A trace that counts different tokens by rank goes as it is to the ranks: of 32 tokens of a rank,
// 32 x 2 / 8 = 8 go to each of the 8 ranks of the other server, in 2 layers. Scaled up to copies
// they would be 32 x 6 x 2 / 35 = 10.97.
TEST_F(DeduplicationRun, TakesDifferentTokensAsTheyAre)
{
    const std::string file = (m_dir / "small.json").string();
    const TokenTrace trace = DifferentTokens();
    const ScenarioOverrides fabric = {{"fabrics", R"(["fat-tree"])"}};
    const RunResult copied = RunTrace(file, trace, fabric);
    ASSERT_EQ(copied.status, RunStatus::DONE) << copied.message;
    const ResultColumns none(copied.tables, "/iterations");
    const double copies = none.Number("crossing_copies", 0);
    EXPECT_NEAR(copies, 2 * 16 * 8 * 32 * 6 * 2 / 35.0, 2 * 16 * 8 * 0.5);
    ScenarioOverrides rank = fabric;
    rank.emplace_back("deduplication", "rank");
    const RunResult sent = RunTrace(file, trace, rank);
    ASSERT_EQ(sent.status, RunStatus::DONE) << sent.message;
    const ResultColumns row(sent.tables, "/iterations");
    EXPECT_EQ(row.Number("crossing_tokens", 0), 2 * 16 * 8 * 8);
    EXPECT_EQ(row.Number("crossing_copies", 0), copies);
    EXPECT_EQ(Network(none) - Network(row), 4 * (copies - 2 * 16 * 8 * 8) * TOKEN);
    EXPECT_EQ(row.Number("token_copies", 0), 2 * 16 * 32 * 6);
}

// What such a trace cannot say is refused, each with its reason.
TEST_F(DeduplicationRun, RefusesWhatDifferentTokensDoNotSay)
{
    const std::string file = (m_dir / "small.json").string();
    const auto refusal = [&](const TokenTrace& trace, ScenarioOverrides more) {
        more.emplace_back("fabrics", R"(["fat-tree"])");
        return RunTrace(file, trace, more).message;
    };
    const ScenarioOverrides rank = {{"deduplication", "rank"}};
    TokenTrace trace = DifferentTokens();
    EXPECT_THAT(refusal(trace, {{"deduplication", "server"}}),
                HasSubstr("which tokens are on several ranks of a server is not recorded"));
    EXPECT_THAT(refusal(trace, {{"deduplication", "rank"}, {"gate.capacityFactor", "1.5"}}),
                HasSubstr("gate.capacityFactor"));
    EXPECT_THAT(refusal(trace, {{"deduplication", "rank"}, {"model.topK", "4"}}),
                HasSubstr("of top-6, the model's is top-4"));
    EXPECT_THAT(
        refusal(trace, {{"deduplication", "rank"}, {"parallel.ep", "8"}, {"cluster.servers", "1"}}),
        HasSubstr("folded from 16 ranks to EP 8"));
    trace.tokensIn.clear();
    EXPECT_THAT(refusal(trace, rank), HasSubstr("it has no /tokens_in"));
    // A token goes to an expert once anyway.
    trace.destinationIsExpert = true;
    trace.destinations = 32;
    trace.tokens.assign(512, 3);
    EXPECT_EQ(refusal(trace, {{"deduplication", "server"}}), "");
}

TEST_F(DeduplicationRun, RefusesWhatDoesNotFit)
{
    EXPECT_THAT(Refusal({{"deduplication", "node"}}), HasSubstr("none, rank, server"));
    EXPECT_THAT(Refusal({{"deduplicationChunk", "1MiB"}}), HasSubstr("deduplicationChunk"));
    EXPECT_THAT(Refusal({{"deduplication", "server"}, {"deduplicationChunk", "100B"}}),
                HasSubstr("4096B and more"));
    EXPECT_THAT(Refusal({{"deduplication", "server"}, {"routing.allToAll", "delegates"}}),
                HasSubstr("routing.allToAll direct"));
    EXPECT_EQ(Refusal({{"deduplication", "rank"}, {"routing.allToAll", "delegates"}}), "");
    EXPECT_THAT(Refusal({{"model.expertGroups", "3"}}), HasSubstr("8 experts / 3 groups"));
    EXPECT_THAT(Refusal({{"model.groupLimit", "2"}}), HasSubstr("2 of 1 groups"));
}

} // namespace
