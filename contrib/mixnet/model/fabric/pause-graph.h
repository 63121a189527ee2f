/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_PAUSE_GRAPH_H
#define MIXNET_PAUSE_GRAPH_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Who waits for whom under PFC, at one instant: finds the pauses that can never end. Pure.
 *
 * An ingress queue (of a switch, a port and a class) that has told its neighbor to pause *blocks*
 * the neighbor's egress. Its own frames wait at egress ports of its switch, some of them blocked by
 * queues further on. It ends its pause when enough of its frames have left.
 *
 * Design note: a cycle of paused ports is only a possible deadlock. A queue with frames for a
 * blocked and for a free port may drain by the free one and let its neighbor go, so that cycles
 * come and go under load. What is looked for is the largest set of paused queues that stay paused
 * even when everything that does not wait for a member of the set has left. It is found by taking
 * all paused queues and striking out those that would resume, until none would (a greatest fixed
 * point, at most one round per queue). In a set that is left every queue waits for another member,
 * so it holds a cycle; nothing that happens later can free it. An incast has none: the tree of its
 * pauses ends at a port that nobody blocks. (Cyclic buffer dependency is necessary, not sufficient:
 * Hu et al., HotNets 2016.)
 *
 * Cost: O(rounds x (queues + pairs of queue and egress)); nothing between calls.
 */
class PauseGraph
{
  public:
    static constexpr uint32_t NONE = UINT32_MAX; //!< an egress that nobody here knows: a NIC's

    /// The buffer's rules.
    class Rules
    {
      public:
        virtual ~Rules() = default;
        /// @param queue a queue @param left bytes that stay in it @return of these, in the shared
        /// pool of its switch
        virtual uint64_t GetShared(uint32_t queue, uint64_t left) const = 0;
        /// @param queue a paused queue @param left bytes that stay in it @param sharedUsed bytes
        /// that stay in the shared pool of its switch @return true when its pause ends
        virtual bool Resumes(uint32_t queue, uint64_t left, uint64_t sharedUsed) const = 0;
    };

    /// @param owner number of its switch, from 0 @param paused it has told its neighbor to pause
    /// @param blocks the egress that waits for that; NONE @return number of the queue, from 0
    uint32_t AddQueue(uint32_t owner, bool paused, uint32_t blocks);

    /// Frames of a queue that wait at an egress of its switch. @param queue the queue
    /// @param egress where @param bytes how many
    void AddBytes(uint32_t queue, uint32_t egress, uint64_t bytes);

    /// @param rules of the buffers @return cycles of egress numbers, each waiting for the next, the
    /// smallest first; no two share an egress
    std::vector<std::vector<uint32_t>> FindDeadlocks(const Rules& rules) const;

  private:
    /// Bytes of a queue at an egress.
    struct Share
    {
        uint32_t egress; //!< where
        uint64_t bytes;  //!< how many
    };

    /// An ingress queue.
    struct Queue
    {
        uint32_t owner;            //!< switch
        bool paused;               //!< told its neighbor to pause
        uint32_t blocks;           //!< egress; NONE
        uint64_t total{0};         //!< bytes
        std::vector<Share> shares; //!< where they wait
    };

    /// @return by egress: the paused queue that blocks it; NONE
    std::vector<uint32_t> GetBlockers() const;
    /// @param blockers by egress @param rules of the buffers @return by queue: paused for ever
    std::vector<bool> FindStuck(const std::vector<uint32_t>& blockers, const Rules& rules) const;

    std::vector<Queue> m_queues; //!< by number
    uint32_t m_owners{0};        //!< number of switches
    uint32_t m_egresses{0};      //!< highest egress number plus one
};

} // namespace ns3

#endif // MIXNET_PAUSE_GRAPH_H
