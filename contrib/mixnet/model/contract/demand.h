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

/**
 * The four all-to-alls of an MoE layer and micro-batch, in order of time (paper, section 5.1), and
 * the two that come again before the backward pass where the forward pass is recomputed.
 */
enum class AllToAllPhase : uint8_t
{
    FORWARD_DISPATCH,    //!< tokens to experts
    FORWARD_COMBINE,     //!< results back (transposed)
    RECOMPUTED_DISPATCH, //!< tokens to experts again
    RECOMPUTED_COMBINE,  //!< results back again (transposed)
    BACKWARD_COMBINE,    //!< gradients of the combine: same direction as dispatch
    BACKWARD_DISPATCH    //!< gradients of the dispatch (transposed)
};

/// @param p phase @return true when it carries the transpose of the dispatch
inline bool
IsTransposed(AllToAllPhase p)
{
    return p == AllToAllPhase::FORWARD_COMBINE || p == AllToAllPhase::RECOMPUTED_COMBINE ||
           p == AllToAllPhase::BACKWARD_DISPATCH;
}

/// @param p phase @return true when it is part of a backward pass, recomputed ones too
inline bool
IsBackward(AllToAllPhase p)
{
    return p >= AllToAllPhase::RECOMPUTED_DISPATCH;
}

/// @param p phase @return true when it comes again
inline bool
IsRecomputed(AllToAllPhase p)
{
    return p == AllToAllPhase::RECOMPUTED_DISPATCH || p == AllToAllPhase::RECOMPUTED_COMBINE;
}

/// @param p phase @return "forward-dispatch" ...
const char* GetName(AllToAllPhase p);

/// Names one all-to-all of a region.
struct AllToAllId
{
    uint32_t iteration{0};                                //!< training iteration
    uint32_t layer{0};                                    //!< MoE layer of the model
    uint32_t microBatch{0};                               //!< micro-batch
    AllToAllPhase phase{AllToAllPhase::FORWARD_DISPATCH}; //!< which of its layer
    uint32_t group{0};                                    //!< EP group: replica x stages + stage;
                                                          //!< a region may hold several
};

} // namespace ns3

#endif // MIXNET_DEMAND_H
