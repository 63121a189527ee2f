/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOKEN_TRACE_H
#define TOKEN_TRACE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Recorded routing of a job: how many token copies each source rank sent to each destination, by
 * iteration and layer (the trace schema's /tokens). A source rank is an expert-parallel rank; a
 * count is a count of token copies unless it says otherwise. Plain data: the HDF5 reader fills it,
 * the gate reads it.
 *
 * Law: tokens holds iterations x layers x ranks x destinations counts, the destination fastest.
 */
struct TokenTrace
{
    uint32_t iterations{0};         //!< recorded iterations
    uint32_t layers{0};             //!< recorded MoE layers
    uint32_t ranks{0};              //!< source ranks
    uint32_t destinations{0};       //!< experts, or ranks when destinationIsExpert is false
    bool destinationIsExpert{true}; //!< what a destination is
    bool deduplicated{false};       //!< a count is of different tokens, not of copies
    std::string model;              //!< model that was recorded
    uint32_t topK{0};               //!< experts per token; 0: not known
    uint32_t hiddenSize{0};         //!< hidden size of the recorded model
    uint32_t bytesPerElement{0};    //!< bytes of an activation element
    uint32_t experts{0};            //!< experts of a layer
    std::string source;             //!< how it was recorded
    std::string licence;            //!< terms under which it may be used
    std::string path;               //!< file it was read from, for messages
    std::string contentHash;        //!< hash of the file's content, for the result's provenance
    std::vector<uint32_t> tokens;   //!< counts
    std::vector<uint32_t> tokensIn; //!< tokens by iteration, layer and rank; empty: not recorded

    /**
     * @param iteration recorded iteration
     * @param layer recorded layer
     * @param rank source rank
     * @return the destinations' counts, `destinations` of them
     */
    const uint32_t* Row(uint32_t iteration, uint32_t layer, uint32_t rank) const
    {
        return tokens.data() +
               ((static_cast<std::size_t>(iteration) * layers + layer) * ranks + rank) *
                   destinations;
    }

    /// @param iteration iteration @param layer layer @param rank source rank @param destination
    /// expert or rank @return token copies
    uint32_t At(uint32_t iteration, uint32_t layer, uint32_t rank, uint32_t destination) const
    {
        return Row(iteration, layer, rank)[destination];
    }
};

} // namespace ns3

#endif // TOKEN_TRACE_H
