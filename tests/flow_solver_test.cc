/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow_oracle.h"

#include "ns3/flow-solver.h"
#include "ns3/mixnet-error.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

constexpr double TICKS = 1e12;      //!< picoseconds
constexpr std::size_t MEMORY = 1 << 20; //!< for recall

/// Drives a solver and keeps what ended when.
class Driver
{
  public:
    /// @param budget for recall
    explicit Driver(std::size_t budget = 0)
        : solver(TICKS)
    {
        solver.SetRecallBudget(budget);
    }

    /// @param resource @param share ... @return route
    uint32_t Route(std::vector<ResourceUse> uses)
    {
        return solver.GetPartition().AddRoute(uses);
    }

    /// @param specs flows that start now; their order is given here
    void Start(std::vector<FlowSpec> specs)
    {
        std::vector<FlowHandle> handles(specs.size());
        for (auto& spec : specs)
        {
            spec.order = orders++;
        }
        solver.Start(now, specs.data(), specs.size(), handles.data());
        for (std::size_t i = 0; i < specs.size(); ++i)
        {
            live[specs[i].order] = handles[i];
        }
    }

    /// @param order of a flow @return bits left
    double Stop(uint64_t order)
    {
        double left;
        const FlowHandle handle = live.at(order);
        solver.Stop(now, &handle, 1, &left);
        live.erase(order);
        return left;
    }

    /// @return tick of the next end
    int64_t Next()
    {
        for (const uint32_t c : solver.GetChanged())
        {
            components.insert(c);
        }
        solver.GetChanged().clear();
        int64_t next = FlowSolver::NEVER;
        for (const uint32_t c : components)
        {
            next = std::min(next, solver.GetNext(c));
        }
        return next;
    }

    /// Advance to a tick, ends at it included. @param limit tick
    void RunTo(int64_t limit)
    {
        for (int64_t next = Next(); next <= limit; next = Next())
        {
            ASSERT_GE(next, now) << "time runs backwards";
            now = next;
            const std::set<uint32_t> all = components;
            for (const uint32_t c : all)
            {
                if (solver.GetNext(c) == now)
                {
                    std::vector<FlowEnd> some;
                    solver.Advance(now, c, some);
                    ASSERT_FALSE(some.empty());
                    for (const auto& e : some)
                    {
                        ends.emplace_back(e.order, now);
                        ASSERT_EQ(live.at(e.order), e.flow);
                        live.erase(e.order);
                    }
                }
            }
        }
        now = limit;
    }

    /// Run until nothing is in progress.
    void RunToEnd()
    {
        while (!live.empty())
        {
            const int64_t next = Next();
            ASSERT_NE(next, FlowSolver::NEVER) << "flows without an end";
            RunTo(next);
        }
    }

    FlowSolver solver;                              //!< under test
    int64_t now{0};                                 //!< tick
    uint64_t orders{0};                             //!< next order
    std::map<uint64_t, FlowHandle> live;            //!< in progress, by order
    std::vector<std::pair<uint64_t, int64_t>> ends; //!< order and tick
    std::set<uint32_t> components;                  //!< ever seen
};

/// @param route route @param bits size @param weight weight @return spec
FlowSpec
Spec(uint32_t route, double bits, double weight = 1)
{
    FlowSpec spec;
    spec.route = route;
    spec.bits = bits;
    spec.weight = weight;
    return spec;
}

} // namespace

// 4,178 B at 400 Gb/s are 83.56 ns = 83,560 ps: to the tick, and 1 bit more is 2.5 ps later,
// rounded up.
TEST(FlowSolver, SingleFlowIsExact)
{
    Driver d;
    d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
    const uint32_t route = d.Route({{0, 1}});
    d.Start({Spec(route, 4178 * 8)});
    d.RunToEnd();
    EXPECT_EQ(d.now, 83560);
    d.Start({Spec(route, 4178 * 8 + 1)});
    d.RunToEnd();
    EXPECT_EQ(d.now, 83560 + 83563);
    d.Start({Spec(route, 0)});
    d.RunToEnd();
    EXPECT_EQ(d.now, 83560 + 83563) << "a flow of zero length ends at once";
}

