/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What the transfers of a collective carry ends where it should, whatever their speed.

#include "collective_cases.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace ns3;

namespace
{

using Node = TransferGraph::Node;

/// How often a byte has the contribution of each rank.
using Sum = std::vector<uint32_t>;

/// Knows nothing of algorithms: runs transfers as their dependencies allow, with random durations,
/// and carries for every byte what it is the sum of. A transfer reads when it starts and writes
/// when it ends, so an order that is missing shows.
class DataFlow
{
  public:
    DataFlow(const CollectiveCase& theCase, const CollectiveSpec& spec, uint32_t seed)
        : m_case(theCase),
          m_n(spec.members.size()),
          m_bytes(spec.bytes.Get()),
          m_data(m_n, std::vector<Sum>(m_bytes, Sum(m_n))),
          m_random(seed)
    {
        for (uint32_t r = 0; r < m_n; ++r)
        {
            for (uint64_t b = 0; b < m_bytes; ++b)
            {
                const bool has = m_case.kind == CollectiveKind::ALL_GATHER  ? OwnerOf(b) == r
                                 : m_case.kind == CollectiveKind::BROADCAST ? r + 1 == m_n
                                                                            : true;
                m_data[r][b][r] = has ? 1 : 0;
            }
        }
    }

    /// @param graph sealed @param moves what its transfers carry
    void Run(const TransferGraph& graph, const std::vector<BufferMove>& moves)
    {
        std::map<Node, std::vector<BufferMove>> byNode;
        for (const BufferMove& move : moves)
        {
            byNode[move.node].push_back(move);
        }
        std::vector<uint32_t> waits = graph.GetPredecessorCounts();
        std::vector<std::pair<Node, std::vector<std::vector<Sum>>>> flying;
        const auto start = [&](Node node) {
            std::vector<std::vector<Sum>> read;
            for (const BufferMove& m : byNode[node])
            {
                const auto begin = m_data[m.from].begin() + static_cast<int64_t>(m.offset);
                read.emplace_back(begin, begin + static_cast<int64_t>(m.bytes));
            }
            flying.emplace_back(node, read);
        };
        for (Node node = 0; node < graph.GetNNodes(); ++node)
        {
            if (waits[node] == 0)
            {
                start(node);
            }
        }
        while (!flying.empty())
        {
            std::swap(flying[m_random() % flying.size()], flying.back());
            const auto [node, read] = flying.back();
            flying.pop_back();
            Arrive(byNode[node], read);
            const auto [begin, end] = graph.GetSuccessors(node);
            for (const Node* s = begin; s != end; ++s)
            {
                if (--waits[*s] == 0)
                {
                    start(*s);
                }
            }
        }
    }

    /// @return bytes that do not have what they should
    uint64_t CountWrong() const
    {
        uint64_t wrong = 0;
        for (uint32_t r = 0; r < m_n; ++r)
        {
            for (uint64_t b = 0; b < m_bytes; ++b)
            {
                Sum expected(m_n);
                switch (m_case.kind)
                {
                case CollectiveKind::ALL_GATHER:
                    expected[OwnerOf(b)] = 1;
                    break;
                case CollectiveKind::BROADCAST:
                    expected[m_n - 1] = 1;
                    break;
                case CollectiveKind::REDUCE_SCATTER:
                    if (OwnerOf(b) != r)
                    {
                        continue; // scratch
                    }
                    [[fallthrough]];
                default:
                    expected.assign(m_n, 1);
                }
                wrong += m_data[r][b] == expected ? 0 : 1;
            }
        }
        return wrong;
    }

  private:
    /// @return rank whose part a byte is in: n parts, the first bytes % n of them a byte longer
    uint32_t OwnerOf(uint64_t byte) const
    {
        uint64_t end = 0;
        for (uint32_t r = 0; r < m_n; ++r)
        {
            end += m_bytes / m_n + (r < m_bytes % m_n ? 1 : 0);
            if (byte < end)
            {
                return r;
            }
        }
        return m_n;
    }

    void Arrive(const std::vector<BufferMove>& moves, const std::vector<std::vector<Sum>>& read)
    {
        for (std::size_t i = 0; i < moves.size(); ++i)
        {
            for (uint64_t b = 0; b < moves[i].bytes; ++b)
            {
                Sum& sum = m_data[moves[i].to][moves[i].offset + b];
                for (uint32_t r = 0; r < m_n; ++r)
                {
                    sum[r] = read[i][b][r] + (moves[i].reduces ? sum[r] : 0);
                }
            }
        }
    }

    const CollectiveCase& m_case;         //!< builder
    uint32_t m_n;                         //!< ranks
    uint64_t m_bytes;                     //!< buffer
    std::vector<std::vector<Sum>> m_data; //!< by rank and byte
    std::mt19937 m_random;                //!< durations
};

TEST(CollectiveDataFlow, EveryRankEndsWithWhatItShouldInAnyOrder)
{
    uint64_t transfers = 0;
    for (const CollectiveCase& c : AllCollectives())
    {
        for (CollectiveSpec spec : AllSpecs())
        {
            std::vector<BufferMove> moves;
            spec.moves = &moves;
            TransferGraph graph;
            c.append(graph, spec, {});
            graph.Seal();
            transfers += graph.GetNNodes();
            for (uint32_t seed = 0; seed < 3; ++seed)
            {
                DataFlow data(c, spec, seed);
                data.Run(graph, moves);
                ASSERT_EQ(data.CountWrong(), 0U) << Describe(c, spec);
            }
        }
    }
    EXPECT_GT(transfers, 10000U);
}

// The interpreter sees a dependency that is missing: the same transfers, without any.
TEST(CollectiveDataFlow, SeesWhatIsMissing)
{
    for (const CollectiveCase& c : AllCollectives())
    {
        std::vector<BufferMove> moves;
        CollectiveSpec spec;
        spec.members = EveryGpu(8);
        spec.bytes = ByteCount(64);
        spec.moves = &moves;
        TransferGraph graph;
        c.append(graph, spec, {});
        TransferGraph unordered;
        for (const Transfer& t : graph.GetTransfers())
        {
            unordered.AddTransfer(t);
        }
        unordered.Seal();
        DataFlow data(c, spec, 1);
        data.Run(unordered, moves);
        EXPECT_GT(data.CountWrong(), 0U) << c.name;
    }
}

} // namespace
