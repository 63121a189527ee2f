/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Whole small scenarios at nanosecond, picosecond and femtosecond resolution, each in a process of
// its own, as the clock is set once in a process (field report 27).
//
// Exact where a tick divides a byte's time. Otherwise each line carries its remainder: frame k of a
// busy period that starts with frame j ends at in(j) + floor(S(j..k)), in ticks. Claim: after h
// lines in a row a frame arrives less than h ticks early, and never late. Exactly, a FIFO line has
// out*(k) = max over j of in*(j) + S(j..k). Never late: in <= in* and floor(S) <= S. Less than h
// early, by induction over h and k, with j* the frame where the maximum is taken: when j* >= j,
// out(k) = in(j) + floor(S(j..j*-1) + S(j*..k)) >= out(j*-1) + floor(S(j*..k)) >= in(j*) +
// floor(S(j*..k)) > in*(j*) - (h-1) + S(j*..k) - 1; when j* < j the line was idle before j, so that
// in(j) >= out(j-1) + 1 and out(k) >= out(j-1) + 1 + floor(S(j..k)) > out*(j-1) - h + S(j..k).

#include "ns3/config.h"
#include "ns3/ns3-compat.h"
#include "ns3/rdma-application-helper.h"
#include "ns3/rdma-application.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace ns3;

namespace
{

/// A scenario: N:1 incast of equal messages over a fabric.
struct Case
{
    std::string topology; //!< TypeId
    std::string rate;     //!< of all links
    uint64_t bitRate;     //!< the same
    uint32_t senders;     //!< N
    uint64_t bytes;       //!< of each message, a multiple of 4,096 or below
    int lines;            //!< from a sender to the receiver
    bool paused;          //!< a small PFC threshold

    /**
     * The last line never idles from the arrival of the first frame on. All senders start at once
     * with the longest frame (its RETH), and whatever pauses order, the last line carries all
     * frames: first frame over the lines before, delays of 1 us, all frames.
     *
     * @return makespan in femtoseconds
     */
    int64_t GetExact() const
    {
        const uint64_t packets = (bytes + 4095) / 4096;
        const uint64_t all = senders * (bytes + packets * ROCE_BASE_BYTES + RETH_BYTES);
        const uint64_t first = std::min<uint64_t>(bytes, 4096) + ROCE_BASE_BYTES + RETH_BYTES;
        const uint64_t femtosecondsPerByte = 8000000000000000ULL / bitRate;
        return static_cast<int64_t>((all + first * (lines - 1)) * femtosecondsPerByte +
                                    lines * 1000000000ULL);
    }
};

const std::vector<Case> CASES{
    {"ns3::StarTopology", "800Gbps", 800000000000, 1, 1, 2, false},
    {"ns3::StarTopology", "800Gbps", 800000000000, 1, 16 << 20, 2, false},
    {"ns3::StarTopology", "1600Gbps", 1600000000000, 1, 4 << 20, 2, false},
    {"ns3::ChainTopology", "400Gbps", 400000000000, 1, 4 << 20, 4, false},
    {"ns3::ChainTopology", "800Gbps", 800000000000, 1, 4 << 20, 4, false},
    {"ns3::StarTopology", "800Gbps", 800000000000, 4, 4 << 20, 2, true},
    {"ns3::StarTopology", "10Gbps", 10000000000, 3, 1 << 20, 2, true},
};

/// When the last message was delivered, in ticks.
class Finish
{
  public:
    /// @param message delivered
    void Deliver(const RdmaMessage& message)
    {
        at = message.delivered.GetTimeStep();
        ++messages;
    }