// Resources of 400G: x (8 Mbit) on A, y (16 Mbit) on A and B, z (8 Mbit) on B. All at 200G until
// 40 us, when x and z end together; y has 8 Mbit left, at 400G: 60 us.
TEST(FlowSolver, RatesRiseWhenFlowsEnd)
{
    Driver d;
    d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
    d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
    d.Start({Spec(d.Route({{0, 1}}), 8e6),
             Spec(d.Route({{0, 1}, {1, 1}}), 16e6),
             Spec(d.Route({{1, 1}}), 8e6)});
    d.RunToEnd();
    const std::vector<std::pair<uint64_t, int64_t>> expected{
        {0, 40000000},
        {2, 40000000},
        {1, 60000000}};
    EXPECT_EQ(d.ends, expected);
}

// A flow of 40 Mbit at 400G is alone for 50 us (20 Mbit), shares for as long as a second flow of
// 10 Mbit takes at 200G (50 us, 10 Mbit), and is alone again for its last 10 Mbit: 25 us.
TEST(FlowSolver, LateComerTakesHalf)
{
    Driver d(MEMORY);
    d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
    const uint32_t route = d.Route({{0, 1}});
    d.Start({Spec(route, 40e6)});
    d.RunTo(50000000);
    d.Start({Spec(route, 10e6)});
    d.RunToEnd();
    const std::vector<std::pair<uint64_t, int64_t>> expected{{1, 100000000}, {0, 125000000}};
    EXPECT_EQ(d.ends, expected);
}

// Stopping the second flow after 25 us (5 of its 10 Mbit are left) gives the first its rate back:
// 40 = 20 + 5 + 15 Mbit, 50 + 25 + 37.5 us.
TEST(FlowSolver, StopGivesTheRateBack)
{
    Driver d(MEMORY);
    d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
    const uint32_t route = d.Route({{0, 1}});
    d.Start({Spec(route, 40e6)});
    d.RunTo(50000000);
    d.Start({Spec(route, 10e6)});
    d.RunTo(75000000);
    EXPECT_DOUBLE_EQ(d.Stop(1), 5e6);
    d.RunToEnd();
    const std::vector<std::pair<uint64_t, int64_t>> expected{{0, 112500000}};
    EXPECT_EQ(d.ends, expected);
    EXPECT_EQ(d.solver.GetNFlows(), 0U);
}

// Payload on a scale-up port: wire rate 400G at a payload ratio of 1/2 loads a port of 200G fully,
// so the port does not bind; at ratio 1 it halves the rate.
TEST(FlowSolver, ScaleUpPortsCarryPayload)
{
    for (const double ratio : {0.5, 1.0})
    {
        Driver d;
        d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
        d.solver.GetPartition().AddResource(200e9, ResourceKind::SCALE_UP);
        FlowSpec spec = Spec(d.Route({{0, 1}, {1, 1}}), 4e6);
        spec.payloadRatio = ratio;
        d.Start({spec});
        d.RunToEnd();
        EXPECT_EQ(d.now, ratio == 0.5 ? 10000000 : 20000000);
    }
}

// Two pairs of ports joined by one flow: one component while it lasts, two afterwards.
TEST(FlowSolver, ComponentsJoinAndFallApart)
{
    Driver d(MEMORY);
    for (int i = 0; i < 2; ++i)
    {
        d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
    }
    const uint32_t a = d.Route({{0, 1}});
    const uint32_t b = d.Route({{1, 1}});
    const uint32_t both = d.Route({{0, 1}, {1, 1}});
    d.Start({Spec(a, 40e6), Spec(b, 40e6)});
    EXPECT_NE(d.solver.GetComponent(d.live[0]), d.solver.GetComponent(d.live[1]));
    d.Start({Spec(both, 2e6)});
    EXPECT_EQ(d.solver.GetComponent(d.live[0]), d.solver.GetComponent(d.live[1]));
    d.RunTo(10000000); // 2 Mbit at 200G
    EXPECT_EQ(d.ends.size(), 1U);
    EXPECT_NE(d.solver.GetComponent(d.live[0]), d.solver.GetComponent(d.live[1]));
    EXPECT_EQ(d.solver.GetStats().joins, 1U);
    EXPECT_EQ(d.solver.GetStats().splits, 1U);
    d.RunToEnd();
    EXPECT_EQ(d.now, 105000000) << "38 of 40 Mbit at 400G after 10 us";
}

