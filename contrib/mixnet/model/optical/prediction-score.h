/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PREDICTION_SCORE_H
#define PREDICTION_SCORE_H

#include "ns3/demand.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// How well a demand was predicted.
struct PredictionScore
{
    double top{0};   //!< share of the K busiest receivers that were predicted (paper, appendix B.1)
    double error{0}; //!< share of the bytes predicted for the wrong receiver: half the sum of
                     //!< |predicted - actual| over the receivers' shares, 0 to 1
    double pairs{0}; //!< the same over pairs of sender and receiver
};

/**
 * @param demand a dispatch
 * @return by server: the share of the bytes of others that it receives; empty when nothing is sent
 */
std::vector<double> GetReceiveShares(const DemandMatrix& demand);

/**
 * @ingroup mixnet
 * @param predicted a prediction with bytes
 * @param actual what was sent, with bytes, of the same size
 * @param k receivers to compare, 1 to the number of servers; ties go to the lower server
 * @return its score
 */
PredictionScore ScorePrediction(const DemandMatrix& predicted,
                                const DemandMatrix& actual,
                                uint32_t k);

} // namespace ns3

#endif // PREDICTION_SCORE_H
