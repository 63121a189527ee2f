/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EXPOSURE_METER_H
#define EXPOSURE_METER_H

#include "ns3/nstime.h"
#include "ns3/traffic-class.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ns3
{

/// Work of one rank without a pause: a TP collective, compute, a TP collective.
struct ComputeBlock
{
    Time gather;  //!< TP collective before
    Time compute; //!< compute
    Time scatter; //!< TP collective after

    /// @return how long it takes
    Time GetTotal() const
    {
        return gather + compute + scatter;
    }

    /// @param factor factor of the compute time, not below zero
    /// @return the block with longer compute, to the nearest tick
    ComputeBlock Stretch(double factor) const
    {
        const double ticks = static_cast<double>(compute.GetTimeStep()) * factor;
        return {gather, TimeStep(static_cast<uint64_t>(std::llround(ticks))), scatter};
    }
};

/// Sums over ranks.
struct ExposureTotals
{
    uint32_t ranks{0};                             //!< ranks added
    uint32_t communicating{0};                     //!< of them, with any communication
    Time compute;                                  //!< time in compute
    Time communication;                            //!< time with communication in progress
    std::array<Time, N_TRAFFIC_CLASSES> exposed{}; //!< of that, without compute, by class
    Time waiting;                                  //!< of that, waiting for circuits
    double hidden{0};                              //!< 1 - exposed / communication
};

/**
 * @ingroup mixnet
 * Measures what the ranks of one EP group do in an iteration (design, section 8): compute,
 * communication in progress, and communication exposed, that is, in progress while the rank does
 * not compute. Exposed time belongs to one class, in this order: TP, CP, EP, DP, PP, other.
 *
 * Compute and TP collectives differ from rank to rank (a hot expert is a straggler) and come as
 * blocks whose end is known when they start; all other communication begins and ends for all ranks
 * at once. Pure: it is told the time. Cost: O(ranks) per change while a block runs, else O(1).
 *
 * Law: at any time a rank computes, is exposed to exactly one class, or idles.
 */
class ExposureMeter
{
  public:
    /// @param ranks number of ranks
    explicit ExposureMeter(uint32_t ranks);

    /// Forget all and start. @param now the time
    void Start(Time now);

    /// @param now the time; the last block is over @param blocks by rank
    void StartBlocks(Time now, const std::vector<ComputeBlock>& blocks);

    /// @param now the time; the last block is over @param block the same for every rank
    void StartBlock(Time now, const ComputeBlock& block);

    /// One rank of a block is in a TP collective whose end is not known. @param now the time
    /// @param rank the rank, with nothing left of its block
    void OpenTensor(Time now, uint32_t rank);

    /// That collective is over. @param now the time @param rank the rank @param compute how long it
    /// computes from now on; its block ends then
    void CloseTensor(Time now, uint32_t rank, Time compute);

    /// @param now the time @param trafficClass class of an operation that begins
    void BeginCommunication(Time now, TrafficClass trafficClass);

    /// @param now the time @param trafficClass class of an operation that ends
    void EndCommunication(Time now, TrafficClass trafficClass);

    /// @param now the time @param waiting true when an all-to-all (of those in progress) begins to
    /// wait for circuits, false when it has them
    void SetWaiting(Time now, bool waiting);

    /// @param now end of the iteration @param totals added to
    void Finish(Time now, ExposureTotals& totals);

  private:
    static constexpr std::size_t QUIET = N_TRAFFIC_CLASSES; //!< no communication

    /// A rank, in ticks.
    struct Rank
    {
        std::array<int64_t, 4> edge{}; //!< block: start, compute, scatter, end
        int64_t compute{0};            //!< time in compute
        int64_t communication{0};      //!< time in communication while a block ran
        int64_t exposed{0};            //!< of that, exposed
    };

    /// Find m_blockEnd.
    void FindBlockEnd();
    /// Account for the time up to now. @param now the time
    void Advance(Time now);
    /// While a block runs. @param from ticks @param to ticks
    void AdvanceBlocks(int64_t from, int64_t to);
    /// Find m_current.
    void Choose();

    std::vector<Rank> m_ranks;                                //!< by rank
    std::array<uint32_t, N_TRAFFIC_CLASSES> m_inProgress{};   //!< operations, by class
    std::size_t m_current{QUIET};                             //!< class that exposed time goes to
    std::array<int64_t, N_TRAFFIC_CLASSES> m_exposed{};       //!< sum over ranks while a block ran
    std::array<int64_t, N_TRAFFIC_CLASSES> m_commonExposed{}; //!< of every rank, without a block
    int64_t m_last{0};                                        //!< accounted for up to here
    int64_t m_blockEnd{0};                                    //!< last rank's block ends
    int64_t m_waited{0};   //!< sum over ranks: exposed while waiting for circuits
    uint32_t m_waiting{0}; //!< all-to-alls that wait for them now
};

} // namespace ns3

#endif // EXPOSURE_METER_H
