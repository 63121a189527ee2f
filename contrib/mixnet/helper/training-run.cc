/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "training-run.h"

#include "all-to-all-helper.h"
#include "compute-model-helper.h"
#include "gate-helper.h"
#include "optical-helper.h"
#include "scenario-fabric.h"
#include "strategy-names.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/job-demand.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-units.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <chrono>

namespace ns3
{

namespace
{

/// @param name "1f1b", "gpipe", "interleaved", "1f1b-overlap" or "zb-h1" @return the schedule
Ptr<PipelineSchedule>
MakeSchedule(const std::string& name)
{
    if (name == "gpipe")
    {
        return CreateObject<GpipeSchedule>();
    }
    if (name == "interleaved")
    {
        return CreateObject<InterleavedSchedule>();
    }
    if (name == "1f1b-overlap")
    {
        return CreateObject<OverlappedSchedule>();
    }
    if (name == "zb-h1")
    {
        return CreateObject<ZeroBubbleSchedule>();
    }
    return CreateObject<OneForwardOneBackwardSchedule>();
}

constexpr uint32_t RING_STEPS = 4; //!< IterationEngine::RingSteps, and of the average demand

} // namespace

TrainingRun::TrainingRun(const Scenario& scenario,
                         const RunVariant& variant,
                         std::shared_ptr<const TokenTrace> trace)
    : m_scenario(scenario),
      m_variant(variant),
      m_trace(std::move(trace)),
      m_recorder(variant.run, variant.run == 0),
      m_circuits(variant.run),
      m_demand(variant.run)
{
    PrepareSimulator(scenario);
    BuildFabric();
    BuildJob();
    BuildCircuits();
    // One block of streams for every kind of fabric, so that comparisons draw alike.
    m_fabric->AssignStreams(1000);
    OpticalHelper::AssignStreams(m_controllers, 1000000);
    m_engine->AssignStreams(2000000);
    m_failures = InstallFailures(scenario.failures, *m_fabric, m_controllers);
    if (m_failures)
    {
        m_engine->SetPhaseCallback(MakeCallback(&FailureInjector::OnPhase, m_failures));
    }
    if (scenario.recovery.active)
    {
        m_recovery = std::make_unique<RunRecovery>(scenario,
                                                   GetSparePlan(scenario, variant.fabric),
                                                   variant.run,
                                                   m_engine,
                                                   m_layout,
                                                   m_graph);
        m_recovery->Listen(m_failures);
    }
}

TrainingRun::~TrainingRun()
{
    for (const auto& controller : m_controllers)
    {
        controller->Dispose();
    }
    if (m_failures)
    {
        m_failures->Dispose();
    }
    m_recovery.reset();
    if (m_engine)
    {
        m_engine->Dispose();
    }
    m_fabric.reset();
    Simulator::Destroy();
}

void
TrainingRun::BuildFabric()
{
    const ClusterConfig& c = m_scenario.cluster;
    const MixnetFabricHelper helper = MakeFabricHelper(m_scenario, m_variant.fabric);
    const SparePlan spares = GetSparePlan(m_scenario, m_variant.fabric);
    try
    {
        m_fabric = std::make_unique<MixnetFabric>(
            helper.Install(ClusterSpec(spares.GetNServers(), c.nicsPerServer, MakeServerSpec(c))));
    }
    catch (const InputError& e)
    {
        if (spares.GetNSpareServers() == 0)
        {
            throw;
        }
        throw InputError(e.what(),
                         std::to_string(spares.GetNSpareServers()) + " of the " +
                             std::to_string(spares.GetNServers()) +
                             " servers are spares (recovery.spares)");
    }
    m_graph = m_fabric->GetGraph();
}

void
TrainingRun::BuildJob()
{
    const TrainingJob& job = m_scenario.job;
    const std::string where = m_scenario.file.empty() ? m_scenario.name : m_scenario.file;
    const auto layout = std::make_shared<ParallelLayout>(
        job,
        *m_graph,
        where,
        GpuMap(),
        GetSparePlan(m_scenario, m_variant.fabric).GetNSpareServers() *
            m_scenario.cluster.gpusPerServer);
    m_gate = MakeGate(m_scenario.gate, m_trace);
    m_gate->Configure(MakeGateShape(job, *layout));
    PlaceExperts(m_scenario, m_trace.get(), *m_gate, *layout);
    m_layout = layout;
    m_compute = MakeComputeModel(m_scenario, m_variant.compute);
    m_engine = CreateObject<IterationEngine>();
    m_engine->SetAttribute("Gate", PointerValue(m_gate));
    m_engine->SetAttribute("Compute", PointerValue(m_compute));
    m_schedule = MakeSchedule(m_scenario.schedule);
    m_engine->SetAttribute("Schedule", PointerValue(m_schedule));
    m_engine->SetAttribute(
        "AllToAll",
        PointerValue(MakeAllToAll(GetAllToAllType(m_variant.fabric.routing, job), *m_fabric)));
    m_engine->SetAttribute("RingSteps", UintegerValue(RING_STEPS));
    m_engine->SetVariation(m_scenario.computing.variation);
    m_engine->SetJob(job, m_layout);
    m_engine->SetTransport(m_fabric->GetTransport());
}

void
TrainingRun::BuildCircuits()
{
    if (m_graph->GetNRegions() == 0)
    {
        return;
    }
    const TrainingJob& job = m_scenario.job;
    m_circuits.SetLayout(m_layout, job.model.GetDenseLayers());
    m_demand.SetLayout(m_layout);
    const JobDemand demand = GetAverageDemand(job, *m_layout, *m_gate, RING_STEPS);
    for (uint32_t r = 0; r < m_graph->GetNRegions(); ++r)
    {
        const RegionId region(r);
        const auto& servers = m_graph->GetRegionServers(region);
        const Ptr<RegionalController> controller =
            MakeController(m_variant.fabric, m_fabric->GetControl(), region);
        m_circuits.Listen(controller);
        // A region that serves one EP group plans for one all-to-all; a patch panel of the whole
        // cluster for a whole iteration.
        const bool whole = m_variant.fabric.type == "topoopt";
        const uint64_t allToAlls = CountAllToAlls(job, *m_layout, region);
        DemandMatrix average;
        AddDemand(demand.expert, servers, whole ? 1 : std::max<uint64_t>(allToAlls, 1), average);
        controller->SetAverageDemand(average);
        if (whole)
        {
            DemandMatrix standing;
            AddDemand(demand.data, servers, 1, standing);
            AddDemand(demand.pipeline, servers, 1, standing);
            AddDemand(demand.context, servers, 1, standing);
            controller->SetStandingDemand(standing);
        }
        controller->Start();
        if (m_scenario.record.controllerDemand)
        {
            m_demand.Listen(controller, servers);
        }
        m_controllers.push_back(controller);
        if (!whole)
        {
            m_engine->SetController(controller);
        }
    }
}

JobSummary
TrainingRun::Summarize() const
{
    JobSummary summary = SummarizeJob(m_scenario.job,
                                      *m_layout,
                                      *m_graph,
                                      *m_gate,
                                      *m_compute,
                                      0,
                                      PeekPointer(m_schedule));
    const auto notes = m_scenario.computing.variation.GetNotes();
    summary.notes.insert(summary.notes.end(), notes.begin(), notes.end());
    if (m_recovery)
    {
        const auto lines = m_recovery->Describe();
        summary.notes.insert(summary.notes.end(), lines.begin(), lines.end());
    }
    return summary;
}

const std::string&
TrainingRun::DescribeFabric() const
{
    return m_fabric->Describe();
}

ByteCount
TrainingRun::EstimateMemory() const
{
    // Rough: the program, the trace, the graph, records of operations (about 16 per layer and
    // micro-batch) and of decisions on their way to the file. Main job with roofline: fat-tree 79
    // MB estimated, 80 MB measured; topoopt 79, 105; mixnet/paper 144, 147. Prototype: 35, 36.
    const TrainingJob& job = m_scenario.job;
    const uint64_t ops =
        uint64_t(job.iterations) * job.degrees.data * job.microBatches * job.model.layers * 16;
    const uint64_t trace = m_trace ? m_trace->tokens.size() * sizeof(uint32_t) : 0;
    const bool decides = !m_controllers.empty() && m_variant.fabric.type != "topoopt";
    const uint64_t allToAlls = decides ? job.iterations * CountAllToAlls(job, *m_layout) : 0;
    return ByteCount(14000000 + 1000ULL * (m_graph->GetNEdges() + m_graph->GetNGpus()) +
                     1000 * ops + 6000 * allToAlls + trace);
}

void
TrainingRun::Tick()
{
    if (m_isInterrupted != nullptr && m_isInterrupted())
    {
        m_interrupted = true;
        Simulator::Stop();
    }
    if (m_slot != nullptr)
    {
        m_slot->picoseconds.store(Simulator::Now().GetPicoSeconds(), std::memory_order_relaxed);
        m_slot->done.store(m_allToAlls, std::memory_order_relaxed);
    }
}

void
TrainingRun::OnOp(const OpRecord& op)
{
    m_recorder.OnOp(op);
    Tick();
}

void
TrainingRun::OnAllToAll(const AllToAllRecord& allToAll)
{
    m_recorder.OnAllToAll(allToAll);
    ++m_allToAlls;
    Tick();
}

void
TrainingRun::OnCompletion(const Completion& completion)
{
    m_recorder.OnCompletion(completion);
    Tick();
}

void
TrainingRun::OnFinished(bool /* completed */)
{
    Simulator::Stop();
}

RunResult
TrainingRun::Run(SharedProgress::Slot& slot, bool (*isInterrupted)())
{
    const auto begin = std::chrono::steady_clock::now();
    m_slot = &slot;
    m_isInterrupted = isInterrupted;
    slot.total.store(CountAllToAlls(m_scenario.job, *m_layout) * m_scenario.job.iterations + 1);
    m_engine->TraceConnectWithoutContext("Op", MakeCallback(&TrainingRun::OnOp, this));
    m_engine->TraceConnectWithoutContext("Iteration",
                                         MakeCallback(&TrainingRecorder::OnIteration, &m_recorder));
    m_engine->TraceConnectWithoutContext("AllToAll", MakeCallback(&TrainingRun::OnAllToAll, this));
    m_fabric->GetTransport()->TraceConnectWithoutContext(
        "Completion",
        MakeCallback(&TrainingRun::OnCompletion, this));
    m_fabric->GetTransport()->EnableLoadMeter();
    m_engine->SetFinishedCallback(MakeCallback(&TrainingRun::OnFinished, this));
    if (m_failures)
    {
        m_failures->Start();
    }
    m_engine->Start();
    if (m_scenario.stopTime.IsStrictlyPositive())
    {
        Simulator::Stop(m_scenario.stopTime);
    }
    Simulator::Run();

    RunResult result;
    m_recorder.AddTables(m_circuits, result.tables);
    m_demand.AddTables(result.tables, result.spill);
    m_recorder.AddWhyTables(FabricResources(m_graph), result.tables);
    AddLaws(result.tables);
    Judge(result);
    result.notes = m_layout->GetNotes();
    const auto gate = m_gate->GetAllNotes();
    result.notes.insert(result.notes.end(), gate.begin(), gate.end());
    const auto gpus = m_scenario.computing.variation.GetNotes();
    result.notes.insert(result.notes.end(), gpus.begin(), gpus.end());
    for (const auto& note : m_fabric->GetWorld().GetNotes())
    {
        result.notes.push_back(m_variant.fabric.name + ", " + m_variant.compute + ": " + note);
    }
    ReportFailures(m_variant.run,
                   m_variant.fabric.name + ", " + m_variant.compute,
                   m_failures,
                   result);
    if (m_recovery)
    {
        m_recovery->Report(m_variant.fabric.name + ", " + m_variant.compute, result);
    }
    result.wallSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

} // namespace ns3
