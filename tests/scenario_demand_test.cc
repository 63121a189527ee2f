/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Traffic monitor: the demand matrices that controllers saw and planned for.

#include "result_columns.h"
#include "scenario_run_fixture.h"

#include "ns3/hdf5-reader.h"

#include <map>
#include <numeric>
#include <set>
#include <tuple>

using namespace ns3;
using ::testing::HasSubstr;

namespace
{

using Pairs = std::map<std::pair<uint32_t, uint32_t>, uint64_t>; //!< bytes by servers

class DemandRun : public ScenarioRun
{
  protected:
    /// A row of /controller_demand with the matrix it names.
    struct Row
    {
        uint64_t decision{0};                      //!< 0: before the run
        uint32_t iteration{0}, layer{0}, batch{0}; //!< the all-to-all's
        uint32_t replica{0}, stage{0};             //!< the all-to-all's
        std::string phase, what, event;            //!< of the matrix, of the decision
        bool planned{false};                       //!< a plan was made for it
        uint64_t bytes{0};                         //!< as the row says
        Pairs pairs;                               //!< of /controller_bytes
    };

    /// Run a fabric in this process.
    /// @param overrides command line @param fabric which @param tokens a trace of one iteration
    void Simulate(const ScenarioOverrides& overrides,
                  std::size_t fabric = 1,
                  const std::vector<uint32_t>& tokens = {})
    {
        Scenario s = ReadScenario((m_dir / "small.json").string(), m_dir.string(), overrides);
        std::shared_ptr<TokenTrace> trace;
        if (!tokens.empty())
        {
            s.gate.type = "trace";
            trace = std::make_shared<TokenTrace>();
            trace->iterations = 1;
            trace->layers = 3;
            trace->ranks = 8;
            trace->destinations = 8;
            trace->experts = 8;
            trace->topK = 2;
            trace->tokens = tokens;
        }
        SharedProgress progress(1);
        TrainingRun run(s, {0, s.fabrics.at(fabric), s.compute.at(0)}, trace);
        m_result = run.Run(progress.At(0), nullptr);
        EXPECT_EQ(m_result.status, RunStatus::DONE) << m_result.message;
    }

    /// @return every matrix, in order
    std::vector<Row> Rows() const
    {
        std::map<uint32_t, Pairs> matrices;
        m_result.spill.ForEach([&](const ResultTable& block) {
            EXPECT_EQ(block.GetName(), "/controller_bytes");
            const std::vector<ResultTable> one{block};
            const ResultColumns b(one, block.GetName());
            for (std::size_t i = 0; i < b.GetNRows(); ++i)
            {
                const auto pair = std::make_pair(uint32_t(b.Number("source", i)),
                                                 uint32_t(b.Number("destination", i)));
                auto& matrix = matrices[uint32_t(b.Number("matrix", i))];
                EXPECT_TRUE(matrix.emplace(pair, uint64_t(b.Number("bytes", i))).second);
            }
        });
        std::map<uint64_t, std::string> events; // of region 0
        const ResultColumns d(m_result.tables, "/decisions");
        for (std::size_t i = 0; i < d.GetNRows(); ++i)
        {
            events[uint64_t(d.Number("number", i))] =
                d.Number("region", i) == 0 ? d.Text("event", i) : "";
        }
        const ResultColumns c(m_result.tables, "/controller_demand");
        std::vector<Row> rows;
        for (std::size_t i = 0; i < c.GetNRows(); ++i)
        {
            const auto number = [&](const char* name) { return uint32_t(c.Number(name, i)); };
            Row row{number("decision"),
                    number("iteration"),
                    number("layer"),
                    number("micro_batch"),
                    number("replica"),
                    number("stage"),
                    c.Text("phase", i),
                    c.Text("what", i),
                    events[number("decision")],
                    number("planned") == 1,
                    uint64_t(c.Number("bytes", i)),
                    {}};
            for (const auto& [pair, bytes] : matrices[number("matrix")])
            {
                const bool back = number("transposed") == 1;
                row.pairs[back ? std::make_pair(pair.second, pair.first) : pair] = bytes;
            }
            rows.push_back(row);
        }
        return rows;
    }

