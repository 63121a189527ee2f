/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow_oracle.h"

#include "ns3/max-min-problem.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;
using flow_oracle::Flow;
using flow_oracle::Use;

namespace
{

/// Solve flows on resources. @param capacity by resource @param flows gets rates
/// @return rows that were kept
uint32_t
Solve(const std::vector<double>& capacity, std::vector<Flow>& flows)
{
    MaxMinProblem problem;
    for (const double c : capacity)
    {
        problem.AddRow(c);
    }
    for (const Flow& f : flows)
    {
        problem.AddFlow(f.weight);
        for (const Use& u : f.uses)
        {
            problem.AddUse(u.resource, u.share);
        }
    }
    problem.Reduce();
    problem.Solve();
    for (uint32_t i = 0; i < flows.size(); ++i)
    {
        flows[i].rate = problem.GetRate(i);
    }
    return problem.GetNRows();
}

/// @param uses what it crosses @param weight share of the level @return flow
Flow
Make(std::vector<Use> uses, double weight = 1)
{
    Flow flow;
    flow.uses = std::move(uses);
    flow.weight = weight;
    return flow;
}

/// @param flows flows @return their addresses
std::vector<Flow*>
Pointers(std::vector<Flow>& flows)
{
    std::vector<Flow*> all;
    for (Flow& f : flows)
    {
        all.push_back(&f);
    }
    return all;
}

} // namespace

// One flow, resources of 10 and 4: the slower one gives 4, exactly.
TEST(FlowMaxMin, SingleFlowRunsAtItsSlowestResource)
{
    std::vector<Flow> flows{Make({{0, 1}, {1, 1}})};
    EXPECT_EQ(Solve({10, 4}, flows), 0U) << "a flow alone needs no row";
    EXPECT_EQ(static_cast<double>(flows[0].rate), 4.0);
}

// A share of 1/8 on each of 8 channels of 400 is a pipe of 3200.
TEST(FlowMaxMin, SharesAddUpToAPipe)
{
    std::vector<Use> uses;
    for (uint32_t i = 0; i < 8; ++i)
    {
        uses.push_back({i, 0.125});
    }
    std::vector<Flow> flows{Make(uses)};
    Solve(std::vector<double>(8, 400.0), flows);
    EXPECT_EQ(static_cast<double>(flows[0].rate), 3200.0);
}

// Parking lot: a long flow over n links of 1, one short flow on each. Every link carries two
// flows, so all get 1/2; the long flow is no worse off for its length.
TEST(FlowMaxMin, ParkingLot)
{
    constexpr uint32_t n = 7;
    std::vector<Use> all;
    std::vector<Flow> flows;
    for (uint32_t i = 0; i < n; ++i)
    {
        all.push_back({i, 1});
        flows.push_back(Make({{i, 1}}));
    }
    flows.push_back(Make(all));
    Solve(std::vector<double>(n, 1.0), flows);
    for (const Flow& f : flows)
    {
        EXPECT_DOUBLE_EQ(static_cast<double>(f.rate), 0.5);
    }
}

// Weights 1, 2, 5 on a link of 16: levels equal, rates 2, 4, 10.
TEST(FlowMaxMin, WeightsDivideALink)
{
    std::vector<Flow> flows{Make({{0, 1}}, 1), Make({{0, 1}}, 2), Make({{0, 1}}, 5)};
    Solve({16}, flows);
    EXPECT_DOUBLE_EQ(static_cast<double>(flows[0].rate), 2);
    EXPECT_DOUBLE_EQ(static_cast<double>(flows[1].rate), 4);
    EXPECT_DOUBLE_EQ(static_cast<double>(flows[2].rate), 10);
}

// Coefficients: link of 12, x crosses it with half of its bytes, y with all. Level l fills it at
// l/2 + l = 12, so l = 8: both rates are 8 (4 + 8 = 12 on the link).
TEST(FlowMaxMin, CoefficientsCountShares)
{
    std::vector<Flow> flows{Make({{0, 0.5}}), Make({{0, 1}})};
    Solve({12}, flows);
    EXPECT_DOUBLE_EQ(static_cast<double>(flows[0].rate), 8);
    EXPECT_DOUBLE_EQ(static_cast<double>(flows[1].rate), 8);
}

