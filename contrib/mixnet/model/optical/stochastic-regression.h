/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STOCHASTIC_REGRESSION_H
#define STOCHASTIC_REGRESSION_H

#include "ns3/mixnet-matrix.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * The regression of MixNet-Copilot (paper, appendix B.1): the column-stochastic matrix P (entries 0
 * to 1, every column adds up to 1) that minimises 1/2 the sum over t of w_t |Y_t - P X_t|^2.
 *
 * It is convex; Fit() is an accelerated projected gradient (Beck and Teboulle, SIAM J. Imaging
 * Sciences 2(1), 2009) with a restart whenever the objective rises, every column projected onto the
 * simplex (Duchi et al., ICML 2008). A step costs O(n^2 x samples). Pure; additions, products,
 * quotients and comparisons only.
 *
 * Where the samples leave P open (fewer than n independent ones) the result depends on where Fit()
 * starts: it moves no further from there than the samples ask for.
 */
class StochasticRegression
{
  public:
    /// @param x n inputs, none negative @param y n outputs @param weight weight, above zero
    void Add(const std::vector<double>& x, const std::vector<double>& y, double weight);

    /**
     * @param p in: column-stochastic start, n x n; out: the best one found
     * @param steps most gradient steps
     * @param tolerance stop when no P can lower the objective by more than this
     * @return upper bound of what is left to gain: the Frank-Wolfe duality gap of p, at least zero
     */
    double Fit(Matrix<double>& p, uint32_t steps, double tolerance) const;

    /// @param p column-stochastic @return the objective
    double GetObjective(const Matrix<double>& p) const;

    /// @param column values; out: the closest point with entries from 0 that add up to 1
    static void ProjectToSimplex(std::vector<double>& column);

  private:
    /// Weighted inputs and outputs.
    struct Sample
    {
        std::vector<double> x; //!< inputs
        std::vector<double> y; //!< outputs
        double weight;         //!< weight
    };

    /// @return bound of the gradient's slope: the largest row sum of sum w X X', which is symmetric
    /// with entries from 0
    double GetSlope() const;
    /// @param p a matrix @param errors out: w (P X - Y), a row per sample
    /// @return the objective
    double FindErrors(const Matrix<double>& p, Matrix<double>& errors) const;
    /// @param errors of a matrix @param gradient out: sum over the samples of error x X'
    void FindGradient(const Matrix<double>& errors, Matrix<double>& gradient) const;
    /// @param p column-stochastic @param gradient there @return Frank-Wolfe gap
    static double GetGap(const Matrix<double>& p, const Matrix<double>& gradient);
    /// @param from a matrix @param gradient there @param slope length of the step: 1 / slope
    /// @param to out: the step, projected
    static void Step(const Matrix<double>& from,
                     const Matrix<double>& gradient,
                     double slope,
                     Matrix<double>& to);

    std::vector<Sample> m_samples; //!< as added
};

} // namespace ns3

#endif // STOCHASTIC_REGRESSION_H
