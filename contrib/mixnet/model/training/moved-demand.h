/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_MOVED_DEMAND_H
#define MIXNET_MOVED_DEMAND_H

#include "ns3/tensor-crossing.h"
#include "ns3/traffic-matrix.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * What a region's controller plans for when the work of a GPU of one of its groups is done by a
 * spare GPU of another server: the GPU's share of the all-to-all begins and ends there, and TP
 * collectives of its broken block cross between the two servers (MixNet, section 5.4: the spare is
 * reached "by the electrical switches or by circuits").
 */
class MovedDemand
{
  public:
    /// @param layout where the job runs @param group its group @param crossings of the group; all
    /// must outlive this
    MovedDemand(const ParallelLayout& layout,
                const StageGroup& group,
                const TensorCrossings& crossings);

    /// @return true when nothing of the group has moved
    bool IsEmpty() const
    {
        return m_moved.empty();
    }

    /**
     * Move the shares of moved GPUs in an all-to-all. One copy per server is forwarded inside by
     * the GPU of the same number, whoever that is: such demands stay with the servers of the ranks.
     *
     * @param region region of the demand @param traffic the all-to-all @param back the way back
     * @param demand demand of its ranks' servers, in and out
     */
    void MoveShares(const GroupRegion& region,
                    const TrafficMatrix& traffic,
                    bool back,
                    DemandMatrix& demand) const;

    /**
     * Add TP collectives.
     *
     * @param region region of the demand @param edges by broken block (TensorCrossings::GetBlocks):
     * bytes that each edge of its ring carries
     * @param demand in and out
     */
    void AddTensor(const GroupRegion& region,
                   const std::vector<ByteCount>& edges,
                   DemandMatrix& demand) const;

  private:
    /// @param region region @param rank EP rank @param lane GPU of it
    /// @return index of the server that does its work, or OUTSIDE
    uint32_t FindServer(const GroupRegion& region, std::size_t rank, uint32_t lane) const;
    /// @param region region @param s source rank @param d destination rank @param bytes what they
    /// exchange @param demand in and out
    void MovePair(const GroupRegion& region,
                  std::size_t s,
                  std::size_t d,
                  uint64_t bytes,
                  DemandMatrix& demand) const;

    const ParallelLayout& m_layout;     //!< layout
    const StageGroup& m_group;          //!< group
    const TensorCrossings& m_crossings; //!< of the group
    std::vector<std::size_t> m_moved;   //!< EP ranks that have moved GPUs
};

} // namespace ns3

#endif // MIXNET_MOVED_DEMAND_H
