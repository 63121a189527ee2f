/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Failures of scenarios and flow lists: keys that reach the network, refusals, exit codes, records.

#include "replay_fixture.h"
#include "result_columns.h"
#include "scenario_run_fixture.h"

#include "ns3/flow-list-run.h"

using namespace ns3;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace
{

/// @param lines JSON list @return override
std::pair<std::string, std::string>
Events(const std::string& lines)
{
    return {"failures.events", lines};
}

} // namespace

// Equal inputs give equal bytes, failures or not; an event that never came is named.
TEST_F(ScenarioRun, FailuresAreRecordedTheSameEveryTime)
{
    const ScenarioOverrides failing = {Events(R"(["t=0:dispatch nic 0/3 down",
        "t=1:combine+1us nic 0/3 up", "t=1ms ocs 0 down for 2ms", "t=0:start controller 0 down",
        "t=5ms controller 0 up", "t=1:gradients+1h nic 0/0 down"])")};
    ASSERT_EQ(Run(failing, "a"), 0) << m_err.str();
    ASSERT_EQ(Run(failing, "b"), 0);
    EXPECT_EQ(Bytes("a", "result.h5"), Bytes("b", "result.h5"));
    EXPECT_THAT(Bytes("a", "run-info.json"),
                HasSubstr("t=1ms ocs ocs-0 down, detected after 10us"));
    EXPECT_THAT(Bytes("a", "run-info.json"),
                HasSubstr("ocs 0 down; no effect: this fabric has none"));
}

TEST_F(ScenarioRun, DetectionAndReactionMoveTheFigures)
{
    const auto run = [&](const ScenarioOverrides& more) {
        ScenarioOverrides all = more;
        all.push_back(Events(R"(["t=0:dispatch nic 3/7 down"])"));
        all.emplace_back("fabrics", R"(["fat-tree", "rail-optimized"])");
        return RunSecond(all);
    };
    const auto plain = run({});
    const ResultColumns row(plain, "/failures");
    ASSERT_EQ(row.GetNRows(), 1U);
    EXPECT_EQ(row.Text("kind", 0), "nic");
    EXPECT_EQ(row.Text("element", 0), "3/7");
    EXPECT_EQ(row.Text("action", 0), "down");
    EXPECT_NEAR(row.Number("detected", 0) - row.Number("at", 0), 10e-3, 1e-9);
    EXPECT_EQ(row.Number("reacted", 0), row.Number("detected", 0));
    EXPECT_GT(row.Number("moves", 0), 0);
    EXPECT_EQ(row.Number("over_budget", 0), 0);
    const auto slow = run({{"failures.detection.nic", "20ms"},
                           {"failures.reactionTime", "40ms"},
                           {"failures.switchoverBudget", "59ms"}});
    const ResultColumns late(slow, "/failures");
    EXPECT_NEAR(late.Number("detected", 0) - late.Number("at", 0), 20e-3, 1e-9);
    EXPECT_NEAR(late.Number("reacted", 0) - late.Number("at", 0), 60e-3, 1e-9);
    EXPECT_EQ(late.Number("over_budget", 0), 1);
    // the job stands still for 10 ms and for 60 ms
    const double difference = ResultColumns(slow, "/iterations").Number("end", 0) -
                              ResultColumns(plain, "/iterations").Number("end", 0);
    EXPECT_NEAR(difference, 50e-3, 5e-3);
    EXPECT_EQ(ResultColumns(run({}), "/failures").Number("moved", 0), row.Number("moved", 0));
}

TEST_F(ScenarioRun, ServersWithoutEpsNicsRelayOrWait)
{
    // of 8 NICs, 6 on the OCS, the two electrical ones are one on each NUMA node
    const auto lost = Events(R"(["t=0s nic 2/0 down", "t=0s nic 2/4 down"])");
    const ScenarioOverrides base = {{"iterations", "1"},
                                    {"fabrics", R"([{"type": "mixnet", "policy": "never"}])"}};
    ScenarioOverrides relay = base;
    relay.push_back(lost);
    EXPECT_EQ(Run(relay, "relay"), 0) << m_err.str();
    ScenarioOverrides wait = relay;
    wait.emplace_back("routing.withoutEps", "wait");
    EXPECT_EQ(Run(wait, "wait"), 2);
    EXPECT_THAT(m_err.str(), HasSubstr("unfinished"));
    EXPECT_THAT(Refusal({{"routing.withoutEps", "hope"}}), HasSubstr("relay, wait"));
}

TEST_F(ScenarioRun, WithoutAWayTheJobEndsWithTwoAndNeverHangs)
{
    const auto cut = Events(R"(["t=0:dispatch switch 0 down"])");
    EXPECT_EQ(Run({cut, {"fabrics", R"(["fat-tree"])"}, {"cluster.switchRadix", "128"}}, "cut"), 2);
    EXPECT_THAT(m_err.str(), HasSubstr("unfinished: transfer"));
}

