/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-list-run.h"

#include "ns3/ideal-time.h"
#include "ns3/mixnet-error.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <unordered_map>

namespace ns3
{

FlowListRun::FlowListRun(const Scenario& scenario,
                         const FabricConfig& fabric,
                         uint32_t run,
                         const FlowFile& flows,
                         const TopologyFile* topology)
    : m_scenario(scenario),
      m_run(run),
      m_flows(flows),
      m_queues(topology != nullptr && topology->queues),
      m_fabric(scenario, fabric, run, topology),
      m_wire(scenario.transport.payload.Get())
{
    WorldConfig world;
    world.fidelity = scenario.fidelity;
    world.loadBalance = scenario.transport.loadBalance;
    m_balance = GetLoadBalance(world);
    std::vector<FlowReplay::Ends> ends = PlaceFlows();
    m_fabric.Get().GetControl()->SetEdges(FindFailures(), EdgeCause::FAILURE, false);
    m_fabric.Start(SumDemand(ends));
    m_replay = std::make_unique<FlowReplay>(flows,
                                            std::move(ends),
                                            m_fabric.Get().GetTransport(),
                                            MakeCallback(&FlowListRun::JudgeAlone, this));
}

std::vector<FlowReplay::Ends>
FlowListRun::PlaceFlows() const
{
    const Ptr<FabricGraph> graph = m_fabric.Get().GetGraph();
    const ImportedFabric* imported = m_fabric.GetImported();
    std::vector<FlowReplay::Ends> ends;
    ends.reserve(m_flows.GetN());
    const bool servers = imported == nullptr && m_flows.hosts <= graph->GetNServers();
    std::vector<uint32_t> sent(servers ? m_flows.hosts : 0, 0);
    for (std::size_t row = 0; row < m_flows.GetN(); ++row)
    {
        const uint32_t from = m_flows.source[row];
        const uint32_t to = m_flows.destination[row];
        if (imported != nullptr)
        {
            const auto gpu = [&](uint32_t host) {
                return imported->GetGpu(host, m_flows.path + ": /flows row " + std::to_string(row));
            };
            ends.emplace_back(gpu(from), gpu(to));
        }
        else if (servers)
        {
            const uint32_t local = sent[from]++ % m_scenario.cluster.gpusPerServer;
            ends.emplace_back(graph->GetGpu(ServerId(from), local),
                              graph->GetGpu(ServerId(to), local));
        }
        else
        {
            ends.emplace_back(GpuId(from), GpuId(to));
        }
    }
    return ends;
}

std::vector<EdgeId>
FlowListRun::FindFailures() const
{
    const FabricGraph& graph = *m_fabric.Get().GetGraph();
    std::vector<EdgeId> edges;
    for (std::size_t i = 0; i < m_flows.failures.size(); ++i)
    {
        const FlowFile::Failure& failure = m_flows.failures[i];
        uint64_t number = 0;
        uint64_t uplink = 0;
        EdgeId found;
        for (uint32_t v = 0; v < graph.GetNVertices() && !found.IsValid(); ++v)
        {
            const VertexId at(v);
            const bool tier =
                graph.GetKind(at) == VertexKind::SWITCH && graph.GetTier(at) == failure.tier;
            for (uint32_t p = 0; tier && number == failure.number && p < graph.GetNPorts(at); ++p)
            {
                const ChannelId out = graph.GetEgress(at, p);
                if (graph.GetTier(graph.GetTarget(out)) > failure.tier &&
                    uplink++ == failure.uplink)
                {
                    found = FabricGraph::GetEdgeOf(out);
                }
            }
            number += tier ? 1 : 0;
        }
        if (!found.IsValid())
        {
            throw InputError(m_flows.path + ": /failures row " + std::to_string(i),
                             "uplink " + std::to_string(failure.uplink) + " of switch " +
                                 std::to_string(failure.number) + " of tier " +
                                 std::to_string(failure.tier) + " is not in the fabric",
                             "numbers from 0 of switches and their uplinks");
        }
        edges.push_back(found);
    }
    return edges;
}

std::vector<ServerPairBytes>
FlowListRun::SumDemand(const std::vector<FlowReplay::Ends>& ends) const
{
    const FabricGraph& graph = *m_fabric.Get().GetGraph();
    std::vector<ServerPairBytes> demand;
    if (graph.GetNRegions() == 0)
    {
        return demand;
    }
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> bytes;
    for (std::size_t row = 0; row < ends.size(); ++row)
    {
        bytes[{graph.GetServerOf(ends[row].first).Get(),
               graph.GetServerOf(ends[row].second).Get()}] += m_flows.bytes[row];
    }
    for (const auto& [pair, sum] : bytes)
    {
        if (pair.first != pair.second)
        {
            demand.push_back({ServerId(pair.first), ServerId(pair.second), sum});
        }
    }
    return demand;
}

std::pair<int64_t, int64_t>
FlowListRun::JudgeAlone(const Transfer& transfer, TransferId id)
{
    if (transfer.bytes == ByteCount(0))
    {
        return {0, 0};
    }
    const MixnetFabric& fabric = m_fabric.Get();
    fabric.GetRouter()->ResolveTransfer(transfer, m_balance, id, m_route);
    const IdealTime ideal = GetIdealTime(*fabric.GetGraph(), m_route, transfer, m_wire);
    return {ideal.total, ideal.propagation};
}

RunResult
FlowListRun::Run(SharedProgress::Slot& slot, bool (*isInterrupted)())
{
    const auto begin = std::chrono::steady_clock::now();
    slot.total.store(m_flows.GetN() + 1);
    m_replay->Start(MakeCallback(&ReplayedFabric::Stop, &m_fabric));
    m_fabric.Run(slot, isInterrupted, MakeCallback(&FlowReplay::GetNEnded, m_replay.get()));
    RunResult result;
    result.tables.push_back(MakeFlowTable());
    result.tables.push_back(MakeSummary());
    const auto& outcomes = m_replay->GetOutcomes();
    const auto delivered =
        static_cast<std::size_t>(std::count_if(outcomes.begin(), outcomes.end(), [](const auto& o) {
            return o.state == FlowOutcome::DELIVERED;
        }));
    m_fabric.Judge(result,
                   std::to_string(m_flows.GetN() - delivered) + " of " +
                       std::to_string(m_flows.GetN()) + " flows have not arrived");
    if (result.status == RunStatus::DONE && delivered < m_flows.GetN())
    {
        result.status = RunStatus::UNFINISHED;
        result.message = "the network lost " + std::to_string(m_flows.GetN() - delivered) + " of " +
                         std::to_string(m_flows.GetN()) + " flows";
    }
    ListUnfinished(result.unfinished);
    if (m_flows.priorities)
    {
        result.notes.emplace_back("priorities of the flow list are not used: one class for all");
    }
    if (m_flows.ports)
    {
        result.notes.emplace_back("destination ports of the flow list are not used");
    }
    if (m_queues)
    {
        result.notes.emplace_back("queue sizes of the topology are not used: switches have the "
                                  "shared buffer of cluster.switchBuffer");
    }
    result.wallSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

} // namespace ns3
