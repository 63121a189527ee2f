/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The regression of MixNet-Copilot against exact solutions, and the predictors on loads whose rule
// is known.

#include "ns3/copilot-demand-predictor.h"
#include "ns3/demand-predictors.h"
#include "ns3/double.h"
#include "ns3/prediction-score.h"
#include "ns3/stochastic-regression.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace ns3;

namespace
{

using Vector = std::vector<double>;

/// @return n shares that add up to 1
Vector
DrawShares(std::mt19937& rng, std::size_t n)
{
    Vector v(n);
    double sum = 0;
    for (double& x : v)
    {
        x = 1.0 + static_cast<double>(rng() % 1000);
        sum += x;
    }
    for (double& x : v)
    {
        x /= sum;
    }
    return v;
}

/// @return p x
Vector
Apply(const Matrix<double>& p, const Vector& x)
{
    Vector y(p.Rows(), 0.0);
    for (std::size_t i = 0; i < p.Rows(); ++i)
    {
        for (std::size_t j = 0; j < p.Columns(); ++j)
        {
            y[i] += p(i, j) * x[j];
        }
    }
    return y;
}

/// Column-stochastic matrix with random columns.
Matrix<double>
DrawStochastic(std::mt19937& rng, std::size_t n)
{
    Matrix<double> p(n, n);
    for (std::size_t j = 0; j < n; ++j)
    {
        const Vector column = DrawShares(rng, n);
        for (std::size_t i = 0; i < n; ++i)
        {
            p(i, j) = column[i];
        }
    }
    return p;
}

void
ExpectColumnStochastic(const Matrix<double>& p)
{
    for (std::size_t j = 0; j < p.Columns(); ++j)
    {
        double sum = 0;
        for (std::size_t i = 0; i < p.Rows(); ++i)
        {
            EXPECT_GE(p(i, j), 0.0);
            EXPECT_LE(p(i, j), 1.0 + 1e-12);
            sum += p(i, j);
        }
        EXPECT_NEAR(sum, 1.0, 1e-12);
    }
}

/**
 * Exact minimum for n = 2, by active sets. With P = [a b; 1-a 1-b] and x_1 + x_2 = y_1 + y_2 = 1
 * both rows have the same error, so the objective is the sum of w (y_1 - a x_1 - b x_2)^2 over the
 * box 0 <= a, b <= 1: the free minimum, those on the four sides, and the corners; the best feasible
 * one.
 */
double
SolveTwoByTwo(const std::vector<Vector>& xs, const std::vector<Vector>& ys, const Vector& ws)
{
    double aa = 0;
    double ab = 0;
    double bb = 0;
    double ya = 0;
    double yb = 0;
    for (std::size_t t = 0; t < xs.size(); ++t)
    {
        aa += ws[t] * xs[t][0] * xs[t][0];
        ab += ws[t] * xs[t][0] * xs[t][1];
        bb += ws[t] * xs[t][1] * xs[t][1];
        ya += ws[t] * ys[t][0] * xs[t][0];
        yb += ws[t] * ys[t][0] * xs[t][1];
    }
    const auto cost = [&](double a, double b) {
        double sum = 0;
        for (std::size_t t = 0; t < xs.size(); ++t)
        {
            const double e = ys[t][0] - a * xs[t][0] - b * xs[t][1];
            sum += ws[t] * e * e;
        }
        return sum;
    };
    std::vector<std::pair<double, double>> candidates{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    for (const double side : {0.0, 1.0})
    {
        candidates.emplace_back(side, (yb - ab * side) / bb);
        candidates.emplace_back((ya - ab * side) / aa, side);
    }
    const double det = aa * bb - ab * ab;
    candidates.emplace_back((ya * bb - yb * ab) / det, (yb * aa - ya * ab) / det);
    double best = 1e300;
    for (const auto& [a, b] : candidates)
    {
        if (a >= 0 && a <= 1 && b >= 0 && b <= 1)
        {
            best = std::min(best, cost(a, b));
        }
    }
    return best;
}

} // namespace

TEST(StochasticRegression, EqualsTheExactSolutionForTwo)
{
    std::mt19937 rng(1);
    uint32_t constrained = 0;
    for (uint32_t trial = 0; trial < 300; ++trial)
    {
        std::vector<Vector> xs;
        std::vector<Vector> ys;
        Vector ws;
        StochasticRegression regression;
        for (uint32_t t = 0; t < 2 + trial % 5; ++t)
        {
            xs.push_back(DrawShares(rng, 2));
            ys.push_back(DrawShares(rng, 2));
            ws.push_back(0.5 + static_cast<double>(rng() % 100) / 100);
            regression.Add(xs.back(), ys.back(), ws.back());
        }
        Matrix<double> p(2, 2, 0.5);
        const double gap = regression.Fit(p, 20000, 1e-13);
        EXPECT_LE(gap, 1e-9);
        ExpectColumnStochastic(p);
        constrained += p(0, 0) < 1e-9 || p(0, 0) > 1 - 1e-9 || p(0, 1) < 1e-9 || p(0, 1) > 1 - 1e-9;
        // Both rows err alike: half of twice the error of the first.
        EXPECT_NEAR(regression.GetObjective(p), SolveTwoByTwo(xs, ys, ws), 1e-9);
    }
    EXPECT_GT(constrained, 50U);
    EXPECT_LT(constrained, 300U);
}

// Loads that do follow a matrix give it back, once there are n independent ones.
TEST(StochasticRegression, FindsAPlantedMatrix)
{
    std::mt19937 rng(2);
    for (const std::size_t n : {3U, 5U, 8U})
    {
        const Matrix<double> planted = DrawStochastic(rng, n);
        StochasticRegression regression;
        for (std::size_t t = 0; t < 40 * n; ++t)
        {
            Vector x(n, 0.0);
            x[rng() % n] = 1.0;
            regression.Add(x, Apply(planted, x), 1.0);
        }
        Matrix<double> p(n, n, 1.0 / static_cast<double>(n));
        EXPECT_LE(regression.Fit(p, 5000, 1e-14), 1e-10);
        for (std::size_t i = 0; i < p.Data().size(); ++i)
        {
            EXPECT_NEAR(p.Data()[i], planted.Data()[i], 1e-6);
        }
    }
}

// The gap is a certificate: no feasible matrix that is drawn is better by more than it.
TEST(StochasticRegression, TheGapBoundsWhatIsLeftToGain)
{
    std::mt19937 rng(3);
    StochasticRegression regression;
    for (uint32_t t = 0; t < 4; ++t)
    {
        regression.Add(DrawShares(rng, 6), DrawShares(rng, 6), 1.0);
    }
    Matrix<double> p(6, 6, 1.0 / 6);
    const double gap = regression.Fit(p, 3, 0.0);
    EXPECT_GT(gap, 0.0);
    Matrix<double> best(6, 6, 1.0 / 6);
    EXPECT_LE(regression.Fit(best, 20000, 1e-12), 1e-9);
    EXPECT_GE(regression.GetObjective(p) - regression.GetObjective(best), 0.0);
    EXPECT_LE(regression.GetObjective(p) - regression.GetObjective(best), gap + 1e-12);
    for (uint32_t trial = 0; trial < 1000; ++trial)
    {
        EXPECT_GE(regression.GetObjective(DrawStochastic(rng, 6)),
                  regression.GetObjective(best) - 1e-9);
    }
}

TEST(StochasticRegression, ProjectsToTheClosestPointOfTheSimplex)
{
    Vector v{0.2, 0.3, 0.5};
    StochasticRegression::ProjectToSimplex(v);
    EXPECT_NEAR(v[0], 0.2, 1e-15);
    v = {2.0, 0.0, 0.0};
    StochasticRegression::ProjectToSimplex(v);
    EXPECT_EQ(v, (Vector{1.0, 0.0, 0.0}));
    v = {0.0, 0.0};
    StochasticRegression::ProjectToSimplex(v);
    EXPECT_EQ(v, (Vector{0.5, 0.5}));
    v = {1.0, 0.5, -1.0}; // shift by 1/4
    StochasticRegression::ProjectToSimplex(v);
    EXPECT_EQ(v, (Vector{0.75, 0.25, 0.0}));
}

namespace
{

constexpr std::size_t SERVERS = 4;

AllToAllId
Dispatch(uint32_t iteration, uint32_t layer, uint32_t microBatch = 0)
{
    return {iteration, layer, microBatch, AllToAllPhase::FORWARD_DISPATCH, 0};
}

/// @return a dispatch in which every server sends the same load
DemandMatrix
Spread(const Vector& load)
{
    DemandMatrix demand(SERVERS, SERVERS, 0);
    for (std::size_t s = 0; s < SERVERS; ++s)
    {
        for (std::size_t d = 0; d < SERVERS; ++d)
        {
            demand(s, d) = s == d ? 0 : static_cast<uint64_t>(load[d] * 1e9);
        }
    }
    return demand;
}

/// @return server that receives most
std::size_t
GetHottest(const DemandMatrix& demand)
{
    Vector received(SERVERS, 0.0);
    for (std::size_t s = 0; s < SERVERS; ++s)
    {
        for (std::size_t d = 0; d < SERVERS; ++d)
        {
            received[d] += static_cast<double>(demand(s, d));
        }
    }
    return std::max_element(received.begin(), received.end()) - received.begin();
}

} // namespace

// The hot server of layer 1 is the one after the hot server of layer 0, which is drawn anew every
// micro-batch: the copilot learns it, memory of the layer alone cannot.
TEST(CopilotDemandPredictor, LearnsARuleBetweenLayers)
{
    std::mt19937 rng(4);
    Ptr<CopilotDemandPredictor> copilot = CreateObject<CopilotDemandPredictor>();
    copilot->SetAttribute("Window", UintegerValue(32));
    Ptr<LastIterationDemandPredictor> memory = CreateObject<LastIterationDemandPredictor>();
    uint32_t copilotRight = 0;
    uint32_t memoryRight = 0;
    uint32_t asked = 0;
    for (uint32_t iteration = 0; iteration < 60; ++iteration)
    {
        const std::size_t hot = rng() % SERVERS;
        Vector first(SERVERS, 0.1);
        Vector second(SERVERS, 0.1);
        first[hot] = 0.7;
        second[(hot + 1) % SERVERS] = 0.7;
        copilot->Observe(Dispatch(iteration, 0), Spread(first));
        memory->Observe(Dispatch(iteration, 0), Spread(first));
        if (iteration >= 20)
        {
            ++asked;
            copilotRight +=
                GetHottest(*copilot->Predict(Dispatch(iteration, 1))) == (hot + 1) % SERVERS;
            memoryRight +=
                GetHottest(*memory->Predict(Dispatch(iteration, 1))) == (hot + 1) % SERVERS;
        }
        copilot->Observe(Dispatch(iteration, 1), Spread(second));
        memory->Observe(Dispatch(iteration, 1), Spread(second));
    }
    EXPECT_EQ(copilotRight, asked);
    EXPECT_LT(memoryRight, asked / 2);
}

// Without the layer before it (the first of a stage), the weighted mean of its own loads; every
// server sends what it sent last, to the byte but for rounding.
TEST(CopilotDemandPredictor, FallsBackToTheMeanOfTheLayer)
{
    Ptr<CopilotDemandPredictor> copilot = CreateObject<CopilotDemandPredictor>();
    copilot->SetAttribute("Decay", DoubleValue(1.0));
    EXPECT_EQ(copilot->Predict(Dispatch(0, 3)), nullptr);
    copilot->Observe(Dispatch(0, 3), Spread({0.4, 0.2, 0.2, 0.2}));
    copilot->Observe(Dispatch(0, 3, 1), Spread({0.2, 0.4, 0.2, 0.2}));
    const DemandMatrix* predicted = copilot->Predict(Dispatch(1, 3));
    ASSERT_NE(predicted, nullptr);
    for (std::size_t s = 0; s < SERVERS; ++s)
    {
        uint64_t sum = 0;
        uint64_t sent = 0;
        const DemandMatrix last = Spread({0.2, 0.4, 0.2, 0.2});
        for (std::size_t d = 0; d < SERVERS; ++d)
        {
            sum += (*predicted)(s, d);
            sent += last(s, d);
        }
        EXPECT_EQ((*predicted)(s, s), 0U);
        EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(sent), 4.0);
    }
    EXPECT_EQ((*predicted)(2, 0), (*predicted)(2, 1));
    EXPECT_GT((*predicted)(2, 0), (*predicted)(2, 3));
    // Nothing sent teaches nothing.
    copilot->Observe(Dispatch(2, 3), DemandMatrix(SERVERS, SERVERS, 0));
    EXPECT_NE(copilot->Predict(Dispatch(2, 3)), nullptr);
}

