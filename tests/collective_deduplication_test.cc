/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// One copy per server: bytes by the law, in order, and as fast as the closed form.

#include "collective_timer.h"
#include "moe_fixture.h"

#include "ns3/byte-count-value.h"
#include "ns3/deduplicating-all-to-all.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace ns3;

namespace
{

using Pair = std::pair<uint32_t, uint32_t>; //!< first GPUs of a sender and a receiver

/// Members of two GPUs on three servers of eight: four, three and one of them.
class DeduplicationLaw : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        EnsurePicosecondClock();
        m_graph = MakeServers(3, 8);
        m_algorithm = CreateObject<DeduplicatingAllToAll>();
        m_algorithm->SetFabric(m_graph, nullptr);
        for (const uint32_t gpu : {0, 2, 4, 6, 8, 12, 14, 18})
        {
            m_members.emplace_back(gpu);
        }
    }

    /// Random demand: a server gets no less than each of its members, no more than all of them.
    void Draw()
    {
        m_bytes = Matrix<uint64_t>(8, 8);
        m_perServer = Matrix<uint64_t>(8, 3);
        for (uint32_t s = 0; s < 8; ++s)
        {
            for (uint32_t d = 0; d < 8; ++d)
            {
                m_bytes(s, d) = m_random() % 4 == 0 ? 0 : 1 + m_random() % 100000;
            }
            for (uint32_t server = 0; server < 3; ++server)
            {
                uint64_t sum = 0;
                uint64_t most = 0;
                for (uint32_t d = 0; d < 8; ++d)
                {
                    sum += m_server[d] == server ? m_bytes(s, d) : 0;
                    most = std::max(most, m_server[d] == server ? m_bytes(s, d) : 0);
                }
                m_perServer(s, server) = most + (sum > most ? m_random() % (sum - most + 1) : 0);
            }
        }
    }

    /// @param transposed the way back @param graph out
    void Append(bool transposed, TransferGraph& graph)
    {
        m_algorithm->Append(graph,
                            {m_members, 2, TrafficClass::EP, m_bytes, transposed, &m_perServer});
        graph.Seal();
    }

    Ptr<FabricGraph> m_graph;                               //!< servers
    Ptr<DeduplicatingAllToAll> m_algorithm;                 //!< what is tested
    std::vector<GpuId> m_members;                           //!< first GPUs
    std::vector<uint32_t> m_server{0, 0, 0, 0, 1, 1, 1, 2}; //!< by member
    Matrix<uint64_t> m_bytes;                               //!< by member
    Matrix<uint64_t> m_perServer;                           //!< by server
    std::mt19937_64 m_random{9};                            //!< of the test
};

// What crosses between two GPUs is the demand per server of one member, to the member with the same
// local index (servers 1 and 2 lack some: then in order); what is moved inside is the demand of
// every member but the one that the crossing reaches; the way back mirrors it, byte by byte.
TEST_F(DeduplicationLaw, EveryByteOnce)
{
    // By owner and server: member of the same local index, 0, 2, 4, 6; else in order.
    const uint32_t relay[8][3] =
        {{0, 4, 7}, {0, 5, 7}, {0, 5, 7}, {0, 6, 7}, {0, 0, 7}, {2, 0, 7}, {3, 0, 7}, {1, 4, 0}};
    for (const uint64_t chunk : {0, 5000})
    {
        m_algorithm->SetAttribute("ChunkSize", ByteCountValue(ByteCount(chunk)));
        for (int n = 0; n < 10; ++n)
        {
            Draw();
            std::map<Pair, uint64_t> expected;
            for (uint32_t s = 0; s < 8; ++s)
            {
                for (uint32_t server = 0; server < 3; ++server)
                {
                    const uint32_t r = m_server[s] == server ? s : relay[s][server];
                    if (r != s && m_perServer(s, server) > 0)
                    {
                        expected[{m_members[s].Get(), m_members[r].Get()}] +=
                            m_perServer(s, server);
                    }
                    for (uint32_t d = 0; d < 8; ++d)
                    {
                        if (m_server[d] == server && d != r && m_bytes(s, d) > 0)
                        {
                            expected[{m_members[r].Get(), m_members[d].Get()}] += m_bytes(s, d);
                        }
                    }
                }
            }
            for (const bool transposed : {false, true})
            {
                TransferGraph graph;
                Append(transposed, graph);
                std::map<Pair, uint64_t> sent;
                for (const Transfer& t : graph.GetTransfers())
                {
                    EXPECT_EQ(t.lanes, 2U);
                    EXPECT_EQ(t.trafficClass, TrafficClass::EP);
                    EXPECT_GT(t.bytes, ByteCount(0));
                    const uint32_t from = t.source.Get();
                    const uint32_t to = t.destination.Get();
                    sent[transposed ? Pair{to, from} : Pair{from, to}] += t.bytes.Get();
                }
                EXPECT_EQ(sent, expected);
            }
        }
    }
}

