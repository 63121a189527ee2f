/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gradient-buckets.h"

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{

/// @return TP blocks of a bucket's experts, by the number of (layer, expert) that are on just these
std::map<std::vector<uint32_t>, uint64_t>
CountExpertsByRanks(const TrainingJob& job,
                    const ParallelLayout& layout,
                    const GradientBucket& bucket)
{
    const ExpertPlacement& placement = layout.GetPlacement();
    std::map<std::vector<uint32_t>, uint64_t> count;
    std::vector<uint32_t> ranks;
    for (const uint32_t layer : bucket.layers)
    {
        for (uint32_t e = 0; e < placement.GetNExperts() && job.model.IsMoe(layer); ++e)
        {
            const SlotRange slots = placement.GetSlots(layer - job.model.GetDenseLayers(), e);
            ranks.clear();
            for (uint32_t i = 0; i < slots.count; ++i)
            {
                ranks.push_back(placement.GetRank(slots.first[i]) / job.degrees.ranksPerBlock);
            }
            ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end()); // ascending
            ++count[ranks];
        }
    }
    return count;
}

/// @return bytes of gradients that the GPU with most of them holds
uint64_t
GetLargestShare(const TrainingJob& job, const ParallelLayout& layout, const GradientBucket& bucket)
{
    GradientBytes bytes = GetBucketBytes(job, layout, bucket, job.model.bytesPerGradient);
    for (const ReplicatedBytes& replicated : bytes.replicated)
    {
        for (const uint32_t rank : replicated.ranks)
        {
            bytes.expert[rank] += replicated.bytes;
        }
    }
    const ByteCount most = *std::max_element(bytes.expert.begin(), bytes.expert.end());
    return (bytes.shared + most).Get() / layout.GetDegrees().tensor;
}

} // namespace

GradientBucket
GetWholeBucket(const TrainingJob& job, const ParallelLayout& layout, uint32_t stage)
{
    GradientBucket bucket;
    bucket.stage = stage;
    bucket.layers = layout.GetLayersOf(stage);
    std::reverse(bucket.layers.begin(), bucket.layers.end());
    bucket.embedding = stage == 0;
    bucket.head = stage + 1 == layout.GetDegrees().pipeline;
    return bucket;
}

std::vector<GradientBucket>
MakeGradientBuckets(const TrainingJob& job, const ParallelLayout& layout, uint32_t stage)
{
    if (!job.gradientOverlap)
    {
        return {GetWholeBucket(job, layout, stage)};
    }
    const ParallelDegrees& degrees = layout.GetDegrees();
    const EvenSplit& split = layout.GetLayers();
    std::vector<GradientBucket> buckets;
    for (uint32_t chunk = degrees.chunks; chunk-- > 0;)
    {
        const uint32_t part = layout.GetPart(stage, chunk);
        const uint32_t first = split.GetFirst(part);
        GradientBucket bucket;
        bucket.stage = stage;
        bucket.head = part + 1 == degrees.GetParts();
        for (uint32_t layer = first + split.GetCount(part); layer-- > first;)
        {
            bucket.layers.push_back(layer);
            bucket.embedding = part == 0 && layer == first;
            if (layer == first || GetLargestShare(job, layout, bucket) >= job.gradientBucket.Get())
            {
                buckets.push_back(bucket);
                bucket.layers.clear();
                bucket.head = false;
            }
        }
    }
    return buckets;
}

GradientBytes
GetBucketBytes(const TrainingJob& job,
               const ParallelLayout& layout,
               const GradientBucket& bucket,
               uint32_t bytesPerElement)
{
    const ModelSpec& m = job.model;
    uint64_t shared = 0;
    for (const uint32_t layer : bucket.layers)
    {
        shared += m.GetAttentionParameters();
        shared += m.IsMoe(layer) ? m.GetGateParameters() + m.GetSharedParameters()
                                 : m.GetDenseParameters();
    }
    shared += (bucket.embedding + bucket.head) * m.GetVocabularyParameters();
    GradientBytes bytes;
    bytes.shared = ByteCount(shared * bytesPerElement);
    bytes.expert.resize(layout.GetDegrees().expert);
    for (const auto& [ranks, experts] : CountExpertsByRanks(job, layout, bucket))
    {
        const ByteCount all(experts * m.GetExpertParameters() * bytesPerElement);
        if (ranks.size() == 1)
        {
            bytes.expert[ranks.front()] = all;
        }
        else
        {
            bytes.replicated.push_back({ranks, all});
        }
    }
    return bytes;
}

GradientBytes
GetGradientBytes(const TrainingJob& job, const ParallelLayout& layout, uint32_t stage)
{
    return GetBucketBytes(job,
                          layout,
                          GetWholeBucket(job, layout, stage),
                          job.model.bytesPerGradient);
}

} // namespace ns3
