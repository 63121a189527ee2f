/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "prediction-score.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ns3
{

namespace
{

/// @return the k largest, ascending
std::vector<std::size_t>
FindTop(const std::vector<double>& shares, uint32_t k)
{
    std::vector<std::size_t> order(shares.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return shares[a] > shares[b];
    });
    order.resize(k);
    std::sort(order.begin(), order.end());
    return order;
}

/// @return half the sum of |predicted - actual| over the pairs' shares of the bytes between servers
double
GetPairError(const DemandMatrix& predicted, const DemandMatrix& actual)
{
    const auto sum = [](const DemandMatrix& m) {
        double bytes = 0;
        for (std::size_t s = 0; s < m.Rows(); ++s)
        {
            for (std::size_t d = 0; d < m.Columns(); ++d)
            {
                bytes += s == d ? 0 : static_cast<double>(m(s, d));
            }
        }
        return bytes > 0 ? bytes : 1;
    };
    const double p = sum(predicted);
    const double a = sum(actual);
    double error = 0;
    for (std::size_t s = 0; s < actual.Rows(); ++s)
    {
        for (std::size_t d = 0; d < actual.Columns(); ++d)
        {
            error += s == d ? 0
                            : std::fabs(static_cast<double>(predicted(s, d)) / p -
                                        static_cast<double>(actual(s, d)) / a) /
                                  2;
        }
    }
    return error;
}

} // namespace

std::vector<double>
GetReceiveShares(const DemandMatrix& demand)
{
    std::vector<uint64_t> received(demand.Columns(), 0);
    uint64_t sum = 0;
    for (std::size_t s = 0; s < demand.Rows(); ++s)
    {
        for (std::size_t d = 0; d < demand.Columns(); ++d)
        {
            received[d] += s == d ? 0 : demand(s, d);
            sum += s == d ? 0 : demand(s, d);
        }
    }
    std::vector<double> shares;
    for (std::size_t d = 0; d < received.size() && sum > 0; ++d)
    {
        shares.push_back(static_cast<double>(received[d]) / static_cast<double>(sum));
    }
    return shares;
}

PredictionScore
ScorePrediction(const DemandMatrix& predicted, const DemandMatrix& actual, uint32_t k)
{
    const std::vector<double> p = GetReceiveShares(predicted);
    const std::vector<double> a = GetReceiveShares(actual);
    MIXNET_CHECK(p.size() == a.size() && k > 0 && k <= a.size(),
                 "top " << k << " of " << p.size() << " predicted and " << a.size()
                        << " real receivers");
    PredictionScore score;
    for (std::size_t i = 0; i < a.size(); ++i)
    {
        score.error += std::fabs(p[i] - a[i]) / 2;
    }
    score.pairs = GetPairError(predicted, actual);
    const std::vector<std::size_t> x = FindTop(p, k);
    const std::vector<std::size_t> y = FindTop(a, k);
    std::vector<std::size_t> both;
    std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(both));
    score.top = static_cast<double>(both.size()) / k;
    return score;
}

} // namespace ns3
