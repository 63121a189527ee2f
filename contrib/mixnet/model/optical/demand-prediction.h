/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_DEMAND_PREDICTION_H
#define MIXNET_DEMAND_PREDICTION_H

#include "prediction-score.h"

#include "ns3/demand.h"
#include "ns3/mixnet-byte-count.h"
#include "ns3/mixnet-ids.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/// @ingroup mixnet
/// A dispatch that a policy planned from a prediction, and what it really sends.
struct DemandPrediction
{
    Time time;             //!< when the dispatch was ready
    RegionId region;       //!< region of the controller
    AllToAllId id;         //!< the dispatch
    uint32_t top{0};       //!< receivers compared: a quarter of the region's servers, at least one
    PredictionScore score; //!< how well it was predicted
    ByteCount bytes;       //!< between servers, really
    Time finish; //!< predicted finish time of the real bytes with the circuits there are, or to be
                 //!< lit by what is under way; Time::Max(): bytes without a way
};

} // namespace ns3

#endif // MIXNET_DEMAND_PREDICTION_H
