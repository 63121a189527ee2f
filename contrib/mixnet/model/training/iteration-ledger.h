/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ITERATION_LEDGER_H
#define ITERATION_LEDGER_H

#include "ns3/gate-traffic.h"
#include "ns3/training-records.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * What happened in an iteration so far: its operations and its bytes.
 */
class IterationLedger
{
  public:
    /// Forget all, keep the capacity. @param iteration the next iteration
    void Start(uint32_t iteration);

    /**
     * @param op an operation that has ended; id and iteration are set here
     * @param others operations beside its predecessor whose end it had to wait for; NONE counts for
     * nothing
     * @return its id
     */
    uint32_t AddOp(OpRecord op, const std::vector<uint32_t>& others = {});

    /// @param trafficClass class @param bytes payload by path
    void AddBytes(TrafficClass trafficClass, const std::array<ByteCount, N_PATH_CLASSES>& bytes);

    /// @param trafficClass class @param bytes payload on the scale-up domain
    void AddScaleUpBytes(TrafficClass trafficClass, ByteCount bytes);

    /// @param transfers number of transfers that have ended
    void AddTransfers(uint64_t transfers)
    {
        m_transfers += transfers;
    }

    /// @param counts token copies of a gate
    void AddTokenCopies(const GateCounts& counts)
    {
        m_counts.copies += counts.copies;
        m_counts.dropped += counts.dropped;
        m_counts.crossingCopies += counts.crossingCopies;
        m_counts.crossingTokens += counts.crossingTokens;
    }

    /// Count an all-to-all.
    void AddAllToAll()
    {
        ++m_allToAlls;
    }

    /**
     * Walk back from the last operation and mark those that let each other start. An operation
     * starts when its predecessor ends, so the path has no gap and its length is the iteration.
     *
     * Then compute the slack of all operations.
     *
     * @param last id of the operation that ended the iteration
     * @return length of the path by kind of operation
     */
    std::array<Time, N_OP_KINDS> MarkCriticalPath(uint32_t last);

    /// @return operations, in order of end
    const std::vector<OpRecord>& GetOps() const
    {
        return m_ops;
    }

    /// @param record where to write bytes and counts
    void Fill(IterationRecord& record) const;

  private:
    /**
     * Slack of every operation by the critical path method (Kelley and Walker, 1959): the latest
     * end of an operation is the earliest of the latest starts of those that wait for it; of those
     * that nobody waits for, the end of the iteration. Durations stay as they were, waits for
     * circuits and for the traffic of others included.
     *
     * @param end end of the iteration
     */
    void ComputeSlack(Time end);

    uint32_t m_iteration{0};                                   //!< the iteration
    std::vector<OpRecord> m_ops;                               //!< by id
    std::vector<std::pair<uint32_t, uint32_t>> m_dependencies; //!< (operation, on)
    std::vector<Time> m_latest;                                //!< scratch: by id, latest end
    std::array<std::array<ByteCount, N_PATH_CLASSES>, N_TRAFFIC_CLASSES> m_bytes{}; //!< payload
    uint64_t m_transfers{0};                                                        //!< ended
    uint64_t m_allToAlls{0};                                                        //!< ended
    GateCounts m_counts; //!< token copies
};

} // namespace ns3

#endif // ITERATION_LEDGER_H