TEST(AverageDemandPredictor, ForgetsExponentially)
{
    Ptr<AverageDemandPredictor> average = CreateObject<AverageDemandPredictor>();
    average->SetAttribute("Weight", DoubleValue(0.5));
    EXPECT_EQ(average->Predict(Dispatch(0, 0)), nullptr);
    const auto send = [](uint64_t bytes) {
        DemandMatrix demand(2, 2, 0);
        demand(0, 1) = bytes;
        return demand;
    };
    average->Observe(Dispatch(0, 0), send(100));
    average->Observe(Dispatch(1, 0), send(200));
    average->Observe(Dispatch(2, 0), send(400)); // 100, 150, 275
    EXPECT_EQ(*average->Predict(Dispatch(3, 0)), send(275));
    EXPECT_EQ(average->Predict(Dispatch(3, 1)), nullptr);
}

TEST(UniformDemandPredictor, SpreadsTheBytesEvenly)
{
    Ptr<UniformDemandPredictor> uniform = CreateObject<UniformDemandPredictor>();
    EXPECT_EQ(uniform->Predict(Dispatch(0, 0)), nullptr);
    DemandMatrix demand(3, 3, 0);
    demand(0, 1) = 60;
    uniform->Observe(Dispatch(0, 0), demand);
    DemandMatrix even(3, 3, 10);
    even(0, 0) = even(1, 1) = even(2, 2) = 0;
    EXPECT_EQ(*uniform->Predict(Dispatch(0, 5)), even);
}

TEST(PredictionScore, CountsHitsAndMisplacedBytes)
{
    DemandMatrix actual(3, 3, 0);
    actual(0, 1) = 60;
    actual(1, 2) = 30;
    actual(2, 0) = 10;
    actual(1, 1) = 1000; // what stays at home does not count
    EXPECT_EQ(GetReceiveShares(actual), (Vector{0.1, 0.6, 0.3}));
    EXPECT_EQ(ScorePrediction(actual, actual, 2).top, 1.0);
    EXPECT_EQ(ScorePrediction(actual, actual, 2).error, 0.0);
    DemandMatrix predicted(3, 3, 0);
    predicted(0, 1) = 5; // 0.5 for server 1, 0.5 for server 0: 0.1 + 0.3 too little, 0.4 too much
    predicted(1, 0) = 5;
    const PredictionScore score = ScorePrediction(predicted, actual, 2);
    EXPECT_DOUBLE_EQ(score.top, 0.5);
    EXPECT_NEAR(score.error, 0.4, 1e-12);
    EXPECT_TRUE(GetReceiveShares(DemandMatrix(3, 3, 0)).empty());
}
