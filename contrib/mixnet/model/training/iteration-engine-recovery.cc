/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of IterationEngine that lives through failures, or does not.

#include "iteration-engine.h"

#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

namespace ns3
{

void
IterationEngine::SetPauseCallback(const PauseCallback& pause)
{
    m_pause = pause;
}

void
IterationEngine::Freeze(uint32_t replica)
{
    if (m_state != EngineState::RUNNING)
    {
        return;
    }
    if (!m_frozen.insert(replica).second)
    {
        return;
    }
    for (uint32_t stage = 0; stage < m_layout->GetDegrees().pipeline; ++stage)
    {
        GetStage(replica, stage).Abort();
    }
    m_gradients->Freeze();
}

DroppedWork
IterationEngine::Interrupt()
{
    DroppedWork dropped;
    dropped.iteration = m_context.iteration;
    dropped.begun = Simulator::Now();
    if (m_state != EngineState::RUNNING)
    {
        return dropped;
    }
    ++m_attempt;
    m_state = EngineState::INTERRUPTED;
    dropped.between = m_between;
    if (!m_between)
    {
        dropped.begun = m_begin;
        dropped.delivered = m_transport->GetTotals().delivered - m_delivered;
    }
    for (const auto& stage : m_stages)
    {
        stage->Abort();
    }
    m_gradients->Abort();
    dropped.aborted = m_transport->GetTotals().unfinished;
    dropped.transfers = m_context.runner->AbortAll();
    for (const auto& controller : m_context.controllers)
    {
        if (controller)
        {
            controller->ForgetRequests();
        }
    }
    m_between = true;
    return dropped;
}

void
IterationEngine::Resume(std::shared_ptr<const ParallelLayout> layout, uint32_t iteration)
{
    MIXNET_CHECK(m_state == EngineState::INTERRUPTED, "only an interrupted job can go on");
    m_retired.push_back({m_layout, std::move(m_times), std::move(m_stages)});
    m_stages.clear();
    m_layout = std::move(layout);
    m_job.degrees = m_layout->GetDegrees();
    m_context.iteration = iteration;
    m_frozen.clear();
    m_state = EngineState::RUNNING;
    BuildStages();
    Simulator::ScheduleNow(&IterationEngine::BeginIteration, this, m_attempt);
}

void
IterationEngine::Stop(const std::string& why)
{
    if (m_state == EngineState::FINISHED || m_state == EngineState::FAILED)
    {
        return;
    }
    m_loss = why;
    m_context.stopped = true;
    End(EngineState::FAILED);
}

void
IterationEngine::SetGpuFactor(GpuId gpu, double factor)
{
    const auto given = m_slowGpus.find(gpu.Get());
    const double all = given == m_slowGpus.end() ? factor : factor * given->second;
    if (all == 1)
    {
        m_context.variation.slowGpus.erase(gpu.Get());
    }
    else
    {
        m_context.variation.slowGpus[gpu.Get()] = all;
    }
    for (const auto& stage : m_stages)
    {
        stage->UpdateSpeeds();
    }
}

void
IterationEngine::OnLoss(const std::string& what)
{
    if (m_state == EngineState::RUNNING && m_frozen.empty())
    {
        m_loss = what;
        m_context.stopped = true;
        End(EngineState::FAILED);
    }
}

void
IterationEngine::End(EngineState state)
{
    m_state = state;
    if (!m_finished.IsNull())
    {
        m_finished(state == EngineState::FINISHED);
    }
}

std::vector<std::string>
IterationEngine::DescribeUnfinished() const
{
    std::vector<std::string> lines;
    if (m_state == EngineState::CONFIGURED || m_state == EngineState::FINISHED)
    {
        return lines;
    }
    for (const auto& stage : m_stages)
    {
        lines.push_back("iteration " + std::to_string(m_context.iteration) + ", " +
                        stage->Describe());
    }
    return lines;
}

} // namespace ns3
