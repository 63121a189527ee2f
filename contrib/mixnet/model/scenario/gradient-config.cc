/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gradient-config.h"

#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr ByteCount MIN_GRADIENT_CHUNK(65536); //!< 16 packets: less is messages in vain

/// @return Megatron-Core's bucket: max(40 million, 1 million x data-parallel ranks) parameters
std::string
GetDefaultBucket(const TrainingJob& job)
{
    const uint64_t ranks = uint64_t(job.degrees.data) * job.degrees.expert;
    const uint64_t parameters = std::max<uint64_t>(40000000, 1000000 * ranks);
    return std::to_string(parameters * job.model.bytesPerGradient) + "B";
}

} // namespace

void
ReadGradients(const JsonReader& root, TrainingJob& job)
{
    job.gradientSync = ParseGradientAlgorithm(
        root.GetChoice("gradientSync", "ring", {"ring", "tree", "two-level"}),
        root.Where("gradientSync"));
    if (job.gradientSync != GradientAlgorithm::RING)
    {
        job.gradientChunk = root.GetBytes("gradientChunk", "32MiB");
        if (job.gradientChunk > ByteCount(0) && job.gradientChunk < MIN_GRADIENT_CHUNK)
        {
            throw InputError(root.Where("gradientChunk"),
                             std::to_string(job.gradientChunk.Get()) + "B",
                             "0B for whole messages, or 64KiB and more");
        }
    }
    job.gradientOverlap = root.GetBool("gradientOverlap", "false");
    if (job.gradientOverlap)
    {
        job.gradientBucket = root.GetBytes("gradientBucket", GetDefaultBucket(job).c_str());
    }
    const JsonReader o = root.GetObject("optimizer");
    job.optimizerSharding =
        ParseOptimizerSharding(o.GetChoice("sharding", "none", {"none", "zero1"}),
                               o.Where("sharding"));
    job.optimizerTime = o.GetTime("time", "0s");
}

} // namespace ns3
