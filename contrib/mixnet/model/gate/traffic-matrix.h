/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAFFIC_MATRIX_H
#define TRAFFIC_MATRIX_H

#include "distinct-tokens.h"

#include "ns3/demand.h"
#include "ns3/expert-placement.h"
#include "ns3/mixnet-byte-count.h"
#include "ns3/mixnet-matrix.h"
#include "ns3/parallel-layout.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// Bytes of a token, over all TP lanes.
struct CopyBytes
{
    uint64_t dispatch; //!< to an expert, and the gradient that goes the same way
    uint64_t combine;  //!< back

    /// Both alike; implicit, since it is what a number of bytes means. @param both bytes
    CopyBytes(uint64_t both)
        : dispatch(both),
          combine(both)
    {
    }

    /// @param out to an expert @param back from it
    CopyBytes(uint64_t out, uint64_t back)
        : dispatch(out),
          combine(back)
    {
    }
};

/**
 * @ingroup mixnet
 * The all-to-all of one gate in bytes: what EP rank s sends to EP rank d in a dispatch. The way
 * back (combine, and the gradients of the dispatch) carries the transpose, in bytes of its own.
 *
 * Law: row s adds up to the copies of rank s x bytes per copy; with one copy per rank or server to
 * its different tokens there x bytes.
 */
class TrafficMatrix
{
  public:
    /**
     * Every copy is sent.
     *
     * @param tokens token copies [source EP rank][expert]
     * @param placement where the experts are
     * @param bytes of a token copy
     * @param layer MoE layer, for placements that differ
     */
    void Assign(const Matrix<uint32_t>& tokens,
                const ExpertPlacement& placement,
                CopyBytes bytes,
                uint32_t layer = 0);

    /**
     * After Assign(): a token goes once to every EP rank that has experts of it.
     *
     * @param distinct counts them, its placement being that of Assign()
     * @param chosen copies before any were dropped @param tokens as given to Assign()
     * @param serverOfRank with one copy per server: index of its server, by EP rank; null: per rank
     */
    void Deduplicate(DistinctTokens& distinct,
                     const Matrix<uint32_t>& chosen,
                     const Matrix<uint32_t>& tokens,
                     const std::vector<uint32_t>* serverOfRank);

    /// After Assign(): the same, with what the gate knows.
    /// @param distinct different tokens [source EP rank][EP rank]
    void Deduplicate(const Matrix<uint64_t>& distinct);

    /// @param back the way back @return bytes [source EP rank][destination EP rank] of a dispatch,
    /// diagonal included; of a combine, to be read [destination][source]
    const Matrix<uint64_t>& GetBytes(bool back = false) const
    {
        return back && m_bytes.combine != m_bytes.dispatch ? m_back.ranks : m_out.ranks;
    }

    /// @param back the way back @return bytes [source EP rank][server], likewise; null unless a
    /// server gets one copy
    const Matrix<uint64_t>* GetServerBytes(bool back = false) const
    {
        return m_serverOfRank.empty()                        ? nullptr
               : back && m_bytes.combine != m_bytes.dispatch ? &m_back.servers
                                                             : &m_out.servers;
    }

    /// @return by slot of the placement (an expert, or a replica of one): token copies received
    const std::vector<uint64_t>& GetExpertCopies() const
    {
        return m_expertCopies;
    }

    /// @param back the way back @return bytes that leave their rank: the sum off the diagonal
    ByteCount GetCrossing(bool back = false) const;

    /// @return number of rank pairs off the diagonal that have bytes
    uint32_t GetNPairs() const;

    /**
     * @param serverOfRank by EP rank: index of its server
     * @return tokens that cross between servers, each as often as it is sent there
     */
    uint64_t CountCrossingTokens(const std::vector<uint32_t>& serverOfRank) const;

    /**
     * Bytes between servers.
     *
     * @param servers by EP rank: its server, or any other number for it
     * @param back the way back
     * @param add told sender, receiver and bytes, several times for a pair; not within a server
     */
    template <class S, class F>
    void ForEachServerPair(const std::vector<S>& servers, bool back, const F& add) const
    {
        const Matrix<uint64_t>* perServer = GetServerBytes(back);
        const Matrix<uint64_t>& bytes = perServer != nullptr ? *perServer : GetBytes(back);
        for (std::size_t s = 0; s < bytes.Rows(); ++s)
        {
            for (std::size_t d = 0; d < bytes.Columns(); ++d)
            {
                const S& other = servers[perServer != nullptr ? m_firstRank[d] : d];
                if (bytes(s, d) > 0 && other != servers[s])
                {
                    add(back ? other : servers[s], back ? servers[s] : other, bytes(s, d));
                }
            }
        }
    }

    /**
     * Bytes between the servers of a region.
     *
     * @param region which ranks are where
     * @param back the way back
     * @param demand out, resized to the region's servers; zero on the diagonal
     */
    void GetDemand(const GroupRegion& region, bool back, DemandMatrix& demand) const;

  private:
    /// Bytes of one direction.
    struct Direction
    {
        Matrix<uint64_t> ranks;   //!< by EP rank
        Matrix<uint64_t> servers; //!< by server
    };

    /// Turn tokens into bytes. @param tokens in m_out, bytes out
    void Price();

    CopyBytes m_bytes{1};                 //!< of a token
    Direction m_out;                      //!< of a dispatch
    Direction m_back;                     //!< of a combine, when it differs
    std::vector<uint64_t> m_expertCopies; //!< by slot
    std::vector<uint32_t> m_serverOfRank; //!< with one copy per server; else empty
    std::vector<uint32_t> m_firstRank;    //!< by server: its first rank
};

} // namespace ns3

#endif // TRAFFIC_MATRIX_H
