/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-list-run.h"

#include "ns3/mixnet-units.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

namespace ns3
{

namespace
{

/// @param ticks ps @return s
double
Seconds(int64_t ticks)
{
    return static_cast<double>(ticks) * 1e-12;
}

/// Mean and two quantiles (nearest rank) of some numbers.
struct Spread
{
    double mean{0}; //!< mean
    double half{0}; //!< median
    double tail{0}; //!< 99 %

    /// @param values any order
    explicit Spread(std::vector<double> values)
    {
        if (values.empty())
        {
            return;
        }
        std::sort(values.begin(), values.end());
        const std::size_t n = values.size();
        mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(n);
        half = values[(n * 50 + 99) / 100 - 1];
        tail = values[(n * 99 + 99) / 100 - 1];
    }
};

} // namespace

ResultTable
FlowListRun::MakeFlowTable() const
{
    const auto& outcomes = m_replay->GetOutcomes();
    const std::size_t n = m_flows.GetN();
    std::vector<uint32_t> from(n);
    std::vector<uint32_t> to(n);
    std::vector<double> start(n, 0);
    std::vector<double> end(n, 0);
    std::vector<double> fct(n, 0);
    std::vector<double> ideal(n, 0);
    std::vector<double> slowdown(n, 0);
    std::vector<uint8_t> state(n);
    for (std::size_t row = 0; row < n; ++row)
    {
        const FlowOutcome& o = outcomes[row];
        from[row] = m_replay->GetEnds(row).first.Get();
        to[row] = m_replay->GetEnds(row).second.Get();
        state[row] = o.state;
        start[row] = Seconds(o.start);
        ideal[row] = Seconds(o.ideal);
        if (o.state >= FlowOutcome::DELIVERED)
        {
            end[row] = Seconds(o.end);
            fct[row] = Seconds(o.end - o.start);
        }
        if (o.state == FlowOutcome::DELIVERED && o.ideal > 0)
        {
            slowdown[row] = static_cast<double>(o.end - o.start) / static_cast<double>(o.ideal);
        }
    }
    ResultTable table("/flows");
    table.Add("run", "1", std::vector<uint32_t>(n, m_run));
    table.Add("id", "1", m_flows.id);
    table.Add("source", "1", m_flows.source);
    table.Add("destination", "1", m_flows.destination);
    table.Add("source_gpu", "1", from);
    table.Add("destination_gpu", "1", to);
    table.Add("bytes", "B", m_flows.bytes);
    table.Add("state", "1", state);
    table.Add("start", "s", start);
    table.Add("end", "s", end);
    table.Add("fct", "s", fct);
    table.Add("ideal_fct", "s", ideal);
    table.Add("slowdown", "1", slowdown);
    return table;
}

ResultTable
FlowListRun::MakeSummary() const
{
    std::vector<double> fct;
    std::vector<double> slowdown;
    uint64_t bytes = 0;
    uint64_t lost = 0;
    int64_t first = INT64_MAX;
    int64_t last = 0;
    const auto& outcomes = m_replay->GetOutcomes();
    for (std::size_t row = 0; row < outcomes.size(); ++row)
    {
        const FlowOutcome& o = outcomes[row];
        first = o.state == FlowOutcome::WAITING ? first : std::min(first, o.start);
        lost += o.state == FlowOutcome::LOST ? 1 : 0;
        if (o.state != FlowOutcome::DELIVERED)
        {
            continue;
        }
        last = std::max(last, o.end);
        bytes += m_flows.bytes[row];
        fct.push_back(Seconds(o.end - o.start));
        if (o.ideal > 0)
        {
            slowdown.push_back(static_cast<double>(o.end - o.start) / static_cast<double>(o.ideal));
        }
    }
    const double makespan = fct.empty() ? 0 : Seconds(last - first);
    const Spread times(fct);
    const Spread slow(slowdown);
    const auto one = [](double v) { return std::vector<double>{v}; };
    const auto count = [](uint64_t v) { return std::vector<uint64_t>{v}; };
    ResultTable table("/flow_summary");
    table.Add("run", "1", std::vector<uint32_t>{m_run});
    table.Add("flows", "1", count(outcomes.size()));
    table.Add("finished", "1", count(fct.size()));
    table.Add("lost", "1", count(lost));
    table.Add("bytes", "B", count(bytes));
    table.Add("makespan", "s", one(makespan));
    table.Add("fct_mean", "s", one(times.mean));
    table.Add("fct_p50", "s", one(times.half));
    table.Add("fct_p99", "s", one(times.tail));
    table.Add("slowdown_mean", "1", one(slow.mean));
    table.Add("slowdown_p50", "1", one(slow.half));
    table.Add("slowdown_p99", "1", one(slow.tail));
    table.Add("algbw", "B/s", one(makespan > 0 ? static_cast<double>(bytes) / makespan : 0));
    return table;
}

void
FlowListRun::ListUnfinished(std::vector<std::string>& lines) const
{
    constexpr std::size_t limit = 1000;
    std::size_t more = 0;
    for (std::size_t row = 0; row < m_flows.GetN(); ++row)
    {
        const FlowOutcome& o = m_replay->GetOutcomes()[row];
        if (o.state == FlowOutcome::DELIVERED)
        {
            continue;
        }
        if (lines.size() >= limit)
        {
            ++more;
            continue;
        }
        std::ostringstream line;
        line << "flow " << m_flows.id[row] << ": host " << m_flows.source[row] << " to "
             << m_flows.destination[row] << ", " << m_flows.bytes[row] << " B, ";
        if (o.state != FlowOutcome::WAITING)
        {
            line << (o.state == FlowOutcome::LOST ? "lost, " : "") << "started at "
                 << FormatTime(PicoSeconds(o.start));
        }
        else if (m_flows.trigger[row] != FlowFile::NONE)
        {
            line << "waits for trigger " << m_flows.triggerId[m_flows.trigger[row]];
        }
        else
        {
            line << "starts at "
                 << FormatTime(PicoSeconds(static_cast<int64_t>(m_flows.start[row])));
        }
        lines.push_back(line.str());
    }
    if (more > 0)
    {
        lines.push_back("and " + std::to_string(more) + " more flows");
    }
}

FlowListReplay::FlowListReplay(const std::string& flows, const std::string& topology)
    : m_flows(ReadFlowFile(flows))
{
    if (!topology.empty())
    {
        m_topology = std::make_unique<TopologyFile>(ReadTopologyFile(topology));
    }
}

ReplayKind
FlowListReplay::GetKind() const
{
    ReplayKind kind;
    kind.file = m_flows.path;
    kind.name = "flows";
    kind.what = std::to_string(m_flows.hosts) + " hosts";
    kind.gpus = m_flows.hosts;
    kind.serversWillDo = true;
    kind.imported = m_topology != nullptr;
    kind.fabric = "topology";
    return kind;
}

std::vector<std::string>
FlowListReplay::GetFiles() const
{
    std::vector<std::string> files{m_flows.path};
    if (m_topology)
    {
        files.push_back(m_topology->path);
    }
    return files;
}

std::string
FlowListReplay::Describe(const Scenario& scenario) const
{
    const uint64_t bytes = std::accumulate(m_flows.bytes.begin(), m_flows.bytes.end(), uint64_t(0));
    std::ostringstream text;
    text << "flow list: " << m_flows.GetN() << " flows of " << m_flows.hosts << " hosts, " << bytes
         << " B";
    if (!m_flows.triggerKind.empty())
    {
        text << ", " << m_flows.triggerKind.size() << " triggers";
    }
    if (!m_flows.failures.empty())
    {
        text << ", " << m_flows.failures.size() << " links down";
    }
    text << "\n";
    if (m_topology)
    {
        text << "hosts are nodes of the topology\n";
    }
    else
    {
        text << "hosts are "
             << (m_flows.hosts <= scenario.cluster.servers ? "servers, their flows in turn by all "
                                                             "GPUs"
                                                           : "GPUs")
             << ": " << scenario.cluster.servers << " servers of " << scenario.cluster.gpusPerServer
             << " GPUs\n";
    }
    return text.str();
}

std::string
FlowListReplay::DryRun(const Scenario& scenario, const FabricConfig& fabric) const
{
    FlowListRun run(scenario, fabric, 0, m_flows, m_topology.get());
    const uint64_t memory = 40000000 + 200 * m_flows.GetN() + 2000 * m_flows.hosts;
    return run.DescribeFabric() +
           "\n  estimated memory, roughly: " + FormatBytes(ByteCount(memory)) + "\n";
}

RunResult
FlowListReplay::Run(const Scenario& scenario,
                    const FabricConfig& fabric,
                    uint32_t run,
                    SharedProgress::Slot& slot,
                    bool (*isInterrupted)()) const
{
    return FlowListRun(scenario, fabric, run, m_flows, m_topology.get()).Run(slot, isInterrupted);
}

std::string
FlowListReplay::GetSummaryTable() const
{
    return "/flow_summary";
}

} // namespace ns3
