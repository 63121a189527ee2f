/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/byte-count-value.h"
#include "ns3/cluster-spec.h"
#include "ns3/delegate-all-to-all.h"
#include "ns3/delegate-plan.h"
#include "ns3/direct-or-eps-policy.h"
#include "ns3/fabric-router.h"
#include "ns3/hybrid-topology.h"
#include "ns3/ns3-compat.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>

using namespace ns3;

namespace
{

constexpr uint32_t GPUS = 8; //!< of a server

/// A hybrid fabric with random circuits, and the graph of an all-to-all on it.
class DelegateLaw : public ::testing::Test
{
  protected:
    /// @param servers number of servers @param policy of EP
    void Build(uint32_t servers, const std::string& policy)
    {
        EnsurePicosecondClock();
        const Ptr<HybridTopology> topology = CreateObject<HybridTopology>();
        topology->SetAttribute("OcsNics", UintegerValue(6));
        topology->SetAttribute("ServersPerRegion", UintegerValue(servers));
        m_servers = servers;
        m_graph = topology->Build(ClusterSpec(servers, GPUS));
        m_router = CreateObject<FabricRouter>();
        m_router->SetAttribute("EpPolicy", StringValue(policy));
        m_router->AssignStreams(1);
        m_router->SetGraph(m_graph);
    }

    /// Join free fibers of different servers at random; some stay dark.
    void Light()
    {
        const VertexId ocs = m_graph->GetRegionOcs(RegionId(0)).front();
        std::vector<uint32_t> ports(6 * m_servers);
        std::iota(ports.begin(), ports.end(), 0);
        std::shuffle(ports.begin(), ports.end(), m_random);
        std::vector<Circuit> circuits;
        for (std::size_t i = 0; i + 5 < ports.size(); i += 2)
        {
            if (ports[i] / 6 != ports[i + 1] / 6)
            {
                circuits.push_back(
                    {ocs, std::min(ports[i], ports[i + 1]), std::max(ports[i], ports[i + 1])});
            }
        }
        m_graph->ChangeMatching(circuits, {});
    }

