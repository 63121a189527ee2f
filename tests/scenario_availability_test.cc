/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "result_columns.h"
#include "scenario_run_fixture.h"

using namespace ns3;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace
{

/// @param rates JSON object @return 30 days of a job of two replicas
ScenarioOverrides
Days(const std::string& rates)
{
    return {{"availability.days", "30"},
            {"availability.rates", rates},
            {"parallel.dp", "2"},
            {"parallel.ep", "4"},
            {"recovery", R"({"checkpoint": {"serverRate": "80Gbps"}})"},
            {"fabrics", R"(["fat-tree"])"}};
}

} // namespace

// Days of iterations that take milliseconds: nothing fails in the short run that is reported, the
// table and the note have the long walk. Equal inputs give equal bytes.
TEST_F(ScenarioRun, DaysOfTrainingAreWalkedUnderDrawnFailures)
{
    const ScenarioOverrides days = Days(R"({"nic": {"mtbf": "50000h", "mttr": "2h"},
        "gpu": {"mtbf": "20000h", "mttr": "24h"}, "server": {"mtbf": "10000h", "mttr": "24h"}})");
    ASSERT_EQ(Run(days, "a"), 0) << m_err.str();
    ASSERT_EQ(Run(days, "b"), 0);
    EXPECT_EQ(Bytes("a", "result.h5"), Bytes("b", "result.h5"));
    EXPECT_THAT(
        Bytes("a", "run-info.json"),
        AllOf(HasSubstr("over 30 days available"), HasSubstr("Young's checkpoint interval")));
}

// 64 GPUs fail and are repaired independently, and the job needs all of them: without spares and
// checkpoints it is up for (MTBF / (MTBF + MTTR))^64 = (640 / 650)^64 = 37.1 % of the time.
TEST_F(ScenarioRun, WithoutSparesTheJobWaitsForRepairs)
{
    ScenarioOverrides days = Days(R"({"gpu": {"mtbf": "640h", "mttr": "10h"}})");
    days.emplace_back("availability.days", "9000");
    days.emplace_back(
        "recovery",
        R"({"spares": {"regionGpus": 0, "globalServers": 0}, "checkpoint": {"interval": 0}})");
    ASSERT_EQ(Run(days, "wait"), 0) << m_err.str();
    const std::string info = Bytes("wait", "run-info.json");
    const std::string key = "over 9000 days available ";
    const std::size_t at = info.find(key);
    ASSERT_NE(at, std::string::npos);
    EXPECT_NEAR(std::stod(info.substr(at + key.size())), 37.1, 1.0);
}

// A degraded run that is stopped in the 5 s of its restart says nothing of availability: what was
// asked for is not there, hence exit code 2.
TEST_F(ScenarioRun, AvailabilityThatCannotBeToldIsUnfinishedWork)
{
    ScenarioOverrides days = Days(R"({"gpu": {"mtbf": "640h", "mttr": "10h"}})");
    days.emplace_back("stopTime", "1s");
    EXPECT_EQ(Run(days, "cut"), 2);
    EXPECT_THAT(m_err.str(), HasSubstr("no availability"));
    EXPECT_THAT(Bytes("cut", "run-info.json"), HasSubstr("no availability"));
}

TEST_F(ScenarioRun, AvailabilityIsRefusedWithoutRates)
{
    EXPECT_THAT(Refusal({{"availability.days", "30"}}), HasSubstr("nic, gpu, server"));
    EXPECT_THAT(Refusal({{"availability", R"({"days": 3, "rates": {"gpu": {"mtbf": "1h"}}})"}}),
                HasSubstr("mttr"));
    EXPECT_THAT(Refusal({{"availability", R"({"days": 3, "rates": {"ocs": {"mtbf": "1h"}}})"}}),
                HasSubstr("nic, gpu, server"));
}

// What several elements in different servers cost is no less than the worst of them alone and no
// more than all on top of each other, in real runs: the two walks enclose it.
TEST_F(ScenarioRun, PairsOfLossesCostBetweenTheWorstAndTheSum)
{
    const std::vector<std::string> lost = {"nic 0/0", "gpu 8", "server 3", "nic 5/1"};
    const auto getTime = [&](const std::string& events) {
        const auto tables = RunSecond({{"failures.events", events},
                                       {"parallel.dp", "2"},
                                       {"parallel.ep", "4"},
                                       {"iterations", "3"},
                                       {"recovery", R"({"restartTime": "1ms"})"}});
        const ResultColumns rows(tables, "/iterations");
        const std::size_t last = rows.GetNRows() - 1;
        return rows.Number("end", last) - rows.Number("start", last);
    };
    const double healthy = getTime("[]");
    std::vector<double> alone;
    for (const std::string& element : lost)
    {
        alone.push_back(getTime("[\"t=0s " + element + " down\"]"));
    }
    for (std::size_t i = 0; i < lost.size(); ++i)
    {
        for (std::size_t j = i + 1; j < lost.size(); ++j)
        {
            const double both =
                getTime("[\"t=0s " + lost[i] + " down\", \"t=0s " + lost[j] + " down\"]");
            EXPECT_GE(both, std::max(alone[i], alone[j]) * 0.999) << lost[i] << " " << lost[j];
            EXPECT_LE(both, (alone[i] + alone[j] - healthy) * 1.001) << lost[i] << " " << lost[j];
        }
    }
}

// The policy reaches the walk: without spares a job of two replicas waits, (64 / 65)^64 = 37.1 %
// up, or goes on when one of 64 GPUs is away, 64 x 1/65 x (64/65)^63 = 37.1 % more.
TEST_F(ScenarioRun, ThePolicyDecidesWhatAvailabilityIs)
{
    const auto getAvailability = [this](const std::string& policy) {
        ScenarioOverrides days = Days(R"({"gpu": {"mtbf": "640h", "mttr": "10h"}})");
        days.emplace_back("availability.days", "3000");
        days.emplace_back("recovery.policy", policy);
        days.emplace_back("recovery.spares", R"({"regionGpus": 0, "globalServers": 0})");
        days.emplace_back("recovery.checkpoint.interval", "0");
        EXPECT_EQ(Run(days, policy), 0) << m_err.str();
        const std::string info = Bytes(policy, "run-info.json");
        const std::string key = "over 3000 days available ";
        const std::size_t at = info.find(key);
        return at == std::string::npos ? 0 : std::stod(info.substr(at + key.size()));
    };
    EXPECT_NEAR(getAvailability("spare"), 37.1, 2);
    EXPECT_NEAR(getAvailability("shrink"), 74.2, 2);
    EXPECT_NEAR(getAvailability("spare-or-shrink"), 74.2, 2);
}
