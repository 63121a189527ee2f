/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STAGE_PROGRAM_H
#define STAGE_PROGRAM_H

#include "parallel-layout.h"
#include "training-records.h"

#include "ns3/demand.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// One operation of a pass.
struct StageStep
{
    OpKind kind{OpKind::ATTENTION};                       //!< what
    uint32_t layer{OpRecord::NONE};                       //!< layer of the model
    uint32_t moeLayer{OpRecord::NONE};                    //!< counted among MoE layers
    uint32_t slot{0};                                     //!< counted among the stage's MoE layers
    AllToAllPhase phase{AllToAllPhase::FORWARD_DISPATCH}; //!< of an all-to-all
    bool scatters{false};                                 //!< CONTEXT_EXCHANGE: of gradients
    bool recomputed{false};                               //!< comes again in a backward pass
};

/**
 * @ingroup mixnet
 * What a virtual stage does for one micro-batch:
 *
 *     forward   per layer: ATTENTION, GATE, DISPATCH, EXPERT, COMBINE, SHARED
 *               (dense: ATTENTION, DENSE)
 *               last virtual stage: HEAD
 *     backward  last virtual stage: HEAD
 *               per layer from the last: SHARED, COMBINE (same bytes as the dispatch), EXPERT,
 *               DISPATCH (transposed), GATE, ATTENTION   (dense: DENSE, ATTENTION)
 *     weight    the compute of the backward pass, nothing that is sent between ranks
 *
 * With CP a CONTEXT_EXCHANGE gathers keys and values before every ATTENTION, and one after every
 * backward ATTENTION scatters their gradients.
 *
 * With recomputation, a layer's backward steps (those of the inputs, where they are split) follow
 * what is recomputed of its forward ones.
 *
 * Without EP (a single rank) there is no all-to-all, without shared experts no SHARED. Shared
 * experts follow the combine and overlap with nothing, as in Megatron-Core unless it is told
 * otherwise.
 */
struct StageProgram
{
    std::vector<StageStep> forward;  //!< forward pass
    std::vector<StageStep> backward; //!< backward pass, whole or of the inputs only
    std::vector<StageStep> weight;   //!< backward pass of the weights only
    uint32_t slots{0};               //!< MoE layers of the virtual stage

    /// @param pass pass @return its steps
    const std::vector<StageStep>& Get(PassKind pass) const
    {
        return pass == PassKind::FORWARD           ? forward
               : pass == PassKind::WEIGHT_GRADIENT ? weight
                                                   : backward;
    }
};

/// @param recompute what comes again @param kind an operation of a stage program
/// @return true when it does
bool IsRecomputed(Recompute recompute, OpKind kind);

/// @param model model @param layout layout @param part virtual stage (the stage, without chunks)
/// @param recompute what backward passes do again @return its program
StageProgram MakeStageProgram(const ModelSpec& model,
                              const ParallelLayout& layout,
                              uint32_t part,
                              Recompute recompute = Recompute::NONE);

} // namespace ns3

#endif // STAGE_PROGRAM_H
