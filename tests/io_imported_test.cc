/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Readers of imported flow lists and topologies: what they take, and every law they check.

#include "imported_files.h"

#include "ns3/flow-file.h"
#include "ns3/topology-file.h"

#include <gmock/gmock.h>

using namespace ns3;
using ::testing::HasSubstr;

namespace
{

class FlowFileTest : public ImportedFileTest
{
};

class TopologyFileTest : public ImportedFileTest
{
};

/// Two flows, the second when the first has arrived.
ImportedFile
Chain()
{
    ImportedFile f = MakeFlowList({{0, 1, 5000000000, 7, NONE32, NONE32, 0}, {1, 2, 10, 0, 0}}, 3);
    AddTriggers(f, {{0, 0}});
    return f;
}

TEST_F(FlowFileTest, ReadsSixtyFourBits)
{
    const FlowFile flows = ReadFlowFile(Write(Chain(), "flows.h5"));
    ASSERT_EQ(flows.GetN(), 2U);
    EXPECT_EQ(flows.hosts, 3U);
    EXPECT_EQ(flows.bytes[0], 5000000000U);
    EXPECT_EQ(flows.start[0], 7U);
    EXPECT_EQ(flows.trigger[0], FlowFile::NONE);
    EXPECT_EQ(flows.recvDone[0], 0U);
    EXPECT_EQ(flows.triggerId[0], 100U);
    EXPECT_TRUE(flows.failures.empty());
    EXPECT_FALSE(flows.priorities);
    EXPECT_FALSE(flows.ports);
}

TEST_F(FlowFileTest, RefusesWhatBreaksALaw)
{
    struct Spoil
    {
        const char* column;
        std::size_t row;
        int64_t value;
        const char* says;
    };

    for (const Spoil& s : {Spoil{"/flows/destination", 0, 0, "to itself"},
                           Spoil{"/flows/source", 1, 3, "host 3; accepted: 0 to 2"},
                           Spoil{"/flows/id", 1, 1, "id 1 comes twice"},
                           Spoil{"/flows/trigger", 1, 1, "trigger 1; accepted: rows of /triggers"},
                           Spoil{"/flows/start", 1, 5, "a trigger and a start"},
                           Spoil{"/flows/recv_done", 0, NONE32, "never starts: trigger 100"},
                           Spoil{"/triggers/kind", 0, 3, "has the kind 3"},
                           Spoil{"/triggers/kind", 0, 300, "row 0 is 300; accepted: 0 to 255"},
                           Spoil{"/flows/bytes", 1, -5, "row 1 is -5; accepted: 0 or more"}})
    {
        ImportedFile f = Chain();
        f.numbers[s.column][s.row] = s.value;
        EXPECT_THAT(Refusal(ReadFlowFile, f), HasSubstr(s.says)) << s.column;
    }
    ImportedFile f = Chain();
    f.numbers["/flows/source"][1] = 2;
    EXPECT_THAT(Refusal(ReadFlowFile, f),
                HasSubstr("spoiled.h5: /flows row 1 (line 11 of its source)"));
    for (const auto& [name, column] : Chain().numbers)
    {
        f = Chain();
        f.numbers.erase(name);
        const bool needed = name != "/flows/port" && name.find("/line") == std::string::npos;
        EXPECT_EQ(!Refusal(ReadFlowFile, f).empty(), needed) << name;
        f = Chain();
        f.numbers[name].push_back(0);
        EXPECT_EQ(!Refusal(ReadFlowFile, f).empty(), needed) << name << " is longer";
    }
    f = Chain();
    f.words[{"/flows", "schema"}] = "mixnet-flows/2";
    EXPECT_THAT(Refusal(ReadFlowFile, f), HasSubstr("accepted: mixnet-flows/1"));
}

TEST_F(FlowFileTest, KindsOfTriggersStartWhatTheySay)
{
    // Flow 0 and 1 start by themselves and activate all three triggers each; of two flows per
    // trigger the oneshot starts both at once, the multishot one by one, the barrier of 2 both.
    ImportedFile f = MakeFlowList({{0, 1, 1}, {1, 0, 1}}, 2);
    AddTriggers(f, {{0, 0}, {1, 0}, {2, 2}});
    f.numbers["/flows/recv_done"] = {2, 1};
    f.numbers["/flows/send_done"] = {1, 2};
    for (int64_t row = 2; row < 7; ++row)
    {
        for (auto& [name, values] : f.numbers)
        {
            if (name.rfind("/flows/", 0) == 0)
            {
                values.push_back(values[0]);
            }
        }
        f.numbers["/flows/id"].back() = row + 1;
        f.numbers["/flows/recv_done"].back() = row == 2 ? 0 : NONE32;
        f.numbers["/flows/send_done"].back() = NONE32;
    }
    f.numbers["/flows/trigger"] = {NONE32, NONE32, 1, 1, 2, 2, 0};
    const FlowFile flows = ReadFlowFile(Write(f, "flows.h5"));
    TriggerBook book(flows);
    const auto activate = [&book](uint32_t trigger) {
        std::vector<uint32_t> started;
        book.Activate(trigger, started);
        return started;
    };
    using Rows = std::vector<uint32_t>;
    EXPECT_EQ(activate(1), Rows({2}));
    EXPECT_EQ(activate(1), Rows({3}));
    EXPECT_EQ(activate(1), Rows());
    EXPECT_EQ(activate(2), Rows());
    EXPECT_EQ(activate(2), Rows({4, 5}));
    EXPECT_EQ(activate(2), Rows());
    EXPECT_EQ(activate(0), Rows({6}));
    EXPECT_EQ(activate(0), Rows());
}

/// Two hosts on a switch.
ImportedFile
Small()
{
    return MakeTopology(2, {1}, {{0, 2}, {1, 2, 400000000000, 5, 0.25}});
}

TEST_F(TopologyFileTest, ReadsNodesLinksServers)
{
    const TopologyFile t = ReadTopologyFile(Write(Small(), "topology.h5"));
    EXPECT_EQ(t.id.size(), 3U);
    EXPECT_TRUE(t.IsHost(1));
    EXPECT_FALSE(t.IsHost(2));
    EXPECT_EQ(t.rate[1], 400000000000U);
    EXPECT_EQ(t.errorRate[1], 0.25);
}

TEST_F(TopologyFileTest, RefusesWhatBreaksALaw)
{
    struct Spoil
    {
        const char* column;
        std::size_t row;
        int64_t value;
        const char* says;
    };

    for (const Spoil& s : {Spoil{"nodes/id", 2, 0, "id 0 comes twice"},
                           Spoil{"nodes/kind", 2, 4, "has the kind 4"},
                           Spoil{"nodes/kind", 2, 2, "joins an NVSwitch to the packet fabric"},
                           Spoil{"nodes/kind", 2, 1, "declares 2 hosts, its tables have 3"},
                           Spoil{"nodes/host", 0, 1, "has the host number 1"},
                           Spoil{"nodes/host", 2, 1, "a switch with a host number"},
                           Spoil{"nodes/server", 1, 7, "names server 7"},
                           Spoil{"nodes/server", 1, 0, "not one of the hosts of its server 0"},
                           Spoil{"links/a", 0, 3, "joins nodes 3 and 2"},
                           Spoil{"links/a", 0, 2, "joins nodes 2 and 2"},
                           Spoil{"links/rate", 1, 0, "has a rate of 0 bit/s"},
                           Spoil{"links/delay", 1, 26000000000, "25ms"},
                           Spoil{"links/scale_up", 1, 1, "is a scale-up link, but not between"},
                           Spoil{"links/scale_up", 1, 2, "has scale_up 2"},
                           Spoil{"servers/gpus", 1, 2, "has 3 hosts; accepted: 2"},
                           Spoil{"servers/first_host", 1, 0, "from number 0"}})
    {
        ImportedFile f = Small();
        f.numbers[std::string("/topology/") + s.column][s.row] = s.value;
        EXPECT_THAT(Refusal(ReadTopologyFile, f), HasSubstr(s.says)) << s.column;
    }
    ImportedFile f = Small();
    f.fractions["/topology/links/error_rate"][0] = 1;
    EXPECT_THAT(Refusal(ReadTopologyFile, f), HasSubstr("accepted: 0 to below 1"));
    EXPECT_THAT(Refusal(ReadTopologyFile, Chain()), HasSubstr("has no /topology"));
    f = Small();
    f.texts["/topology/links/a"] = {"0", "1"};
    f.numbers.erase("/topology/links/a");
    EXPECT_THAT(Refusal(ReadTopologyFile, f), HasSubstr("holds text; accepted: whole numbers"));
}

} // namespace
