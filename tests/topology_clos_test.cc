/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/clos-topology.h"
#include "ns3/mixnet-error.h"
#include "ns3/rail-optimized-topology.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * Independent oracle: maximum flow by shortest augmenting paths (Edmonds and Karp) where every
 * link of the graph carries one unit per direction.
 */
class MaxFlow
{
  public:
    explicit MaxFlow(const FabricGraph& graph)
        : m_first(graph.GetNVertices() + 2)
    {
        for (uint32_t e = 0; e < graph.GetNEdges(); ++e)
        {
            Add(graph.GetEndA(EdgeId(e)).Get(), graph.GetEndB(EdgeId(e)).Get(), 1, 1);
        }
    }

    /// @param from servers @param to servers @return units from one set to the other
    int Run(const std::vector<uint32_t>& from, const std::vector<uint32_t>& to)
    {
        const auto source = static_cast<uint32_t>(m_first.size() - 2);
        const uint32_t sink = source + 1;
        constexpr int many = std::numeric_limits<int>::max() / 2;
        for (const uint32_t s : from)
        {
            Add(source, s, many, 0);
        }
        for (const uint32_t s : to)
        {
            Add(s, sink, many, 0);
        }
        int flow = 0;
        while (Augment(source, sink))
        {
            ++flow;
        }
        return flow;
    }

  private:
    void Add(uint32_t a, uint32_t b, int forward, int backward)
    {
        m_first[a].push_back(static_cast<uint32_t>(m_to.size()));
        m_to.push_back(b);
        m_capacity.push_back(forward);
        m_first[b].push_back(static_cast<uint32_t>(m_to.size()));
        m_to.push_back(a);
        m_capacity.push_back(backward);
    }

    bool Augment(uint32_t source, uint32_t sink)
    {
        std::vector<int> arc(m_first.size(), -1);
        std::vector<uint32_t> queue{source};
        for (std::size_t head = 0; head < queue.size() && arc[sink] < 0; ++head)
        {
            for (const uint32_t a : m_first[queue[head]])
            {
                if (m_capacity[a] > 0 && arc[m_to[a]] < 0 && m_to[a] != source)
                {
                    arc[m_to[a]] = static_cast<int>(a);
                    queue.push_back(m_to[a]);
                }
            }
        }
        if (arc[sink] < 0)
        {
            return false;
        }
        for (uint32_t v = sink; v != source; v = m_to[static_cast<uint32_t>(arc[v]) ^ 1U])
        {
            --m_capacity[static_cast<uint32_t>(arc[v])];
            ++m_capacity[static_cast<uint32_t>(arc[v]) ^ 1U];
        }
        return true;
    }

    std::vector<std::vector<uint32_t>> m_first;
    std::vector<uint32_t> m_to;
    std::vector<int> m_capacity;
};

template <class T>
Ptr<FabricGraph>
Build(const ClusterSpec& cluster, uint32_t radix, const std::string& ratio, uint32_t tiers)
{
    Ptr<T> generator = CreateObject<T>();
    generator->SetAttribute("SwitchRadix", UintegerValue(radix));
    generator->SetAttribute("Oversubscription", StringValue(ratio));
    generator->SetAttribute("Tiers", UintegerValue(tiers));
    return generator->Build(cluster);
}

/// No switch has more links than ports, and every server reaches every other.
void
CheckPortsAndConnection(const FabricGraph& graph, uint32_t radix)
{
    std::vector<char> seen(graph.GetNVertices());
    std::vector<uint32_t> queue{0};
    seen[0] = 1;
    for (std::size_t head = 0; head < queue.size(); ++head)
    {
        const VertexId v(queue[head]);
        if (graph.GetKind(v) == VertexKind::SWITCH)
        {
            ASSERT_LE(graph.GetNPorts(v), radix) << graph.GetName(v);
        }
        for (uint32_t p = 0; p < graph.GetNPorts(v); ++p)
        {
            const uint32_t far = graph.GetTarget(graph.GetEgress(v, p)).Get();
            if (seen[far] == 0)
            {
                seen[far] = 1;
                queue.push_back(far);
            }
        }
    }
    EXPECT_EQ(queue.size(), graph.GetNVertices()) << "something is not connected";
}

/// Both sets of every other server, and of two contiguous halves, with as many servers each.
std::vector<std::array<std::vector<uint32_t>, 2>>
Halves(uint32_t servers)
{
    std::vector<std::array<std::vector<uint32_t>, 2>> result(2);
    const uint32_t half = servers / 2;
    for (uint32_t s = 0; s < 2 * half; ++s)
    {
        result[0][s % 2].push_back(s);
        result[1][s < half ? 0 : 1].push_back(s);
    }
    return result;
}

/// 1:1 fabrics of any fill carry any half to the other half at full rate.
TEST(Clos, FullBisectionWhateverTheFill)
{
    int built = 0;
    for (const uint32_t radix : {4, 6, 7, 8})
    {
        const uint32_t most = radix / 2 * (radix / 2) * radix;
        for (uint32_t hosts = 2; hosts <= most; hosts += 1 + hosts / 6)
        {
            for (const uint32_t tiers : {0, 2, 3})
            {
                if (tiers == 2 && hosts > radix / 2 * radix)
                {
                    continue;
                }
                SCOPED_TRACE(std::to_string(hosts) + " hosts, radix " + std::to_string(radix) +
                             ", tiers " + std::to_string(tiers));
                const auto graph =
                    Build<FatTreeTopology>(ClusterSpec(hosts, 1), radix, "1:1", tiers);
                CheckPortsAndConnection(*graph, radix);
                for (const auto& [from, to] : Halves(hosts))
                {
                    EXPECT_EQ(MaxFlow(*graph).Run(from, to), static_cast<int>(from.size()));
                }
                ++built;
            }
        }
    }
    EXPECT_GT(built, 100);
}

