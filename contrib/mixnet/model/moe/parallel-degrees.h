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
 * Degrees of parallelism; DP x TP x PP x EP is the number of GPUs. Context parallelism is folded
 * into the EP group as in Megatron-Core (arXiv 2504.14960, section 3): it consists of EP / CP
 * groups of CP ranks that share their sequences.
 */
struct ParallelDegrees
{
    uint32_t data{1};     //!< DP: replicas of the whole model, experts included
    uint32_t tensor{1};   //!< TP
    uint32_t pipeline{1}; //!< PP: stages
    uint32_t expert{1};   //!< EP
    uint32_t chunks{1};   //!< VPP: virtual stages (parts of consecutive layers) of a stage
    uint32_t context{1};  //!< CP: EP ranks that a sequence is cut over
    AxisOrder order{};    //!< which GPU is next to which

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

    /// @return DP x TP x PP x EP; UINT64_MAX for more
    uint64_t GetGpus() const;

    /// @return "DP 2 x TP 8 x PP 8 x EP 8 = 1024", with CP when it is above 1
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
