/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "task-graph-run.h"

#include "task-graph-traffic.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-units.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <tuple>

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

/// @param graph task graph @param cluster its GPUs @return by task: ticks of a computation
std::vector<int64_t>
ListDurations(const GraphFile& graph, const ClusterConfig& cluster)
{
    const double peak = static_cast<double>(cluster.gpuPeak) * cluster.gpuEfficiency;
    const double memory = static_cast<double>(cluster.gpuMemoryRate.GetBitRate()) / 8;
    std::vector<int64_t> durations(graph.GetNTasks(), 0);
    for (std::size_t t = 0; t < graph.GetNTasks(); ++t)
    {
        if (graph.kind[t] != GraphFile::COMPUTE)
        {
            continue;
        }
        durations[t] = static_cast<int64_t>(graph.duration[t]);
        if (graph.duration[t] == GraphFile::UNKNOWN)
        {
            const double seconds = std::max(static_cast<double>(graph.flops[t]) / peak,
                                            static_cast<double>(graph.bytes[t]) / memory);
            durations[t] = static_cast<int64_t>(seconds * 1e12 + 0.5);
        }
    }
    return durations;
}

} // namespace

TaskGraphRun::TaskGraphRun(const Scenario& scenario,
                           const FabricConfig& fabric,
                           uint32_t run,
                           const GraphFile& graph)
    : m_record(scenario.record),
      m_run(run),
      m_graph(graph),
      m_fabric(scenario, fabric, run, nullptr),
      m_tasks(run, graph)
{
    const FabricGraph& network = *m_fabric.Get().GetGraph();
    m_fabric.Start(network.GetNRegions() > 0 ? SumServerDemand(graph, network)
                                             : std::vector<ServerPairBytes>());
    m_runner = std::make_unique<TaskGraphRunner>(graph,
                                                 ListDurations(graph, scenario.cluster),
                                                 m_fabric.Get().GetGraph(),
                                                 m_fabric.Get().GetTransport());
}

ByteCount
TaskGraphRun::EstimateMemory() const
{
    return EstimateGraphMemory(m_graph, *m_fabric.Get().GetGraph());
}

bool
TaskGraphRun::RecordsTasks(RunResult& result) const
{
    constexpr uint64_t many = 1000000;
    uint64_t tasks = 0;
    for (const uint32_t program : m_graph.rankProgram)
    {
        tasks += m_graph.firstTask[program + 1] - m_graph.firstTask[program];
    }
    if (m_record.tasks == "auto" && tasks > many)
    {
        result.notes.push_back("times of single tasks are not kept, there are " +
                               std::to_string(tasks) +
                               " (record.tasks=all keeps them, for "
                               "./mixnet export perfetto)");
    }
    return m_record.tasks == "all" || (m_record.tasks == "auto" && tasks <= many);
}