TEST(FlowSolver, RecallReplaysAndFallsBack)
{
    Driver d(MEMORY);
    for (int i = 0; i < 4; ++i)
    {
        d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
    }
    std::vector<FlowSpec> batch;
    for (uint32_t i = 0; i < 2; ++i)
    {
        for (uint32_t k = 2; k < 4; ++k)
        {
            batch.push_back(Spec(d.Route({{i, 1}, {k, 1}}), 1e6 * (1 + i + 3 * k)));
        }
    }
    d.Start(batch);
    d.RunToEnd();
    const auto first = d.ends;
    const int64_t length = d.now;
    const auto solves = d.solver.GetStats().solves;
    EXPECT_EQ(d.solver.GetStats().recalled, 0U);

    d.RunTo(1000000007);
    const int64_t start = d.now;
    d.ends.clear();
    d.Start(batch);
    d.RunToEnd();
    EXPECT_EQ(d.solver.GetStats().recalled, 1U);
    EXPECT_EQ(d.solver.GetStats().solves, solves) << "nothing was solved anew";
    ASSERT_EQ(d.ends.size(), first.size());
    for (std::size_t i = 0; i < first.size(); ++i)
    {
        EXPECT_EQ(d.ends[i].first, first[i].first + batch.size());
        EXPECT_EQ(d.ends[i].second, first[i].second + start);
    }

    // A fifth flow in the middle: as without recall.
    std::vector<std::pair<uint64_t, int64_t>> plain;
    for (const std::size_t budget : {std::size_t(0), MEMORY})
    {
        Driver e(budget);
        for (int i = 0; i < 4; ++i)
        {
            e.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
        }
        for (auto& spec : batch)
        {
            const auto index = static_cast<uint32_t>(&spec - batch.data());
            spec.route = e.Route({{index / 2, 1}, {2 + index % 2, 1}});
        }
        e.Start(batch);
        e.RunToEnd();
        e.Start(batch);
        e.RunTo(e.now + length / 2);
        e.Start({Spec(batch[0].route, 3e6)});
        e.RunToEnd();
        EXPECT_EQ(e.solver.GetStats().fallbacks, budget > 0 ? 1U : 0U);
        if (budget == 0)
        {
            plain = e.ends;
        }
        EXPECT_EQ(e.ends, plain);
    }
}

TEST(FlowSolver, RecallForgetsTheOldest)
{
    Driver d(2000);
    d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
    const uint32_t route = d.Route({{0, 1}});
    for (int i = 0; i < 100; ++i)
    {
        d.Start({Spec(route, 1e6 + i)});
        d.RunToEnd();
    }
    d.Start({Spec(route, 1e6 + 99)});
    d.RunToEnd();
    EXPECT_EQ(d.solver.GetStats().recalled, 1U);
    d.Start({Spec(route, 1e6)});
    d.RunToEnd();
    EXPECT_EQ(d.solver.GetStats().recalled, 1U);
}

namespace
{

/// What a random trial did, so that the test can be seen to test something.
struct Coverage
{
    uint64_t recalled{0};  //!< components replayed
    uint64_t fallbacks{0}; //!< of these disturbed
    uint64_t joins{0};     //!< flows that joined
    uint64_t splits{0};    //!< components that fell apart
    uint64_t merged{0};    //!< resources saved by classes
    uint64_t implied{0};   //!< classes found implied
    uint64_t ends{0};      //!< flows that ended
};

/// A random world and script, the same for the same seed.
class Trial
{
  public:
    /// @param seed seed @param budget for recall @param oracle compare with the naive world
    Trial(uint32_t seed, std::size_t budget, bool oracle)
        : m_random(seed),
          m_driver(budget),
          m_oracle(oracle),
          m_world({})
    {
        std::vector<double> capacity;
        for (uint32_t block = 0; block < 4 + seed % 6; ++block)
        {
            const double c = 100e9 * (1 + Pick(4));
            const auto kind = static_cast<ResourceKind>(Pick(5) % 3);
            m_blocks.emplace_back();
            for (uint32_t i = 0, n = 1 + Pick(6); i < n; ++i)
            {
                m_blocks.back().push_back(m_driver.solver.GetPartition().AddResource(c, kind));
                m_kinds.push_back(kind);
                capacity.push_back(c);
            }
        }
        m_capacity = capacity;
        m_world = flow_oracle::World(capacity);
        m_driver.solver.GetPartition().SetIdleLimit(seed % 3 == 0 ? 3 : 100);
    }

