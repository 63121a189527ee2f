/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OP_WORK_H
#define OP_WORK_H

#include "training-job.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/// What a GPU computes.
enum class WorkKind : uint8_t
{
    ATTENTION,     //!< projections and causal attention of a layer
    GATE,          //!< router of an MoE layer
    EXPERT,        //!< one expert on the copies that it received
    SHARED,        //!< shared experts of an MoE layer
    DENSE,         //!< MLP of a dense layer
    HEAD,          //!< logits of the last stage
    ATTENTION_CORE //!< scores and values of attention, where they are recomputed
};

constexpr std::size_t N_WORK_KINDS = 7; //!< number of kinds

/// @param k kind @return "attention", "gate", "expert", "shared-experts", "dense", "head",
/// "attention-core"
const char* GetName(WorkKind k);

/// @param job a job @return what its GPUs compute
std::vector<WorkKind> GetWorkKinds(const TrainingJob& job);

/**
 * @ingroup mixnet
 * Forward work of one GPU of a TP block (of an EP rank, for experts): a multiply-add counts as 2
 * FLOPs, bytes are those that must cross its memory once (weights, inputs, outputs). Values are
 * exact below 2^53.
 */
struct OpWork
{
    WorkKind kind{WorkKind::ATTENTION}; //!< what
    uint64_t tokens{0};                 //!< tokens or token copies of the TP block
    double flops{0};                    //!< per GPU
    double bytes{0};                    //!< per GPU
    double weightFlops{0};              //!< of the FLOPs, products with weights
};

/**
 * Attention of a micro-batch: 2 x attention weights per token, and causal scores and values,
 * 2 x (query + output size) per pair of positions i >= j, S(S+1)/2 pairs per sequence. Under TP all
 * of it is split, the latents of MLA as well (their down projections are small: 0.8 % of the layer
 * in DeepSeek-V3). TP ranks beyond the key and value heads hold copies of them. A rank of a CP
 * group has S/CP of the tokens and, since it has part r and part 2 CP - 1 - r of 2 CP, exactly 1/CP
 * of the pairs: with parts of c = S / (2 CP), c (r c + (2 CP - 1 - r) c) + c (c + 1) = c (S + 1).
 *
 * @param job the job @return its work
 */
OpWork MakeAttentionWork(const TrainingJob& job);

/// @param job the job @return scores and values of attention, without projections: the second part
/// of the FLOPs of MakeAttentionWork(); queries, keys, values in and their product out
OpWork MakeAttentionCoreWork(const TrainingJob& job);

/// @param job the job @return the router: 2 x hidden x experts per token
OpWork MakeGateWork(const TrainingJob& job);

/// @param job the job @param copies token copies received
/// @return one expert: 2 x its weights per copy; nothing without copies
OpWork MakeExpertWork(const TrainingJob& job, uint64_t copies);

/// @param job the job @return shared experts: 2 x their weights per token
OpWork MakeSharedWork(const TrainingJob& job);

/// @param job the job @return a dense layer's MLP: 2 x its weights per token
OpWork MakeDenseWork(const TrainingJob& job);

/// @param job the job @return the logits: 2 x hidden x vocabulary per token
OpWork MakeHeadWork(const TrainingJob& job);

} // namespace ns3

#endif // OP_WORK_H
