/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "stochastic-regression.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace ns3
{

void
StochasticRegression::Add(const std::vector<double>& x, const std::vector<double>& y, double weight)
{
    m_samples.push_back({x, y, weight});
}

double
StochasticRegression::GetSlope() const
{
    std::vector<double> rows;
    for (const Sample& s : m_samples)
    {
        rows.resize(s.x.size(), 0.0);
        const double sum = std::accumulate(s.x.begin(), s.x.end(), 0.0);
        for (std::size_t i = 0; i < s.x.size(); ++i)
        {
            rows[i] += s.weight * s.x[i] * sum;
        }
    }
    return rows.empty() ? 0.0 : *std::max_element(rows.begin(), rows.end());
}

double
StochasticRegression::FindErrors(const Matrix<double>& p, Matrix<double>& errors) const
{
    const std::size_t n = p.Rows();
    double objective = 0;
    for (std::size_t t = 0; t < m_samples.size(); ++t)
    {
        const Sample& s = m_samples[t];
        for (std::size_t i = 0; i < n; ++i)
        {
            double error = -s.y[i];
            for (std::size_t j = 0; j < n; ++j)
            {
                error += p(i, j) * s.x[j];
            }
            objective += s.weight * error * error / 2;
            errors(t, i) = s.weight * error;
        }
    }
    return objective;
}

void
StochasticRegression::FindGradient(const Matrix<double>& errors, Matrix<double>& gradient) const
{
    const std::size_t n = gradient.Rows();
    std::fill(gradient.Data().begin(), gradient.Data().end(), 0.0);
    for (std::size_t t = 0; t < m_samples.size(); ++t)
    {
        const std::vector<double>& x = m_samples[t].x;
        for (std::size_t i = 0; i < n; ++i)
        {
            const double error = errors(t, i);
            for (std::size_t j = 0; j < n; ++j)
            {
                gradient(i, j) += error * x[j];
            }
        }
    }
}

double
StochasticRegression::GetGap(const Matrix<double>& p, const Matrix<double>& gradient)
{
    double gap = 0;
    for (std::size_t j = 0; j < p.Columns(); ++j)
    {
        double now = 0;
        double least = gradient(0, j);
        for (std::size_t i = 0; i < p.Rows(); ++i)
        {
            now += gradient(i, j) * p(i, j);
            least = std::min(least, gradient(i, j));
        }
        gap += std::max(now - least, 0.0);
    }
    return gap;
}

double
StochasticRegression::GetObjective(const Matrix<double>& p) const
{
    Matrix<double> errors(m_samples.size(), p.Rows());
    return FindErrors(p, errors);
}

void
StochasticRegression::ProjectToSimplex(std::vector<double>& column)
{
    std::vector<double> sorted = column;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    double sum = 0;
    double shift = 0;
    for (std::size_t k = 0; k < sorted.size(); ++k)
    {
        sum += sorted[k];
        const double candidate = (sum - 1) / static_cast<double>(k + 1);
        if (sorted[k] > candidate)
        {
            shift = candidate;
        }
    }
    for (double& v : column)
    {
        v = std::max(v - shift, 0.0);
    }
}

void
StochasticRegression::Step(const Matrix<double>& from,
                           const Matrix<double>& gradient,
                           double slope,
                           Matrix<double>& to)
{
    const std::size_t n = from.Rows();
    std::vector<double> column(n);
    for (std::size_t j = 0; j < n; ++j)
    {
        for (std::size_t i = 0; i < n; ++i)
        {
            column[i] = from(i, j) - gradient(i, j) / slope;
        }
        ProjectToSimplex(column);
        for (std::size_t i = 0; i < n; ++i)
        {
            to(i, j) = column[i];
        }
    }
}

double
StochasticRegression::Fit(Matrix<double>& p, uint32_t steps, double tolerance) const
{
    const std::size_t n = p.Rows();
    const double slope = GetSlope();
    Matrix<double> errors(m_samples.size(), n);
    Matrix<double> gradient(n, n);
    double objective = FindErrors(p, errors);
    FindGradient(errors, gradient);
    double gap = GetGap(p, gradient);
    Matrix<double> ahead = p;
    Matrix<double> next(n, n);
    uint32_t run = 1; // steps since the start or the last restart
    for (uint32_t step = 0; step < steps && gap > tolerance; ++step)
    {
        FindErrors(ahead, errors);
        FindGradient(errors, gradient);
        Step(ahead, gradient, slope, next);
        const double reached = FindErrors(next, errors);
        if (reached > objective && run > 1)
        {
            run = 1;
            ahead = p;
            continue;
        }
        const double momentum = (run - 1.0) / (run + 2.0);
        for (std::size_t i = 0; i < next.Data().size(); ++i)
        {
            ahead.Data()[i] = next.Data()[i] + momentum * (next.Data()[i] - p.Data()[i]);
        }
        std::swap(p, next);
        objective = reached;
        ++run;
        FindGradient(errors, gradient);
        gap = GetGap(p, gradient);
    }
    return gap;
}

} // namespace ns3