    void Run() //!< a few dozen random actions, then to the end
    {
        for (int step = 0; step < 40 && !testing::Test::HasFatalFailure(); ++step)
        {
            switch (Pick(6))
            {
            case 0:
            case 1:
                StartRandom();
                break;
            case 2:
            case 3:
                StartAgain();
                break;
            case 4:
                StopRandom();
                break;
            default:
                Check();
            }
            Wait(Pick(4) == 0 ? 200000000 : Pick(3000000));
        }
        Wait(100000000000);
        EXPECT_TRUE(m_driver.live.empty());
        Compare();
    }

    /// @param coverage is added to
    void Report(Coverage& coverage) const
    {
        const auto& stats = m_driver.solver.GetStats();
        const auto& partition = m_driver.solver.GetPartition();
        coverage.recalled += stats.recalled;
        coverage.fallbacks += stats.fallbacks;
        coverage.joins += stats.joins;
        coverage.splits += stats.splits;
        coverage.merged += partition.GetNResources() - partition.GetNClasses();
        coverage.ends += m_driver.ends.size();
        for (uint32_t c = 0; c < partition.GetNClasses(); ++c)
        {
            coverage.implied += partition.IsImplied(c) ? 1 : 0;
        }
    }

    /// @return order and tick of all ends
    const std::vector<std::pair<uint64_t, int64_t>>& Ends() const
    {
        return m_driver.ends;
    }

  private:
    /// A flow to be started, so that it can be started again.
    struct Plan
    {
        std::vector<ResourceUse> uses; //!< what it crosses
        FlowSpec spec;                 //!< the rest
    };

    /// @param n number @return 0 to n - 1
    uint32_t Pick(uint32_t n)
    {
        return static_cast<uint32_t>(m_random() % n);
    }

    std::vector<ResourceUse> RandomUses() //!< @return whole and half blocks
    {
        std::vector<ResourceUse> uses;
        std::set<uint32_t> taken;
        for (uint32_t i = 0, n = 1 + Pick(3); i < n; ++i)
        {
            const uint32_t b = Pick(static_cast<uint32_t>(m_blocks.size()));
            if (!taken.insert(b).second)
            {
                continue;
            }
            const auto& block = m_blocks[b];
            const bool part = Pick(5) == 0;
            const auto size = static_cast<uint32_t>(block.size());
            const uint32_t first = part ? Pick(size) : 0;
            const uint32_t count = part ? 1 + Pick(size - first) : size;
            for (uint32_t k = 0; k < count; ++k)
            {
                uses.push_back({block[first + k], 1.0 / count});
            }
        }
        return uses;
    }

    void StartRandom() //!< new flows
    {
        std::vector<Plan> batch;
        for (uint32_t i = 0, n = 1 + Pick(12); i < n; ++i)
        {
            Plan plan;
            plan.uses = RandomUses();
            plan.spec.bits = 1000.0 * (1 + Pick(2000));
            plan.spec.weight = 1 + Pick(8);
            plan.spec.payloadRatio = Pick(2) == 0 ? 1 : 0.97;
            batch.push_back(plan);
        }
        m_batches.push_back(batch);
        Start(batch);
    }

    void StartAgain() //!< flows seen before
    {
        if (!m_batches.empty())
        {
            Start(m_batches[Pick(static_cast<uint32_t>(m_batches.size()))]);
        }
    }

    /// @param batch flows
    void Start(const std::vector<Plan>& batch)
    {
        std::vector<FlowSpec> specs;
        for (const Plan& plan : batch)
        {
            specs.push_back(plan.spec);
            auto uses = plan.uses;
            specs.back().route = m_driver.solver.GetPartition().AddRoute(uses);
            flow_oracle::Flow flow;
            flow.weight = plan.spec.weight;
            flow.work = static_cast<long double>(plan.spec.bits) * TICKS;
            for (const auto& use : plan.uses)
            {
                const bool payload = m_kinds[use.resource] == ResourceKind::SCALE_UP;
                flow.uses.push_back(
                    {use.resource, use.share * (payload ? plan.spec.payloadRatio : 1)});
            }
            m_world.Start(flow);
        }
        m_driver.Start(specs);
        for (const auto& spec : specs)
        {
            m_driver.solver.GetPartition().Release(spec.route);
        }
    }