TEST_F(ScenarioRun, FailuresThatAreNotAcceptedAreRefused)
{
    const auto refusal = [&](const std::string& line) { return Refusal({Events(line)}); };
    EXPECT_THAT(refusal(R"(["nic 0/0 down"])"), HasSubstr("failures.events.0"));
    EXPECT_THAT(refusal(R"(["t=2:dispatch nic 0/0 down"])"),
                AllOf(HasSubstr("no iteration 2"), HasSubstr("0 to 1")));
    EXPECT_THAT(Refusal({{"failures.detection.nic", "1ms"}}), HasSubstr("detection"));
    EXPECT_THAT(Refusal({{"failures.file", "nowhere.txt"}}), HasSubstr("nowhere.txt"));
    EXPECT_THAT(Refusal({{"failures.rates.nic.mtbf", "1h"}, {"failures.rates.nic.mttr", "1s"}}),
                HasSubstr("horizon"));
    EXPECT_THAT(Refusal({{"failures.rates.nic.mtbf", "1"},
                         {"failures.rates.nic.mttr", "1s"},
                         {"failures.horizon", "1s"}}),
                HasSubstr("50000h"));
    EXPECT_THAT(Refusal({{"failures.rates.router.mtbf", "1h"}, {"failures.horizon", "1s"}}),
                HasSubstr("ocs-port"));
    // what only the fabric knows
    EXPECT_EQ(Run({Events(R"(["t=1ms nic 0/8 down"])")}, "nic"), 1);
    EXPECT_THAT(m_err.str(), HasSubstr("0 to 7"));
    EXPECT_EQ(Run({Events(R"(["t=1ms nic 0/0 ber 1e-6"])")}, "ber"), 1);
    EXPECT_THAT(m_err.str(), HasSubstr("fidelity"));
}

TEST_F(ScenarioRun, DrawnFailuresAndFilesReachTheNetwork)
{
    std::ofstream(m_dir / "f.csv") << "time,kind,element,duration\n1ms,nic,0/0,2ms\n";
    const ScenarioOverrides drawn = {{"failures.rates.nic.mtbf", "500ms"},
                                     {"failures.rates.nic.mttr", "5ms"},
                                     {"failures.horizon", "50ms"},
                                     {"failures.file", "f.csv"}};
    const auto tables = RunSecond(drawn);
    const ResultColumns rows(tables, "/failures");
    // 64 NICs for 50 ms at 1 / 500 ms: 6.4 failures
    EXPECT_GT(rows.GetNRows(), 4U);
    const auto again = RunSecond(drawn);
    EXPECT_EQ(ResultColumns(again, "/failures").GetNRows(), rows.GetNRows());
    EXPECT_EQ(ResultColumns(again, "/iterations").Number("end", 1),
              ResultColumns(tables, "/iterations").Number("end", 1));
    ScenarioOverrides other = drawn;
    other.emplace_back("seed", "2");
    const auto different = RunSecond(other);
    const auto last = [](const ResultColumns& c) { return c.Number("at", c.GetNRows() - 1); };
    EXPECT_NE(last(ResultColumns(different, "/failures")), last(rows));
}

namespace
{

class FlowsFail : public ReplayTest
{
};

} // namespace

// A flow list takes failures as well; phases of iterations it has none.
TEST_F(FlowsFail, OfListsAsWell)
{
    for (const char* fidelity : {"flow", "packet"})
    {
        const FlowListReplay replay(Write(MakeFlowList({{0, 1, 4 << 20, 0}}, 2), "f.h5"), "");
        const ScenarioOverrides base = {{"fidelity", fidelity},
                                        {"cluster.servers", "2"},
                                        {"cluster.nicsPerServer", "1"},
                                        {"failures.detection.nic", "100us"}};
        ScenarioOverrides fails = base;
        fails.push_back(Events(R"(["t=20us nic 0/0 down for 1ms"])"));
        const RunResult result = RunHere(replay, fails);
        EXPECT_EQ(result.status, RunStatus::DONE);
        const ResultColumns rows(result.tables, "/failures");
        EXPECT_EQ(rows.GetNRows(), 2U);
        // 84 us alone; it stands still from 20 us until the repair is known at 1,120 us
        EXPECT_NEAR(ResultColumns(result.tables, "/flows").Number("fct", 0), 1190e-6, 20e-6);
        ScenarioOverrides phase = base;
        phase.push_back(Events(R"(["t=0:dispatch nic 0/0 down"])"));
        EXPECT_THROW(RunHere(replay, phase), InputError);
    }
}
