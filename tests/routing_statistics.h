/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROUTING_STATISTICS_H
#define ROUTING_STATISTICS_H

#include "ns3/mixnet-matrix.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace ns3
{

/// @param loads loads @return their Gini coefficient, sum_i (2 i - n - 1) x_i / (n sum x)
inline double
GetGini(std::vector<double> loads)
{
    std::sort(loads.begin(), loads.end());
    const double n = static_cast<double>(loads.size());
    double weighted = 0;
    for (std::size_t i = 0; i < loads.size(); ++i)
    {
        weighted += (2.0 * static_cast<double>(i + 1) - n - 1) * loads[i];
    }
    return weighted / (n * std::accumulate(loads.begin(), loads.end(), 0.0));
}

/// @param a numbers @param b as many @return Pearson's correlation
inline double
GetCorrelation(const std::vector<double>& a, const std::vector<double>& b)
{
    const double n = static_cast<double>(a.size());
    const double meanA = std::accumulate(a.begin(), a.end(), 0.0) / n;
    const double meanB = std::accumulate(b.begin(), b.end(), 0.0) / n;
    double ab = 0;
    double aa = 0;
    double bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
    {
        ab += (a[i] - meanA) * (b[i] - meanB);
        aa += (a[i] - meanA) * (a[i] - meanA);
        bb += (b[i] - meanB) * (b[i] - meanB);
    }
    return ab / std::sqrt(aa * bb);
}

/// @param pairs [rank][rank] @return share of the largest 30 % of the pairs off the diagonal
inline double
GetTopPairShare(const std::vector<double>& pairs, std::size_t ranks)
{
    std::vector<double> apart;
    for (std::size_t i = 0; i < pairs.size(); ++i)
    {
        if (i / ranks != i % ranks)
        {
            apart.push_back(pairs[i]);
        }
    }
    std::sort(apart.begin(), apart.end(), std::greater<double>());
    const auto top = std::lround(0.3 * static_cast<double>(apart.size()));
    return std::accumulate(apart.begin(), apart.begin() + top, 0.0) /
           std::accumulate(apart.begin(), apart.end(), 0.0);
}

/// Statistics of routing as `./mixnet trace` defines them; experts in contiguous groups per rank.
class RoutingStatistics
{
  public:
    /// @param ranks EP ranks
    explicit RoutingStatistics(std::size_t ranks)
        : m_ranks(ranks)
    {
    }

    /// @param layer layer, iterations of one after the other @param tokens [rank][expert]
    void Add(std::size_t layer, const Matrix<uint32_t>& tokens)
    {
        const std::size_t experts = tokens.Columns();
        if (layer == m_layers.size())
        {
            m_layers.push_back({std::vector<double>(experts), {}, {}});
        }
        Layer& l = m_layers.at(layer);
        std::vector<double> pairs(m_ranks * m_ranks);
        std::vector<double> received(m_ranks);
        for (std::size_t s = 0; s < m_ranks; ++s)
        {
            for (std::size_t e = 0; e < experts; ++e)
            {
                const std::size_t d = e * m_ranks / experts;
                l.load[e] += tokens(s, e);
                pairs[s * m_ranks + d] += tokens(s, e);
                received[d] += tokens(s, e);
            }
        }
        l.pairs.push_back(std::move(pairs));
        l.received.push_back(std::move(received));
    }

    /// @return Gini of the experts' load, mean over layers
    double GetExpertGini() const
    {
        return Mean([](const Layer& l) { return GetGini(l.load); });
    }

    /// @return largest over mean load of an expert, mean over layers
    double GetExpertSkew() const
    {
        return Mean([](const Layer& l) { return GetSkew(l.load); });
    }

    /// @return top-30 % pair share of the sum over iterations, mean over layers
    double GetTopShare() const
    {
        return Mean([this](const Layer& l) {
            std::vector<double> sum(m_ranks * m_ranks);
            for (const auto& pairs : l.pairs)
            {
                std::transform(sum.begin(), sum.end(), pairs.begin(), sum.begin(), std::plus<>());
            }
            return GetTopPairShare(sum, m_ranks);
        });
    }

    /// @return top-30 % pair share of an all-to-all, mean
    double GetTopShareSingle() const
    {
        return Mean([this](const Layer& l) {
            double sum = 0;
            for (const auto& pairs : l.pairs)
            {
                sum += GetTopPairShare(pairs, m_ranks);
            }
            return sum / static_cast<double>(l.pairs.size());
        });
    }

    /// @return largest over mean received by a rank in an all-to-all, mean
    double GetReceiveSkew() const
    {
        return Mean([](const Layer& l) {
            double sum = 0;
            for (const auto& received : l.received)
            {
                sum += GetSkew(received);
            }
            return sum / static_cast<double>(l.received.size());
        });
    }

    /// @return correlation of what ranks receive in consecutive iterations
    double GetReceiveCorrelation() const
    {
        return Mean([](const Layer& l) { return GetNextCorrelation(l.received); });
    }

    /// @return correlation of all pairs in consecutive iterations
    double GetPairCorrelation() const
    {
        return Mean([](const Layer& l) { return GetNextCorrelation(l.pairs); });
    }

    /// @return correlation of what ranks receive in adjacent layers
    double GetLayerCorrelation() const
    {
        double sum = 0;
        std::size_t n = 0;
        for (std::size_t l = 1; l < m_layers.size(); ++l)
        {
            for (std::size_t i = 0; i < m_layers[l].received.size(); ++i, ++n)
            {
                sum += GetCorrelation(m_layers[l - 1].received[i], m_layers[l].received[i]);
            }
        }
        return sum / static_cast<double>(n);
    }

  private:
    /// One layer.
    struct Layer
    {
        std::vector<double> load;                  //!< by expert, all iterations
        std::vector<std::vector<double>> pairs;    //!< by iteration
        std::vector<std::vector<double>> received; //!< by iteration
    };

    /// @param loads loads @return largest over mean
    static double GetSkew(const std::vector<double>& loads)
    {
        return *std::max_element(loads.begin(), loads.end()) * static_cast<double>(loads.size()) /
               std::accumulate(loads.begin(), loads.end(), 0.0);
    }

    /// @param series by iteration @return mean correlation of neighbors
    static double GetNextCorrelation(const std::vector<std::vector<double>>& series)
    {
        double sum = 0;
        for (std::size_t i = 1; i < series.size(); ++i)
        {
            sum += GetCorrelation(series[i - 1], series[i]);
        }
        return sum / static_cast<double>(series.size() - 1);
    }

    /// @param of statistic of a layer @return its mean over layers
    double Mean(const std::function<double(const Layer&)>& of) const
    {
        double sum = 0;
        for (const Layer& l : m_layers)
        {
            sum += of(l);
        }
        return sum / static_cast<double>(m_layers.size());
    }

    std::size_t m_ranks;         //!< EP ranks
    std::vector<Layer> m_layers; //!< by layer
};

} // namespace ns3

#endif // ROUTING_STATISTICS_H
