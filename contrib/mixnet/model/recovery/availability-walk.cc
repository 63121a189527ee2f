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
      m_state(m_kinds.size(), 0)
{
    MIXNET_CHECK(stream, "a walk without random numbers");
    for (std::size_t k = 0; k < m_kinds.size(); ++k)
    {
        const uint64_t elements = m_kinds[k].elements;
        const uint64_t pools = m_kinds[k].pools;
        MIXNET_CHECK(pools > 0, "elements in no pool");
        for (uint64_t p = 0; p < pools; ++p)
        {
            const uint64_t here = elements * (p + 1) / pools - elements * p / pools;
            m_courses.push_back({k, static_cast<uint32_t>(here)});
        }
    }
}

void
AvailabilityWalk::Draw(Course& course)
{
    // Exponential times have no memory: what is drawn anew at every change is distributed as what
    // was left, and the soonest of n of them as one of 1/n of the mean.
    const FailingKind& k = m_kinds[course.kind];
    const uint32_t replaced = !k.stopsRanks ? 0
                              : k.fallsBack ? course.away
                                            : std::min(course.away, k.spares);
    const uint32_t serving = course.elements - std::min(course.elements, course.away - replaced);
    course.failure = serving > 0 && k.mtbf > 0 ? m_stream->GetValue() * k.mtbf / serving : NEVER;
    course.repair = course.away > 0 ? m_stream->GetValue() * k.mttr / course.away : NEVER;
}

uint32_t
AvailabilityWalk::CountUnserved() const
{
    uint32_t unserved = 0;
    uint32_t carried = 0; // from the kind before
    std::size_t i = 0;
    for (std::size_t k = 0; k < m_kinds.size(); ++k)
    {
        uint32_t missing = 0;
        for (; i < m_courses.size() && m_courses[i].kind == k; ++i)
        {
            const uint32_t away = m_courses[i].away + carried;
            carried = 0;
            missing += away - std::min(away, m_kinds[k].spares);
        }
        if (!m_kinds[k].stopsRanks)
        {
            continue;
        }
        const bool hasNext = m_kinds[k].fallsBack && k + 1 < m_kinds.size();
        carried = hasNext ? missing : 0;
        unserved += hasNext ? 0 : missing;
    }
    return unserved;
}

bool
AvailabilityWalk::LacksRanks() const
{
    return CountUnserved() >= std::max(m_replicas, 1U);
}

void
AvailabilityWalk::UpdateState()
{
    std::fill(m_state.begin(), m_state.end(), 0);
    for (const Course& course : m_courses)
    {
        m_state[course.kind] += course.away;
    }
    if (!LacksRanks())
    {
        m_share = m_replicas > 0 ? 1 - static_cast<double>(CountUnserved()) / m_replicas : 1;
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
        m_doneUseful += seconds / m_iteration * m_share;
        result.usefulIterations += seconds / m_iteration * m_share;
        result.up += seconds;
        result.shrunk += m_share < 1 ? seconds : 0;
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
        m_doneUseful = 0;
        m_partSeconds = 0;
    }
    m_phase = Phase::RUNNING;
}

void
AvailabilityWalk::LoseWork(bool rollback, AvailabilityResult& result)
{
    const double part = m_done - std::floor(m_done);
    result.lost += rollback ? m_doneSeconds : m_partSeconds;
    const double useful = rollback ? m_doneUseful : std::min(m_doneUseful, part * m_share);
    result.usefulIterations -= useful;
    m_doneUseful -= useful;
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
AvailabilityWalk::Fail(Course& course, AvailabilityResult& result)
{
    const FailingKind& k = m_kinds[course.kind];
    ++result.failures[course.kind];
    ++course.away;
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
AvailabilityWalk::Repair(Course& course)
{
    const uint32_t before = CountUnserved();
    --course.away;
    // A replica that comes back joins between two iterations.
    const bool rejoins = m_replicas > 0 && CountUnserved() < before;
    if ((m_phase == Phase::WAITING || rejoins) && !LacksRanks())
    {
        Restore(m_kinds[course.kind].restart);
    }
}

AvailabilityWalk::Course*
AvailabilityWalk::FindNext()
{
    Course* next = nullptr;
    double soonest = NEVER;
    for (Course& course : m_courses)
    {
        const double at = std::min(course.failure, course.repair);
        if (at < soonest)
        {
            soonest = at;
            next = &course;
        }
    }
    return next;
}

AvailabilityResult
AvailabilityWalk::Run(double horizon)
{
    AvailabilityResult result;
    result.horizon = horizon;
    result.failures.assign(m_kinds.size(), 0);
    UpdateState();
    result.healthyIteration = m_iteration;
    for (Course& course : m_courses)
    {
        Draw(course);
    }
    double left = horizon;
    while (left > 0)
    {
        const double job = std::min(left, GetJobTime());
        Course* course = FindNext();
        const double soonest = course ? std::min(course->failure, course->repair) : NEVER;
        course = soonest < job ? course : nullptr;
        const double next = std::min(soonest, job);
        Advance(next, result);
        left -= next;
        if (course && course->failure <= 0)
        {
            Fail(*course, result);
        }
        else if (course)
        {
            Repair(*course);
        }
        else if (left > 0)
        {
            StepJob(result);
        }
        if (course)
        {
            Draw(*course);
            UpdateState();
        }
    }
    return result;
}

} // namespace ns3
