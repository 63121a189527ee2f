/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "availability-walk.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{

namespace
{

constexpr double NEVER = std::numeric_limits<double>::infinity();

} // namespace

AvailabilityWalk::AvailabilityWalk(std::vector<FailingKind> kinds,
                                   const WalkCheckpoints& checkpoints,
                                   IterationTimes& times,
                                   Ptr<ExponentialRandomVariable> stream)
    : m_kinds(std::move(kinds)),
      m_checkpoints(checkpoints),
      m_times(times),
      m_stream(stream),
      m_courses(m_kinds.size()),
      m_state(m_kinds.size(), 0)
{
    MIXNET_CHECK(stream, "a walk without random numbers");
}

void
AvailabilityWalk::Draw(std::size_t kind)
{
    // Exponential times have no memory: what is drawn anew at every change is distributed as what
    // was left, and the soonest of n of them as one of 1/n of the mean.
    const FailingKind& k = m_kinds[kind];
    Course& course = m_courses[kind];
    const uint32_t missing =
        k.stopsRanks ? course.away - std::min(course.away, k.spares) : course.away;
    const uint32_t serving = k.elements - std::min(k.elements, missing);
    course.failure = serving > 0 && k.mtbf > 0 ? m_stream->GetValue() * k.mtbf / serving : NEVER;
    course.repair = course.away > 0 ? m_stream->GetValue() * k.mttr / course.away : NEVER;
}

bool
AvailabilityWalk::LacksRanks() const
{
    for (std::size_t k = 0; k < m_kinds.size(); ++k)
    {
        if (m_kinds[k].stopsRanks && m_courses[k].away > m_kinds[k].spares)
        {
            return true;
        }
    }
    return false;
}

void
AvailabilityWalk::UpdateState()
{
    for (std::size_t k = 0; k < m_kinds.size(); ++k)
    {
        m_state[k] = m_courses[k].away;
    }
    if (!LacksRanks())
    {
        const auto [it, isNew] = m_memo.try_emplace(m_state, 0);
        if (isNew)
        {
            it->second = m_times.GetTime(m_state);
            MIXNET_CHECK(it->second > 0, "an iteration of " << it->second << " s");
        }
        m_iteration = it->second;
    }
}

double
AvailabilityWalk::GetJobTime() const
{
    switch (m_phase)
    {
    case Phase::RUNNING:
        return m_checkpoints.interval == 0
                   ? NEVER
                   : std::max(0.0, (m_checkpoints.interval - m_done) * m_iteration);
    case Phase::SAVING:
    case Phase::RESTORING:
        return m_left;
    case Phase::WAITING:
        break;
    }
    return NEVER;
}

void
AvailabilityWalk::Advance(double seconds, AvailabilityResult& result)
{
    for (Course& course : m_courses)
    {
        course.failure -= seconds;
        course.repair -= seconds;
    }
    m_left -= seconds;
    switch (m_phase)
    {
    case Phase::RUNNING: {
        const double before = std::floor(m_done);
        m_done += seconds / m_iteration;
        m_doneSeconds += seconds;
        m_partSeconds = std::floor(m_done) > before ? (m_done - std::floor(m_done)) * m_iteration
                                                    : m_partSeconds + seconds;
        result.usefulIterations += seconds / m_iteration;
        result.up += seconds;
        result.timeByState[m_state] += seconds;
        break;
    }
    case Phase::SAVING:
        result.saving += seconds;
        break;
    case Phase::RESTORING:
        result.restoring += seconds;
        break;
    case Phase::WAITING:
        result.waiting += seconds;
        break;
    }
}

void
AvailabilityWalk::StepJob(AvailabilityResult& result)
{
    if (m_phase == Phase::RUNNING)
    {
        m_phase = Phase::SAVING;
        m_left = m_checkpoints.blocking;
        return;
    }
    if (m_phase == Phase::SAVING)
    {
        ++result.checkpoints;
        m_done = 0;
        m_doneSeconds = 0;
        m_partSeconds = 0;
    }
    m_phase = Phase::RUNNING;
}

void
AvailabilityWalk::LoseWork(bool rollback, AvailabilityResult& result)
{
    const double part = m_done - std::floor(m_done);
    result.lost += rollback ? m_doneSeconds : m_partSeconds;
    result.usefulIterations -= rollback ? m_done : part;
    m_done -= rollback ? m_done : part;
    m_doneSeconds -= rollback ? m_doneSeconds : m_partSeconds;
    m_partSeconds = 0;
    ++result.losses;
}

void
AvailabilityWalk::Restore(double seconds)
{
    // A restore that another failure interrupts starts again; what it still needs is not shorter.
    m_left = m_phase == Phase::RESTORING ? std::max(m_left, seconds) : seconds;
    m_phase = Phase::RESTORING;
}

void
AvailabilityWalk::Fail(std::size_t kind, AvailabilityResult& result)
{
    const FailingKind& k = m_kinds[kind];
    ++result.failures[kind];
    ++m_courses[kind].away;
    if (!k.stopsRanks)
    {
        return;
    }
    if (m_phase == Phase::RUNNING || m_phase == Phase::SAVING)
    {
        LoseWork(k.losesWork, result);
    }
    if (LacksRanks())
    {
        m_phase = Phase::WAITING;
        return;
    }
    Restore(k.downtime);
}

void
AvailabilityWalk::Repair(std::size_t kind)
{
    --m_courses[kind].away;
    if (m_phase == Phase::WAITING && !LacksRanks())
    {
        Restore(m_kinds[kind].restart);
    }
}

AvailabilityResult
AvailabilityWalk::Run(double horizon)
{
    AvailabilityResult result;
    result.horizon = horizon;
    result.failures.assign(m_kinds.size(), 0);
    UpdateState();
    result.healthyIteration = m_iteration;
    for (std::size_t k = 0; k < m_kinds.size(); ++k)
    {
        Draw(k);
    }
    double left = horizon;
    while (left > 0)
    {
        double next = std::min(left, GetJobTime());
        std::size_t kind = m_kinds.size();
        for (std::size_t k = 0; k < m_kinds.size(); ++k)
        {
            const double soonest = std::min(m_courses[k].failure, m_courses[k].repair);
            if (soonest < next)
            {
                next = soonest;
                kind = k;
            }
        }
        const bool isJob = kind == m_kinds.size() && next < left;
        Advance(next, result);
        left -= next;
        if (isJob)
        {
            StepJob(result);
        }
        else if (kind < m_kinds.size())
        {
            if (m_courses[kind].failure <= 0)
            {
                Fail(kind, result);
            }
            else
            {
                Repair(kind);
            }
            Draw(kind);
            UpdateState();
        }
    }
    return result;
}

} // namespace ns3
