/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "op-work.h"

namespace ns3
{

namespace
{

/// @return products of `tokens` rows with `parameters` weights, split over TP, of experts over ETP
OpWork
MakeProduct(const TrainingJob& job,
            WorkKind kind,
            uint64_t tokens,
            uint64_t parameters,
            uint64_t elementsPerToken)
{
    const double tp = kind == WorkKind::EXPERT ? job.degrees.GetExpertTensor() : job.degrees.tensor;
    OpWork work;
    work.kind = kind;
    work.tokens = tokens;
    if (tokens > 0)
    {
        work.flops = 2.0 * static_cast<double>(parameters) * static_cast<double>(tokens) / tp;
        work.weightFlops = work.flops;
        work.bytes = (static_cast<double>(parameters) +
                      static_cast<double>(elementsPerToken) * static_cast<double>(tokens)) *
                     job.model.bytesPerActivation / tp;
    }
    return work;
}

/// @return an MLP of hidden size `ffn`: its input, its output and what is between
OpWork
MakeMlp(const TrainingJob& job, WorkKind kind, uint64_t tokens, uint64_t parameters, uint64_t ffn)
{
    const uint64_t elements = 2 * uint64_t(job.model.hidden) + (job.model.gatedMlp ? 3 : 2) * ffn;
    return MakeProduct(job, kind, tokens, parameters, elements);
}

/// @return FLOPs of causal scores and values, per GPU
double
GetCoreFlops(const TrainingJob& job)
{
    const double length = job.sequenceLength;
    const double pairs = length * (length + 1) / 2;
    const uint64_t elements = job.model.GetQuerySize() + job.model.GetOutputSize();
    return 2.0 * static_cast<double>(elements) * pairs * job.microBatchSequences /
           job.degrees.context / job.degrees.tensor;
}

} // namespace

const char*
GetName(WorkKind k)
{
    static constexpr const char* names[] =
        {"attention", "gate", "expert", "shared-experts", "dense", "head", "attention-core"};
    static_assert(sizeof(names) / sizeof(names[0]) == N_WORK_KINDS, "a name for every kind");
    return names[static_cast<std::size_t>(k)];
}

std::vector<WorkKind>
GetWorkKinds(const TrainingJob& job)
{
    const ModelSpec& model = job.model;
    std::vector<WorkKind> kinds{WorkKind::ATTENTION};
    if (model.moeLayers > 0)
    {
        kinds.push_back(WorkKind::GATE);
        kinds.push_back(WorkKind::EXPERT);
        if (model.sharedFfnHidden > 0)
        {
            kinds.push_back(WorkKind::SHARED);
        }
    }
    if (model.GetDenseLayers() > 0)
    {
        kinds.push_back(WorkKind::DENSE);
    }
    if (model.vocabulary > 0)
    {
        kinds.push_back(WorkKind::HEAD);
    }
    if (job.recompute == Recompute::SELECTIVE)
    {
        kinds.push_back(WorkKind::ATTENTION_CORE);
    }
    return kinds;
}

OpWork
MakeAttentionWork(const TrainingJob& job)
{
    const ModelSpec& m = job.model;
    // In and out of the projections: x, latents, q, k, v, attention output, y.
    // With CP, keys and values of the CP group's other ranks are read as well.
    const uint64_t keys = m.GetKeySize() + m.GetValueSize();
    const uint64_t elements = 2 * uint64_t(m.hidden) + m.GetLatentSize() + m.GetQuerySize() +
                              keys * job.GetKeyCopies() * job.degrees.context + m.GetOutputSize();
    const uint64_t replicated = (job.GetKeyCopies() - 1) * keys * m.hidden;
    OpWork work = MakeProduct(job,
                              WorkKind::ATTENTION,
                              job.GetTokens(),
                              m.GetAttentionParameters() + replicated,
                              elements);
    work.flops += GetCoreFlops(job);
    return work;
}

OpWork
MakeAttentionCoreWork(const TrainingJob& job)
{
    const ModelSpec& m = job.model;
    const uint64_t elements =
        m.GetQuerySize() + m.GetKeySize() + m.GetValueSize() + m.GetOutputSize();
    OpWork work = MakeProduct(job, WorkKind::ATTENTION_CORE, job.GetTokens(), 0, elements);
    work.flops = GetCoreFlops(job);
    return work;
}

OpWork
MakeGateWork(const TrainingJob& job)
{
    return MakeProduct(job,
                       WorkKind::GATE,
                       job.GetTokens(),
                       job.model.GetGateParameters(),
                       uint64_t(job.model.hidden) + job.model.experts);
}

OpWork
MakeExpertWork(const TrainingJob& job, uint64_t copies)
{
    return MakeMlp(job,
                   WorkKind::EXPERT,
                   copies,
                   job.model.GetExpertParameters(),
                   job.model.ffnHidden);
}

OpWork
MakeSharedWork(const TrainingJob& job)
{
    return MakeMlp(job,
                   WorkKind::SHARED,
                   job.GetTokens(),
                   job.model.GetSharedParameters(),
                   job.model.sharedFfnHidden);
}

OpWork
MakeDenseWork(const TrainingJob& job)
{
    const ModelSpec& m = job.model;
    return MakeMlp(job,
                   WorkKind::DENSE,
                   job.GetTokens(),
                   m.GetDenseParameters(),
                   m.denseFfnHidden > 0 ? m.denseFfnHidden : m.ffnHidden);
}

OpWork
MakeHeadWork(const TrainingJob& job)
{
    return MakeProduct(job,
                       WorkKind::HEAD,
                       job.GetTokens(),
                       job.model.GetVocabularyParameters(),
                       uint64_t(job.model.hidden) + job.model.vocabulary);
}

} // namespace ns3
