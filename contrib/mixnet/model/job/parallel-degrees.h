/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PARALLEL_DEGREES_H
#define PARALLEL_DEGREES_H

#include "axis-order.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup mixnet
 * Degrees of parallelism. A TP block is TP GPUs that share their layers outside of the experts; DP
 * x PP x TP blocks of an EP group x TP is the number of GPUs. Context parallelism is folded into
 * the EP group as in Megatron-Core (arXiv 2504.14960, section 3): it consists of groups of CP
 * blocks that share their sequences.
 *
 * An EP rank is a TP block, or with an expert TP (ETP) below TP a part of one: ETP GPUs that share
 * their experts and have ETP / TP of the block's tokens (the same paper's folding of TP).
 */
struct ParallelDegrees
{
    uint32_t data{1};          //!< DP: replicas of the whole model, experts included
    uint32_t tensor{1};        //!< TP
    uint32_t pipeline{1};      //!< PP: stages
    uint32_t expert{1};        //!< TP blocks of an EP group: EP when ETP is TP
    uint32_t chunks{1};        //!< VPP: virtual stages (parts of consecutive layers) of a stage
    uint32_t context{1};       //!< CP: TP blocks that a sequence is cut over
    AxisOrder order{};         //!< which GPU is next to which
    uint32_t ranksPerBlock{1}; //!< EP ranks of a TP block: TP / ETP

    /**
     * @param where file, for messages
     * @throws InputError showing the arithmetic when the degrees do not fit each other
     */
    void Validate(const std::string& where) const;

    /// @return PP x VPP: parts into which the layers are cut
    uint32_t GetParts() const
    {
        return pipeline * chunks;
    }

    /// @return EP: EP ranks of an EP group
    uint32_t GetExpertRanks() const
    {
        return expert * ranksPerBlock;
    }

    /// @return ETP: GPUs of an EP rank
    uint32_t GetExpertTensor() const
    {
        return tensor / ranksPerBlock;
    }

    /// @return DP x PP x EP x ETP; UINT64_MAX for more
    uint64_t GetGpus() const;

    /// @return "DP 2 x TP 8 x PP 8 x EP 8 = 1024", with CP when it is above 1; with ETP below TP
    /// "DP 2 x PP 8 x EP 8 x ETP 1 = 128, TP 4"
    std::string Describe() const;

    /// @param a axis @return its steps; of EP: CP groups in an EP group
    uint32_t GetSize(LayoutAxis a) const;

    /// @param a axis @return GPUs from one of its steps to the next
    uint32_t GetStride(LayoutAxis a) const;

    /// @return GPUs of the smallest aligned block that holds an EP group with its TP blocks
    uint32_t GetGroupBlock() const;
};

} // namespace ns3

#endif // PARALLEL_DEGREES_H
