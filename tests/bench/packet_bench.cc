/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Benchmarks of the packet world. Names and counters are a contract (design, section 7):
//   packet/all-to-all/HOSTS/RATE/SIZE     every host to every other one, all at t = 0
//   packet/permutation/HOSTS/RATE/SIZE    host i to host (i + HOSTS / 2) mod HOSTS
//   packet/incast/N/RATE/SIZE             N hosts to one, on 16 hosts
// k-ary fat-tree (k = 4: 16 hosts, k = 8: 128), links of 1,000 ns, 4,096 B payload, DCQCN, an ACK
// per packet, ECN and PFC on. Counters: data_hops (link traversals of data packets, each once),
// data_hops_per_cpu_s (set-up not counted), peak_rss_bytes (of the process: run one entry at a
// time), allocations_per_packet (from half of the time on), makespan_us (last delivery).

#include "ns3/clos-topology.h"
#include "ns3/ecmp-tables.h"
#include "ns3/ns3-compat.h"
#include "ns3/packet-world.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <atomic>
#include <benchmark/benchmark.h>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <new>
#include <string>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace
{
std::atomic<uint64_t> g_allocations{0}; //!< calls of operator new
}

void*
operator new(std::size_t size)
{
    g_allocations.fetch_add(1, std::memory_order_relaxed);
    if (void* memory = std::malloc(size))
    {
        return memory;
    }
    throw std::bad_alloc();
}

void
operator delete(void* memory) noexcept
{
    std::free(memory);
}

void
operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

using namespace ns3;

namespace
{

/// Pairs of hosts, source first.
using Pattern = std::vector<std::pair<uint32_t, uint32_t>>;

/// @param hosts number @return every host to every other one
Pattern
AllToAll(uint32_t hosts)
{
    Pattern pattern;
    for (uint32_t step = 1; step < hosts; ++step)
    {
        for (uint32_t i = 0; i < hosts; ++i)
        {
            pattern.emplace_back(i, (i + step) % hosts);
        }
    }
    return pattern;
}

/// @param hosts number @return each to the one half way round
Pattern
Permutation(uint32_t hosts)
{
    Pattern pattern;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        pattern.emplace_back(i, (i + hosts / 2) % hosts);
    }
    return pattern;
}

/// @param n senders @return n hosts to host 0
Pattern
Incast(uint32_t n)
{
    Pattern pattern;
    for (uint32_t i = 1; i <= n; ++i)
    {
        pattern.emplace_back(i, 0);
    }
    return pattern;
}

/// Counts completions and remembers the last.
class Finish : public WorkSink
{
  public:
    void OnSend(RdmaNic&, const SendCompletion& completion) override
    {
        failed += completion.status == WorkStatus::SUCCESS ? 0 : 1;
    }

    void OnReceive(RdmaNic&, const ReceiveCompletion&) override
    {
        ++delivered;
        last = Simulator::Now();
    }

    uint64_t delivered{0}; //!< messages
    uint64_t failed{0};    //!< messages
    Time last;             //!< last delivery
};

/// @return CPU seconds of this process
double
CpuSeconds()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// A fat-tree and its load.
class Load
{
  public:
    /// @param hosts number @param rate of all links
    Load(uint32_t hosts, const std::string& rate)
        : m_radix(hosts == 16 ? 4 : 8)
    {
        EnsurePicosecondClock();
        ObjectFactory scheduler("ns3::PriorityQueueScheduler");
        Simulator::SetScheduler(scheduler);
        auto topology = CreateObject<FatTreeTopology>();
        topology->SetAttribute("NicRate", StringValue(rate));
        topology->SetAttribute("LinkDelay", StringValue("1000ns"));
        topology->SetAttribute("SwitchRadix", UintegerValue(m_radix));
        topology->SetAttribute("Tiers", UintegerValue(3));
        m_graph = topology->Build(ClusterSpec(hosts, 1));
        m_world = CreateObject<PacketWorld>();
        m_world->Build(m_graph);
        m_world->AssignStreams(1);
        EcmpTables tables(*m_graph);
        tables.Compute();
        for (uint32_t i = 0; i < tables.GetNSwitches(); ++i)
        {
            std::vector<RouteRange> ranges;
            std::vector<PortGroup> groups;
            tables.GetRoutes(tables.GetVertex(i), ranges, groups);
            m_world->GetSwitch(tables.GetVertex(i)).SetRoutes(ranges, groups);
        }
    }

    ~Load()
    {
        m_world->Dispose();
        m_world = nullptr;
        m_graph = nullptr;
        Simulator::Destroy();
    }

