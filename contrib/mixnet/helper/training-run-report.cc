/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "op-size-report.h"
#include "training-run.h"

#include "ns3/mixnet-units.h"
#include "ns3/server-paths.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

const std::vector<Ptr<RegionalController>>&
TrainingRun::GetControllers() const
{
    return m_controllers;
}

void
TrainingRun::Judge(RunResult& result) const
{
    if (m_engine->GetState() == EngineState::FINISHED)
    {
        return;
    }
    result.status = m_interrupted ? RunStatus::INTERRUPTED : RunStatus::UNFINISHED;
    std::ostringstream why;
    why << (m_interrupted ? "interrupted"
            : m_engine->GetState() == EngineState::FAILED
                ? "the network lost transfers of the job: " + m_engine->GetLoss()
            : m_scenario.stopTime.IsStrictlyPositive() && Simulator::Now() >= m_scenario.stopTime
                ? "stopped at the stop time"
                : "the event queue dried up")
        << " after " << FormatTime(Simulator::Now()) << " in iteration "
        << m_engine->GetNIterations() << " of " << m_scenario.job.iterations;
    result.message = why.str();
    result.unfinished = m_engine->DescribeUnfinished();
    constexpr std::size_t limit = 1000;
    const auto transfers = m_fabric->GetTransport()->GetUnfinished();
    for (std::size_t i = 0; i < std::min(limit, transfers.size()); ++i)
    {
        const auto& t = transfers[i];
        std::ostringstream line;
        line << "transfer " << t.id << ": " << GetName(t.transfer.trafficClass) << " GPU "
             << t.transfer.source << " to " << t.transfer.destination << ", "
             << t.transfer.bytes.Get() << " B, posted at " << FormatTime(t.posted);
        result.unfinished.push_back(line.str());
    }
    if (transfers.size() > limit)
    {
        result.unfinished.push_back("and " + std::to_string(transfers.size() - limit) +
                                    " more transfers");
    }
}

void
TrainingRun::AddLaws(std::vector<ResultTable>& tables) const
{
    const TransferTotals t = m_fabric->GetTransport()->GetTotals();
    ResultTable laws("/laws");
    const auto one = [](uint64_t v) { return std::vector<uint64_t>{v}; };
    laws.Add("run", "1", std::vector<uint32_t>{m_variant.run});
    laws.Add("transfers", "1", one(t.transfers));
    laws.Add("injected", "B", one(t.injected.Get()));
    laws.Add("delivered", "B", one(t.delivered.Get()));
    laws.Add("unfinished", "B", one(t.unfinished.Get()));
    laws.Add("aborted", "B", one(t.aborted.Get()));
    laws.Add("failed", "B", one(t.failed.Get()));
    tables.push_back(std::move(laws));

    ResultTable links("/links");
    std::vector<std::string> from;
    std::vector<std::string> to;
    std::vector<std::string> kind;
    std::vector<uint64_t> rate;
    std::vector<uint64_t> bytes;
    for (uint32_t c = 0; c < 2 * m_graph->GetNEdges(); ++c)
    {
        const ChannelId channel(c);
        const EdgeSpec& spec = m_graph->GetSpec(FabricGraph::GetEdgeOf(channel));
        from.push_back(m_graph->GetName(m_graph->GetSource(channel)));
        to.push_back(m_graph->GetName(m_graph->GetTarget(channel)));
        kind.emplace_back(spec.kind == EdgeKind::PACKET ? "packet" : "fiber");
        rate.push_back(spec.rate.GetBitRate());
        bytes.push_back(m_fabric->GetWorld().GetWireBytes(channel));
    }
    links.Add("run", "1", std::vector<uint32_t>(from.size(), m_variant.run));
    links.Add("from", "text", from);
    links.Add("to", "text", to);
    links.Add("kind", "text", kind);
    links.Add("rate", "bit/s", rate);
    links.Add("bytes", "B", bytes);
    tables.push_back(std::move(links));
    tables.push_back(
        MakeOpSizeTable(m_variant.run, ListOpSizes(m_scenario.job, *m_layout, *m_compute)));
    AddNumaLinks(tables);
    AddDrops(tables);
}

void
TrainingRun::AddNumaLinks(std::vector<ResultTable>& tables) const
{
    const ServerPaths paths(*m_graph);
    std::vector<std::string> server;
    std::vector<uint32_t> from;
    std::vector<uint32_t> to;
    std::vector<uint64_t> rate;
    std::vector<uint64_t> bytes;
    for (const NumaLink& link : paths.GetNumaLinks())
    {
        bytes.push_back(m_fabric->GetWorld().GetNumaBytes(static_cast<uint32_t>(bytes.size())));
        server.push_back(m_graph->GetName(m_graph->GetVertex(link.server)));
        from.push_back(link.from);
        to.push_back(link.to);
        rate.push_back(link.rate.GetBitRate());
    }
    if (bytes.empty())
    {
        return;
    }
    ResultTable links("/numa_links");
    links.Add("run", "1", std::vector<uint32_t>(bytes.size(), m_variant.run));
    links.Add("server", "text", server);
    links.Add("from_node", "1", from);
    links.Add("to_node", "1", to);
    links.Add("rate", "bit/s", rate);
    links.Add("bytes", "B", bytes);
    tables.push_back(std::move(links));
}

std::string
TrainingRun::DescribeServer() const
{
    return ServerPaths(*m_graph).Describe(ServerId(0));
}

void
TrainingRun::AddDrops(std::vector<ResultTable>& tables) const
{
    std::vector<std::string> at;
    std::vector<uint32_t> port;
    std::vector<std::string> reason;
    std::vector<uint64_t> frames;
    for (const DropCount& d : m_fabric->GetWorld().GetDrops())
    {
        at.push_back(d.at);
        port.push_back(d.port);
        reason.push_back(d.reason);
        frames.push_back(d.frames);
    }
    if (at.empty())
    {
        return;
    }
    ResultTable drops("/drops");
    drops.Add("run", "1", std::vector<uint32_t>(at.size(), m_variant.run));
    drops.Add("at", "text", at);
    drops.Add("port", "1", port);
    drops.Add("reason", "text", reason);
    drops.Add("frames", "1", frames);
    tables.push_back(std::move(drops));
}

} // namespace ns3
