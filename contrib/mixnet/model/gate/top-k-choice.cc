/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "top-k-choice.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

namespace
{

constexpr uint32_t MAX_STEPS = 64;   //!< of a fit
constexpr double AGREEMENT = 1e-5;   //!< of inclusion probabilities, added up
constexpr double LEAST = 1e-6;       //!< probability of what is never chosen, or not chosen
constexpr double LEAST_PART = 0.01;  //!< of a step that leads away
constexpr double HUGE_TOTAL = 1e300; //!< far from overflow

/// @param factor above 0 @param power above 0 @return about factor to this power, above 0
double
Damp(double factor, double power)
{
    return factor > 1 ? 1 + power * (factor - 1) : 1 / (1 + power * (1 / factor - 1));
}

} // namespace

TopKShape
MakeTopKShape(uint32_t experts, uint32_t groups, uint32_t topK, uint32_t limit)
{
    MIXNET_CHECK(groups > 0 && experts % groups == 0,
                 experts << " experts, " << groups << " groups");
    TopKShape shape{{0, experts}, topK, 0};
    if (limit > 0 && limit < std::min(groups, topK))
    {
        shape.groupLimit = limit;
        shape.groups.clear();
        for (uint32_t first = 0; first <= experts; first += experts / groups)
        {
            shape.groups.push_back(first);
        }
    }
    return shape;
}

void
TopKChoice::Configure(const TopKShape& shape)
{
    MIXNET_CHECK(shape.topK > 0 && shape.topK <= shape.GetNExperts(),
                 "top-" << shape.topK << " of " << shape.GetNExperts() << " experts");
    m_shape = shape;
    const auto groups = static_cast<uint32_t>(shape.groups.size() - 1);
    const uint32_t most = std::min(groups, shape.topK);
    m_shape.groupLimit = shape.groupLimit == 0 ? most : std::min(shape.groupLimit, most);
    const std::size_t terms = m_shape.topK + 1;
    const std::size_t nGroups = m_shape.groups.size() - 1;
    m_side = terms * (m_shape.groupLimit + 1);
    m_loops = &ChoicePolynomials::For(m_shape.topK);
    m_inclusion.assign(shape.GetNExperts(), 0);
    m_odds.assign(shape.GetNExperts(), 0);
    m_before.assign((shape.GetNExperts() + nGroups) * terms, 0);
    m_after.assign(m_before.size(), 0);
    m_groupsUpTo.assign((nGroups + 1) * m_side, 0);
    m_groupsFrom.assign((nGroups + 1) * m_side, 0);
    m_weight.assign(terms, 0);
    for (std::vector<double>* perExpert : {&m_wanted, &m_next, &m_from, &m_factors})
    {
        perExpert->assign(shape.GetNExperts(), 0);
    }
}

void
TopKChoice::Multiply(double* a, double odds) const
{
    for (uint32_t j = m_shape.topK; j > 0; --j)
    {
        a[j] += odds * a[j - 1];
    }
}

double
TopKChoice::GetTotal(const double* product) const
{
    double total = 0;
    for (uint32_t y = 0; y <= m_shape.groupLimit; ++y)
    {
        total += product[std::size_t(y) * (m_shape.topK + 1) + m_shape.topK];
    }
    return total;
}

void
TopKChoice::Forward()
{
    const uint32_t k = m_shape.topK;
    std::fill(m_groupsUpTo.begin(), m_groupsUpTo.begin() + m_side, 0.0);
    m_groupsUpTo[0] = 1;
    for (uint32_t g = 0; g + 1 < m_shape.groups.size(); ++g)
    {
        const uint32_t first = m_shape.groups[g];
        const uint32_t last = m_shape.groups[g + 1];
        double* before = At(m_before, first + g);
        std::fill(before, before + k + 1, 0.0);
        before[0] = 1;
        m_loops->extend(k, &m_odds[first], last - first, before);
        m_loops->multiplyGroup(k,
                               m_shape.groupLimit,
                               At(m_before, last + g),
                               &m_groupsUpTo[g * m_side],
                               &m_groupsUpTo[(g + 1) * m_side]);
    }
    m_total = GetTotal(&m_groupsUpTo[(m_shape.groups.size() - 1) * m_side]);
}

void
TopKChoice::Backward()
{
    const uint32_t k = m_shape.topK;
    const auto groups = static_cast<uint32_t>(m_shape.groups.size() - 1);
    double* end = &m_groupsFrom[groups * m_side];
    std::fill(end, end + m_side, 0.0);
    for (uint32_t y = 0; y <= m_shape.groupLimit; ++y)
    {
        end[std::size_t(y) * (k + 1) + k] = 1;
    }
    for (uint32_t g = groups; g-- > 0;)
    {
        const uint32_t first = m_shape.groups[g];
        const uint32_t last = m_shape.groups[g + 1];
        double* after = At(m_after, last + g);
        const double* next = &m_groupsFrom[(g + 1) * m_side];
        m_loops->weighGroup(k, m_shape.groupLimit, &m_groupsUpTo[g * m_side], next, after);
        m_loops->weigh(k,
                       &m_odds[first],
                       last - first,
                       At(m_before, first + g),
                       after,
                       &m_inclusion[first]);
        m_loops->weighFrom(k,
                           m_shape.groupLimit,
                           At(m_before, last + g),
                           next,
                           &m_groupsFrom[g * m_side]);
    }
    for (std::size_t e = 0; e < m_odds.size(); ++e)
    {
        m_inclusion[e] = m_odds[e] * m_inclusion[e] / m_total;
    }
}

