/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What faults of elements mean for links and GPUs. Oracle: a second account that keeps every fault
// in one list and looks at all of them each time.

#include "ns3/basic-topologies.h"
#include "ns3/cluster-spec.h"
#include "ns3/failure-state.h"
#include "ns3/failure-text.h"
#include "ns3/ns3-compat.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace ns3;

namespace
{

/// A star of 3 servers, and the state of its elements.
struct Star
{
    Ptr<FabricGraph> graph;              //!< graph
    std::unique_ptr<FailureState> state; //!< state
    uint64_t causes{0};                  //!< given so far

    Star()
    {
        EnsurePicosecondClock();
        graph = CreateObject<StarTopology>()->Build(ClusterSpec(3, 2));
        state = std::make_unique<FailureState>(*graph);
    }

    /// @param line event @return what it changed
    FailureEffect Do(const std::string& line)
    {
        const FailureEvent event = ParseFailureLine("t=0s " + line, "x");
        const auto element = state->AddElement(FindFailureTarget(*graph, event.element, "x"));
        return event.action == FailureAction::UP ? state->Repair(element)
                                                 : state->Strike(element, event, 0);
    }
};

} // namespace

TEST(FailureState, ANicOfADeadServerStaysDeadWhenTheServerReturns)
{
    Star star;
    EXPECT_EQ(star.Do("server 0 down").broken.size(), 2U);
    const FailureEffect nic = star.Do("nic 0/1 down");
    EXPECT_TRUE(nic.IsEmpty());
    EXPECT_EQ(nic.why, "down already for another reason");
    EXPECT_EQ(star.Do("server 0 down").why, "it is down already");
    const EdgeId edge = star.graph->GetEdge(star.graph->GetVertex(ServerId(0)), 1);
    EXPECT_EQ(star.Do("server 0 up").mended.size(), 1U);
    EXPECT_TRUE(star.state->IsBroken(edge));
    EXPECT_EQ(star.Do("nic 0/1 up").mended, std::vector<EdgeId>{edge});
    EXPECT_EQ(star.Do("nic 0/1 up").why, "nothing is wrong with it");
}

// As flow lists have them (their /failures): no repair of ours brings them back.
TEST(FailureState, WhatWasDownFromTheStartStaysDown)
{
    Star star;
    const EdgeId edge = star.graph->GetEdge(star.graph->GetVertex(ServerId(0)), 1);
    star.graph->SetEdges({edge}, EdgeCause::FAILURE, false);
    star.state = std::make_unique<FailureState>(*star.graph);
    EXPECT_TRUE(star.state->IsBroken(edge));
    EXPECT_EQ(star.Do("server 0 down").broken.size(), 1U);
    EXPECT_EQ(star.Do("server 0 up").mended.size(), 1U);
    EXPECT_TRUE(star.state->IsBroken(edge));
}

TEST(FailureState, WhatAFabricDoesNotHaveChangesNothing)
{
    Star star;
    EXPECT_EQ(star.Do("ocs 0 down").why, "this fabric has none");
    EXPECT_EQ(star.Do("controller 0 up").why, "this fabric has none");
}

TEST(FailureState, TheWorstFaultCountsAndALaterOneReplacesTheEarlier)
{
    Star star;
    EXPECT_EQ(star.Do("gpu 1 slow 2").gpus, std::vector<GpuId>{GpuId(1)});
    EXPECT_EQ(star.Do("gpu 1 slow 1.5").gpus.size(), 1U);
    EXPECT_EQ(star.state->GetFactor(GpuId(1)), 1.5);
    EXPECT_EQ(star.Do("server 0 down").gpus.size(), 8U);
    EXPECT_TRUE(star.Do("gpu 1 slow 3").IsEmpty());
    EXPECT_EQ(star.Do("server 0 up").gpus.size(), 8U);
    EXPECT_EQ(star.state->GetFactor(GpuId(1)), 3);
    const EdgeId edge = star.graph->GetEdge(star.graph->GetVertex(ServerId(2)), 0);
    EXPECT_EQ(star.Do("nic 2/0 rate 100Gbps").rated, std::vector<EdgeId>{edge});
    EXPECT_TRUE(star.Do("link server-2 switch#0 rate 200Gbps").IsEmpty());
    EXPECT_EQ(star.state->GetRate(edge), DataRate("100Gbps"));
    EXPECT_EQ(star.Do("nic 2/0 up").rated, std::vector<EdgeId>{edge});
    EXPECT_EQ(star.state->GetRate(edge), DataRate("200Gbps"));
    EXPECT_EQ(star.Do("switch 0 ber 1e-6").erring.size(), 6U);
    star.Do("nic 2/0 ber 1e-6");
    EXPECT_DOUBLE_EQ(star.state->GetBitErrors(edge), 2e-6);
}

TEST(FailureState, RandomHistoriesAgreeWithTheListOfAllFaults)
{
    /// A fault of the oracle.
    struct Fault
    {
        std::string element;
        uint64_t cause;
    };

    const std::vector<std::string> names = {"nic 0/0",
                                            "nic 0/1",
                                            "link server-0 switch#1",
                                            "server 0",
                                            "server 1",
                                            "switch 0",
                                            "gpu 3"};
    uint32_t broken = 0;
    for (uint32_t seed = 1; seed <= 200; ++seed)
    {
        Star star;
        std::mt19937 random(seed);
        std::vector<Fault> faults;
        const auto element = [&](const std::string& name) {
            const auto event = ParseFailureLine("t=0s " + name + " down", "x");
            return star.state->AddElement(FindFailureTarget(*star.graph, event.element, "x"));
        };
        for (uint32_t step = 0; step < 60; ++step)
        {
            const std::string& name = names[random() % names.size()];
            const uint64_t cause = random() % 4;
            const FailureEvent down = ParseFailureLine("t=0s " + name + " down", "x");
            const auto drop = [&](bool all) {
                faults.erase(std::remove_if(faults.begin(),
                                            faults.end(),
                                            [&](const Fault& f) {
                                                return f.element == name &&
                                                       (all || f.cause == cause);
                                            }),
                             faults.end());
            };
            switch (random() % 3)
            {
            case 0:
                star.state->Strike(element(name), down, step * 4 + cause + 1);
                faults.push_back({name, step * 4 + cause + 1});
                break;
            case 1:
                star.state->Repair(element(name));
                drop(true);
                break;
            default:
                if (!faults.empty())
                {
                    const Fault f = faults[random() % faults.size()];
                    star.state->Expire(element(f.element), f.cause);
                    faults.erase(std::find_if(faults.begin(), faults.end(), [&](const Fault& g) {
                        return g.cause == f.cause;
                    }));
                }
            }
            for (uint32_t e = 0; e < star.graph->GetNEdges(); ++e)
            {
                const bool dead = std::any_of(faults.begin(), faults.end(), [&](const Fault& f) {
                    const auto& edges = star.state->GetTarget(element(f.element)).edges;
                    return std::find(edges.begin(), edges.end(), EdgeId(e)) != edges.end();
                });
                ASSERT_EQ(star.state->IsBroken(EdgeId(e)), dead);
                broken += dead ? 1 : 0;
            }
            const bool dead = std::any_of(faults.begin(), faults.end(), [](const Fault& f) {
                return f.element == "gpu 3" || f.element == "server 0";
            });
            ASSERT_EQ(star.state->IsDead(GpuId(3)), dead);
        }
    }
    EXPECT_GT(broken, 1000U);
}
