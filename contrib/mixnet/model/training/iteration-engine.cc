/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iteration-engine.h"

#include "ns3/mixnet-error.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/uniform-gate.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IterationEngine);

namespace
{

/// @return sum over ranks / ranks
Time
Mean(Time sum, uint32_t ranks)
{
    return TimeStep(static_cast<uint64_t>(sum.GetTimeStep()) / ranks);
}

} // namespace

TypeId
IterationEngine::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IterationEngine")
            .SetParent<Object>()
            .SetGroupName("Mixnet")
            .AddConstructor<IterationEngine>()
            .AddAttribute("Gate",
                          "Which experts the tokens choose; ns3::UniformGate when null.",
                          PointerValue(),
                          MakePointerAccessor(&IterationEngine::m_gate),
                          MakePointerChecker<GateModel>())
            .AddAttribute("Compute",
                          "How long a GPU computes; ns3::RooflineComputeModel when null.",
                          PointerValue(),
                          MakePointerAccessor(&IterationEngine::m_compute),
                          MakePointerChecker<ComputeModel>())
            .AddAttribute("Schedule",
                          "Order of the passes; ns3::OneForwardOneBackwardSchedule when null.",
                          PointerValue(),
                          MakePointerAccessor(&IterationEngine::m_schedule),
                          MakePointerChecker<PipelineSchedule>())
            .AddAttribute("AllToAll",
                          "How an all-to-all becomes messages; ns3::DirectAllToAll when null. "
                          "Others get their fabric (SetFabric) before.",
                          PointerValue(),
                          MakePointerAccessor(&IterationEngine::m_allToAll),
                          MakePointerChecker<AllToAllAlgorithm>())
            .AddAttribute("RingSteps",
                          "Members up to which the steps of a gradient ring are explicit; larger "
                          "rings run as one flow per edge.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&IterationEngine::m_steppedUpTo),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("TensorChannels",
                          "Rings of a TP block that a failure has spread over servers; 0: one for "
                          "each of its GPUs that has stayed, as NCCL uses all NICs of a server.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IterationEngine::m_tensorChannels),
                          MakeUintegerChecker<uint32_t>())
            .AddTraceSource("Op",
                            "An operation, told when its iteration has ended.",
                            MakeTraceSourceAccessor(&IterationEngine::m_opTrace),
                            "ns3::IterationEngine::OpTracedCallback")
            .AddTraceSource("Iteration",
                            "An iteration has ended.",
                            MakeTraceSourceAccessor(&IterationEngine::m_iterationTrace),
                            "ns3::IterationEngine::IterationTracedCallback")
            .AddTraceSource("AllToAll",
                            "An all-to-all has ended.",
                            MakeTraceSourceAccessor(&IterationEngine::m_allToAllTrace),
                            "ns3::IterationEngine::AllToAllTracedCallback");
    return tid;
}

void
IterationEngine::DoDispose()
{
    m_context.stopped = true;
    m_context.gate = nullptr;
    m_context.controllers.clear();
    m_transport = nullptr;
    m_gate = nullptr;
    m_compute = nullptr;
    m_schedule = nullptr;
    m_allToAll = nullptr;
    m_context.allToAll = nullptr;
    m_finished = FinishedCallback();
    m_pause = PauseCallback();
    Object::DoDispose();
}

void
IterationEngine::SetJob(const TrainingJob& job, std::shared_ptr<const ParallelLayout> layout)
{
    m_job = job;
    m_layout = std::move(layout);
}

void
IterationEngine::SetTransport(Ptr<Transport> transport)
{
    m_transport = transport;
}

void
IterationEngine::SetController(Ptr<RegionalController> controller)
{
    const uint32_t region = controller->GetRegion().Get();
    if (m_context.controllers.size() <= region)
    {
        m_context.controllers.resize(region + 1);
    }
    m_context.controllers[region] = controller;
}

void
IterationEngine::SetVariation(const ComputeVariation& variation)
{
    m_context.variation = variation;
    m_slowGpus = variation.slowGpus;
}

int64_t
IterationEngine::AssignStreams(int64_t stream)
{
    MIXNET_CHECK(m_layout && m_stages.empty(), "streams are given after the job, before the start");
    m_stream = stream;
    if (m_context.variation.jitter.empty())
    {
        return 0;
    }
    uint32_t lanes = 1;
    for (uint32_t stage = 0; m_schedule && stage < m_job.degrees.pipeline; ++stage)
    {
        lanes = std::max(lanes, StageRunner::GetLanes(GetOrder(stage)));
    }
    return static_cast<int64_t>(m_layout->GetGroups().size()) * lanes;
}

void
IterationEngine::SetFinishedCallback(const FinishedCallback& finished)
{
    m_finished = finished;
}

void
IterationEngine::Start()
{
    MIXNET_CHECK(m_layout && m_transport && m_state == EngineState::CONFIGURED,
                 "an engine needs a job, a transport, and one Start");
    if (!m_gate)
    {
        m_gate = CreateObject<UniformGate>();
    }
    if (!m_compute)
    {
        m_compute = CreateObject<RooflineComputeModel>();
    }
    if (!m_schedule)
    {
        m_schedule = CreateObject<OneForwardOneBackwardSchedule>();
    }
    if (!m_allToAll)
    {
        m_allToAll = CreateObject<DirectAllToAll>();
    }
    if (m_job.model.moeLayers > 0)
    {
        m_gate->Configure(MakeGateShape(m_job, *m_layout));
    }
    BuildStages();
    m_state = EngineState::RUNNING;
    Simulator::ScheduleNow(&IterationEngine::BeginIteration, this, m_attempt);
}