    int64_t at{0};        //!< last delivery
    uint32_t messages{0}; //!< delivered
};

/// @param c a scenario @param congestion TypeId @return makespan in ticks; negative: it went wrong
int64_t
RunCase(const Case& c, const std::string& congestion)
{
    NodeContainer servers(c.senders + 1);
    RdmaHelper rdma;
    rdma.SetTopology(c.topology);
    if (c.topology == "ns3::ChainTopology")
    {
        rdma.SetTopologyAttribute("Switches", UintegerValue(3));
    }
    rdma.SetTopologyAttribute("NicRate", StringValue(c.rate));
    rdma.SetTopologyAttribute("LinkDelay", StringValue("1us"));
    rdma.SetNicAttribute("CongestionControl", StringValue(congestion));
    if (c.paused)
    {
        rdma.SetSwitchAttribute("PfcThreshold", StringValue("100kB"));
    }
    const NetDeviceContainer nics = rdma.Install(servers);
    RdmaApplicationHelper bulk("ns3::RdmaBulkApplication", nics.Get(c.senders));
    bulk.SetAttribute("MessageSize", StringValue(std::to_string(c.bytes) + "B"));
    Finish finish;
    for (uint32_t i = 0; i < c.senders; ++i)
    {
        bulk.Install(servers.Get(i))
            .Get(0)
            ->TraceConnectWithoutContext("Rx", MakeCallback(&Finish::Deliver, &finish));
    }
    Simulator::Run();
    const auto world = rdma.GetFabric()->GetWorld();
    uint64_t pauses = 0;
    for (uint32_t i = 0; i < c.senders; ++i)
    {
        pauses += DynamicCast<MixnetPort>(nics.Get(i))->GetCounters().pausesReceived;
    }
    const bool good = finish.messages == c.senders && world->GetFabric().GetTotalDrops() == 0 &&
                      world->GetCounters().dataResent == 0 && (pauses > 0) == c.paused;
    Simulator::Destroy();
    return good ? finish.at : -1;
}

/// @param unit resolution @param run gives a number for each of CASES @return them, from a process
/// of its own with that clock
template <class F>
std::vector<int64_t>
RunAt(Time::Unit unit, F run)
{
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0)
    {
        if (Time::GetResolution() != unit)
        {
            Time::SetResolution(unit);
        }
        std::vector<int64_t> results;
        for (const Case& c : CASES)
        {
            results.push_back(run(c));
        }
        const std::size_t size = results.size() * sizeof(int64_t);
        _exit(write(ends[1], results.data(), size) == static_cast<ssize_t>(size) ? 0 : 1);
    }
    close(ends[1]);
    std::vector<int64_t> results(CASES.size());
    const std::size_t size = results.size() * sizeof(int64_t);
    EXPECT_EQ(read(ends[0], results.data(), size), static_cast<ssize_t>(size));
    close(ends[0]);
    int status = 1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    return results;
}

/// @param c a scenario @return its makespan at a fixed rate
int64_t
RunPlain(const Case& c)
{
    return RunCase(c, "ns3::NoCongestionControl");
}

TEST(Resolution, PicosecondsAreExact)
{
    const auto results = RunAt(Time::PS, RunPlain);
    for (std::size_t i = 0; i < CASES.size(); ++i)
    {
        EXPECT_EQ(results[i], CASES[i].GetExact() / 1000) << "case " << i;
    }
}

TEST(Resolution, FemtosecondsAreExact)
{
    const auto results = RunAt(Time::FS, RunPlain);
    for (std::size_t i = 0; i < CASES.size(); ++i)
    {
        EXPECT_EQ(results[i], CASES[i].GetExact()) << "case " << i;
    }
}

TEST(Resolution, NanosecondsAreEarlyByLessThanATickPerLine)
{
    const auto results = RunAt(Time::NS, RunPlain);
    for (std::size_t i = 0; i < CASES.size(); ++i)
    {
        const int64_t exact = CASES[i].GetExact();
        EXPECT_LE(results[i] * 1000000, exact) << "case " << i;
        EXPECT_GT((results[i] + CASES[i].lines) * 1000000, exact) << "case " << i;
    }
}

TEST(Resolution, PacedRatesCarryRemaindersInNanoseconds)
{
    // 1,024 packets at 300 Gb/s on links of 1.6 Tb/s: 111.41 ns from start to start. Packet k
    // starts at floor(wire bytes before it / rate), and two idle lines round once each: the end is
    // less than three ticks early. Gaps rounded one by one would be 600 ns late.
    const auto results = RunAt(Time::NS, [](const Case& c) {
        Config::SetDefault("ns3::NoCongestionControl::Rate", StringValue("300Gbps"));
        return c.senders == 1 && c.bytes == 4 << 20 && c.lines == 2 ? RunPlain(c) : 0;
    });
    const auto index = 2;
    ASSERT_GT(results[index], 0);
    ASSERT_EQ(CASES[index].bitRate, 1600000000000ULL);
    const int64_t wire = 4096 + ROCE_BASE_BYTES;
    const double exact = (1023 * wire + RETH_BYTES) * 8 / 300.0 + 2 * wire * 8 / 1600.0 + 2000;
    EXPECT_LE(static_cast<double>(results[index]), exact);
    EXPECT_GT(static_cast<double>(results[index]) + 3, exact);
}

} // namespace
