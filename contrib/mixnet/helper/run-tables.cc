/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "run-tables.h"

#include "ns3/mixnet-units.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

/// @param run its number @param totals bytes by fate @return /laws
ResultTable
MakeLaws(uint32_t run, const TransferTotals& t)
{
    ResultTable laws("/laws");
    const auto one = [](uint64_t v) { return std::vector<uint64_t>{v}; };
    laws.Add("run", "1", std::vector<uint32_t>{run});
    laws.Add("transfers", "1", one(t.transfers));
    laws.Add("injected", "B", one(t.injected.Get()));
    laws.Add("delivered", "B", one(t.delivered.Get()));
    laws.Add("unfinished", "B", one(t.unfinished.Get()));
    laws.Add("aborted", "B", one(t.aborted.Get()));
    laws.Add("failed", "B", one(t.failed.Get()));
    return laws;
}

/// @param run its number @param fabric after the run @return /links
ResultTable
MakeLinks(uint32_t run, const MixnetFabric& fabric)
{
    const Ptr<FabricGraph> graph = fabric.GetGraph();
    ResultTable links("/links");
    std::vector<std::string> from;
    std::vector<std::string> to;
    std::vector<uint32_t> fromPort;
    std::vector<uint32_t> toPort;
    std::vector<std::string> kind;
    std::vector<uint64_t> rate;
    std::vector<uint64_t> bytes;
    for (uint32_t c = 0; c < 2 * graph->GetNEdges(); ++c)
    {
        const ChannelId channel(c);
        const EdgeId edge = FabricGraph::GetEdgeOf(channel);
        const EdgeSpec& spec = graph->GetSpec(edge);
        from.push_back(graph->GetName(graph->GetSource(channel)));
        to.push_back(graph->GetName(graph->GetTarget(channel)));
        fromPort.push_back(graph->GetPortAt(edge, graph->GetSource(channel)));
        toPort.push_back(graph->GetPortAt(edge, graph->GetTarget(channel)));
        kind.emplace_back(spec.kind == EdgeKind::PACKET ? "packet" : "fiber");
        rate.push_back(spec.rate.GetBitRate());
        bytes.push_back(fabric.GetWorld().GetWireBytes(channel));
    }
    links.Add("run", "1", std::vector<uint32_t>(from.size(), run));
    links.Add("from", "text", from);
    links.Add("to", "text", to);
    links.Add("from_port", "1", fromPort);
    links.Add("to_port", "1", toPort);
    links.Add("kind", "text", kind);
    links.Add("rate", "bit/s", rate);
    links.Add("bytes", "B", bytes);
    return links;
}

/// @param run its number @param fabric after the run @param tables out: /drops, when there are any
void
AddDrops(uint32_t run, const MixnetFabric& fabric, std::vector<ResultTable>& tables)
{
    std::vector<std::string> at;
    std::vector<uint32_t> port;
    std::vector<std::string> reason;
    std::vector<uint64_t> frames;
    for (const DropCount& d : fabric.GetWorld().GetDrops())
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
    drops.Add("run", "1", std::vector<uint32_t>(at.size(), run));
    drops.Add("at", "text", at);
    drops.Add("port", "1", port);
    drops.Add("reason", "text", reason);
    drops.Add("frames", "1", frames);
    tables.push_back(std::move(drops));
}

} // namespace

void
AddWorldTables(uint32_t run, const MixnetFabric& fabric, std::vector<ResultTable>& tables)
{
    tables.push_back(MakeLaws(run, fabric.GetTransport()->GetTotals()));
    tables.push_back(MakeLinks(run, fabric));
    AddDrops(run, fabric, tables);
}

void
AddUnfinished(const Transport& transport, std::vector<std::string>& lines)
{
    constexpr std::size_t limit = 1000;
    const auto transfers = transport.GetUnfinished();
    for (std::size_t i = 0; i < std::min(limit, transfers.size()); ++i)
    {
        const auto& t = transfers[i];
        std::ostringstream line;
        line << "transfer " << t.id << ": " << GetName(t.transfer.trafficClass) << " GPU "
             << t.transfer.source << " to " << t.transfer.destination << ", "
             << t.transfer.bytes.Get() << " B, posted at " << FormatTime(t.posted);
        lines.push_back(line.str());
    }
    if (transfers.size() > limit)
    {
        lines.push_back("and " + std::to_string(transfers.size() - limit) + " more transfers");
    }
}

} // namespace ns3
