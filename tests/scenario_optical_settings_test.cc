/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Every setting of the object "optical" changes what it should, seen in the tables of a run.

#include "result_columns.h"
#include "scenario_run_fixture.h"

#include "ns3/string.h"

#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Two pipeline stages, each an EP group of four servers, share a region of eight; slow NICs, so
/// that one stage turns circuits while the other one is sending.
class OpticalSettings : public ScenarioRun
{
  protected:
    static constexpr double TICK = 1e-11; //!< s, of rounding

    /// @param more overrides @return tables of the mixnet fabric
    std::vector<ResultTable> Play(const ScenarioOverrides& more)
    {
        ScenarioOverrides all{{"model.layers", "2"},
                              {"parallel.pp", "2"},
                              {"parallel.ep", "4"},
                              {"batch.microBatches", "4"},
                              {"batch.sequenceLength", "256"},
                              {"cluster.nicRate", "10Gbps"},
                              {"optical.alpha", "2"},
                              {"optical.serversPerRegion", "8"}};
        all.insert(all.end(), more.begin(), more.end());
        return RunSecond(all);
    }

    /// @param tables of a run @param table which @param column a number @return its sum
    static double Sum(const std::vector<ResultTable>& tables,
                      const std::string& table,
                      const std::string& column)
    {
        if (std::none_of(tables.begin(), tables.end(), [&](const ResultTable& t) {
                return t.GetName() == table;
            }))
        {
            return 0; // nothing to say
        }
        const ResultColumns t(tables, table);
        double sum = 0;
        for (std::size_t i = 0; i < t.GetNRows(); ++i)
        {
            sum += t.Number(column, i);
        }
        return sum;
    }

    /// @param tables of a run @param from column @param to column @param expected their distance in
    /// every row of /circuits, s
    static void ExpectDistance(const std::vector<ResultTable>& tables,
                               const std::string& from,
                               const std::string& to,
                               double expected)
    {
        const ResultColumns c(tables, "/circuits");
        EXPECT_GT(c.GetNRows(), 0U);
        for (std::size_t i = 0; i < c.GetNRows(); ++i)
        {
            EXPECT_NEAR(c.Number(to, i) - c.Number(from, i), expected, TICK) << from << ", " << to;
        }
    }
};

TEST_F(OpticalSettings, TimesPassWhereTheyAreSet)
{
    const auto plain = Play({});
    ExpectDistance(plain, "requested", "held", 0);
    ExpectDistance(plain, "drained", "switched", 1e-3);
    ExpectDistance(plain, "switched", "lit", 0);
    ExpectDistance(Play({{"optical.controlLatency", "70us"}}), "requested", "held", 70e-6);
    ExpectDistance(Play({{"optical.planningTime", "50us"}}), "requested", "held", 50e-6);
    ExpectDistance(Play({{"optical.activationTime", "3ms"}}), "switched", "lit", 3e-3);
    ExpectDistance(
        Play({{"optical.switchingDelay", "ns3::ConstantRandomVariable[Constant=0.002]"}}),
        "drained",
        "switched",
        2e-3);
    ExpectDistance(Play({{"optical.switchingDelay", "1:4ms, 2:4ms"}}), "drained", "switched", 4e-3);
    ExpectDistance(Play({{"fabrics.1.technology", "infocus"}}), "drained", "switched", 10e-6);
}

TEST_F(OpticalSettings, DrainsAreAsTheyAreSet)
{
    const ScenarioOverrides region{{"optical.darkScope", "region"}};
    const auto with = [&](ScenarioOverrides more) {
        more.insert(more.end(), region.begin(), region.end());
        return Play(more);
    };
    const auto drain = with({});
    EXPECT_EQ(Sum(drain, "/circuits", "forced"), 0);
    const double drained = Sum(drain, "/circuits", "drained") - Sum(drain, "/circuits", "held");
    EXPECT_GT(drained, 1e-7) << "the other stage is sending";
    const auto immediate = with({{"optical.drainPolicy", "immediate"}});
    EXPECT_GT(Sum(immediate, "/circuits", "forced"), 0);
    ExpectDistance(immediate, "held", "drained", 0);
    for (const auto& bound :
         {ScenarioOverrides{{"optical.drainTimeout", "10ns"}},
          ScenarioOverrides{{"optical.drainPolicy", "bounded"}, {"optical.drainTimeout", "10ns"}}})
    {
        const auto forced = with(bound);
        EXPECT_GT(Sum(forced, "/circuits", "forced"), 0);
        EXPECT_LT(Sum(forced, "/circuits", "drained") - Sum(forced, "/circuits", "held"), drained);
    }
    // only the circuits that change go dark: nothing of the other stage drains
    const auto changed = Play({});
    EXPECT_LT(Sum(changed, "/circuits", "drained") - Sum(changed, "/circuits", "held"), drained);
    EXPECT_LT(ResultColumns(changed, "/iterations").Number("end", 0),
              ResultColumns(drain, "/iterations").Number("end", 0));
    // what moves in the dark goes over the EPS
    const auto moved = with({{"optical.heldTraffic", "move"}});
    EXPECT_GT(Sum(moved, "/iterations", "bytes_packet"), Sum(drain, "/iterations", "bytes_packet"));
}

