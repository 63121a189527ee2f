/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Failures as users write them, found in fabrics, and drawn. Oracles: the lines themselves, the
// shape of the fabrics, the mean and variance of the exponential distribution.

#include "ns3/basic-topologies.h"
#include "ns3/cluster-spec.h"
#include "ns3/failure-rates.h"
#include "ns3/failure-target.h"
#include "ns3/failure-text.h"
#include "ns3/hybrid-topology.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"
#include "ns3/uinteger.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ns3;
using testing::HasSubstr;
using testing::ThrowsMessage;

namespace
{

/// @return 4 servers, 8 NICs each, 6 of them on the OCS of a region of 4, a fat-tree for the others
Ptr<FabricGraph>
MakeHybrid()
{
    EnsurePicosecondClock();
    const auto topology = CreateObject<HybridTopology>();
    topology->SetAttribute("OcsNics", UintegerValue(6));
    topology->SetAttribute("ServersPerRegion", UintegerValue(4));
    return topology->Build(ClusterSpec(4));
}

} // namespace

TEST(FailureText, LinesSurviveARoundTrip)
{
    for (const char* line : {"t=3ms nic 0/2 down",
                             "t=30ms nic 0/2 up",
                             "t=5ms gpu 7 slow 2",
                             "t=8ms server 3 down for 20ms",
                             "t=1ms link leaf-0 server-3 rate 100Gbps",
                             "t=1ms ocs-port 0/5 ber 1e-06",
                             "t=1us switch leaf-0 down",
                             "t=1us ocs 0 down",
                             "t=0s controller 0 up",
                             "t=1:dispatch nic 0/2 down",
                             "t=12:gradients+2us nic 0/2 down for 1ms"})
    {
        EXPECT_EQ(ParseFailureLine(line, "here").ToString(), line);
    }
}

TEST(FailureText, WhatIsNotAcceptedIsNamed)
{
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {"nic 0/2 down", "t=TIME"},
        {"t=3 nic 0/2 down", "no unit"},
        {"t=3ms nick 0/2 down", "nic, link, switch"},
        {"t=3ms nic 0/2 broken", "down, up"},
        {"t=3ms nic 0/2 slow 2", "cannot be slow"},
        {"t=3ms gpu 1 slow 0.5", "1 or more"},
        {"t=3ms gpu 1 slow", "1 or more"},
        {"t=3ms gpu 1 rate 1Gbps", "no rate"},
        {"t=3ms nic 0/2 rate 0Gbps", "rate"},
        {"t=3ms nic 0/2 ber 1", "0.01"},
        {"t=3ms nic 0/2 ber nan", "0.01"},
        {"t=3ms nic 0/2 down for", "a time such as"},
        {"t=3ms nic 0/2 down for 0s", "above zero"},
        {"t=3ms nic 0/2 up for 1s", "above zero"},
        {"t=3ms nic 0/2 down now", "'now'"},
        {"t=x:dispatch nic 0/2 down", "iteration"},
        {"t=1:lunch nic 0/2 down", "gradients"},
        {"t=3ms link a down", "what happens"}};
    for (const auto& [line, part] : wrong)
    {
        EXPECT_THAT([&] { ParseFailureScript("# all good\n\n" + line + "\r\n", "f.txt"); },
                    ThrowsMessage<InputError>(AllOf(HasSubstr("f.txt:3"), HasSubstr(part))))
            << line;
    }
}

TEST(FailureText, TracesAreTheSameEvents)
{
    const auto events = ParseFailureTrace("time,unit,kind,element,duration,action,value\r\n"
                                          "3,ms,nic,0/2,27,,\n"
                                          "# a comment\n"
                                          "5,ms,gpu,7,,slow,2.0\n"
                                          "9,us,link,leaf-0 server-3,,rate,100Gbps\n",
                                          "t.csv");
    ASSERT_EQ(events.size(), 3U);
    EXPECT_EQ(events[0].ToString(), "t=3ms nic 0/2 down for 27ms");
    EXPECT_EQ(events[1].ToString(), "t=5ms gpu 7 slow 2");
    EXPECT_EQ(events[2].ToString(), "t=9us link leaf-0 server-3 rate 100Gbps");
    EXPECT_EQ(events[2].origin, "t.csv:5");
    EXPECT_EQ(ParseFailureTrace("time,kind,element\n3ms,nic,0/2\n", "t.csv")[0].ToString(),
              "t=3ms nic 0/2 down");
    for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
             {"time,kind\n", "element"},
             {"time,kind,element,colour\n", "colour"},
             {"time,time,kind,element\n", "twice"},
             {"time,kind,element\n3,nic,0/2\n", "t.csv:2"},
             {"time,kind,element\n3ms,nic\n", "2 cells under 3"}})
    {
        const auto parse = [t = std::string(text)] { ParseFailureTrace(t, "t.csv"); };
        EXPECT_THAT(parse, ThrowsMessage<InputError>(HasSubstr(part))) << text;
    }
    EXPECT_THAT([] { ReadFailureFile("/nowhere/f.txt"); },
                ThrowsMessage<InputError>(HasSubstr("/nowhere/f.txt")));
}

