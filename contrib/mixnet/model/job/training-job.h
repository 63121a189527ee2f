/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAINING_JOB_H
#define TRAINING_JOB_H

#include "model-spec.h"
#include "parallel-degrees.h"

#include "ns3/mixnet-byte-count.h"
#include "ns3/nstime.h"

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

/// What the optimizer's state is divided over.
enum class OptimizerSharding : uint8_t
{
    NONE, //!< every replica updates all parameters: gradients are all-reduced
    ZERO1 //!< ZeRO stage 1: every replica updates a part: gradients are reduce-scattered, updated
          //!< parameters all-gathered
};

/// @param s sharding @return "none", "zero1"
const char* GetName(OptimizerSharding s);

/// @param name "none" or "zero1" @param where file and key, for the message
/// @return the value
/// @throws InputError for another name
OptimizerSharding ParseOptimizerSharding(const std::string& name, const std::string& where);

/// What of a token with several experts in one place is sent there.
enum class Deduplication : uint8_t
{
    NONE,  //!< every copy
    RANK,  //!< one copy for an EP rank
    SERVER //!< one copy for a server, which forwards it to its EP ranks
};

/// @param d level @return "none", "rank", "server"
const char* GetName(Deduplication d);

/// @param name "none", "rank" or "server" @param where file and key, for the message
/// @return the value
/// @throws InputError for another name
Deduplication ParseDeduplication(const std::string& name, const std::string& where);

/// What of a layer's forward pass comes again before its backward pass, to save memory.
enum class Recompute : uint8_t
{
    NONE,      //!< nothing: all activations are kept
    SELECTIVE, //!< the core of attention: scores and values (Korthikanti et al., MLSys 2023)
    EXPERTS,   //!< the MLPs of routed experts, on the tokens they received: no all-to-all
    MOE,       //!< MoE layers behind attention: gate, dispatch, experts, combine, shared experts
    FULL       //!< everything but the head, all communication of it included
};

/// @param r recomputation @return "none", "selective", "experts", "moe", "full"
const char* GetName(Recompute r);

/// @param name name @param where file and key, for the message
/// @return the value
/// @throws InputError for another name
Recompute ParseRecompute(const std::string& name, const std::string& where);

/**
 * @ingroup mixnet
 * A training job: a model, how it is laid out, and what one iteration does. A micro-batch is
 * counted per EP rank: every EP rank has its own sequences (design, decision 10). With CP, the
 * ranks of a CP group share the sequences of a micro-batch; each has two of 2 x CP equal parts of
 * every sequence, part r and part 2 CP - 1 - r, which gives all the same share of the causal
 * triangle (Llama 3, arXiv 2407.21783, section 3.3.2).
 */
struct TrainingJob
{
    ModelSpec model;                                  //!< the model
    ParallelDegrees degrees;                          //!< the layout
    uint32_t iterations{1};                           //!< iterations to run
    uint32_t microBatches{1};                         //!< micro-batches of a replica
    uint32_t microBatchSequences{1};                  //!< sequences of one, per EP rank (CP group)
    uint32_t sequenceLength{0};                       //!< tokens of a sequence
    TensorShards tensorShards{TensorShards::SHARDED}; //!< what crosses the network under TP
    Deduplication deduplication{Deduplication::NONE}; //!< what tokens with several experts send
    ByteCount deduplicationChunk; //!< of SERVER: bytes of a crossing sent together; 0: not cut
    bool sequenceParallel{true};  //!< TP: all-gather and reduce-scatter; false:
                                  //!< all-reduce
    GradientAlgorithm gradientSync{GradientAlgorithm::RING}; //!< between servers
    ByteCount gradientChunk;     //!< largest message of TREE and TWO_LEVEL, all lanes; 0: not cut
    bool gradientOverlap{false}; //!< gradients go in buckets, beside the backward passes
    ByteCount gradientBucket;    //!< of gradientOverlap: gradients of a GPU that fill a bucket
    OptimizerSharding optimizerSharding{
        OptimizerSharding::NONE};         //!< what its state is divided over
    Recompute recompute{Recompute::NONE}; //!< in backward passes
    Time optimizerTime; //!< of its step, between the reduction and the next iteration

    /**
     * @param where file, for messages
     * @throws InputError naming the key, the value and what is accepted
     */
    void Validate(const std::string& where) const;

    /// @return all-to-alls of an MoE layer and micro-batch with EP: 4, or 6 when the forward ones
    /// come again
    uint32_t GetAllToAllsPerLayer() const
    {
        return recompute == Recompute::MOE || recompute == Recompute::FULL ? 6 : 4;
    }

    /// @return tokens of a TP block in a micro-batch: 1/CP of those of its CP group
    uint64_t GetTokens() const
    {
        return uint64_t(microBatchSequences) * (sequenceLength / degrees.context);
    }

    /// @return tokens that an EP rank sends to experts in a micro-batch: its part of those of its
    /// TP block
    uint64_t GetSentTokens() const
    {
        return GetTokens() / degrees.ranksPerBlock;
    }

    /// @return token copies of an EP rank in a micro-batch: tokens x top-k
    uint64_t GetCopies() const
    {
        return GetSentTokens() * model.topK;
    }

    /// @return TP ranks that hold the same key and value heads: more than one when there are fewer
    /// of these heads than TP ranks
    uint32_t GetKeyCopies() const
    {
        const uint32_t heads = model.kvHeads > 0 && !model.IsLatent() ? model.kvHeads : model.heads;
        return degrees.tensor > heads ? degrees.tensor / heads : 1;
    }

    /// @return bytes of keys and values of an EP rank's tokens in a micro-batch and layer, over all
    /// TP lanes
    uint64_t GetKeyBytes() const
    {
        return GetTokens() * (model.GetKeySize() + model.GetValueSize()) * GetKeyCopies() *
               model.bytesPerActivation;
    }

    /// @return bytes of one token's activation
    uint64_t GetTokenBytes() const
    {
        return uint64_t(model.hidden) * model.bytesPerActivation;
    }

    /// @return bytes of one token's activation, over all TP lanes
    uint64_t GetCopyBytes() const
    {
        return GetTokenBytes() * GetSenders();
    }

    /// @return GPUs of an EP rank that send all of its tokens
    uint64_t GetSenders() const
    {
        return tensorShards == TensorShards::REPLICATED ? degrees.tensor : 1;
    }

    /// @return bytes of a token that go to an expert, over all TP lanes
    uint64_t GetDispatchBytes() const
    {
        return model.GetDispatchBytes() * GetSenders();
    }

    /// @return bytes of a token that come back from an expert, over all TP lanes
    uint64_t GetCombineBytes() const
    {
        return model.GetCombineBytes() * GetSenders();
    }

    /// @return bytes that an EP rank hands to the next stage in a micro-batch, over all TP lanes
    uint64_t GetStageBytes() const
    {
        return GetTokens() * GetCopyBytes();
    }

  private:
    /// @param where file, for messages @throws InputError when sequences cannot be cut
    void CheckSequence(const std::string& where) const;
    /// @param where file, for messages @throws InputError when TP does not divide the model
    void CheckTensor(const std::string& where) const;
    /// @param where file, for messages @throws InputError for what an expert TP below TP needs
    void CheckExpertTensor(const std::string& where) const;
};

} // namespace ns3

#endif // TRAINING_JOB_H