    /// @param pattern who sends to whom @param bytes per pair
    void Post(const Pattern& pattern, uint64_t bytes)
    {
        uint16_t port = 0;
        for (const auto& [from, to] : pattern)
        {
            QpConfig config;
            config.sink = &finish;
            config.sourcePort = static_cast<uint16_t>(49152 + port++ % 16384);
            RdmaNic& nic = m_world->GetNic(ServerId(from));
            const auto qps =
                RdmaNic::CreatePair(nic, config, m_world->GetNic(ServerId(to)), config);
            nic.PostSend(qps.first, 0, ByteCount(bytes));
            packets += (bytes + 4095) / 4096;
            dataHops += (bytes + 4095) / 4096 * GetHops(from, to);
        }
    }

    /// @return what the NICs counted
    RdmaCounters GetCounters() const
    {
        return m_world->GetCounters();
    }

    /// @return frames dropped
    uint64_t GetDrops() const
    {
        return m_world->GetFabric().GetTotalDrops();
    }

    Finish finish;        //!< completions
    uint64_t packets{0};  //!< data packets
    uint64_t dataHops{0}; //!< their links

  private:
    /// @param a host @param b host @return links between them
    uint64_t GetHops(uint32_t a, uint32_t b) const
    {
        const uint32_t leaf = m_radix / 2;
        const uint32_t pod = leaf * leaf;
        return a / leaf == b / leaf ? 2 : (a / pod == b / pod ? 4 : 6);
    }

    uint32_t m_radix;         //!< k
    Ptr<FabricGraph> m_graph; //!< topology
    Ptr<PacketWorld> m_world; //!< its packet world
};

/// @param state benchmark @param hosts number @param rate of links @param bytes per pair
/// @param pattern who sends to whom
void
Measure(benchmark::State& state,
        uint32_t hosts,
        const std::string& rate,
        uint64_t bytes,
        const Pattern& pattern)
{
    for (auto _ : state)
    {
        Load load(hosts, rate);
        const double start = CpuSeconds();
        load.Post(pattern, bytes);
        // allocations of the second half, on a clock that no result depends on
        uint64_t half = 0;
        uint64_t halfPackets = 0;
        const double ideal = static_cast<double>(load.packets * 4194 * 8) /
                             (DataRate(rate).GetBitRate() * double(hosts));
        Simulator::Schedule(Seconds(ideal / 2), [&half, &halfPackets, &load] {
            halfPackets = load.GetCounters().dataSent;
            half = g_allocations;
        });
        Simulator::Run();
        const uint64_t allocations = g_allocations - half;
        const double seconds = CpuSeconds() - start;
        state.SetIterationTime(seconds);
        const RdmaCounters counters = load.GetCounters();
        if (load.finish.delivered != pattern.size() || load.GetDrops() > 0 ||
            counters.dataResent > 0)
        {
            state.SkipWithError("unfinished, lossy or sent again");
            return;
        }
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        state.counters["data_hops"] = static_cast<double>(load.dataHops);
        state.counters["data_hops_per_cpu_s"] = static_cast<double>(load.dataHops) / seconds;
        state.counters["peak_rss_bytes"] = static_cast<double>(usage.ru_maxrss) * 1024;
        state.counters["allocations_per_packet"] =
            static_cast<double>(allocations) / static_cast<double>(counters.dataSent - halfPackets);
        state.counters["makespan_us"] = load.finish.last.GetSeconds() * 1e6;
        state.counters["cnps"] = static_cast<double>(counters.cnpsSent);
        state.counters["events"] = static_cast<double>(Simulator::GetEventCount());
    }
}

/// @param name entry @param hosts number @param rate such as 100G @param size MiB per pair
/// @param pattern who sends to whom
void
Register(const std::string& name,
         uint32_t hosts,
         const std::string& rate,
         uint64_t size,
         const Pattern& pattern)
{
    const std::string entry = "packet/" + name + "/" + rate + "/" + std::to_string(size) + "MiB";
    benchmark::RegisterBenchmark(
        entry.c_str(),
        [=](benchmark::State& state) { Measure(state, hosts, rate + "bps", size << 20, pattern); })
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
}

/// Registers all entries.
struct Entries
{
    Entries()
    {
        for (const char* rate : {"100G", "400G"})
        {
            for (const uint64_t size : {1, 8})
            {
                Register("all-to-all/16", 16, rate, size, AllToAll(16));
                Register("permutation/16", 16, rate, size, Permutation(16));
                Register("permutation/128", 128, rate, size, Permutation(128));
                Register("incast/8", 16, rate, size, Incast(8));
            }
            Register("all-to-all/128", 128, rate, 1, AllToAll(128));
        }
    }
};

const Entries g_entries; //!< all entries

} // namespace