// Two bottlenecks (example of the class comment): A on rows 0 and 1, B on 0, C and D on 1, both of
// capacity 1. Row 1 fills at 1/3 and stops A, C, D; row 0 has 2/3 left for B.
TEST(FlowMaxMin, SecondBottleneckTakesWhatTheFirstLeaves)
{
    std::vector<Flow> flows{Make({{0, 1}, {1, 1}}), Make({{0, 1}}), Make({{1, 1}}), Make({{1, 1}})};
    Solve({1, 1}, flows);
    EXPECT_DOUBLE_EQ(static_cast<double>(flows[0].rate), 1.0 / 3);
    EXPECT_DOUBLE_EQ(static_cast<double>(flows[1].rate), 2.0 / 3);
    EXPECT_DOUBLE_EQ(static_cast<double>(flows[2].rate), 1.0 / 3);
    EXPECT_DOUBLE_EQ(static_cast<double>(flows[3].rate), 1.0 / 3);
}

// Three levels with weights: capacities 6, 10, 30. w has weight 2 on rows 0, 1; x weight 1 on row
// 0; y weight 1 on rows 1, 2; z weight 3 on row 2.
// Row 0: 2l + l = 6 at l = 2; row 1: 2l + l = 10 at 3.3; row 2: l + 3l = 30 at 7.5.
// l = 2 stops w (rate 4) and x (2). Row 1: 10 - 4 = 6 for y: l = 6 stops y (6).
// Row 2: 30 - 6 = 24 for z of weight 3: l = 8, rate 24.
TEST(FlowMaxMin, ThreeLevelsWithWeights)
{
    std::vector<Flow> flows{Make({{0, 1}, {1, 1}}, 2),
                            Make({{0, 1}}, 1),
                            Make({{1, 1}, {2, 1}}, 1),
                            Make({{2, 1}}, 3)};
    Solve({6, 10, 30}, flows);
    EXPECT_DOUBLE_EQ(static_cast<double>(flows[0].rate), 4);
    EXPECT_DOUBLE_EQ(static_cast<double>(flows[1].rate), 2);
    EXPECT_DOUBLE_EQ(static_cast<double>(flows[2].rate), 6);
    EXPECT_DOUBLE_EQ(static_cast<double>(flows[3].rate), 24);
}

// A flow whose own bound (3, on a resource of its own) is below the fair share of the link it
// shares: the link's row stays, the private resource goes, the bound must not.
// Link of 10: x is bounded by 3, y takes 7.
TEST(FlowMaxMin, OwnBoundSurvivesReduction)
{
    std::vector<Flow> flows{Make({{0, 1}, {1, 1}}), Make({{0, 1}})};
    EXPECT_EQ(Solve({10, 3}, flows), 2U);
    EXPECT_DOUBLE_EQ(static_cast<double>(flows[0].rate), 3);
    EXPECT_DOUBLE_EQ(static_cast<double>(flows[1].rate), 7);
}

// Bounds 3 and 4 on a link of 10 that cannot fill: nothing is left to solve.
TEST(FlowMaxMin, RowThatCannotFillGoes)
{
    std::vector<Flow> flows{Make({{0, 1}, {1, 1}}), Make({{0, 1}, {2, 1}})};
    EXPECT_EQ(Solve({10, 3, 4}, flows), 0U);
    EXPECT_EQ(static_cast<double>(flows[0].rate), 3);
    EXPECT_EQ(static_cast<double>(flows[1].rate), 4);
}

// All-to-all of n through one switch: 2n ports of equal rate, all flows get rate / (n - 1), and
// 8 equal NICs per server are one row.
TEST(FlowMaxMin, AllToAllOverManyNics)
{
    constexpr uint32_t n = 8;
    constexpr uint32_t nics = 8;
    std::vector<Flow> flows;
    for (uint32_t s = 0; s < n; ++s)
    {
        for (uint32_t t = 0; t < n; ++t)
        {
            std::vector<Use> uses;
            for (uint32_t i = 0; i < nics; ++i)
            {
                uses.push_back({2 * s * nics + i, 1.0 / nics});
                uses.push_back({(2 * t + 1) * nics + i, 1.0 / nics});
            }
            if (s != t)
            {
                flows.push_back(Make(uses, 8));
            }
        }
    }
    EXPECT_EQ(Solve(std::vector<double>(2 * n * nics, 400.0), flows), 2 * n);
    for (const Flow& f : flows)
    {
        EXPECT_NEAR(static_cast<double>(f.rate), 3200.0 / 7, 1e-9);
    }
}

