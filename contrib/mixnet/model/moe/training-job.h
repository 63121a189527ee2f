/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAINING_JOB_H
#define TRAINING_JOB_H

#include "model-spec.h"

#include "ns3/mixnet-byte-count.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// What crosses the network for EP and PP under TP (design, decision 10).
enum class TensorShards : uint8_t
{
    SHARDED,   //!< each TP rank sends its 1/TP of the tokens (sequence parallelism)
    REPLICATED //!< each TP rank sends all of them, as in the paper's artifact
};

/// @param s what crosses @return "sharded", "replicated"
const char* GetName(TensorShards s);

/// @param name "sharded" or "replicated" @param where file and key, for the message
/// @return the value
/// @throws InputError for another name
TensorShards ParseTensorShards(const std::string& name, const std::string& where);

/// How gradients are all-reduced between servers.
enum class GradientAlgorithm : uint8_t
{
    RING,     //!< around all servers
    TREE,     //!< a double binary tree of servers
    TWO_LEVEL //!< around the servers of every optical region, and around the regions
};

/// @param a algorithm @return "ring", "tree", "two-level"
const char* GetName(GradientAlgorithm a);

/// @param name "ring", "tree" or "two-level" @param where file and key, for the message
/// @return the value
/// @throws InputError for another name
GradientAlgorithm ParseGradientAlgorithm(const std::string& name, const std::string& where);

/// Degrees of parallelism; their product is the number of GPUs.
struct ParallelDegrees
{
    uint32_t data{1};     //!< DP: replicas
    uint32_t tensor{1};   //!< TP
    uint32_t pipeline{1}; //!< PP: stages
    uint32_t expert{1};   //!< EP
    uint32_t chunks{1};   //!< VPP: virtual stages (parts of consecutive layers) of a stage

    /// @return PP x VPP: parts into which the layers are cut
    uint32_t GetParts() const
    {
        return pipeline * chunks;
    }

    /// @return DP x TP x PP x EP
    uint64_t GetGpus() const
    {
        return uint64_t(data) * tensor * pipeline * expert;
    }
};

/**
 * @ingroup mixnet
 * A training job: a model, how it is laid out, and what one iteration does. A micro-batch is
 * counted per EP rank: every EP rank has its own sequences (design, decision 10).
 */
struct TrainingJob
{
    ModelSpec model;                                  //!< the model
    ParallelDegrees degrees;                          //!< the layout
    uint32_t iterations{1};                           //!< iterations to run
    uint32_t microBatches{1};                         //!< micro-batches of a replica
    uint32_t microBatchSequences{1};                  //!< sequences of one, per EP rank
    uint32_t sequenceLength{0};                       //!< tokens of a sequence
    TensorShards tensorShards{TensorShards::SHARDED}; //!< what crosses the network under TP
    bool sequenceParallel{true};                      //!< TP: all-gather and reduce-scatter; false:
                                                      //!< all-reduce
    GradientAlgorithm gradientSync{GradientAlgorithm::RING}; //!< between servers
    ByteCount gradientChunk; //!< largest message of TREE and TWO_LEVEL, all lanes; 0: not cut

    /**
     * @param where file, for messages
     * @throws InputError naming the key, the value and what is accepted
     */
    void Validate(const std::string& where) const;

    /// @return tokens of an EP rank in a micro-batch
    uint64_t GetTokens() const
    {
        return uint64_t(microBatchSequences) * sequenceLength;
    }

    /// @return token copies of an EP rank in a micro-batch: tokens x top-k
    uint64_t GetCopies() const
    {
        return GetTokens() * model.topK;
    }

    /// @return bytes of one token's activation
    uint64_t GetTokenBytes() const
    {
        return uint64_t(model.hidden) * model.bytesPerActivation;
    }

    /// @return bytes that one token copy sends, over all TP lanes
    uint64_t GetCopyBytes() const
    {
        return GetTokenBytes() * (tensorShards == TensorShards::REPLICATED ? degrees.tensor : 1);
    }

    /// @return bytes that an EP rank hands to the next stage in a micro-batch, over all TP lanes
    uint64_t GetStageBytes() const
    {
        return GetTokens() * GetCopyBytes();
    }
};

} // namespace ns3

#endif // TRAINING_JOB_H
