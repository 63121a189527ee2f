/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "traffic-matrix.h"

#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Zero a matrix of a size. @param matrix it @param rows rows @param columns columns
void
Clear(Matrix<uint64_t>& matrix, std::size_t rows, std::size_t columns)
{
    if (matrix.Rows() != rows || matrix.Columns() != columns)
    {
        matrix = Matrix<uint64_t>(rows, columns);
    }
    else
    {
        matrix.Data().assign(matrix.Data().size(), 0);
    }
}

/// @param from a matrix @param by what factor @param to out: product
void
Scale(const Matrix<uint64_t>& from, uint64_t by, Matrix<uint64_t>& to)
{
    if (&from != &to)
    {
        Clear(to, from.Rows(), from.Columns());
    }
    for (std::size_t i = 0; i < from.Data().size(); ++i)
    {
        to.Data()[i] = from.Data()[i] * by;
    }
}

} // namespace

void
TrafficMatrix::Assign(const Matrix<uint32_t>& tokens,
                      const ExpertPlacement& placement,
                      CopyBytes bytes,
                      uint32_t layer)
{
    const uint32_t ranks = placement.GetNRanks();
    const uint32_t experts = placement.GetNExperts();
    MIXNET_CHECK(tokens.Rows() == ranks && tokens.Columns() == experts,
                 "tokens of " << tokens.Rows() << " ranks and " << tokens.Columns() << " experts");
    m_bytes = bytes;
    m_serverOfRank.clear();
    Clear(m_out.ranks, ranks, ranks);
    m_expertCopies.assign(placement.GetNSlots(), 0);
    for (uint32_t s = 0; s < ranks; ++s)
    {
        for (uint32_t expert = 0; expert < experts; ++expert)
        {
            const SlotRange slots = placement.GetSlots(layer, expert);
            for (uint32_t i = 0; i < slots.count; ++i)
            {
                const uint32_t slot = slots.first[i];
                const uint64_t copies = slots.GetShare(tokens(s, expert), s, i);
                m_expertCopies[slot] += copies;
                m_out.ranks(s, placement.GetRank(slot)) += copies;
            }
        }
    }
    Price();
}

void
TrafficMatrix::Deduplicate(DistinctTokens& distinct,
                           const Matrix<uint32_t>& chosen,
                           const Matrix<uint32_t>& tokens,
                           const std::vector<uint32_t>* serverOfRank)
{
    const auto ranks = static_cast<uint32_t>(m_out.ranks.Rows());
    m_serverOfRank.clear();
    m_firstRank.clear();
    for (uint32_t rank = 0; serverOfRank != nullptr && rank < ranks; ++rank)
    {
        const uint32_t server = (*serverOfRank)[rank];
        MIXNET_CHECK(server <= m_firstRank.size(), "servers are in order of their first rank");
        if (server == m_firstRank.size())
        {
            m_firstRank.push_back(rank);
        }
        m_serverOfRank.push_back(server);
    }
    Clear(m_out.servers, ranks, m_firstRank.size());
    for (uint32_t s = 0; s < ranks; ++s)
    {
        distinct.Count(&chosen(s, 0), &tokens(s, 0), s);
        std::copy(distinct.GetByRank().begin(), distinct.GetByRank().end(), &m_out.ranks(s, 0));
        if (serverOfRank != nullptr)
        {
            const std::vector<uint64_t>& servers = distinct.GetByServer();
            std::copy(servers.begin(), servers.end(), &m_out.servers(s, 0));
        }
    }
    Price();
}

void
TrafficMatrix::Deduplicate(const Matrix<uint64_t>& distinct)
{
    MIXNET_CHECK(distinct.Rows() == m_out.ranks.Rows() &&
                     distinct.Columns() == m_out.ranks.Columns(),
                 "different tokens of other ranks");
    m_serverOfRank.clear();
    m_out.ranks = distinct;
    Price();
}

void
TrafficMatrix::Price()
{
    if (m_bytes.combine != m_bytes.dispatch)
    {
        Scale(m_out.ranks, m_bytes.combine, m_back.ranks);
    }
    Scale(m_out.ranks, m_bytes.dispatch, m_out.ranks);
    if (m_serverOfRank.empty())
    {
        return;
    }
    if (m_bytes.combine != m_bytes.dispatch)
    {
        Scale(m_out.servers, m_bytes.combine, m_back.servers);
    }
    Scale(m_out.servers, m_bytes.dispatch, m_out.servers);
}

ByteCount
TrafficMatrix::GetCrossing(bool back) const
{
    const Matrix<uint64_t>& all = GetBytes(back);
    uint64_t bytes = 0;
    for (std::size_t s = 0; s < all.Rows(); ++s)
    {
        for (std::size_t d = 0; d < all.Columns(); ++d)
        {
            bytes += s == d ? 0 : all(s, d);
        }
    }
    return ByteCount(bytes);
}

uint32_t
TrafficMatrix::GetNPairs() const
{
    uint32_t pairs = 0;
    for (std::size_t s = 0; s < m_out.ranks.Rows(); ++s)
    {
        for (std::size_t d = 0; d < m_out.ranks.Columns(); ++d)
        {
            pairs += s != d && m_out.ranks(s, d) > 0;
        }
    }
    return pairs;
}

uint64_t
TrafficMatrix::CountCrossingTokens(const std::vector<uint32_t>& serverOfRank) const
{
    uint64_t bytes = 0;
    ForEachServerPair(serverOfRank, false, [&bytes](uint32_t, uint32_t, uint64_t b) {
        bytes += b;
    });
    return bytes / m_bytes.dispatch;
}

void
TrafficMatrix::GetDemand(const GroupRegion& region, bool back, DemandMatrix& demand) const
{
    Clear(demand, region.servers, region.servers);
    ForEachServerPair(region.serverOfRank,
                      back,
                      [&demand](uint32_t from, uint32_t to, uint64_t bytes) {
                          if (from != GroupRegion::OUTSIDE && to != GroupRegion::OUTSIDE)
                          {
                              demand(from, to) += bytes;
                          }
                      });
}

} // namespace ns3
