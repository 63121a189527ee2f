/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "compute-variation.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-object-text.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3
{

namespace
{

constexpr const char* ACCEPTED =
    "a variable above 0 with mean 1, e.g. ns3::UniformRandomVariable[Min=0.9|Max=1.1]";

/// @param text a random variable @param where for the message @return it
Ptr<RandomVariableStream>
MakeVariable(const std::string& text, const std::string& where)
{
    return ParseObjectText(text,
                           RandomVariableStream::GetTypeId(),
                           "random variable",
                           where,
                           ACCEPTED)
        .Create<RandomVariableStream>();
}

/// @param jitter variable @param where for the message @return a draw
double
Draw(RandomVariableStream& jitter, const std::string& where)
{
    const double factor = jitter.GetValue();
    if (!(factor > 0) || !std::isfinite(factor))
    {
        throw InputError(where, "drew " + std::to_string(factor), ACCEPTED);
    }
    return factor;
}

} // namespace

void
ComputeVariation::CheckJitter(const std::string& where) const
{
    if (jitter.empty())
    {
        return;
    }
    constexpr int draws = 10000;
    const Ptr<RandomVariableStream> variable = MakeVariable(jitter, where);
    variable->SetStream(1);
    double sum = 0;
    for (int i = 0; i < draws; ++i)
    {
        sum += Draw(*variable, where);
    }
    if (std::abs(sum / draws - 1) > 0.05)
    {
        throw InputError(where,
                         "'" + jitter + "': the mean of " + std::to_string(draws) + " draws is " +
                             std::to_string(sum / draws),
                         ACCEPTED);
    }
}

std::vector<std::string>
ComputeVariation::GetNotes() const
{
    std::vector<std::string> notes;
    for (const auto& [gpu, factor] : slowGpus)
    {
        std::ostringstream note;
        note << "GPU " << gpu << " computes " << factor << " times as long as the others";
        notes.push_back(note.str());
    }
    if (!jitter.empty())
    {
        notes.push_back("compute times vary by " + jitter);
    }
    if (!notes.empty())
    {
        notes.emplace_back(
            "lower bounds and times of operations are those of GPUs that do not vary");
    }
    return notes;
}

StageSpeeds::StageSpeeds(const ComputeVariation& variation,
                         const ParallelLayout& layout,
                         uint32_t replica,
                         uint32_t stage)
    : m_ranksPerBlock(layout.GetDegrees().ranksPerBlock)
{
    SetSlowGpus(variation, layout, replica, stage);
    if (!variation.jitter.empty())
    {
        m_jitter = MakeVariable(variation.jitter, "jitter of compute times");
    }
}

void
StageSpeeds::SetSlowGpus(const ComputeVariation& variation,
                         const ParallelLayout& layout,
                         uint32_t replica,
                         uint32_t stage)
{
    m_slow.clear();
    const ParallelDegrees& degrees = layout.GetDegrees();
    const auto find = [&](uint32_t rank, uint32_t lane) {
        const GpuId gpu = layout.GetMap().Find(layout.GetGpu(replica, stage, rank, lane));
        const auto it = variation.slowGpus.find(gpu.Get());
        return it == variation.slowGpus.end() ? 1 : it->second;
    };
    std::vector<double> slow(degrees.GetExpertRanks(), 1);
    bool any = false;
    for (uint32_t block = 0; block < degrees.expert && !variation.slowGpus.empty(); ++block)
    {
        for (uint32_t lane = 0; lane < degrees.tensor; ++lane)
        {
            double& rank = slow[block * m_ranksPerBlock + lane / degrees.GetExpertTensor()];
            rank = std::max(rank, find(block, lane));
            any = any || rank > 1;
        }
    }
    if (any)
    {
        m_slow = std::move(slow);
    }
}

void
StageSpeeds::SetStream(int64_t stream)
{
    if (m_jitter)
    {
        m_jitter->SetStream(stream);
    }
}

void
StageSpeeds::Apply(std::vector<ComputeBlock>& blocks, bool together)
{
    const std::size_t size = together ? m_ranksPerBlock : 1;
    for (std::size_t first = 0; first < blocks.size(); first += size)
    {
        double factor = 1;
        for (std::size_t rank = first; rank < first + size && !m_slow.empty(); ++rank)
        {
            factor = std::max(factor, m_slow[rank]);
        }
        if (m_jitter)
        {
            factor *= Draw(*m_jitter, "jitter of compute times");
        }
        for (std::size_t rank = first; rank < first + size; ++rank)
        {
            blocks[rank] = blocks[rank].Stretch(factor);
        }
    }
}

} // namespace ns3