bool
TopKChoice::SetOdds(const std::vector<double>& odds)
{
    MIXNET_CHECK(odds.size() == m_odds.size(),
                 odds.size() << " odds of " << m_odds.size() << " experts");
    const double sum = std::accumulate(odds.begin(), odds.end(), 0.0);
    for (std::size_t e = 0; e < odds.size(); ++e)
    {
        m_odds[e] = odds[e] * (m_shape.topK / sum);
    }
    Forward();
    if (!(m_total > 0) || !(m_total < HUGE_TOTAL))
    {
        return false;
    }
    Backward();
    return true;
}

double
TopKChoice::GetDistance() const
{
    double distance = 0;
    for (std::size_t e = 0; e < m_odds.size(); ++e)
    {
        distance += std::max(m_inclusion[e], m_wanted[e]) - std::min(m_inclusion[e], m_wanted[e]);
    }
    return distance;
}

bool
TopKChoice::Fit(const std::vector<double>& inclusion)
{
    double excess = -static_cast<double>(m_shape.topK); // what no choice can have
    for (std::size_t e = 0; e < inclusion.size(); ++e)
    {
        m_wanted[e] = std::min(std::max(inclusion[e], LEAST), 1 - LEAST);
        m_next[e] = m_wanted[e] / (1 - m_wanted[e]);
        excess += m_wanted[e];
    }
    if (!SetOdds(m_next))
    {
        return false;
    }
    const double least = std::max(excess, -excess) + AGREEMENT * m_shape.topK;
    double closest = GetDistance();
    double part = 1;
    m_from = m_odds;
    FindFactors();
    for (m_steps = 1; closest > least; ++m_steps)
    {
        if (m_steps == MAX_STEPS || part < LEAST_PART)
        {
            return SetOdds(m_from);
        }
        for (std::size_t e = 0; e < m_odds.size(); ++e)
        {
            m_next[e] = m_from[e] * Damp(m_factors[e], part);
        }
        const double distance = SetOdds(m_next) ? GetDistance() : closest;
        if (distance < closest)
        {
            closest = distance;
            part = std::min(part * 2, 1.0);
            m_from = m_odds;
            FindFactors();
        }
        else
        {
            part /= 2; // too far: less of the same
        }
    }
    return true;
}

void
TopKChoice::FindFactors()
{
    for (uint32_t g = 0; g + 1 < m_shape.groups.size(); ++g)
    {
        double is = 0;
        double wanted = 0;
        for (uint32_t e = m_shape.groups[g]; e < m_shape.groups[g + 1]; ++e)
        {
            is += m_inclusion[e];
            wanted += m_wanted[e];
        }
        const double group = Damp(wanted / is, GetGroupPower(g, is)) * is / wanted;
        for (uint32_t e = m_shape.groups[g]; e < m_shape.groups[g + 1]; ++e)
        {
            m_factors[e] = m_wanted[e] / m_inclusion[e] * group;
            if (m_shape.groups.size() == 2)
            {
                m_factors[e] *= std::max(1 - m_inclusion[e], LEAST) / (1 - m_wanted[e]);
            }
        }
    }
}

double
TopKChoice::GetGroupPower(uint32_t group, double mean) const
{
    const double* before = At(m_before, m_shape.groups[group + 1] + group);
    const double* after = At(m_after, m_shape.groups[group + 1] + group);
    double square = 0;
    for (uint32_t j = 1; j <= m_shape.topK; ++j)
    {
        square += before[j] * after[j] * (double(j) * j);
    }
    const double variance = square / m_total - mean * mean;
    return variance > mean / 4 ? mean / variance : 1;
}

double
TopKChoice::GetMissed(uint32_t group, uint32_t first, uint32_t last) const
{
    const double* before = At(m_before, first + group);
    const double* after = At(m_after, last + group);
    double missed = 0;
    for (uint32_t j = 0; j <= m_shape.topK; ++j)
    {
        missed += before[j] * after[j];
    }
    return missed / m_total;
}

double
TopKChoice::GetMissed(const std::vector<double>& kept)
{
    m_products[0].assign(m_side, 0);
    m_products[0][0] = 1;
    for (uint32_t g = 0; g + 1 < m_shape.groups.size(); ++g)
    {
        std::fill(m_weight.begin(), m_weight.end(), 0.0);
        m_weight[0] = 1;
        for (uint32_t e = m_shape.groups[g]; e < m_shape.groups[g + 1]; ++e)
        {
            Multiply(m_weight.data(), m_odds[e] * kept[e]);
        }
        m_products[1].resize(m_side);
        m_loops->multiplyGroup(m_shape.topK,
                               m_shape.groupLimit,
                               m_weight.data(),
                               m_products[0].data(),
                               m_products[1].data());
        m_products[0].swap(m_products[1]);
    }
    return GetTotal(m_products[0].data()) / m_total;
}

} // namespace ns3
