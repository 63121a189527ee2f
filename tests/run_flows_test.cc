/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Flow lists on imported fabrics: times against closed forms, in both worlds.

#include "run_flows_fixture.h"

#include <gmock/gmock.h>
#include <numeric>

using namespace ns3;
using ::testing::HasSubstr;

namespace
{

constexpr int64_t HEADER = 14 + 20 + 8 + 12 + 4 + 4 + 20;

/// @param bytes payload @return wire bytes of a message in packets of 4,096 B
int64_t
Wire(int64_t bytes)
{
    return bytes + (bytes + 4095) / 4096 * HEADER + 16;
}

TEST_F(RunFlows, OneFlowOnLinksOfTwoRatesTakesItsClosedForm)
{
    // 100 then 400 Gb/s: the first link is busy with all packets; the last one (658 B) then crosses
    // the second, or has to wait there for the full one before it. 400 then 100: the second link
    // starts with the first packet and is busy to the end. Equal links: as the second case. 80 and
    // 20 ps/B; 1 us per link; and a switch that holds every frame for 500 ns.
    const int64_t bytes = 1000000;
    const int64_t last = bytes % 4096 + HEADER;
    const int64_t full = 4096 + HEADER;
    const int64_t first = full + 16;
    const int64_t slow = 80 * (Wire(bytes) - last) + std::max(80 * last, 20 * full) + 20 * last;
    const int64_t fixed = 2000000 + 500000;

    struct Case
    {
        int64_t from;
        int64_t to;
        int64_t expected;
    };

    for (const Case& c : {Case{100, 400, slow + fixed},
                          Case{400, 100, 20 * first + 80 * Wire(bytes) + fixed},
                          Case{100, 100, 80 * first + 80 * Wire(bytes) + fixed}})
    {
        const ImportedFile topology =
            MakeTopology(2, {1}, {{0, 2, c.from * G}, {1, 2, c.to * G}}, 500000);
        const RunResult packet = Run(MakeFlowList({{0, 1, bytes}}, 2), topology, PACKET);
        EXPECT_EQ(packet.status, RunStatus::DONE) << packet.message;
        EXPECT_EQ(Times(packet)[0], c.expected);
        EXPECT_EQ(Times(packet, "ideal_fct")[0], c.expected);
        EXPECT_EQ(Column<double>(packet, "/flows", "slowdown")[0], 1.0);
        const RunResult flow = Run(MakeFlowList({{0, 1, bytes}}, 2), topology, FLOW);
        // the fluid world lets the first packet pass every link at the slowest rate
        EXPECT_NEAR(static_cast<double>(Times(flow)[0]),
                    static_cast<double>(c.expected),
                    c.from == c.to ? 1 : 80.0 * first);
    }
}

TEST_F(RunFlows, TwoFlowsShareALink)
{
    // Both cross the link to host 2, which is busy from the first packet on until it has carried
    // all packets of both.
    const int64_t bytes = 1000000;
    const int64_t first = 4096 + HEADER + 16;
    const int64_t expected = 80 * first + 160 * Wire(bytes) + 2000000;
    const ImportedFile flows = MakeFlowList({{0, 2, bytes}, {1, 2, bytes}}, 3);
    for (const auto& overrides : {PACKET, FLOW})
    {
        const RunResult result = Run(flows, Star(3), overrides);
        const auto times = Times(result);
        EXPECT_EQ(std::max(times[0], times[1]), expected) << overrides[0].second;
        EXPECT_GE(std::min(times[0], times[1]), expected - 80 * first) << overrides[0].second;
        EXPECT_EQ(Ticks(Column<double>(result, "/flow_summary", "makespan")[0]), expected);
        EXPECT_NEAR(Column<double>(result, "/flow_summary", "algbw")[0],
                    2e6 / (static_cast<double>(expected) * 1e-12),
                    1);
        // both alone: half of it, but for the fixed part
        const double slowdown = static_cast<double>(expected) /
                                static_cast<double>(80 * first + 80 * Wire(bytes) + 2000000);
        EXPECT_NEAR(Column<double>(result, "/flow_summary", "slowdown_p99")[0], slowdown, 1e-9);
        EXPECT_EQ(Column<uint64_t>(result, "/laws", "delivered")[0], 2000000U);
        EXPECT_EQ(Column<uint64_t>(result, "/laws", "injected")[0], 2000000U);
    }
}

TEST_F(RunFlows, RowsNeedNotBeSortedByStart)
{
    const std::vector<TestFlow> flows{{0, 1, 300000, 5000000},
                                      {2, 1, 200000, 0},
                                      {1, 3, 900000, 5000000},
                                      {3, 1, 100000, 9000000},
                                      {0, 3, 400000, 1000000}};
    ImportedFile list = MakeFlowList(flows, 4);
    ImportedFile turned = list;
    for (auto& [name, values] : turned.numbers)
    {
        std::reverse(values.begin(), values.end());
    }
    const auto ends = [](const RunResult& result) {
        std::map<uint64_t, std::pair<int64_t, int64_t>> byId;
        const auto ids = Column<uint64_t>(result, "/flows", "id");
        for (std::size_t i = 0; i < ids.size(); ++i)
        {
            byId[ids[i]] = {Times(result, "start")[i], Times(result, "end")[i]};
        }
        return byId;
    };
    const auto straight = ends(Run(list, Star(4), FLOW));
    EXPECT_EQ(straight, ends(Run(turned, Star(4), FLOW)));
    ASSERT_EQ(straight.size(), 5U);
    EXPECT_EQ(straight.at(4).first, 9000000);
}

TEST_F(RunFlows, TriggersStartFlowsWhenOthersHaveArrived)
{
    // Flow 1 starts when flow 0 has arrived; flow 2 when the sender of flow 1 knows, two links of
    // 1 us later; flows 3 and 4 when both 1 and 2 have arrived (a barrier of two).
    ImportedFile list = MakeFlowList({{0, 1, 100000, 3000, NONE32, NONE32, 0},
                                      {1, 2, 100000, 0, 0, 1, 2},
                                      {2, 0, 100000, 0, 1, NONE32, 2},
                                      {0, 1, 100000, 0, 2},
                                      {2, 1, 0, 0, 2}},
                                     3);
    AddTriggers(list, {{0, 0}, {1, 0}, {2, 2}});
    for (const auto& overrides : {PACKET, FLOW})
    {
        const RunResult result = Run(list, Star(3), overrides);
        ASSERT_EQ(result.status, RunStatus::DONE) << result.message;
        const auto start = Times(result, "start");
        const auto end = Times(result, "end");
        EXPECT_EQ(start[0], 3000);
        EXPECT_EQ(start[1], end[0]);
        EXPECT_EQ(start[2], end[1] + 2000000);
        EXPECT_EQ(start[3], std::max(end[1], end[2]));
        EXPECT_EQ(start[4], start[3]);
        EXPECT_EQ(end[4], start[4]) << "a flow of no bytes takes no time";
    }
}

TEST_F(RunFlows, LoopsAndEqualWaysCarryWhatTheyShould)
{
    // Leaves A (node 4) and B (5) with two hosts each, spines 6 and 7, and a link between the
    // spines that closes a loop and that no shortest way takes.
    const ImportedFile topology =
        MakeTopology(4,
                     {1, 1, 2, 2},
                     {{0, 4}, {1, 4}, {2, 5}, {3, 5}, {4, 6}, {4, 7}, {5, 6}, {5, 7}, {6, 7}});
    const auto carried =
        [](const RunResult& result, const std::string& from, const std::string& to) {
            const auto a = Column<std::string>(result, "/links", "from");
            const auto b = Column<std::string>(result, "/links", "to");
            const auto bytes = Column<uint64_t>(result, "/links", "bytes");
            for (std::size_t i = 0; i < a.size(); ++i)
            {
                if (a[i] == from && b[i] == to)
                {
                    return bytes[i];
                }
            }
            ADD_FAILURE() << from << " " << to;
            return uint64_t(0);
        };
    std::vector<TestFlow> flows;
    for (int64_t k = 0; k < 16; ++k)
    {
        flows.push_back({k % 2, 2 + k / 2 % 2, 100000});
    }
    ImportedFile list = MakeFlowList(flows, 4);
    for (const auto& overrides : {PACKET, FLOW})
    {
        const RunResult both = Run(list, topology, overrides);
        ASSERT_EQ(both.status, RunStatus::DONE) << both.message;
        EXPECT_GT(carried(both, "switch 4", "switch 6"), 100000U);
        EXPECT_GT(carried(both, "switch 4", "switch 7"), 100000U);
        EXPECT_EQ(carried(both, "switch 6", "switch 7"), 0U);
    }
    list.numbers["/failures/tier"] = {1};
    list.numbers["/failures/switch"] = {0};
    list.numbers["/failures/link"] = {1};
    for (const auto& overrides : {PACKET, FLOW})
    {
        const RunResult one = Run(list, topology, overrides);
        ASSERT_EQ(one.status, RunStatus::DONE) << one.message;
        EXPECT_GT(carried(one, "switch 4", "switch 6"), 1600000U);
        EXPECT_EQ(carried(one, "switch 4", "switch 7"), 0U);
    }
    list.numbers["/failures/link"] = {2};
    EXPECT_EQ(
        RunThere(std::make_unique<FlowListReplay>(Write(list, "f.h5"), Write(topology, "t.h5")),
                 FLOW,
                 "failures"),
        1);
    EXPECT_THAT(m_err.str(), HasSubstr("f.h5: /failures row 0: uplink 2 of switch 0 of tier 1"));
}

TEST_F(RunFlows, LinksLosePacketsAtPacketFidelity)
{
    const ImportedFile topology = MakeTopology(2, {1}, {{0, 2, 100 * G, 1000000, 0.01}, {1, 2}});
    const ImportedFile list = MakeFlowList({{0, 1, 3000000}}, 2);
    const RunResult packet = Run(list, topology, PACKET);
    ASSERT_EQ(packet.status, RunStatus::DONE) << packet.message;
    EXPECT_THAT(packet.notes, ::testing::Not(::testing::Contains(HasSubstr("not used"))));
    EXPECT_GT(Column<double>(packet, "/flows", "slowdown")[0], 1.01);
    EXPECT_THAT(packet.notes, ::testing::Not(::testing::Contains(HasSubstr("retransmitted: 0,"))));
    EXPECT_EQ(
        RunThere(std::make_unique<FlowListReplay>(Write(list, "f.h5"), Write(topology, "t.h5")),
                 FLOW,
                 "lossy"),
        1);
    EXPECT_THAT(m_err.str(), HasSubstr("accepted: --fidelity=packet"));
}

// 16 x 500 kB into one host take 650 us, all of them in its queue from the begin: a packet waits
// for several timeouts of 100 us, but others of its queue pair arrive meanwhile and nothing is
// lost.
TEST_F(RunFlows, QueuesAreNoReasonToSendAgain)
{
    std::vector<TestFlow> flows;
    for (int64_t host = 1; host <= 16; ++host)
    {
        flows.push_back({host, 0, 500000});
    }
    ScenarioOverrides overrides = PACKET;
    overrides.emplace_back("transport.recovery.timeout", "100us");
    const RunResult result = Run(MakeFlowList(flows, 17), Star(17), overrides);
    ASSERT_EQ(result.status, RunStatus::DONE) << result.message;
    EXPECT_GT(Times(result).back(), 5 * 100000000);
    EXPECT_THAT(result.notes, ::testing::Contains(HasSubstr("dropped: 0, retransmitted: 0,")));
}

} // namespace
