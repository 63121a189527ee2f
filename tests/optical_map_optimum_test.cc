/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "optical_region.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// A region, what is lit in it, and what is to be lit.
struct MapCase
{
    uint32_t servers;
    std::vector<RegionPort> free;        //!< ports that no kept circuit uses
    std::vector<uint32_t> needed;        //!< by server: ports that new circuits need
    std::map<uint32_t, uint32_t> others; //!< OCS port to OCS port: circuits the plan does not have
};

/**
 * @param ports one unit @param graph the matching @param plan a plan
 * @return what is left to choose: of e lit and c planned circuits of a pair min(e, c) stay; which
 * of parallel ones makes no difference to the number taken out
 */
MapCase
Reduce(const RegionPorts& ports, const FabricGraph& graph, const CircuitPlan& plan)
{
    MapCase out{ports.GetNServers(), {}, {}, {}};
    out.needed.assign(out.servers, 0);
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> wanted;
    for (const PlannedPair& p : plan.GetPairs())
    {
        wanted[{p.a, p.b}] = p.count;
    }
    std::set<uint32_t> kept;
    for (const Circuit& c : graph.GetCircuits(ports.GetOcs(0)))
    {
        const uint32_t a = ports.GetAt(0, c.portA).server;
        const uint32_t b = ports.GetAt(0, c.portB).server;
        uint32_t& count = wanted[{std::min(a, b), std::max(a, b)}];
        if (count > 0)
        {
            --count;
            kept.insert({c.portA, c.portB});
            continue;
        }
        out.others[c.portA] = c.portB;
        out.others[c.portB] = c.portA;
    }
    for (const auto& [pair, count] : wanted)
    {
        out.needed[pair.first] += count;
        out.needed[pair.second] += count;
    }
    for (uint32_t s = 0; s < out.servers; ++s)
    {
        for (const RegionPort& p : ports.Get(s, 0))
        {
            if (kept.count(p.ocsPort) == 0)
            {
                out.free.push_back(p);
            }
        }
    }
    return out;
}

/// @param c a case @param port index into its free ports, from which on to choose @param left by
/// server: ports still to choose @param taken OCS ports chosen @param best in and out: fewest
/// circuits taken out
void
Search(const MapCase& c,
       std::size_t port,
       std::vector<uint32_t>& left,
       std::set<uint32_t>& taken,
       uint32_t& best)
{
    if (port == c.free.size())
    {
        if (std::any_of(left.begin(), left.end(), [](uint32_t n) { return n > 0; }))
        {
            return;
        }
        std::set<uint32_t> torn;
        for (const uint32_t p : taken)
        {
            const auto it = c.others.find(p);
            if (it != c.others.end())
            {
                torn.insert(std::min(it->first, it->second));
            }
        }
        best = std::min(best, static_cast<uint32_t>(torn.size()));
        return;
    }
    const RegionPort& p = c.free[port];
    if (left[p.server] > 0)
    {
        --left[p.server];
        taken.insert(p.ocsPort);
        Search(c, port + 1, left, taken, best);
        taken.erase(p.ocsPort);
        ++left[p.server];
    }
    Search(c, port + 1, left, taken, best);
}

/// How far a mapping is from the minimum.
struct Distance
{
    uint32_t cases{0};   //!< where something is taken out
    uint32_t exact{0};   //!< of them: no more than there must be
    uint32_t worst{0};   //!< circuits too many
    uint32_t torn{0};    //!< circuits taken out, all cases
    uint32_t minimum{0}; //!< that must be
};

/// @param mapping a mapping @return its distance over random regions of up to five servers
Distance
Measure(RegionPorts::NicMapping mapping)
{
    std::mt19937_64 rng(29);
    Distance d;
    for (int round = 0; round < 1500; ++round)
    {
        const uint32_t n = 3 + rng() % 3;
        const uint32_t alpha = 2 + rng() % 2;
        TestRegion region(n, alpha, 0);
        const RegionPorts ports(*region.graph, region.region);
        for (int step = 0; step < 3; ++step)
        {
            const CircuitPlan plan = Greedy(RandomDemand(n, step == 0 ? 0.6 : 0.3, 2, rng),
                                            ports.CountHealthy(*region.graph));
            const PlanChange change = MapPlan(ports, *region.graph, plan, mapping);
            MapCase c = Reduce(ports, *region.graph, plan);
            uint32_t best = UINT32_MAX;
            std::set<uint32_t> taken;
            Search(c, 0, c.needed, taken, best);
            const auto torn = static_cast<uint32_t>(change.removed.size());
            EXPECT_GE(torn, best);
            d.cases += best > 0 || torn > 0 ? 1 : 0;
            d.exact += torn > 0 && torn == best ? 1 : 0;
            d.worst = std::max(d.worst, torn - best);
            d.torn += torn;
            d.minimum += best;
            region.graph->ChangeMatching(change.added, change.removed);
        }
    }
    return d;
}

} // namespace

TEST(MapPlan, TakesOutFewCircuits)
{
    // Oracle: all choices of ports, in regions of 3 to 5 servers with 2 or 3 fibers. Measured: of
    // 2,335 plans that take something out, 98.7 % take out as few as can be (97.4 % when NUMA nodes
    // come first), never more than 1 (2) too many, in all 0.6 % (1.2 %) more than the minimum of
    // 5,226. Before, when free NICs only broke ties:
    // 84 %, 7.5 % more.
    for (const auto mapping : {RegionPorts::LOWEST, RegionPorts::NUMA})
    {
        const bool lowest = mapping == RegionPorts::LOWEST;
        const Distance d = Measure(mapping);
        RecordProperty(lowest ? "lowest-too-many" : "numa-too-many",
                       static_cast<int>(d.torn - d.minimum));
        EXPECT_GT(d.cases, 2000U);
        EXPECT_LE(d.worst, lowest ? 1U : 2U);
        EXPECT_GE(d.exact * 1000, d.cases * (lowest ? 985U : 970U));
        EXPECT_LE(d.torn * 1000, d.minimum * (lowest ? 1008U : 1015U));
    }
}
