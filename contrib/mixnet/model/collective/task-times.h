/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_TASK_TIMES_H
#define MIXNET_TASK_TIMES_H

#include "ns3/graph-file.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/// Ticks by kind of task, along the chain of tasks that let each other start.
using TaskPath = std::array<int64_t, GraphFile::N_KINDS>;

/**
 * @ingroup mixnet
 * Where the time of a task graph goes, by kind of task and by rank. Pure.
 */
class TaskTimes
{
  public:
    /// Tasks of one kind, of all ranks.
    struct KindTotal
    {
        uint64_t tasks{0};  //!< ended
        uint64_t bytes{0};  //!< of messages and buffers, per rank, added up
        int64_t time{0};    //!< ticks from start to end, added up
        int64_t longest{0}; //!< ticks
    };

    /// A rank so far.
    struct RankTotal
    {
        int64_t compute{0};        //!< ticks with a computation
        int64_t communication{0};  //!< ticks with a communication in progress
        int64_t exposed{0};        //!< of them, without any computation
        int64_t end{0};            //!< tick of its last change
        uint32_t computing{0};     //!< now
        uint32_t communicating{0}; //!< now
    };

    /// @param ranks number of ranks
    explicit TaskTimes(std::size_t ranks)
        : m_ranks(ranks)
    {
    }

    /// @param rank rank @param compute a computation, else a communication @param now tick: starts
    void Begin(uint32_t rank, bool compute, int64_t now)
    {
        RankTotal& r = Advance(rank, now);
        ++(compute ? r.computing : r.communicating);
    }

    /// @param rank rank @param kind kind @param bytes bytes @param start tick @param now tick: ends
    void End(uint32_t rank, uint8_t kind, uint64_t bytes, int64_t start, int64_t now)
    {
        RankTotal& r = Advance(rank, now);
        --(kind == GraphFile::COMPUTE ? r.computing : r.communicating);
        KindTotal& k = m_kinds[kind];
        ++k.tasks;
        k.bytes += bytes;
        k.time += now - start;
        k.longest = now - start > k.longest ? now - start : k.longest;
    }

    /// @return by kind
    const std::array<KindTotal, GraphFile::N_KINDS>& GetKinds() const
    {
        return m_kinds;
    }

    /// @return by rank
    const std::vector<RankTotal>& GetRanks() const
    {
        return m_ranks;
    }

  private:
    /// @param rank rank @param now tick @return the rank, its times up to now
    RankTotal& Advance(uint32_t rank, int64_t now)
    {
        RankTotal& r = m_ranks[rank];
        const int64_t passed = now - r.end;
        r.compute += r.computing > 0 ? passed : 0;
        r.communication += r.communicating > 0 ? passed : 0;
        r.exposed += r.communicating > 0 && r.computing == 0 ? passed : 0;
        r.end = now;
        return r;
    }

    std::array<KindTotal, GraphFile::N_KINDS> m_kinds{}; //!< by kind
    std::vector<RankTotal> m_ranks;                      //!< by rank
};

} // namespace ns3

#endif // MIXNET_TASK_TIMES_H
