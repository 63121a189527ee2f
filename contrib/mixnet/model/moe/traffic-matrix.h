/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAFFIC_MATRIX_H
#define TRAFFIC_MATRIX_H

#include "expert-placement.h"
#include "parallel-layout.h"

#include "ns3/demand.h"
#include "ns3/mixnet-byte-count.h"
#include "ns3/mixnet-matrix.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * The all-to-all of one gate in bytes: what EP rank s sends to EP rank d in a dispatch. The way
 * back (combine, and the gradients of the dispatch) carries the transpose.
 *
 * Law: row s adds up to the copies of rank s x bytes per copy; both directions carry the same sum.
 */
class TrafficMatrix
{
  public:
    /**
     * @param tokens token copies [source EP rank][expert]
     * @param placement where the experts are
     * @param copyBytes bytes of a token copy, over all TP lanes
     * @param layer MoE layer, for placements that differ
     */
    void Assign(const Matrix<uint32_t>& tokens,
                const ExpertPlacement& placement,
                uint64_t copyBytes,
                uint32_t layer = 0);

    /// @return bytes [source EP rank][destination EP rank] of a dispatch, diagonal included
    const Matrix<uint64_t>& GetBytes() const
    {
        return m_bytes;
    }

    /// @return by slot of the placement (an expert, or a replica of one): token copies received
    const std::vector<uint64_t>& GetExpertCopies() const
    {
        return m_expertCopies;
    }

    /// @return bytes that leave their rank: the sum off the diagonal
    ByteCount GetCrossing() const;

    /// @return number of rank pairs off the diagonal that have bytes
    uint32_t GetNPairs() const;

    /**
     * Bytes between the servers of a region.
     *
     * @param region which ranks are where
     * @param transposed the way back
     * @param demand out, resized to the region's servers; zero on the diagonal
     */
    void GetDemand(const GroupRegion& region, bool transposed, DemandMatrix& demand) const;

  private:
    Matrix<uint64_t> m_bytes;             //!< bytes of a dispatch
    std::vector<uint64_t> m_expertCopies; //!< by slot
};

} // namespace ns3

#endif // TRAFFIC_MATRIX_H
