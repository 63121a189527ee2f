/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replayed-fabric.h"

#include "optical-helper.h"
#include "run-tables.h"
#include "scenario-fabric.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-units.h"
#include "ns3/simulator.h"

namespace ns3
{

ReplayedFabric::ReplayedFabric(const Scenario& scenario,
                               const FabricConfig& fabric,
                               uint32_t run,
                               const TopologyFile* topology)
    : m_scenario(scenario),
      m_config(fabric),
      m_run(run),
      m_demand(run)
{
    PrepareSimulator(scenario);
    if (topology == nullptr)
    {
        const ClusterConfig& c = scenario.cluster;
        m_fabric = std::make_unique<MixnetFabric>(
            MakeFabricHelper(scenario, fabric)
                .Install(ClusterSpec(c.servers, c.nicsPerServer, MakeServerSpec(c))));
        return;
    }
    m_imported = std::make_unique<ImportedFabric>(*topology);
    WorldConfig world = MakeWorldConfig(scenario, fabric);
    world.linkErrors = m_imported->GetErrorRates();
    if (!world.linkErrors.empty() && scenario.fidelity == Fidelity::FLOW)
    {
        throw InputError(topology->path + ": /topology/links",
                         "has links that lose packets, and flow fidelity has no packets to lose",
                         "--fidelity=packet, or error rates of 0");
    }
    MixnetFabricHelper helper;
    helper.SetWorld(world);
    m_fabric = std::make_unique<MixnetFabric>(
        helper.Install(m_imported->GetGraph(), m_imported->Describe()));
}

ReplayedFabric::~ReplayedFabric()
{
    for (const auto& controller : m_controllers)
    {
        controller->Dispose();
    }
    if (m_failures)
    {
        m_failures->Dispose();
    }
    m_fabric.reset();
    Simulator::Destroy();
}

void
ReplayedFabric::Start(const std::vector<ServerPairBytes>& demand)
{
    const Ptr<FabricGraph> graph = m_fabric->GetGraph();
    for (uint32_t r = 0; r < graph->GetNRegions(); ++r)
    {
        const RegionId region(r);
        const Ptr<RegionalController> controller =
            MakeController(m_config, m_fabric->GetControl(), region);
        DemandMatrix all;
        AddDemand(demand, graph->GetRegionServers(region), 1, all);
        controller->SetAverageDemand(all);
        if (m_config.type == "topoopt")
        {
            controller->SetStandingDemand(all);
        }
        controller->Start();
        if (m_scenario.record.controllerDemand)
        {
            m_demand.Listen(controller, graph->GetRegionServers(region));
        }
        m_controllers.push_back(controller);
    }
    m_fabric->AssignStreams(1000);
    OpticalHelper::AssignStreams(m_controllers, 1000000);
    m_failures = InstallFailures(m_scenario.failures, *m_fabric, m_controllers);
}

void
ReplayedFabric::OnCompletion(const Completion& /* completion */)
{
    m_slot->done.store(m_progress(), std::memory_order_relaxed);
    m_slot->picoseconds.store(Simulator::Now().GetPicoSeconds(), std::memory_order_relaxed);
    if (m_isInterrupted != nullptr && m_isInterrupted())
    {
        m_interrupted = true;
        Simulator::Stop();
    }
}

void
ReplayedFabric::Run(SharedProgress::Slot& slot,
                    bool (*isInterrupted)(),
                    const Callback<std::size_t>& done)
{
    m_progress = done;
    m_slot = &slot;
    m_isInterrupted = isInterrupted;
    m_fabric->GetTransport()->TraceConnectWithoutContext(
        "Completion",
        MakeCallback(&ReplayedFabric::OnCompletion, this));
    if (m_failures)
    {
        m_failures->Start();
    }
    if (m_scenario.stopTime.IsStrictlyPositive())
    {
        Simulator::Stop(m_scenario.stopTime);
    }
    Simulator::Run();
}

void
ReplayedFabric::Stop()
{
    m_done = true;
    Simulator::Stop();
}

void
ReplayedFabric::Judge(RunResult& result, const std::string& what)
{
    AddWorldTables(m_run, *m_fabric, result.tables);
    m_demand.AddTables(result.tables, result.spill);
    for (const auto& note : m_fabric->GetWorld().GetNotes())
    {
        result.notes.push_back(m_config.name + ": " + note);
    }
    ReportFailures(m_run, m_config.name, m_failures, result);
    if (m_done)
    {
        return;
    }
    result.status = m_interrupted ? RunStatus::INTERRUPTED : RunStatus::UNFINISHED;
    const bool stopped =
        m_scenario.stopTime.IsStrictlyPositive() && Simulator::Now() >= m_scenario.stopTime;
    result.message = std::string(m_interrupted ? "interrupted"
                                 : stopped     ? "stopped at the stop time"
                                               : "nothing moves any more") +
                     " after " + FormatTime(Simulator::Now()) + ": " + what;
}

} // namespace ns3