    void StopRandom() //!< one flow that is not about to end
    {
        if (m_driver.live.empty())
        {
            return;
        }
        auto it = m_driver.live.begin();
        std::advance(it, Pick(static_cast<uint32_t>(m_driver.live.size())));
        const uint64_t order = it->first;
        const double bits = m_driver.solver.GetBitsLeft(it->second, m_driver.now);
        if (bits < 100)
        {
            return;
        }
        EXPECT_EQ(m_driver.Stop(order), bits);
        const long double work = m_world.Stop(order);
        if (m_oracle)
        {
            EXPECT_NEAR(bits, static_cast<double>(work / TICKS), 100);
        }
    }

    void Check() //!< the rates of this moment against the max-min conditions
    {
        if (!m_oracle)
        {
            return;
        }
        m_world.Refresh();
        std::vector<flow_oracle::Flow> flows;
        for (const auto& [order, handle] : m_driver.live)
        {
            flows.push_back(m_world.Get(order));
            flows.back().rate = m_driver.solver.GetRate(handle);
        }
        std::vector<flow_oracle::Flow*> pointers;
        for (auto& flow : flows)
        {
            pointers.push_back(&flow);
        }
        ASSERT_LT(flow_oracle::Violation(m_capacity, pointers), 1e-8);
    }

    /// @param ticks go on
    void Wait(int64_t ticks)
    {
        const int64_t until = m_driver.now + ticks;
        m_driver.RunTo(until);
        if (m_oracle)
        {
            while (m_world.AdvanceTo(static_cast<long double>(until)))
            {
            }
        }
    }

    void Compare() //!< all ends with the naive world's
    {
        for (const auto& [order, tick] : m_driver.ends)
        {
            if (m_oracle)
            {
                ASSERT_NEAR(static_cast<double>(m_world.Get(order).end),
                            static_cast<double>(tick),
                            100)
                    << "flow " << order;
            }
        }
    }

    std::mt19937 m_random;                         //!< the script
    Driver m_driver;                               //!< under test
    bool m_oracle;                                 //!< compare
    flow_oracle::World m_world;                    //!< oracle
    std::vector<double> m_capacity;                //!< by resource
    std::vector<std::vector<uint32_t>> m_blocks;   //!< resources
    std::vector<ResourceKind> m_kinds;             //!< by resource
    std::vector<std::vector<Plan>> m_batches;      //!< what has been started
};

} // namespace

// Random scripts: starts, repeated starts, stops and routes that cut classes while flows are in
// progress. Every end is where naive filling over all resources has it (to 100 ps, the rounding of
// ends to whole ticks passed on), and the rates fulfill the max-min conditions.
TEST(FlowSolver, RandomWorldsAgainstNaiveFilling)
{
    Coverage coverage;
    for (uint32_t seed = 0; seed < 600 && !HasFatalFailure(); ++seed)
    {
        SCOPED_TRACE(seed);
        Trial trial(seed, seed % 2 == 0 ? MEMORY : 0, true);
        trial.Run();
        trial.Report(coverage);
    }
    EXPECT_GT(coverage.ends, 50000U);
    EXPECT_GT(coverage.joins, 500U);
    EXPECT_GT(coverage.splits, 500U);
    EXPECT_GT(coverage.merged, 1000U);
    EXPECT_GT(coverage.implied, 100U);
}

// The same scripts with and without recall: equal to the last tick and in the same order.
TEST(FlowSolver, RecallChangesNothing)
{
    Coverage coverage;
    for (uint32_t seed = 0; seed < 500 && !HasFailure(); ++seed)
    {
        SCOPED_TRACE(seed);
        Trial with(seed, MEMORY, false);
        with.Run();
        with.Report(coverage);
        Trial without(seed, 0, false);
        without.Run();
        EXPECT_EQ(with.Ends(), without.Ends());
        Trial little(seed, 3000, false);
        little.Run();
        EXPECT_EQ(little.Ends(), without.Ends());
    }
    EXPECT_GT(coverage.recalled, 1000U);
    EXPECT_GT(coverage.fallbacks, 200U);
}