// Removing flows one by one gives what a problem without them gives.
TEST(FlowMaxMin, RemoveEqualsNeverHavingBeenThere)
{
    std::mt19937 random(7);
    std::vector<Flow> flows;
    const std::vector<double> capacity{10, 20, 30, 15, 25};
    for (int i = 0; i < 12; ++i)
    {
        std::vector<Use> uses;
        for (uint32_t r = 0; r < capacity.size(); ++r)
        {
            if (random() % 2 == 0)
            {
                uses.push_back({r, (1 + random() % 4) / 4.0});
            }
        }
        uses.push_back({5, 0.25});
        flows.push_back(Make(uses, 1 + random() % 3));
    }
    std::vector<double> wide = capacity;
    wide.push_back(8);
    MaxMinProblem problem;
    for (const double c : wide)
    {
        problem.AddRow(c);
    }
    for (const Flow& f : flows)
    {
        problem.AddFlow(f.weight);
        for (const Use& u : f.uses)
        {
            problem.AddUse(u.resource, u.share);
        }
    }
    problem.Reduce();
    for (uint32_t gone = 0; gone + 1 < flows.size(); ++gone)
    {
        problem.Remove(gone);
        problem.Solve();
        std::vector<Flow> rest(flows.begin() + gone + 1, flows.end());
        auto pointers = Pointers(rest);
        flow_oracle::Fill(wide, pointers);
        for (uint32_t i = 0; i < rest.size(); ++i)
        {
            EXPECT_NEAR(problem.GetRate(gone + 1 + i),
                        static_cast<double>(rest[i].rate),
                        1e-9 * static_cast<double>(rest[i].rate));
        }
    }
}

// Thousands of random problems: the max-min conditions hold, and the rates are those of naive
// filling over all resources.
TEST(FlowMaxMin, RandomProblemsAgainstTwoOracles)
{
    std::mt19937 random(1);
    uint32_t reduced = 0;
    uint32_t several = 0;
    for (int round = 0; round < 4000; ++round)
    {
        const uint32_t resources = 1 + random() % 12;
        std::vector<double> capacity;
        for (uint32_t r = 0; r < resources; ++r)
        {
            capacity.push_back(round % 2 == 0 ? 100.0 * (1 + random() % 4) : 1.0 + random() % 1000);
        }
        std::vector<Flow> flows;
        const uint32_t n = 1 + random() % 15;
        for (uint32_t i = 0; i < n; ++i)
        {
            std::vector<Use> uses;
            for (uint32_t r = 0; r < resources; ++r)
            {
                if (random() % 3 == 0)
                {
                    uses.push_back({r, (1 + random() % 8) / 8.0});
                }
            }
            if (uses.empty())
            {
                uses.push_back({static_cast<uint32_t>(random() % resources), 1.0 / 3});
            }
            flows.push_back(Make(uses, 1 + random() % 8));
        }
        const uint32_t rows = Solve(capacity, flows);
        reduced += rows < resources ? 1 : 0;
        several += rows > 1 ? 1 : 0;
        auto pointers = Pointers(flows);
        ASSERT_LT(flow_oracle::Violation(capacity, pointers), 1e-9) << "round " << round;
        std::vector<Flow> naive = flows;
        auto other = Pointers(naive);
        flow_oracle::Fill(capacity, other);
        for (uint32_t i = 0; i < n; ++i)
        {
            ASSERT_NEAR(static_cast<double>(flows[i].rate / naive[i].rate), 1.0, 1e-9);
        }
    }
    EXPECT_GT(reduced, 1000U) << "the reductions were hardly exercised";
    EXPECT_GT(several, 1000U) << "hardly any problem had several bottlenecks";
}