    /// @param row row @return what its pairs sum to
    static uint64_t Sum(const Row& row)
    {
        return std::accumulate(row.pairs.begin(),
                               row.pairs.end(),
                               uint64_t(0),
                               [](uint64_t sum, const auto& p) { return sum + p.second; });
    }

    /// Every all-to-all is seen once when it is ready. @return bytes seen, and payload on the
    /// network that was not
    std::pair<uint64_t, uint64_t> Balance() const
    {
        uint64_t seen = 0;
        std::set<std::tuple<uint32_t, uint32_t, uint32_t, std::string>> once;
        for (const Row& r : Rows())
        {
            EXPECT_EQ(Sum(r), r.bytes);
            if (r.what == "seen" && r.event == "requested")
            {
                EXPECT_TRUE(once.emplace(r.iteration, r.layer, r.batch, r.phase).second);
                seen += r.bytes;
            }
        }
        const ResultColumns i(m_result.tables, "/iterations");
        uint64_t network = 0;
        uint64_t allToAlls = 0;
        for (std::size_t k = 0; k < i.GetNRows(); ++k)
        {
            network += uint64_t(i.Number("bytes_circuit", k) + i.Number("bytes_packet", k));
            allToAlls += uint64_t(i.Number("all_to_alls", k));
        }
        EXPECT_EQ(once.size(), allToAlls);
        return {seen, network - seen};
    }