// Not an empty list of failures: whoever names a file wants something to fail.
TEST(FailureText, AFileWithoutFailuresIsRefused)
{
    namespace fs = std::filesystem;
    std::string folder = (fs::temp_directory_path() / "mixnet-failures-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    const auto refusal = [](const std::string& path) {
        try
        {
            ReadFailureFile(path);
        }
        catch (const InputError& e)
        {
            return std::string(e.what());
        }
        return std::string("accepted");
    };
    EXPECT_THAT(refusal(folder), AllOf(HasSubstr(folder), HasSubstr("is a folder")));
    for (const char* text : {"", "\n# nothing\n", "time,kind,element\n"})
    {
        const std::string path = folder + (text[0] == 't' ? "/f.csv" : "/f.txt");
        std::ofstream(path) << text;
        EXPECT_THAT(refusal(path), AllOf(HasSubstr(path), HasSubstr("names no failure"))) << text;
    }
    fs::remove_all(folder);
}

TEST(FailureText, CommentsMayFollowATab)
{
    EXPECT_EQ(ParseFailureScript("\t# a\nt=1ms nic 0/0 down\t# b\n", "x").size(), 1U);
}

TEST(FailureTarget, ElementsAreFoundAsTheFabricHasThem)
{
    const auto graph = MakeHybrid();
    const auto find = [&](const std::string& line) {
        return FindFailureTarget(*graph,
                                 ParseFailureLine("t=0s " + line + " down", "x").element,
                                 "x");
    };
    const VertexId server = graph->GetVertex(ServerId(3));
    EXPECT_EQ(find("nic 3/5").edges, std::vector<EdgeId>{graph->GetEdge(server, 5)});
    EXPECT_EQ(find("server 3").edges.size(), 8U);
    EXPECT_EQ(find("server 3").gpus.front(), GpuId(24));
    EXPECT_EQ(find("server 3").gpus.size(), 8U);
    EXPECT_EQ(find("gpu 25").server, ServerId(3));
    EXPECT_TRUE(find("gpu 25").edges.empty());
    EXPECT_EQ(find("ocs 0").edges.size(), 24U);
    EXPECT_EQ(find("ocs 0").name, find("ocs ocs-0").name);
    EXPECT_EQ(find("ocs-port 0/5").edges.size(), 1U);
    EXPECT_EQ(find("controller 0").region, RegionId(0));
    EXPECT_EQ(find("switch 0").name, find("switch leaf-0").name);
    const auto star = CreateObject<StarTopology>()->Build(ClusterSpec(2, 3));
    const auto link = [&](const std::string& ends) {
        const auto event = ParseFailureLine("t=0s link " + ends + " down", "x");
        return FindFailureTarget(*star, event.element, "x");
    };
    const EdgeId third = star->GetEdge(star->GetVertex(ServerId(1)), 2);
    EXPECT_EQ(link("server-1 switch#2").edges, std::vector<EdgeId>{third});
    EXPECT_EQ(link("switch server-1#2").name, link("server-1 switch#2").name);
    EXPECT_THAT([&] { link("server-1 switch"); },
                ThrowsMessage<InputError>(HasSubstr("switch#0 to switch#2")));
    EXPECT_THAT([&] { link("server-1 switch#3"); }, ThrowsMessage<InputError>(HasSubstr("0 to 2")));
    for (const char* wrong : {"nic 4/0",
                              "nic 0/8",
                              "nic 0",
                              "gpu 32",
                              "server 4",
                              "ocs 1",
                              "ocs-port 0/24",
                              "controller 1",
                              "switch leaf-7",
                              "switch spine",
                              "link server-3 server-2",
                              "link 3 leaf-0"})
    {
        EXPECT_THAT(
            [&] { find(wrong); },
            ThrowsMessage<InputError>(AllOf(HasSubstr("in this fabric"), HasSubstr("accepted"))))
            << wrong;
    }
}

TEST(FailureRates, DrawsAreExponentialAndReproducible)
{
    const auto graph = MakeHybrid();
    FailureRates rates;
    rates[static_cast<std::size_t>(FailureKind::NIC)] = {1e-3, 2e-4};
    const auto events = DrawFailures(*graph, rates, Seconds(1), 7);
    // 32 NICs, a cycle takes 1.2 ms on average: 26,667 failures, give or take 1 / sqrt(26,667)
    ASSERT_NEAR(static_cast<double>(events.size()), 26667, 6 * 163);
    double sum = 0;
    double squares = 0;
    for (const auto& e : events)
    {
        const double repair = e.duration.GetSeconds() / 2e-4;
        sum += repair;
        squares += repair * repair;
    }
    const auto n = static_cast<double>(events.size());
    EXPECT_NEAR(sum / n, 1, 0.04);
    EXPECT_NEAR(squares / n, 2, 0.15); // E[x^2] = 2 for mean 1
    EXPECT_TRUE(std::is_sorted(events.begin(), events.end(), [](const auto& a, const auto& b) {
        return a.when.at < b.when.at;
    }));
    const auto again = DrawFailures(*graph, rates, Seconds(1), 7);
    const auto other = DrawFailures(*graph, rates, Seconds(1), 107);
    ASSERT_EQ(again.size(), events.size());
    EXPECT_EQ(again.back().ToString(), events.back().ToString());
    EXPECT_NE(other.front().ToString(), events.front().ToString());
    // a mistaken unit is a mistake, not a run that never begins
    rates[static_cast<std::size_t>(FailureKind::NIC)] = {1e-6, 1e-6};
    EXPECT_THAT([&] { DrawFailures(*graph, rates, Seconds(3600), 7); },
                ThrowsMessage<InputError>(
                    AllOf(HasSubstr("failures.rates.nic"), HasSubstr("57600000000 failures"))));
    EXPECT_EQ(ParseLongTime("2d", "x"), 172800);
    EXPECT_THROW(ParseLongTime("2", "x"), InputError);
    EXPECT_THROW(ParseLongTime("0s", "x"), InputError);
}
