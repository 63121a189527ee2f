/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPTICAL_REGION_H
#define OPTICAL_REGION_H

#include "ns3/circuit-map.h"
#include "ns3/circuit-planner.h"
#include "ns3/demand.h"
#include "ns3/fabric-graph.h"
#include "ns3/greedy-circuit-planner.h"
#include "ns3/object-factory.h"
#include "ns3/plan-objective.h"
#include "ns3/ptr.h"
#include "ns3/string.h"
#include "ns3/weighted-matching.h"

#include <algorithm>
#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Token copies per expert pair that the authors of MixNet measured with Mixtral (their program
 * embeds it in weighted_connect, datacenter/mixnet.cpp, mixnet-sim); every row sums to 32,768.
 */
constexpr std::array<std::array<uint64_t, 8>, 8> AUTHORS_MATRIX{{
    {9810, 5338, 1231, 3042, 4452, 2004, 841, 6050},
    {9278, 6282, 839, 3722, 3821, 2903, 909, 5014},
    {10684, 5165, 1044, 2634, 4344, 3333, 675, 4889},
    {10897, 5629, 1086, 2114, 2762, 3463, 1059, 5758},
    {8684, 5666, 1046, 3955, 4334, 2952, 944, 5187},
    {8361, 5908, 777, 3043, 3984, 3422, 897, 6376},
    {10208, 5507, 1117, 4148, 3967, 3119, 904, 3798},
    {9781, 5211, 902, 3343, 4289, 2839, 1008, 5395},
}};

/// @param servers 8, or a divisor of it: neighboring experts share a server @return its demand
inline DemandMatrix
AuthorsDemand(uint32_t servers)
{
    DemandMatrix demand(servers, servers, 0);
    for (uint32_t i = 0; i < 8; ++i)
    {
        for (uint32_t j = 0; j < 8; ++j)
        {
            demand(i * servers / 8, j * servers / 8) += AUTHORS_MATRIX[i][j];
        }
    }
    return demand;
}

/// @param servers servers @param fill share of pairs with demand, 0 to 1 @param skew 1 uniform,
/// more: heavier tail @param rng generator @return random demand
inline DemandMatrix
RandomDemand(uint32_t servers, double fill, int skew, std::mt19937_64& rng)
{
    DemandMatrix demand(servers, servers, 0);
    std::uniform_real_distribution<double> unit(0, 1);
    for (uint64_t& bytes : demand.Data())
    {
        double value = unit(rng) < fill ? 1 : 0;
        for (int i = 0; i < skew; ++i)
        {
            value *= unit(rng);
        }
        bytes = static_cast<uint64_t>(value * (1U << 30));
    }
    return demand;
}

/// @param servers servers @param units OCS units @param ports ports per server and unit
/// @return the table
inline PortTable
Ports(uint32_t servers, uint32_t units, uint32_t ports)
{
    return PortTable(servers, units, ports);
}

/// @param plan a plan whose laws are checked @param ports what it may use
inline void
ExpectLegal(const CircuitPlan& plan, const PortTable& ports)
{
    const uint32_t n = plan.GetNServers();
    uint32_t total = 0;
    for (uint32_t i = 0; i < n; ++i)
    {
        EXPECT_EQ(plan.GetCount(i, i), 0U);
        uint32_t degree = 0;
        for (uint32_t j = 0; j < n; ++j)
        {
            EXPECT_EQ(plan.GetCount(i, j), plan.GetCount(j, i));
            degree += plan.GetCount(i, j);
        }
        EXPECT_EQ(plan.GetDegree(i), degree);
        total += degree;
    }
    EXPECT_EQ(plan.GetTotal() * 2, total);
    PortTable used(n, ports.Columns(), 0);
    CircuitPlan again(n);
    for (const PlannedPair& p : plan.GetPairs())
    {
        used(p.a, p.unit) += p.count;
        used(p.b, p.unit) += p.count;
        again.Add(p.a, p.b, p.unit, p.count);
    }
    EXPECT_EQ(again, plan);
    for (uint32_t i = 0; i < n; ++i)
    {
        for (uint32_t u = 0; u < ports.Columns(); ++u)
        {
            EXPECT_LE(used(i, u), ports(i, u));
        }
    }
}

