/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-test-network.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace ns3;

namespace
{

/**
 * Field reports 35 and 37: the memory is counted in bytes, whatever the size of the frames. A lossy
 * queue with a static threshold of 200 kB holds that much of 1,000 B and of 9,000 B payload, but
 * for one frame; a size in packets is refused.
 */
void
BufferIsInBytes(FabricTestCase& test)
{
    for (const uint16_t payload : {1000, 9000})
    {
        FabricTestNetwork network;
        PacketSwitch* sw =
            network.Star(4,
                         "100Gbps",
                         "1us",
                         {{"BufferSize", "4MB"}, {"Pfc", "false"}, {"LossyThreshold", "200kB"}});
        uint64_t most = 0;
        for (int look = 0; look < 400; ++look)
        {
            Simulator::Schedule(NanoSeconds(50 * look), [&] {
                sw->GetBuffer();
                most = std::max(most, sw->GetPort(3)->GetQueues().GetBytes(3));
            });
        }
        RawNic::Job job;
        job.destination = 3;
        job.payload = payload;
        job.frames = 900000 / payload;
        for (uint32_t i = 0; i < 3; ++i)
        {
            Simulator::ScheduleNow(&RawNic::Send, network.hosts[i].get(), job);
        }
        FabricTestNetwork::Run();
        const uint64_t frame = payload + ROCE_BASE_BYTES - ETHERNET_GAP_BYTES;
        test.Expect(most <= 200000 && most > 200000 - 2 * frame,
                    std::to_string(payload) + " B: " + std::to_string(most));
        test.Expect(network.context->GetDrops(DropReason::BUFFER) > 0, "full");
        test.ExpectEqual(network.Close(), 0, "every frame came back");
    }
    FabricTestNetwork network;
    std::string message;
    try
    {
        network.Star(2, "100Gbps", "1us", {{"BufferSize", "1000p"}});
    }
    catch (const InputError& e)
    {
        message = e.what();
    }
    test.ExpectEqual(
        message,
        "ns3::PacketSwitch::BufferSize: 1000 packets; accepted: a size in bytes such as "
        "64MiB",
        "packets are refused");
    network.Close();
}

/**
 * Field report 41: a switch whose ports differ in rate and cable gives each the headroom of its own
 * cable, and stays lossless: hosts at 10, 25, 100 and 400 Gb/s send to one at 40 Gb/s.
 */
void
UnequalPorts(FabricTestCase& test)
{
    const std::vector<std::pair<uint64_t, SimTick>> cables{{10, 500000},
                                                           {25, 5000000},
                                                           {100, 1000000},
                                                           {400, 2000000},
                                                           {40, 10000000}};
    FabricTestNetwork network;
    network.AddHosts(5);
    PacketSwitch* sw = network.AddSwitch(5, {{"BufferSize", "3MB"}, {"Ecn", "false"}});
    std::vector<RouteRange> ranges;
    std::vector<PortGroup> groups;
    uint64_t headroom = 0;
    for (uint32_t i = 0; i < 5; ++i)
    {
        const auto [gbps, delay] = cables[i];
        network.Link(network.hosts[i]->port,
                     sw->GetPort(i),
                     std::to_string(gbps) + "Gbps",
                     std::to_string(delay) + "ps");
        ranges.push_back({i, i, i});
        groups.push_back({static_cast<uint16_t>(i)});
        headroom += (2 * delay * gbps + 7999) / 8000 + 3 * 9216 + MIN_WIRE_BYTES;
    }
    sw->SetRoutes(ranges, groups);
    sw->Configure();
    test.ExpectEqual(sw->GetBuffer().GetSharedSize(),
                     3000000 - headroom - 5 * N_PRIORITIES * 9216,
                     "each port has its own headroom");
    RawNic::Job job;
    job.destination = 4;
    job.frames = 800;
    for (uint32_t i = 0; i < 4; ++i)
    {
        Simulator::ScheduleNow(&RawNic::Send, network.hosts[i].get(), job);
    }
    FabricTestNetwork::Run();
    test.ExpectEqual(network.CountArrivals(), 3200U, "all arrive");
    test.ExpectEqual(network.context->GetTotalDrops(), 0U, "nothing is lost");
    test.Expect(network.CountPauses() > 0, "pauses seen");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/// @return bytes that this process has written so far, to files and pipes
uint64_t
CountWritten()
{
    std::ifstream in("/proc/self/io");
    std::string key;
    uint64_t value = 0;
    while (in >> key >> value)
    {
        if (key == "wchar:")
        {
            return value;
        }
    }
    return 0;
}

/// Field report 45: with tracing off a run writes nothing, however long: 400,000 frame-hops, no new
/// file in the working directory, and less than a line to any other.
void
TracingOffWritesNothing(FabricTestCase& test)
{
    namespace fs = std::filesystem;
    const auto list = [] {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(fs::current_path()))
        {
            names.push_back(entry.path().filename().string());
        }
        std::sort(names.begin(), names.end());
        return names;
    };
    const auto before = list();
    const uint64_t written = CountWritten();
    FabricTestNetwork network;
    network.Star(5, "400Gbps", "500ns", {{"BufferSize", "3MB"}});
    RawNic::Job job;
    job.destination = 4;
    job.frames = 50000;
    for (uint32_t i = 0; i < 4; ++i)
    {
        Simulator::ScheduleNow(&RawNic::Send, network.hosts[i].get(), job);
    }
    FabricTestNetwork::Run();
    test.ExpectEqual(network.CountArrivals(), 200000U, "all arrive");
    // Not zero: sanitizers probe memory by writing a few bytes to a pipe.
    test.Expect(CountWritten() - written < 1024, "bytes written");
    test.Expect(list() == before, "no new files");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/**
 * Classes share a line by deficit round robin, through switch and buffer: classes 0, 1 and 2 with
 * quanta of 1, 2 and 4 jumbo frames and frames of unlike sizes, all three never dry at the egress
 * port. Its bytes follow the quanta within one quantum and one frame each (Shreedhar and Varghese).
 */
void
ClassesShareALine(FabricTestCase& test)
{
    FabricTestNetwork network;
    PacketSwitch* sw =
        network.Star(4, "100Gbps", "1us", {{"BufferSize", "64MB"}, {"Ecn", "false"}});
    for (uint8_t c = 0; c < 3; ++c)
    {
        sw->SetQuantum(c, 9216U << c);
        RawNic::Job job;
        job.destination = 3;
        job.trafficClass = c;
        job.payload = std::array<uint16_t, 3>{9000, 1500, 4096}[c];
        job.frames = 8000000 / job.payload;
        Simulator::ScheduleNow(&RawNic::Send, network.hosts[c].get(), job);
    }
    FabricTestNetwork::Run();
    test.ExpectEqual(network.context->GetTotalDrops(), 0U, "nothing is lost");
    std::array<double, 3> bytes{};
    double total = 0;
    std::size_t seen = 0;
    for (const auto& arrival : network.hosts[3]->arrivals)
    {
        if (arrival.time < 10000000 || arrival.time > 1000000000)
        {
            continue; // queues build up; class 2 has sent all by 8 MB x 7 / 4 / 12.5 GB/s = 1.1 ms
        }
        bytes[arrival.frame.trafficClass] += arrival.frame.wireBytes - ETHERNET_GAP_BYTES;
        total += arrival.frame.wireBytes - ETHERNET_GAP_BYTES;
        ++seen;
        for (uint8_t c = 0; c < 3; ++c)
        {
            const double share = total * (1 << c) / 7;
            test.Expect(std::abs(bytes[c] - share) < 2 * (36864 + 9062),
                        "class " + std::to_string(c) + " at frame " + std::to_string(seen));
        }
    }
    test.Expect(seen > 2500, "long enough");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/**
 * @ingroup mixnet-test
 * The memory of switches and what shares it.
 */
class FabricBufferTestSuite : public TestSuite
{
  public:
    FabricBufferTestSuite()
        : TestSuite("mixnet-fabric-buffer", TestSuite::Type::UNIT)
    {
        AddTestCase(new FabricTestCase("the buffer is counted in bytes", BufferIsInBytes));
        AddTestCase(new FabricTestCase("ports of unequal rates and cables", UnequalPorts));
        AddTestCase(new FabricTestCase("classes share a line", ClassesShareALine));
        AddTestCase(new FabricTestCase("tracing off writes nothing", TracingOffWritesNothing));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

FabricBufferTestSuite g_fabricBufferTestSuite; //!< the suite

} // namespace