// A chunk is forwarded after it has crossed, and crosses back after all its parts are there; no
// part is larger than its chunk, and no more than two chunks of a crossing are under way.
TEST_F(DeduplicationLaw, InOrder)
{
    m_algorithm->SetAttribute("ChunkSize", ByteCountValue(ByteCount(5000)));
    for (const bool transposed : {false, true})
    {
        Draw();
        TransferGraph graph;
        Append(transposed, graph);
        uint32_t checked = 0;
        for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
        {
            const Transfer& t = graph.GetTransfer(node);
            const bool crosses =
                m_graph->GetServerOf(t.source) != m_graph->GetServerOf(t.destination);
            uint32_t crossings = 0;
            const auto [begin, end] = graph.GetSuccessors(node);
            for (auto next = begin; next != end; ++next)
            {
                const Transfer& after = graph.GetTransfer(*next);
                const bool afterCrosses =
                    m_graph->GetServerOf(after.source) != m_graph->GetServerOf(after.destination);
                crossings += afterCrosses;
                if (crosses != afterCrosses)
                {
                    EXPECT_EQ(crosses, !transposed);
                    EXPECT_EQ(t.destination, after.source);
                    EXPECT_LE(crosses ? after.bytes : t.bytes, crosses ? t.bytes : after.bytes);
                    ++checked;
                }
            }
            EXPECT_LE(crossings, 1U);
            EXPECT_TRUE(!crosses || t.bytes <= ByteCount(5000));
        }
        EXPECT_GT(checked, 100U);
    }
}

// Nothing per server: as the direct all-to-all.
TEST_F(DeduplicationLaw, WithoutDemandPerServerDirect)
{
    Draw();
    TransferGraph graph;
    m_algorithm->Append(graph, {m_members, 2, TrafficClass::EP, m_bytes, false});
    TransferGraph direct;
    CreateObject<DirectAllToAll>()->Append(direct,
                                           {m_members, 2, TrafficClass::EP, m_bytes, false});
    EXPECT_EQ(graph.GetNNodes(), direct.GetNNodes());
    EXPECT_TRUE(graph.IsFlat());
    EXPECT_EQ(graph.GetTransferBytes(), direct.GetTransferBytes());
}

// Member 0 alone sends 2 MB to server 1 for its three members, in n chunks, at 2 lanes of 1 GB/s
// without contention: 1 ms to cross, and one chunk of the members' bytes (at most 1 MB, all at
// once) to forward: 1 ms + 0.5 ms / n. Without chunks 1.5 ms. Back, the same.
TEST_F(DeduplicationLaw, ForwardsWhileOthersCross)
{
    m_bytes = Matrix<uint64_t>(8, 8);
    m_perServer = Matrix<uint64_t>(8, 3);
    m_perServer(0, 1) = 2000000;
    m_bytes(0, 4) = 2000000;
    m_bytes(0, 5) = 1000000;
    m_bytes(0, 6) = 800000;
    Ptr<LineTransport> transport = CreateObject<LineTransport>();
    transport->bitsPerSecond = 8000000000ULL;
    CollectiveTimer timer(transport);
    for (const uint64_t chunks : {1, 4, 10})
    {
        m_algorithm->SetAttribute("ChunkSize",
                                  ByteCountValue(ByteCount(chunks == 1 ? 0 : 2000000 / chunks)));
        m_algorithm->SetAttribute("ChunksUnderWay", UintegerValue(1));
        for (const bool transposed : {false, true})
        {
            EXPECT_EQ(timer.Run([&](TransferGraph& graph) {
                graph.Clear();
                m_algorithm->Append(
                    graph,
                    {m_members, 2, TrafficClass::EP, m_bytes, transposed, &m_perServer});
            }),
                      MilliSeconds(1) + MicroSeconds(500 / chunks))
                << chunks << " chunks" << (transposed ? " back" : "");
        }
    }
    transport->Dispose();
    Simulator::Destroy();
}

} // namespace