    Ptr<FabricGraph> m_graph;   //!< fabric
    Ptr<FabricRouter> m_router; //!< ways
    uint32_t m_servers{0};      //!< number
    std::mt19937 m_random{7};   //!< of the test
};

/// @param bytes demand @param from a server @param to another one @return bytes between them
uint64_t
Between(const Matrix<uint64_t>& bytes, uint32_t from, uint32_t to)
{
    uint64_t sum = 0;
    for (uint32_t g = 0; g < GPUS; ++g)
    {
        for (uint32_t h = 0; h < GPUS; ++h)
        {
            sum += bytes(from * GPUS + g, to * GPUS + h);
        }
    }
    return sum;
}

// Laws of the graph for random demands, circuits, chunks and policies: between two servers exactly
// the demand crosses; what enters a GPU and stays is what it is to receive (in + own demand out =
// out + own demand in, for each GPU); what is gathered is at most what leaves, what is scattered at
// most what arrives; and a crossing never waits for less than was gathered for it.
TEST_F(DelegateLaw, EveryByteCrossesOnceAndEndsWhereItShould)
{
    uint32_t relayed = 0;
    for (const std::string policy :
         {"ns3::DirectOrEpsPolicy", "ns3::SplitPolicy", "ns3::RelayPolicy", "ns3::MultiHopPolicy"})
    {
        for (int round = 0; round < 8; ++round)
        {
            Build(4, policy);
            Light();
            const uint32_t n = m_servers * GPUS;
            std::vector<GpuId> members;
            Matrix<uint64_t> bytes(n, n);
            for (uint32_t i = 0; i < n; ++i)
            {
                members.emplace_back(i);
                for (uint32_t j = 0; j < n; ++j)
                {
                    bytes(i, j) = m_random() % 3 == 0 ? m_random() % 1000000 : 0;
                }
            }
            const Ptr<DelegateAllToAll> algorithm = CreateObject<DelegateAllToAll>();
            const uint64_t chunk = round % 2 == 0 ? 0 : 1 << (10 + round);
            algorithm->SetAttribute("ChunkSize", ByteCountValue(ByteCount(chunk)));
            algorithm->SetFabric(m_graph, m_router);
            TransferGraph graph;
            algorithm->Append(graph, {members, 1, TrafficClass::EP, bytes, false});
            graph.Seal();

            Matrix<uint64_t> crossed(m_servers, m_servers);
            std::vector<int64_t> surplus(n);
            std::map<TransferGraph::Node, uint64_t> gathered;
            for (TransferGraph::Node node = 0; node < graph.GetNNodes(); ++node)
            {
                if (graph.IsLocal(node))
                {
                    continue;
                }
                const Transfer& t = graph.GetTransfer(node);
                const uint32_t from = t.source.Get();
                const uint32_t to = t.destination.Get();
                ASSERT_GT(t.bytes, ByteCount(0));
                surplus[to] += static_cast<int64_t>(t.bytes.Get());
                surplus[from] -= static_cast<int64_t>(t.bytes.Get());
                crossed(from / GPUS, to / GPUS) += t.bytes.Get();
                if (from / GPUS != to / GPUS)
                {
                    ASSERT_LE(gathered[node], t.bytes.Get());
                    continue;
                }
                const auto [begin, end] = graph.GetSuccessors(node);
                for (const auto* next = begin; next != end; ++next)
                {
                    if (!graph.IsLocal(*next) &&
                        graph.GetTransfer(*next).destination.Get() / GPUS != to / GPUS)
                    {
                        gathered[*next] += t.bytes.Get();
                        ++relayed;
                    }
                }
            }
            for (uint32_t i = 0; i < n; ++i)
            {
                int64_t expected = 0;
                for (uint32_t j = 0; j < n; ++j)
                {
                    expected += i == j ? 0 : int64_t(bytes(j, i)) - int64_t(bytes(i, j));
                }
                ASSERT_EQ(surplus[i], expected) << "GPU " << i << ", " << policy;
            }
            for (uint32_t s = 0; s < m_servers; ++s)
            {
                for (uint32_t d = 0; d < m_servers; ++d)
                {
                    if (s != d)
                    {
                        ASSERT_EQ(crossed(s, d), Between(bytes, s, d)) << policy;
                    }
                }
            }
            algorithm->Dispose();
        }
    }
    EXPECT_GT(relayed, 1000U) << "bytes were gathered";
}

// The plan: shares to the byte, as many bytes as possible where they lie.
TEST(DelegatePlan, MovesNothingWhenEveryGpuHasItsOwnCrossing)
{
    std::vector<DelegateCrossing> crossings(4);
    std::vector<GpuPairBytes> pairs;
    for (uint32_t i = 0; i < 4; ++i)
    {
        crossings[i].out = GpuId(3 - i);
        crossings[i].in = GpuId(8 + 3 - i);
        crossings[i].share = 0.25;
        pairs.push_back({GpuId(i), GpuId(8 + i), 1000});
    }
    ShareOutToDelegates(pairs, crossings);
    for (const DelegateCrossing& crossing : crossings)
    {
        ASSERT_EQ(crossing.pieces.size(), 1U);
        EXPECT_EQ(crossing.pieces[0].from, crossing.out);
        EXPECT_EQ(crossing.pieces[0].to, crossing.in);
        EXPECT_EQ(crossing.bytes, 1000U);
    }
    // 1001 bytes of one pair over thirds: 334, 333, 334, none lost
    crossings.resize(3);
    for (DelegateCrossing& crossing : crossings)
    {
        crossing.share = 1.0 / 3;
    }
    ShareOutToDelegates({{GpuId(5), GpuId(13), 1001}}, crossings);
    uint64_t sum = 0;
    for (const DelegateCrossing& crossing : crossings)
    {
        EXPECT_NEAR(static_cast<double>(crossing.bytes), 1001.0 / 3, 1);
        sum += crossing.bytes;
    }
    EXPECT_EQ(sum, 1001U);
}

// Without circuits the delegates are the GPUs of the packet NICs, 0 and 4, half each; with two
// circuits their GPUs. A GPU that is no delegate sends nothing to another server.
TEST_F(DelegateLaw, DelegatesOwnTheNicsOfTheWays)
{
    Build(2, "ns3::DirectOrEpsPolicy");
    const std::vector<GpuId> members{GpuId(3), GpuId(GPUS + 3)};
    Matrix<uint64_t> bytes(2, 2);
    bytes(0, 1) = 1000;
    const Ptr<DelegateAllToAll> algorithm = CreateObject<DelegateAllToAll>();
    algorithm->SetFabric(m_graph, m_router);
    const auto crossings = [&] {
        TransferGraph graph;
        algorithm->Append(graph, {members, 1, TrafficClass::EP, bytes, false});
        std::map<std::pair<uint32_t, uint32_t>, uint64_t> found;
        for (const Transfer& t : graph.GetTransfers())
        {
            if (t.source.Get() / GPUS != t.destination.Get() / GPUS)
            {
                found[{t.source.Get(), t.destination.Get()}] += t.bytes.Get();
            }
        }
        return found;
    };
    using Found = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;
    EXPECT_EQ(crossings(), (Found{{{0, 8}, 500}, {{4, 12}, 500}}));
    const VertexId ocs = m_graph->GetRegionOcs(RegionId(0)).front();
    // fibers 0 and 1 of server 0 (NICs 1 and 2) to fibers 2 and 1 of server 1 (NICs 3 and 2)
    m_graph->ChangeMatching({{ocs, 0, 6 + 2}, {ocs, 1, 6 + 1}}, {});
    EXPECT_EQ(crossings(), (Found{{{1, 8 + 3}, 500}, {{2, 8 + 2}, 500}}));

    // a crossing depends on circuits if the policy of its class does
    TransferGraph graph;
    algorithm->Append(graph, {members, 1, TrafficClass::EP, bytes, false});
    const auto& transfers = graph.GetTransfers();
    const auto crossing = std::find_if(transfers.begin(), transfers.end(), [](const Transfer& t) {
        return t.policy != nullptr;
    });
    ASSERT_NE(crossing, transfers.end());
    EXPECT_TRUE(m_router->UsesCircuits(*crossing));
    m_router->SetPolicy(TrafficClass::EP, CreateObject<EpsOnlyPolicy>());
    EXPECT_FALSE(m_router->UsesCircuits(*crossing));
    algorithm->Dispose();
}

} // namespace