    RunResult m_result; //!< of the last run
};

// One EP rank on each of 8 servers; a trace in which rank s sends 50 + 7 s + 3 e + l copies to
// expert e of layer l, and the rest of its 512 x 2 to its own. A copy is 4096 x 2 B.
TEST_F(DemandRun, MatricesAreThoseOfTheTrace)
{
    const auto copies = [](uint32_t l, uint32_t s, uint32_t e) { return 50 + 7 * s + 3 * e + l; };
    std::vector<uint32_t> tokens;
    for (uint32_t l = 0; l < 3; ++l)
    {
        for (uint32_t s = 0; s < 8; ++s)
        {
            uint32_t own = 1024;
            for (uint32_t e = 0; e < 8; ++e)
            {
                tokens.push_back(copies(l, s, e));
                own -= s == e ? 0 : tokens.back();
            }
            tokens[tokens.size() - 8 + s] = own;
        }
    }
    Simulate({{"iterations", "1"}, {"batch.microBatches", "1"}}, 1, tokens);
    std::size_t dispatches = 0;
    std::size_t planned = 0;
    for (const Row& r : Rows())
    {
        const bool back = r.phase == "forward-combine" || r.phase == "backward-dispatch";
        Pairs expected;
        for (uint32_t s = 0; s < 8; ++s)
        {
            for (uint32_t e = 0; e < 8; ++e)
            {
                if (s != e)
                {
                    expected[back ? std::make_pair(e, s) : std::make_pair(s, e)] =
                        uint64_t(copies(r.layer, s, e)) * 8192;
                }
            }
        }
        EXPECT_EQ(r.pairs, expected) << r.phase << " of layer " << r.layer;
        dispatches += r.phase == "forward-dispatch" ? 1 : 0;
        planned += r.planned ? 1 : 0;
        EXPECT_EQ(r.what, "seen");
    }
    EXPECT_EQ(dispatches, 3U);
    EXPECT_EQ(planned, 9U) << "dispatches, and backward combines announced and ready";
    const auto [seen, others] = Balance();
    uint64_t expected = 0;
    for (uint32_t l = 0; l < 3; ++l)
    {
        for (uint32_t s = 0; s < 64; ++s)
        {
            expected += s / 8 == s % 8 ? 0 : 4 * 8192 * copies(l, s / 8, s % 8);
        }
    }
    EXPECT_EQ(seen, expected);
}

// Two EP ranks to a server, two EP groups: dispatches of micro-batch 0 are those of /demand (by EP
// rank) summed over the ranks of the servers. Stage p's group is on servers 4 p to 4 p + 3.
TEST_F(DemandRun, MatricesAreThoseOfTheRanksSummedByServer)
{
    for (const char* fidelity : {"flow", "packet"})
    {
        Simulate({{"parallel.tp", "4"},
                  {"parallel.pp", "2"},
                  {"model.layers", "2"},
                  {"gate.type", "synthetic"},
                  {"model.hiddenSize", "512"},
                  {"fidelity", fidelity},
                  {"batch.sequenceLength", "64"}});
        std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Pairs> expected;
        const ResultColumns d(m_result.tables, "/demand");
        for (std::size_t i = 0; i < d.GetNRows(); ++i)
        {
            const auto number = [&](const char* name) { return uint32_t(d.Number(name, i)); };
            const uint32_t first = 4 * number("stage");
            const auto pair =
                std::make_pair(first + number("source") / 2, first + number("destination") / 2);
            if (pair.first != pair.second && d.Number("bytes", i) > 0)
            {
                expected[{number("iteration"), number("layer"), number("stage")}][pair] +=
                    uint64_t(d.Number("bytes", i));
            }
        }
        std::size_t compared = 0;
        for (const Row& r : Rows())
        {
            if (r.phase == "forward-dispatch" && r.batch == 0)
            {
                EXPECT_EQ(r.pairs, (expected[{r.iteration, r.layer, r.stage}])) << r.layer;
                ++compared;
            }
        }
        EXPECT_EQ(compared, expected.size());
        EXPECT_EQ(compared, 4U) << "2 iterations, 2 layers";
    }
}

// Of the network's payload all-to-alls have what is seen, gradients the rest: as much whatever the
// all-to-alls send, and whoever plans for them.
TEST_F(DemandRun, WhatIsSeenIsWhatCrossesTheNetwork)
{
    const ScenarioOverrides wide{{"parallel.tp", "2"},
                                 {"parallel.ep", "16"},
                                 {"cluster.servers", "4"},
                                 {"iterations", "1"},
                                 {"model.experts", "16"},
                                 {"model.topK", "6"},
                                 {"model.hiddenSize", "256"},
                                 {"model.ffnHiddenSize", "64"},
                                 {"batch.sequenceLength", "32"},
                                 {"gate.type", "synthetic"}};
    const auto with = [&](ScenarioOverrides more) {
        more.insert(more.begin(), wide.begin(), wide.end());
        Simulate(more);
        return Balance();
    };
    const auto [copies, gradients] = with({});
    EXPECT_GT(copies, 100 * gradients / 1000);
    const auto [once, others] = with({{"deduplication", "server"}});
    EXPECT_LT(once, copies);
    EXPECT_EQ(others, gradients);
    for (const char* policy : {"previous", "predicted", "per-iteration", "never", "gain"})
    {
        EXPECT_EQ(with({{"fabrics.1.policy", policy}}), std::make_pair(copies, gradients))
            << policy;
    }
    EXPECT_EQ(with({{"optical.circuits", "simplex"}}), std::make_pair(copies, gradients));
}

// A predictor that repeats the last iteration plans dispatches for what it saw then.
TEST_F(DemandRun, PredictedAndSeen)
{
    Simulate({{"fabrics.1.policy", "predicted"}, {"gate.type", "synthetic"}, {"gate.drift", "5"}});
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Pairs> seen;
    std::size_t predicted = 0;
    for (const Row& r : Rows())
    {
        if (r.what == "predicted")
        {
            EXPECT_TRUE(r.planned);
            EXPECT_EQ(r.phase, "forward-dispatch");
            EXPECT_EQ(r.pairs, (seen[{r.iteration - 1, r.layer, r.batch}]));
            ++predicted;
        }
        else if (r.phase == "forward-dispatch")
        {
            seen[{r.iteration, r.layer, r.batch}] = r.pairs;
        }
    }
    EXPECT_GE(predicted, 6U) << "3 layers, 2 micro-batches of the second iteration";
    EXPECT_NE((seen[{0, 0, 0}]), (seen[{1, 0, 0}])) << "the prediction is wrong";
}

// Once per pass for the sum of an iteration: of the dispatches that were seen in the last one.
TEST_F(DemandRun, SumsOfIterations)
{
    Simulate({{"fabrics.1.policy", "per-iteration"}, {"gate.type", "synthetic"}});
    Pairs sum;
    std::size_t compared = 0;
    for (const Row& r : Rows())
    {
        if (r.iteration == 0 && r.phase == "forward-dispatch" && r.event == "requested")
        {
            for (const auto& [pair, bytes] : r.pairs)
            {
                sum[pair] += bytes;
            }
        }
        if (r.what == "iteration" && r.iteration == 1 && r.phase == "forward-dispatch")
        {
            EXPECT_EQ(r.pairs, sum);
            ++compared;
        }
    }
    EXPECT_EQ(compared, 1U);
}

// Static circuits are planned before the run; fabrics without controllers say nothing.
TEST_F(DemandRun, OtherFabrics)
{
    Simulate({{"fabrics", R"(["fat-tree", "topoopt", {"type": "mixnet", "policy": "never"}])"}}, 0);
    EXPECT_EQ(m_result.Find("/controller_demand"), nullptr);
    EXPECT_TRUE(m_result.spill.IsEmpty());
    Simulate({{"fabrics", R"(["fat-tree", "topoopt"])"}, {"gate.type", "synthetic"}});
    const ResultColumns c(m_result.tables, "/controller_demand");
    ASSERT_EQ(c.GetNRows(), 2U);
    EXPECT_EQ(c.Text("what", 0), "average");
    EXPECT_EQ(c.Text("what", 1), "standing");
    EXPECT_EQ(c.Text("phase", 0), "before the run");
    EXPECT_GT(c.Number("bytes", 0), 0);
    Simulate({{"record.controllerDemand", "false"}});
    EXPECT_EQ(m_result.Find("/controller_demand"), nullptr);
    EXPECT_TRUE(m_result.spill.IsEmpty());
    EXPECT_THAT(Refusal({{"record.controllerDemand", "some"}}), HasSubstr("controllerDemand"));
    EXPECT_THAT(Refusal({{"record.controllerdemand", "true"}}), HasSubstr("controllerdemand"));
}

// Through the pool and the file: the same for any number of processes.
TEST_F(DemandRun, ResultFilesHoldThem)
{
    const ScenarioOverrides overrides{
        {"fabrics", R"(["fat-tree", {"type": "mixnet", "policy": "paper"},
                        {"type": "mixnet", "policy": "gain"}])"},
        {"gate.type", "synthetic"}};
    ASSERT_EQ(Run(overrides, "one", 1), 0) << m_err.str();
    ASSERT_EQ(Run(overrides, "two", 3), 0) << m_err.str();
    EXPECT_EQ(Bytes("one", "result.h5"), Bytes("two", "result.h5"));
    const Hdf5Reader file((m_dir / "one" / "result.h5").string());
    const auto run = file.ReadColumn<uint32_t>("/controller_bytes/run");
    const auto matrix = file.ReadColumn<uint32_t>("/controller_bytes/matrix");
    const auto bytes = file.ReadColumn<uint64_t>("/controller_bytes/bytes");
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> sums;
    for (std::size_t i = 0; i < run.size(); ++i)
    {
        sums[{run[i], matrix[i]}] += bytes[i];
    }
    const auto rowRun = file.ReadColumn<uint32_t>("/controller_demand/run");
    const auto rowMatrix = file.ReadColumn<uint32_t>("/controller_demand/matrix");
    const auto rowBytes = file.ReadColumn<uint64_t>("/controller_demand/bytes");
    for (std::size_t i = 0; i < rowRun.size(); ++i)
    {
        EXPECT_EQ((sums[{rowRun[i], rowMatrix[i]}]), rowBytes[i]);
    }
    EXPECT_EQ(std::set<uint32_t>(rowRun.begin(), rowRun.end()), (std::set<uint32_t>{1, 2}));
    // 2 iterations, 3 layers, 2 micro-batches: one matrix serves the four all-to-alls
    EXPECT_EQ(sums.size(), 2 * 12U + 1) << "and the average that gain starts with";
}

} // namespace
