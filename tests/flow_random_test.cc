/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow_driver.h"
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

    std::mt19937 m_random;                       //!< the script
    Driver m_driver;                             //!< under test
    bool m_oracle;                               //!< compare
    flow_oracle::World m_world;                  //!< oracle
    std::vector<double> m_capacity;              //!< by resource
    std::vector<std::vector<uint32_t>> m_blocks; //!< resources
    std::vector<ResourceKind> m_kinds;           //!< by resource
    std::vector<std::vector<Plan>> m_batches;    //!< what has been started
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
    EXPECT_GT(coverage.recalled, 500U);
    EXPECT_GT(coverage.fallbacks, 200U);
}