// The policy of new traffic reaches the controllers; what it does there is tested in both worlds in
// optical_new_traffic_test.cc.
TEST_F(OpticalSettings, NewTrafficReachesTheControllers)
{
    for (const char* wanted : {"lit", "wait"})
    {
        const Scenario s = ReadScenario((m_dir / "small.json").string(),
                                        m_dir.string(),
                                        {{"optical.newTraffic", wanted}});
        const TrainingRun run(s, {1, s.fabrics.at(1), s.compute.at(0)}, nullptr);
        ASSERT_EQ(run.GetControllers().size(), 1U);
        StringValue value;
        run.GetControllers()[0]->GetAttribute("NewTraffic", value);
        EXPECT_EQ(value.Get(), wanted);
    }
}

// Makes new circuits first where ports are free: two steps, of which the first is not the last. Not
// where the whole region goes dark.
TEST_F(OpticalSettings, MakeBeforeBreakTakesTwoStepsOrOneForTheRegion)
{
    const auto steps = [this](const ScenarioOverrides& more) {
        const auto tables = Play(more);
        const ResultColumns c(tables, "/circuits");
        std::set<double> numbers;
        for (std::size_t i = 0; i < c.GetNRows(); ++i)
        {
            numbers.insert(c.Number("reconfiguration", i));
        }
        EXPECT_FALSE(numbers.empty());
        return c.GetNRows() - numbers.size();
    };
    const ScenarioOverrides make{{"optical.drainPolicy", "make-before-break"},
                                 {"optical.greedyRule", "break"},
                                 {"optical.alpha", "4"}};
    auto region = make;
    region.emplace_back("optical.darkScope", "region");
    EXPECT_GT(steps(make), 0U);
    EXPECT_EQ(steps(region), 0U);
}

TEST_F(OpticalSettings, PlansAreAsTheyAreSet)
{
    const auto circuits = [this](const ScenarioOverrides& more) {
        const auto tables = Play(more);
        const ResultColumns d(tables, "/decisions");
        return d.Number("circuits", d.GetNRows() - 1);
    };
    // Six experts on four ranks: pairs of demand 4 (0-1), 3 (four of them) and 2 (2-3). With four
    // ports each pair has a circuit, then 0-1 a second one, and 0 and 1 are full. The literal rule
    // stops there; the other one goes on to 2-3. Two groups.
    const ScenarioOverrides uneven{{"model.experts", "6"}, {"optical.alpha", "4"}};
    auto literal = uneven;
    literal.emplace_back("optical.greedyRule", "break");
    EXPECT_EQ(circuits(uneven), 16);
    EXPECT_LT(circuits(literal), 16);
    const auto plain = Play({});
    const auto kept = Play({{"optical.keepUseful", "true"}});
    EXPECT_LT(Sum(kept, "/circuits", "removed"), Sum(plain, "/circuits", "removed"));

    const auto switches = [this](const char* number) {
        const auto tables = Play({{"optical.switchesPerRegion", number}});
        const ResultColumns links(tables, "/links");
        std::set<std::string> names;
        for (std::size_t i = 0; i < links.GetNRows(); ++i)
        {
            if (links.Text("kind", i) == "fiber" &&
                links.Text("from", i).rfind("server", 0) == std::string::npos)
            {
                names.insert(links.Text("from", i));
            }
        }
        return names.size();
    };
    EXPECT_EQ(switches("1"), 1U);
    EXPECT_EQ(switches("2"), 2U);
}

// Without a prediction the circuits are kept: in the first iteration always with `last-iteration`;
// with `last-layer` the second layer is predicted from the first.
TEST_F(OpticalSettings, ThePredictorIsUsed)
{
    const auto unknown = [this](const char* predictor) {
        const auto tables = Play({{"fabrics.1.policy", "predicted"},
                                  {"optical.predictor", predictor},
                                  {"model.layers", "4"}});
        const ResultColumns d(tables, "/decisions");
        uint32_t count = 0;
        for (std::size_t i = 0; i < d.GetNRows(); ++i)
        {
            count += d.Text("why", i).rfind("nothing to plan from", 0) == 0 ? 1 : 0;
        }
        return count;
    };
    EXPECT_GT(unknown("last-iteration"), unknown("last-layer"));
}

} // namespace