/// d:u on full leaves: what leaves half of the leaves is exactly their uplinks.
TEST(Clos, OversubscriptionIsTheBottleneckExactly)
{
    struct Case
    {
        uint32_t radix;
        const char* ratio;
        uint32_t down;
        uint32_t up;
        uint32_t leaves;
    };

    for (const Case& c : {Case{8, "3:1", 6, 2, 8},
                          Case{8, "3:1", 6, 2, 16},
                          Case{8, "3:1", 6, 2, 30},
                          Case{6, "2:1", 4, 2, 12},
                          Case{9, "3:1", 6, 2, 12},
                          Case{8, "1:1", 4, 4, 20}})
    {
        SCOPED_TRACE(std::string(c.ratio) + " leaves " + std::to_string(c.leaves));
        const auto graph =
            Build<FatTreeTopology>(ClusterSpec(c.leaves * c.down, 1), c.radix, c.ratio, 0);
        CheckPortsAndConnection(*graph, c.radix);
        std::vector<uint32_t> from;
        std::vector<uint32_t> to;
        for (uint32_t s = 0; s < graph->GetNServers(); ++s)
        {
            (s / c.down % 2 == 0 ? from : to).push_back(s);
        }
        EXPECT_EQ(MaxFlow(*graph).Run(from, to), static_cast<int>(c.leaves / 2 * c.up));
    }
}

/// Upper tiers are just large enough: with one core less, the rest could not carry the uplinks.
TEST(Clos, NoSwitchToSpareWhereTrunksDivide)
{
    for (const uint32_t pods : {2, 4, 8, 16})
    {
        const ClosPlan plan = PlanClos(pods * 64, {16, 3, {}});
        EXPECT_EQ(plan.GetNCores(), pods * 64 / 16);
        EXPECT_EQ(plan.GetNMiddle(), pods * 8);
    }
    for (const uint32_t leaves : {2, 4, 8, 16})
    {
        EXPECT_EQ(PlanClos(leaves * 8, {16, 2, {}}).GetNMiddle(), leaves * 8 / 16);
    }
    // Elsewhere never more than the next divisor of the radix would take.
    for (uint32_t hosts = 17; hosts <= 128; ++hosts)
    {
        const ClosPlan plan = PlanClos(hosts, {16, 2, {}});
        const uint32_t lower = (plan.leaves * plan.leafUp + 15) / 16;
        EXPECT_GE(plan.GetNMiddle(), lower);
        EXPECT_LE(plan.GetNMiddle(), 2 * lower) << hosts;
    }
}

TEST(Clos, DefaultRadixHoldsAllNics)
{
    EXPECT_EQ(GetSmallestRadix(1024), 16U);
    EXPECT_EQ(GetSmallestRadix(1025), 18U);
    EXPECT_EQ(GetSmallestRadix(16), 4U);
    EXPECT_EQ(GetSmallestRadix(1), 4U);
    EXPECT_EQ(GetSmallestRadix(32768), 52U); // 52^3 / 4 = 35,152, 50^3 / 4 = 31,250
    for (uint32_t nics = 1; nics < 3000; nics += 7)
    {
        EXPECT_NO_THROW(PlanClos(nics, {GetSmallestRadix(nics), 0, {}})) << nics;
    }
}

/// Rails keep the bisection of a fat-tree, also where groups do not fill pods.
TEST(Clos, RailsCarryAnyHalf)
{
    for (const auto& [servers, nics, radix] : {std::array<uint32_t, 3>{16, 4, 8},
                                               std::array<uint32_t, 3>{16, 3, 8},
                                               std::array<uint32_t, 3>{20, 6, 8},
                                               std::array<uint32_t, 3>{9, 8, 16},
                                               std::array<uint32_t, 3>{32, 8, 16}})
    {
        SCOPED_TRACE(std::to_string(servers) + " servers of " + std::to_string(nics));
        const auto graph =
            Build<RailOptimizedTopology>(ClusterSpec(servers, nics), radix, "1:1", 0);
        CheckPortsAndConnection(*graph, radix);
        for (const auto& [from, to] : Halves(servers))
        {
            EXPECT_EQ(MaxFlow(*graph).Run(from, to), static_cast<int>(from.size() * nics));
        }
    }
}

/// 4,096 servers of 8 NICs: sizes stay in proportion.
TEST(Clos, BuildsFourThousandServers)
{
    const auto graph = Build<FatTreeTopology>(ClusterSpec(4096), 0, "1:1", 0);
    EXPECT_EQ(graph->GetNGpus(), 32768U);
    EXPECT_LT(graph->GetNEdges(), 3U * 34000U);
    EXPECT_NE(DescribeFabric(*graph).find("links server to tier 1: 32768"), std::string::npos);
}

} // namespace
