/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "training-job.h"

#include "ns3/mixnet-error.h"

#include <limits>

namespace ns3
{

namespace
{

/// @throws InputError when a count is zero
void
RequireCount(const std::string& where, const char* key, uint32_t value)
{
    if (value == 0)
    {
        throw InputError(where + ": job." + key, "0", "a number above zero");
    }
}

} // namespace

const char*
GetName(TensorShards s)
{
    return s == TensorShards::SHARDED ? "sharded" : "replicated";
}

TensorShards
ParseTensorShards(const std::string& name, const std::string& where)
{
    for (const TensorShards s : {TensorShards::SHARDED, TensorShards::REPLICATED})
    {
        if (name == GetName(s))
        {
            return s;
        }
    }
    throw InputError(where, "'" + name + "'", "sharded, replicated");
}

const char*
GetName(Deduplication d)
{
    static constexpr const char* names[] = {"none", "rank", "server"};
    return names[static_cast<std::size_t>(d)];
}

Deduplication
ParseDeduplication(const std::string& name, const std::string& where)
{
    for (const Deduplication d : {Deduplication::NONE, Deduplication::RANK, Deduplication::SERVER})
    {
        if (name == GetName(d))
        {
            return d;
        }
    }
    throw InputError(where, "'" + name + "'", "none, rank, server");
}

const char*
GetName(GradientAlgorithm a)
{
    static constexpr const char* names[] = {"ring", "tree", "two-level"};
    return names[static_cast<std::size_t>(a)];
}

GradientAlgorithm
ParseGradientAlgorithm(const std::string& name, const std::string& where)
{
    for (const GradientAlgorithm a :
         {GradientAlgorithm::RING, GradientAlgorithm::TREE, GradientAlgorithm::TWO_LEVEL})
    {
        if (name == GetName(a))
        {
            return a;
        }
    }
    throw InputError(where, "'" + name + "'", "ring, tree, two-level");
}

const char*
GetName(OptimizerSharding s)
{
    return s == OptimizerSharding::NONE ? "none" : "zero1";
}

OptimizerSharding
ParseOptimizerSharding(const std::string& name, const std::string& where)
{
    for (const OptimizerSharding s : {OptimizerSharding::NONE, OptimizerSharding::ZERO1})
    {
        if (name == GetName(s))
        {
            return s;
        }
    }
    throw InputError(where, "'" + name + "'", "none, zero1");
}

const char*
GetName(Recompute r)
{
    static constexpr const char* names[] = {"none", "selective", "experts", "moe", "full"};
    return names[static_cast<std::size_t>(r)];
}

Recompute
ParseRecompute(const std::string& name, const std::string& where)
{
    for (const Recompute r : {Recompute::NONE,
                              Recompute::SELECTIVE,
                              Recompute::EXPERTS,
                              Recompute::MOE,
                              Recompute::FULL})
    {
        if (name == GetName(r))
        {
            return r;
        }
    }
    throw InputError(where, "'" + name + "'", "none, selective, experts, moe, full");
}

void
TrainingJob::Validate(const std::string& where) const
{
    model.Validate(where);
    degrees.Validate(where);
    RequireCount(where, "iterations", iterations);
    RequireCount(where, "microBatches", microBatches);
    RequireCount(where, "microBatchSequences", microBatchSequences);
    RequireCount(where, "sequenceLength", sequenceLength);
    CheckTensor(where);
    CheckSequence(where);
    CheckExpertTensor(where);
    if (model.moeLayers == 0 && (recompute == Recompute::EXPERTS || recompute == Recompute::MOE))
    {
        throw InputError(where + ": recompute",
                         std::string(GetName(recompute)) + " in a model without MoE layers",
                         "none, selective, full");
    }
    if (optimizerSharding == OptimizerSharding::ZERO1 && gradientSync == GradientAlgorithm::TREE)
    {
        throw InputError(
            where + ": optimizer.sharding",
            "zero1 with gradientSync tree: trees neither reduce-scatter nor all-gather",
            "zero1 with gradientSync ring or two-level");
    }
    if (GetCopies() > std::numeric_limits<uint32_t>::max())
    {
        throw InputError(where + ": batch.microBatchSize",
                         std::to_string(microBatchSequences) + " sequences x " +
                             std::to_string(sequenceLength / degrees.context) + " tokens x top-" +
                             std::to_string(model.topK) +
                             (degrees.ranksPerBlock > 1
                                  ? " / " + std::to_string(degrees.ranksPerBlock) + " EP ranks"
                                  : "") +
                             " = " + std::to_string(GetCopies()) + " token copies",
                         "at most 4294967295 per EP rank");
    }
}

void
TrainingJob::CheckSequence(const std::string& where) const
{
    const uint32_t cp = degrees.context;
    if (cp > 1 && sequenceLength % (2 * uint64_t(cp)) != 0)
    {
        throw InputError(where + ": parallel.cp",
                         "sequenceLength " + std::to_string(sequenceLength) + " / (2 x CP " +
                             std::to_string(cp) +
                             ") is no whole number: every rank of a CP group has two equal parts "
                             "of a sequence",
                         "a sequence length that 2 x CP divides");
    }
    if (sequenceParallel && sequenceLength / cp % degrees.tensor != 0)
    {
        throw InputError(where + ": parallel.tp",
                         "sequenceLength " + std::to_string(sequenceLength) +
                             (cp > 1 ? " / CP " + std::to_string(cp) : "") + " / TP " +
                             std::to_string(degrees.tensor) +
                             " is no whole number: sequence parallelism cuts sequences over TP",
                         "a TP that divides the sequence, or sequenceParallel=false");
    }
}

void
TrainingJob::CheckTensor(const std::string& where) const
{
    const auto divides = [&](const char* what, uint32_t count, bool experts = false) {
        const uint32_t degree = experts ? degrees.GetExpertTensor() : degrees.tensor;
        const std::string name = experts && degrees.ranksPerBlock > 1 ? "ETP" : "TP";
        if (count % degree != 0)
        {
            throw InputError(where + (name == "TP" ? ": parallel.tp" : ": parallel.etp"),
                             std::string(what) + " " + std::to_string(count) + " / " + name + " " +
                                 std::to_string(degree) + " is no whole number",
                             "a " + name + " that divides the " + what);
        }
    };
    divides("heads", model.heads);
    divides("ffnHiddenSize", model.moeLayers > 0 ? model.ffnHidden : 0, true);
    divides("ffnHiddenSize",
            model.GetDenseLayers() > 0 && model.denseFfnHidden == 0 ? model.ffnHidden : 0);
    divides("denseFfnHiddenSize", model.GetDenseLayers() > 0 ? model.denseFfnHidden : 0);
    divides("sharedFfnHiddenSize", model.sharedFfnHidden);
    const uint32_t kv = model.IsLatent() ? 0 : model.kvHeads;
    if (kv > 0 && kv % degrees.tensor != 0 && degrees.tensor % kv != 0)
    {
        throw InputError(where + ": parallel.tp",
                         "kvHeads " + std::to_string(kv) + " and TP " +
                             std::to_string(degrees.tensor) + ": neither divides the other",
                         "a TP that divides the kvHeads, or a multiple of them");
    }
}

void
TrainingJob::CheckExpertTensor(const std::string& where) const
{
    if (degrees.ranksPerBlock == 1)
    {
        return;
    }
    const std::string below = "ETP " + std::to_string(degrees.GetExpertTensor()) + " below TP " +
                              std::to_string(degrees.tensor);
    const std::string same = "etp " + std::to_string(degrees.tensor);
    if (!sequenceParallel)
    {
        throw InputError(where + ": parallel.etp",
                         below + " without sequence parallelism: GPUs of a TP block all have the "
                                 "same tokens, not a part of them each",
                         "sequenceParallel=true, or " + same);
    }
    if (tensorShards == TensorShards::REPLICATED)
    {
        throw InputError(where + ": parallel.etp",
                         below + " with epTraffic replicated: GPUs of a TP block send their own "
                                 "tokens, to experts of their own",
                         "epTraffic=sharded, or " + same);
    }
    if (model.moeLayers > 0 && model.experts % degrees.GetExpertRanks() != 0)
    {
        throw InputError(where + ": parallel.etp",
                         below + ": " + std::to_string(model.experts) + " experts / EP " +
                             std::to_string(degrees.GetExpertRanks()) + " is no whole number",
                         "an EP that divides the experts, or " + same);
    }
}

} // namespace ns3