/// @param servers servers @param circuit rate of a circuit @param packet EPS rate of a server
/// @return rates of a region of equal servers
inline RegionRates
Rates(uint32_t servers, const std::string& circuit, const std::string& packet)
{
    return {std::vector<DataRate>(servers, DataRate(circuit)),
            std::vector<DataRate>(servers, DataRate(packet))};
}

/// @param typeId name of a planner @return a new one
inline Ptr<CircuitPlanner>
MakePlanner(const std::string& typeId)
{
    ObjectFactory factory;
    factory.SetTypeId(typeId);
    return factory.Create<CircuitPlanner>();
}

/// @return every registered planner: a new one is tested without being listed
inline std::vector<std::string>
GetPlanners()
{
    std::vector<std::string> planners;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        const bool lemon = tid.GetName() != "ns3::MatchingCircuitPlanner" || HasLemon();
        if (tid.IsChildOf(CircuitPlanner::GetTypeId()) && tid.HasConstructor() && lemon)
        {
            planners.push_back(tid.GetName());
        }
    }
    return planners;
}

/// @param demand demand @param ports ports @param rule its rule @param ties its ties
/// @return the greedy plan
inline CircuitPlan
Greedy(const DemandMatrix& demand,
       const PortTable& ports,
       const std::string& rule = "skip",
       const std::string& ties = "fewest")
{
    auto planner = CreateObject<GreedyCircuitPlanner>();
    planner->SetAttribute("Rule", StringValue(rule));
    planner->SetAttribute("Ties", StringValue(ties));
    const CircuitPlan none(static_cast<uint32_t>(demand.Rows()));
    return planner->Plan({demand, ports, none});
}

/// Calls `visit` with every plan of n servers and at most alpha circuits each.
inline void
ForEachPlan(uint32_t n, uint32_t alpha, const std::function<void(const CircuitPlan&)>& visit)
{
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    for (uint32_t i = 0; i < n; ++i)
    {
        for (uint32_t j = i + 1; j < n; ++j)
        {
            pairs.emplace_back(i, j);
        }
    }
    std::vector<uint32_t> count(pairs.size(), 0);
    std::vector<uint32_t> degree(n, 0);
    const std::function<void(std::size_t)> extend = [&](std::size_t k) {
        if (k == pairs.size())
        {
            CircuitPlan plan(n);
            for (std::size_t p = 0; p < pairs.size(); ++p)
            {
                if (count[p] > 0)
                {
                    plan.Add(pairs[p].first, pairs[p].second, 0, count[p]);
                }
            }
            visit(plan);
            return;
        }
        auto& a = degree[pairs[k].first];
        auto& b = degree[pairs[k].second];
        const uint32_t most = alpha - std::max(a, b);
        for (uint32_t c = 0; c <= most; ++c)
        {
            count[k] = c;
            a += c;
            b += c;
            extend(k + 1);
            a -= c;
            b -= c;
        }
        count[k] = 0;
    };
    extend(0);
}

/// A region: servers with `eps` packet NICs to one switch and `alpha` fibers per OCS unit.
struct TestRegion
{
    TestRegion(uint32_t servers, uint32_t alpha, uint32_t eps = 2, uint32_t units = 1)
        : graph(CreateObject<FabricGraph>())
    {
        std::vector<ServerId> members;
        for (uint32_t s = 0; s < servers; ++s)
        {
            members.push_back(graph->AddServer(ServerSpec()));
        }
        const VertexId spine = graph->AddSwitch(1, "switch");
        for (uint32_t u = 0; u < units; ++u)
        {
            ocs.push_back(graph->AddOcs(servers * alpha, "ocs " + std::to_string(u)));
        }
        EdgeSpec fiber;
        fiber.kind = EdgeKind::FIBER;
        for (const ServerId s : members)
        {
            for (uint32_t n = 0; n < eps; ++n)
            {
                graph->AddEdge(graph->GetVertex(s), spine, EdgeSpec());
            }
            for (uint32_t n = 0; n < alpha; ++n)
            {
                for (const VertexId o : ocs)
                {
                    graph->AddEdge(graph->GetVertex(s), o, fiber);
                }
            }
        }
        region = graph->AddRegion(members, ocs);
    }

    Ptr<FabricGraph> graph;    //!< the graph
    std::vector<VertexId> ocs; //!< its OCS units
    RegionId region;           //!< its only region
};

} // namespace ns3

#endif // OPTICAL_REGION_H
