/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "expert-config.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

namespace
{

constexpr ByteCount MIN_CHUNK(4096); //!< a packet: smaller chunks are messages in vain

/// @param o object @param job job @return EP ranks by expert
std::vector<uint32_t>
ReadRanks(const JsonReader& o, const TrainingJob& job)
{
    const std::vector<uint64_t> ranks = o.GetCounts("ranks");
    if (ranks.size() != job.model.experts)
    {
        throw InputError(o.Where("ranks"),
                         std::to_string(ranks.size()) + " ranks for " +
                             std::to_string(job.model.experts) + " experts",
                         "the EP rank of every expert");
    }
    for (const uint64_t rank : ranks)
    {
        if (rank >= job.degrees.GetExpertRanks())
        {
            throw InputError(o.Where("ranks"),
                             std::to_string(rank),
                             "EP ranks, 0 to " + std::to_string(job.degrees.GetExpertRanks() - 1));
        }
    }
    return {ranks.begin(), ranks.end()};
}

/// @param o object @param job job @return number of redundant experts
uint32_t
ReadRedundant(const JsonReader& o, const TrainingJob& job)
{
    const auto redundant = static_cast<uint32_t>(o.GetCount("redundant", "0"));
    const uint64_t experts = job.model.experts;
    const uint64_t ranks = job.degrees.GetExpertRanks();
    if ((experts + redundant) % ranks != 0)
    {
        throw InputError(o.Where("redundant"),
                         "(" + std::to_string(experts) + " experts + " + std::to_string(redundant) +
                             ") / EP " + std::to_string(ranks) + " is no whole number",
                         "a number that fills all EP ranks alike");
    }
    if (redundant > experts * (ranks - 1))
    {
        throw InputError(o.Where("redundant"),
                         std::to_string(redundant),
                         "at most " + std::to_string(experts * (ranks - 1)) +
                             ", every expert on every EP rank");
    }
    return redundant;
}

} // namespace

ExpertConfig
ReadExperts(const JsonReader& o, const TrainingJob& job)
{
    ExpertConfig c;
    c.placement =
        o.GetChoice("placement", "contiguous", {"contiguous", "round-robin", "given", "balanced"});
    if (c.placement == "given")
    {
        c.ranks = ReadRanks(o, job);
    }
    if (c.placement == "balanced")
    {
        c.redundant = ReadRedundant(o, job);
    }
    return c;
}

void
ReadDeduplication(const JsonReader& root, TrainingJob& job)
{
    job.deduplication =
        ParseDeduplication(root.GetChoice("deduplication", "none", {"none", "rank", "server"}),
                           root.Where("deduplication"));
    if (job.deduplication != Deduplication::SERVER)
    {
        return;
    }
    job.deduplicationChunk = root.GetBytes("deduplicationChunk", "4MiB");
    if (job.deduplicationChunk > ByteCount(0) && job.deduplicationChunk < MIN_CHUNK)
    {
        throw InputError(root.Where("deduplicationChunk"),
                         std::to_string(job.deduplicationChunk.Get()) + "B",
                         "0B for whole messages, or 4096B and more");
    }
}

} // namespace ns3
