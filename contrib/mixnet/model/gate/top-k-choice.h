/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOP_K_CHOICE_H
#define TOP_K_CHOICE_H

#include "choice-polynomials.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/// What the experts of a token have in common with those of all others.
struct TopKShape
{
    std::vector<uint32_t> groups{0, 1}; //!< first expert of every group, and the end
    uint32_t topK{1};                   //!< experts of a token, at most all
    uint32_t groupLimit{0};             //!< most groups that have experts of one token; 0: any

    /// @return number of experts
    uint32_t GetNExperts() const
    {
        return groups.back();
    }
};

/**
 * @param experts experts @param groups groups of consecutive experts, that divide them
 * @param topK experts of a token @param limit most groups that have experts of one token; 0: any
 * @return the shape; of one group when the limit leaves nothing out
 */
TopKShape MakeTopKShape(uint32_t experts, uint32_t groups, uint32_t topK, uint32_t limit);

/**
 * @ingroup mixnet
 * The k experts of a token when nothing is known but how often each is chosen: the distribution of
 * largest entropy, which is conditional Bernoulli sampling (Chen, Dempster, Liu, "Weighted finite
 * population sampling to maximize entropy", Biometrika 81, 1994),
 *
 *     P(experts A) = product of odds(e) over e in A / Z,  |A| = k,
 *     Z = [x^k] product over all e of (1 + odds(e) x) = e_k(odds).
 *
 * With a group limit M (node-limited routing: DeepSeek-V3, section 2.1.2) only those A count that
 * lie in at most M groups: with A_g(x) = product over e in g of (1 + odds(e) x),
 *
 *     Z = [x^k, y^0 + ... + y^M] product over g of (1 + y (A_g(x) - 1)).
 *
 * That a token has no expert of a set S has the probability Z without S / Z; that its copies of e
 * go elsewhere with probability f is odds(e) f in place of odds(e). All of it are sums and products
 * of positive numbers: no cancellation, no exp, log or pow, O(experts x k) each.
 */
class TopKChoice
{
  public:
    /// @param shape experts in groups; all experts can be chosen within the limit
    void Configure(const TopKShape& shape);

    /// @param odds by expert, relative to each other, not below 0, at least topK above 0 within
    /// the limit @return false when no choice is possible
    bool SetOdds(const std::vector<double>& odds);

    /**
     * Find the odds that choose every expert as often as wanted, to 1e-5 of all copies: again and
     * again the odds of an expert are multiplied by the ratio of both odds of inclusion, those of a
     * group by how much more or less it is chosen, by less when that leads away; at most 64 times.
     * What no choice can have (an expert in more than every token, more groups than the limit) is
     * approached.
     *
     * @param inclusion by expert: probability wanted, adding up to topK
     * @return false when no choice is possible
     */
    bool Fit(const std::vector<double>& inclusion);

    /// @return by expert: probability that it is one of a token's
    const std::vector<double>& GetInclusion() const
    {
        return m_inclusion;
    }

    /// @return steps of the last Fit()
    uint32_t GetNSteps() const
    {
        return m_steps;
    }

    /// @param group a group @param first first expert @param last behind the last, both of it
    /// @return probability that a token has none of these experts; O(topK)
    double GetMissed(uint32_t group, uint32_t first, uint32_t last) const;

    /// @param kept by expert: the share of its copies that does not count
    /// @return probability that no copy of a token counts; O(experts x topK)
    double GetMissed(const std::vector<double>& kept);

  private:
    /// @param position expert + group, since a group has one more position than experts
    /// @return coefficient 0 there @param table m_before or m_after
    double* At(std::vector<double>& table, std::size_t position) const
    {
        return &table[position * (m_shape.topK + 1)];
    }

    const double* At(const std::vector<double>& table, std::size_t position) const
    {
        return &table[position * (m_shape.topK + 1)];
    }

    /// @param a coefficients of a polynomial, multiplied by 1 + odds x
    void Multiply(double* a, double odds) const;
    /// @return [x^k, any y] of a product of groups @param product coefficients [y][x]
    double GetTotal(const double* product) const;
    /// Fill m_before, m_groupsUpTo and m_total.
    void Forward();
    /// Fill m_after, m_groupsFrom and m_inclusion.
    void Backward();
    /// @param group a group @param mean its copies of a token @return mean / variance
    double GetGroupPower(uint32_t group, double mean) const;
    /// @return how far m_inclusion is from m_wanted, added up
    double GetDistance() const;
    /// Fill m_factors: what to multiply the odds by.
    void FindFactors();

    TopKShape m_shape;                         //!< experts and limit
    const ChoicePolynomials* m_loops{nullptr}; //!< of top-k
    std::size_t m_side{0};                     //!< coefficients [y][x] of a product of groups
    std::vector<double> m_odds;                //!< by expert, adding up to topK
    std::vector<double> m_inclusion;           //!< by expert
    std::vector<double> m_before;              //!< by position: polynomial
    std::vector<double> m_after;               //!< by position: weights of coefficients
    std::vector<double> m_groupsUpTo;          //!< by group, and the end: product of those before
    std::vector<double> m_groupsFrom;  //!< by group, and the end: weights of its coefficients
    std::vector<double> m_weight;      //!< scratch: a polynomial
    std::vector<double> m_wanted;      //!< scratch: by expert
    std::vector<double> m_next;        //!< scratch: odds by expert
    std::vector<double> m_from;        //!< scratch: odds of the closest step
    std::vector<double> m_factors;     //!< scratch: from there on
    std::vector<double> m_products[2]; //!< scratch: products of groups
    double m_total{0};                 //!< Z
    uint32_t m_steps{0};               //!< of the last fit
};

} // namespace ns3

#endif // TOP_K_CHOICE_H