RunResult
TaskGraphRun::Run(SharedProgress::Slot& slot, bool (*isInterrupted)())
{
    const auto begin = std::chrono::steady_clock::now();
    RunResult result;
    if (RecordsTasks(result))
    {
        m_runner->SetTaskCallback(MakeCallback(&TaskRecorder::OnTask, &m_tasks));
    }
    m_runner->Start(MakeCallback(&ReplayedFabric::Stop, &m_fabric));
    slot.total.store(m_runner->GetNTasks() + 1);
    m_fabric.Run(slot, isInterrupted, MakeCallback(&TaskGraphRunner::GetNEnded, m_runner.get()));
    result.tables = {MakeSummary(), MakeKinds(), MakeRanks()};
    const std::size_t left = m_runner->GetNTasks() - m_runner->GetNEnded();
    m_fabric.Judge(result,
                   std::to_string(left) + " of " + std::to_string(m_runner->GetNTasks()) +
                       " tasks have not ended");
    m_tasks.AddTables(result.tables, result.spill);
    if (m_runner->GetNLost() > 0)
    {
        result.status = std::max(result.status, RunStatus::UNFINISHED);
        result.message += (result.message.empty() ? "" : "; ") + std::string("the network lost ") +
                          std::to_string(m_runner->GetNLost()) + " transfers";
    }
    if (left > 0)
    {
        result.unfinished = m_runner->DescribeWaiting(1000);
    }
    uint64_t timeless = 0;
    for (std::size_t t = 0; t < m_graph.GetNTasks(); ++t)
    {
        timeless += m_graph.kind[t] == GraphFile::COMPUTE &&
                            m_graph.duration[t] == GraphFile::UNKNOWN && m_graph.flops[t] == 0 &&
                            m_graph.bytes[t] == 0
                        ? 1
                        : 0;
    }
    if (timeless > 0)
    {
        result.notes.push_back(std::to_string(timeless) +
                               " computations have neither duration nor flops nor bytes: they take "
                               "no time");
    }
    result.wallSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

ResultTable
TaskGraphRun::MakeSummary() const
{
    const auto& ranks = m_runner->GetTimes().GetRanks();
    int64_t end = 0;
    double compute = 0;
    double communication = 0;
    double exposed = 0;
    for (const auto& r : ranks)
    {
        end = std::max(end, r.end);
        compute += Seconds(r.compute);
        communication += Seconds(r.communication);
        exposed += Seconds(r.exposed);
    }
    const auto n = static_cast<double>(ranks.size());
    const auto one = [](double v) { return std::vector<double>{v}; };
    const auto count = [](uint64_t v) { return std::vector<uint64_t>{v}; };
    const auto& paths = m_runner->GetBytesByPath();
    ResultTable table("/task_summary");
    table.Add("run", "1", std::vector<uint32_t>{m_run});
    table.Add("ranks", "1", count(ranks.size()));
    table.Add("tasks", "1", count(m_runner->GetNTasks()));
    table.Add("finished", "1", count(m_runner->GetNEnded()));
    table.Add("makespan", "s", one(Seconds(end)));
    table.Add("compute", "s", one(compute / n));
    table.Add("communication", "s", one(communication / n));
    table.Add("exposed", "s", one(exposed / n));
    table.Add("hidden_share", "1", one(communication > 0 ? 1 - exposed / communication : 0));
    table.Add("bytes_scale_up",
              "B",
              count(paths[static_cast<std::size_t>(PathClass::SCALE_UP)].Get()));
    table.Add("bytes_circuit",
              "B",
              count(paths[static_cast<std::size_t>(PathClass::CIRCUIT)].Get()));
    table.Add("bytes_packet", "B", count(paths[static_cast<std::size_t>(PathClass::PACKET)].Get()));
    return table;
}

ResultTable
TaskGraphRun::MakeKinds() const
{
    std::vector<std::string> names;
    std::vector<uint64_t> tasks;
    std::vector<uint64_t> bytes;
    std::vector<double> mean;
    std::vector<double> longest;
    std::vector<double> critical;
    for (uint8_t k = 0; k < GraphFile::N_KINDS; ++k)
    {
        const TaskTimes::KindTotal& total = m_runner->GetTimes().GetKinds()[k];
        if (total.tasks > 0)
        {
            names.emplace_back(GetTaskKindName(k));
            tasks.push_back(total.tasks);
            bytes.push_back(total.bytes);
            mean.push_back(Seconds(total.time) / static_cast<double>(total.tasks));
            longest.push_back(Seconds(total.longest));
            critical.push_back(Seconds(m_runner->GetCriticalPath()[k]));
        }
    }
    ResultTable table("/task_kinds");
    table.Add("run", "1", std::vector<uint32_t>(names.size(), m_run));
    table.Add("kind", "text", names);
    table.Add("tasks", "1", tasks);
    table.Add("bytes", "B", bytes);
    table.Add("mean", "s", mean);
    table.Add("longest", "s", longest);
    table.Add("critical", "s", critical);
    return table;
}

ResultTable
TaskGraphRun::MakeRanks() const
{
    std::vector<uint32_t> rank;
    std::vector<double> end;
    std::vector<double> compute;
    std::vector<double> communication;
    std::vector<double> exposed;
    for (const auto& r : m_runner->GetTimes().GetRanks())
    {
        rank.push_back(static_cast<uint32_t>(rank.size()));
        end.push_back(Seconds(r.end));
        compute.push_back(Seconds(r.compute));
        communication.push_back(Seconds(r.communication));
        exposed.push_back(Seconds(r.exposed));
    }
    ResultTable table("/ranks");
    table.Add("run", "1", std::vector<uint32_t>(rank.size(), m_run));
    table.Add("rank", "1", rank);
    table.Add("end", "s", end);
    table.Add("compute", "s", compute);
    table.Add("communication", "s", communication);
    table.Add("exposed", "s", exposed);
    return table;
}

TaskGraphReplay::TaskGraphReplay(const std::string& file)
    : m_graph(ReadGraphFile(file))
{
}

ReplayKind
TaskGraphReplay::GetKind() const
{
    ReplayKind kind;
    kind.file = m_graph.path;
    kind.name = "graph";
    kind.what = std::to_string(m_graph.GetNRanks()) + " ranks";
    kind.gpus = m_graph.GetNRanks();
    kind.wholeServers = true;
    return kind;
}

std::vector<std::string>
TaskGraphReplay::GetFiles() const
{
    return {m_graph.path};
}

std::string
TaskGraphReplay::Describe(const Scenario& scenario) const
{
    const uint64_t gpus = uint64_t(scenario.cluster.servers) * scenario.cluster.gpusPerServer;
    std::ostringstream text;
    text << "task graph: " << m_graph.GetNTasks() << " tasks in " << m_graph.GetNPrograms()
         << " programs of " << m_graph.GetNRanks() << " ranks, " << m_graph.firstMember.size() - 1
         << " groups\nrank r is GPU r: " << scenario.cluster.servers << " servers of "
         << scenario.cluster.gpusPerServer << " GPUs";
    if (gpus > m_graph.GetNRanks())
    {
        text << ", " << gpus - m_graph.GetNRanks() << " GPUs idle";
    }
    text << "\n";
    return text.str();
}

std::string
TaskGraphReplay::DryRun(const Scenario& scenario, const FabricConfig& fabric) const
{
    TaskGraphRun run(scenario, fabric, 0, m_graph);
    return run.DescribeFabric() +
           "\n  estimated memory, roughly: " + FormatBytes(run.EstimateMemory()) + "\n";
}

RunResult
TaskGraphReplay::Run(const Scenario& scenario,
                     const FabricConfig& fabric,
                     uint32_t run,
                     SharedProgress::Slot& slot,
                     bool (*isInterrupted)()) const
{
    return TaskGraphRun(scenario, fabric, run, m_graph).Run(slot, isInterrupted);
}

std::string
TaskGraphReplay::GetSummaryTable() const
{
    return "/task_summary";
}

} // namespace ns3
