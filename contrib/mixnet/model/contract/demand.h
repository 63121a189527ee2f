/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_DEMAND_H
#define MIXNET_DEMAND_H

#include "ns3/mixnet-byte-count.h"
#include "ns3/mixnet-matrix.h"

#include <cstdint>

namespace ns3
{

/**
 * Bytes that a region's servers send to each other in one all-to-all: row = sending server, column
 * = receiving server, both as indices into the region's servers; the diagonal is ignored.
 */
using DemandMatrix = Matrix<uint64_t>;

/// The four all-to-alls of an MoE layer and micro-batch, in order of time (paper, section 5.1).
enum class AllToAllPhase : uint8_t
{
    FORWARD_DISPATCH, //!< tokens to experts
    FORWARD_COMBINE,  //!< results back (transposed)
    BACKWARD_COMBINE, //!< gradients of the combine: same direction as dispatch
    BACKWARD_DISPATCH //!< gradients of the dispatch (transposed)
};

/// @param p phase @return "forward-dispatch" ...
const char* GetName(AllToAllPhase p);

/// Names one all-to-all of a region.
struct AllToAllId
{
    uint32_t iteration{0};                                //!< training iteration
    uint32_t layer{0};                                    //!< MoE layer of the model
    uint32_t microBatch{0};                               //!< micro-batch
    AllToAllPhase phase{AllToAllPhase::FORWARD_DISPATCH}; //!< which of the four
    uint32_t group{0};                                    //!< EP group: replica x stages + stage;
                                                          //!< a region may hold several
};

} // namespace ns3

#endif // MIXNET_DEMAND_H
