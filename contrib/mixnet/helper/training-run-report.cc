/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "op-size-report.h"
#include "run-tables.h"
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
    why << (m_interrupted                            ? "interrupted"
            : m_recovery && m_recovery->HasStopped() ? "the job lost ranks: " + m_engine->GetLoss()
            : m_engine->GetState() == EngineState::FAILED
                ? "the network lost transfers of the job: " + m_engine->GetLoss()
            : m_scenario.stopTime.IsStrictlyPositive() && Simulator::Now() >= m_scenario.stopTime
                ? "stopped at the stop time"
                : "nothing moves any more")
        << " after " << FormatTime(Simulator::Now()) << " in iteration "
        << m_engine->GetNIterations() << " of " << m_scenario.job.iterations;
    result.message = why.str();
    result.unfinished = m_engine->DescribeUnfinished();
    AddUnfinished(*m_fabric->GetTransport(), result.unfinished);
}

void
TrainingRun::AddLaws(std::vector<ResultTable>& tables) const
{
    AddWorldTables(m_variant.run, *m_fabric, tables);
    tables.push_back(
        MakeOpSizeTable(m_variant.run, ListOpSizes(m_scenario.job, *m_layout, *m_compute)));
    AddNumaLinks(tables);
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

} // namespace ns3