void
IterationEngine::BuildStages()
{
    m_times = std::make_unique<JobTimes>(m_job, *m_layout, *m_compute);
    m_context.job = &m_job;
    m_context.layout = m_layout.get();
    m_context.times = m_times.get();
    m_context.steppedUpTo = m_steppedUpTo;
    m_context.gate = m_gate;
    m_traffic = std::make_unique<GateTraffic>(m_job, *m_layout, *m_gate);
    m_context.traffic = m_traffic.get();
    m_context.allToAll = m_allToAll;
    m_context.tensorChannels = m_tensorChannels;
    if (!m_context.runner)
    {
        m_context.runner = CreateObject<CollectiveRunner>();
        m_context.runner->SetTransport(m_transport);
    }
    m_context.runner->SetMoved(m_layout->GetMap().moved);
    const ParallelDegrees& degrees = m_layout->GetDegrees();
    StageHost& host = *this;
    for (uint32_t replica = 0; replica < degrees.data; ++replica)
    {
        for (uint32_t stage = 0; stage < degrees.pipeline; ++stage)
        {
            m_stages.push_back(
                std::make_unique<StageRunner>(m_context, host, replica, stage, GetOrder(stage)));
            if (m_stream >= 0)
            {
                m_stages.back()->SetStream(m_stream + m_layout->GetGroupIndex(replica, stage),
                                           static_cast<int64_t>(m_layout->GetGroups().size()));
            }
        }
        for (uint32_t stage = 0; stage < degrees.pipeline; ++stage)
        {
            const uint32_t stages = degrees.pipeline;
            GetStage(replica, stage)
                .SetNeighbors(&GetStage(replica, (stage + stages - 1) % stages),
                              &GetStage(replica, (stage + 1) % stages));
        }
    }
    GradientHost& gradients = *this;
    m_gradients = std::make_unique<GradientPhase>(m_context, m_stages, gradients, m_steppedUpTo);
}

std::vector<PipelinePass>
IterationEngine::GetOrder(uint32_t stage) const
{
    const ParallelDegrees& degrees = m_layout->GetDegrees();
    return m_schedule->GetOrder(stage, degrees.pipeline, m_job.microBatches, degrees.chunks);
}

StageRunner&
IterationEngine::GetStage(uint32_t replica, uint32_t stage)
{
    return *m_stages[m_layout->GetGroupIndex(replica, stage)];
}

void
IterationEngine::BeginIteration(uint64_t attempt)
{
    if (attempt != m_attempt || m_context.stopped)
    {
        return;
    }
    m_between = false;
    m_delivered = m_transport->GetTotals().delivered;
    m_begin = Simulator::Now();
    m_context.ledger.Start(m_context.iteration);
    m_gradients->Start();
    if (!m_frozen.empty())
    {
        m_gradients->Freeze();
    }
    for (const auto& stage : m_stages)
    {
        if (m_frozen.count(stage->GetReplica()) == 0)
        {
            stage->Start();
        }
    }
}

void
IterationEngine::OnStageDone(StageRunner& stage)
{
    m_gradients->OnStageDone(stage.GetReplica(), stage.GetStage(), stage.GetLastOp());
}

void
IterationEngine::OnLayerGradients(uint32_t replica, uint32_t stage, uint32_t layer, uint32_t op)
{
    m_gradients->OnLayer(replica, stage, layer, op);
}

void
IterationEngine::OnUpdated(uint32_t op)
{
    EndIteration(op);
}

void
IterationEngine::EndIteration(uint32_t op)
{
    IterationRecord record;
    record.start = m_begin;
    record.end = Simulator::Now();
    record.criticalPath = m_context.ledger.MarkCriticalPath(op);
    m_context.ledger.Fill(record);
    const Time path =
        std::accumulate(record.criticalPath.begin(), record.criticalPath.end(), Time());
    MIXNET_CHECK(path == record.GetDuration(),
                 "a critical path of " << path << " in an iteration of " << record.GetDuration());
    MeasureExposure(record);
    for (const OpRecord& o : m_context.ledger.GetOps())
    {
        m_opTrace(o);
    }
    m_iterationTrace(record);
    if (++m_context.iteration == m_job.iterations)
    {
        End(EngineState::FINISHED);
    }
    else
    {
        m_between = true;
        const Time pause = m_pause.IsNull() ? Time() : m_pause(m_context.iteration);
        Simulator::Schedule(pause, &IterationEngine::BeginIteration, this, m_attempt);
    }
}

void
IterationEngine::MeasureExposure(IterationRecord& record)
{
    ExposureTotals totals;
    for (const auto& stage : m_stages)
    {
        stage->GetMeter().Finish(record.end, totals);
    }
    record.compute = Mean(totals.compute, totals.ranks);
    record.communication = Mean(totals.communication, totals.ranks);
    record.waitingForCircuits = Mean(totals.waiting, totals.ranks);
    for (std::size_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        record.exposed[c] = Mean(totals.exposed[c], totals.ranks);
    }
    record.hiddenShare = totals.communicating > 0 ? totals.hidden / totals.communicating : 0;
    MIXNET_CHECK(record.compute + record.GetExposed() <= record.GetDuration(),
                 "ranks busy for " << record.compute + record.GetExposed() << " of "
                                   << record.GetDuration());
}

void
IterationEngine::OnAllToAll(const AllToAllRecord& record)
{
    m_allToAllTrace(record);
}

} // namespace ns3
