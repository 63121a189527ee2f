/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "failure-injector.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-units.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FailureInjector);

TypeId
FailureInjector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FailureInjector")
            .SetParent<Object>()
            .SetGroupName("Mixnet")
            .AddConstructor<FailureInjector>()
            .AddAttribute(
                "ReactionTime",
                "From the detection until ways, plans and ranks have changed; 0: tables "
                "with an alternative at hand (ECMP groups, NIC fail-over) change at once.",
                TimeValue(Time(0)),
                MakeTimeAccessor(&FailureInjector::m_reaction),
                MakeTimeChecker(Time(0)))
            .AddAttribute("SwitchoverBudget",
                          "Longest time from a failure to its recovery that counts as a "
                          "switchover in time (MixNet claims less than 50 ms).",
                          TimeValue(MilliSeconds(50)),
                          MakeTimeAccessor(&FailureInjector::m_budget),
                          MakeTimeChecker(Time(0)));
    return tid;
}

FailureInjector::FailureInjector() = default;

FailureInjector::~FailureInjector() = default;

void
FailureInjector::DoDispose()
{
    m_timer.Cancel();
    for (EventId& event : m_events)
    {
        event.Cancel();
    }
    if (m_control)
    {
        m_control->GetGraph()->Unsubscribe(GraphPhase::RECORD,
                                           MakeCallback(&FailureInjector::OnChange, this));
        m_transport->TraceDisconnectWithoutContext(
            "Completion",
            MakeCallback(&FailureInjector::OnCompletion, this));
    }
    m_ranks = RankFailureCallback();
    m_controllers.clear();
    m_control = nullptr;
    m_transport = nullptr;
    Object::DoDispose();
}

void
FailureInjector::SetDetectionTimes(const FailureDetection& detection)
{
    m_detection = detection;
}

void
FailureInjector::SetFabric(Ptr<FabricControl> control, Ptr<Transport> transport)
{
    m_control = control;
    m_transport = transport;
    m_state = std::make_unique<FailureState>(*control->GetGraph());
    control->GetGraph()->Subscribe(GraphPhase::RECORD,
                                   MakeCallback(&FailureInjector::OnChange, this));
    transport->TraceConnectWithoutContext("Completion",
                                          MakeCallback(&FailureInjector::OnCompletion, this));
    m_controllers.assign(control->GetGraph()->GetNRegions(), nullptr);
}

void
FailureInjector::SetController(Ptr<RegionalController> controller)
{
    m_controllers.at(controller->GetRegion().Get()) = controller;
}

void
FailureInjector::SetRankCallback(const RankFailureCallback& callback)
{
    m_ranks = callback;
}

void
FailureInjector::SetSchedule(const std::vector<FailureEvent>& events)
{
    MIXNET_CHECK(m_state && !IsEventPending(m_timer), "a schedule comes before the start");
    for (const FailureEvent& event : events)
    {
        if (event.action == FailureAction::BIT_ERRORS && !m_control->SetBitErrors({}, 0, 0))
        {
            throw InputError(event.origin,
                             "bit errors, and flow fidelity has no bits",
                             "--fidelity=packet, or a lower rate instead");
        }
        const FailureTarget target =
            FindFailureTarget(*m_control->GetGraph(), event.element, event.origin);
        m_plan.push_back({event, m_state->AddElement(target), false});
    }
    std::stable_sort(m_plan.begin(), m_plan.end(), [](const Planned& a, const Planned& b) {
        const bool x = a.event.when.inPhase;
        const bool y = b.event.when.inPhase;
        return x != y ? y : (!x && a.event.when.at < b.event.when.at);
    });
}

int64_t
FailureInjector::AssignStreams(int64_t stream)
{
    m_stream = stream;
    return 2 * static_cast<int64_t>(m_control->GetGraph()->GetNEdges());
}

void
FailureInjector::Start()
{
    m_before = m_control->GetLosses();
    Wait();
}

void
FailureInjector::Wait()
{
    if (m_next < m_plan.size() && !m_plan[m_next].event.when.inPhase)
    {
        const Time at = m_plan[m_next].event.when.at;
        m_timer = Simulator::Schedule(Max(at - Simulator::Now(), Time(0)),
                                      &FailureInjector::FireDue,
                                      this);
    }
}

void
FailureInjector::FireDue()
{
    while (m_next < m_plan.size() && !m_plan[m_next].event.when.inPhase &&
           m_plan[m_next].event.when.at <= Simulator::Now())
    {
        Fire(m_next++);
    }
    Wait();
}

void
FailureInjector::OnPhase(uint32_t iteration, JobPhase phase)
{
    for (std::size_t i = 0; i < m_plan.size(); ++i)
    {
        Planned& p = m_plan[i];
        if (p.event.when.inPhase && !p.done && p.event.when.iteration == iteration &&
            p.event.when.phase == phase)
        {
            p.done = true;
            m_events.push_back(
                Simulator::Schedule(p.event.when.at, &FailureInjector::Fire, this, i));
        }
    }
}

void
FailureInjector::Fire(std::size_t index)
{
    Planned& p = m_plan[index];
    p.done = true;
    const FailureEvent& event = p.event;
    const bool lasts = event.duration.IsZero();
    const FailureEffect effect = event.action == FailureAction::UP
                                     ? m_state->Repair(p.element)
                                     : m_state->Strike(p.element, event, lasts ? 0 : index + 1);
    Act(p, event.action, effect);
    if (!lasts)
    {
        m_events.push_back(
            Simulator::Schedule(event.duration, &FailureInjector::Expire, this, index));
    }
}

void
FailureInjector::Expire(std::size_t index)
{
    const Planned& p = m_plan[index];
    Act(p, FailureAction::UP, m_state->Expire(p.element, index + 1));
}

void
FailureInjector::Act(const Planned& planned, FailureAction action, const FailureEffect& effect)
{
    const FailureTarget& target = m_state->GetTarget(planned.element);
    FailureRecord record;
    record.kind = target.kind;
    record.element = target.name;
    record.action = action;
    std::ostringstream value;
    if (action == FailureAction::SLOW)
    {
        value << planned.event.factor;
    }
    else if (action == FailureAction::BIT_ERRORS)
    {
        value << planned.event.bitErrorRate;
    }
    record.value = action == FailureAction::RATE ? FormatRate(planned.event.rate) : value.str();
    record.at = Simulator::Now();
    record.noop = effect.IsEmpty();
    record.note = effect.why;
    const std::size_t index = m_log.Add(record);
    m_touched.push_back(effect.gpus);
    if (record.noop)
    {
        return;
    }
    CloseLosses();
    m_last = index;
    if (action == FailureAction::UP)
    {
        // a failure of this element that nobody had noticed is over; another one may go on
        for (const std::size_t open : m_open)
        {
            FailureRecord& r = m_log.Get(open);
            if (!r.reacted && r.kind == record.kind && r.element == record.element &&
                !m_state->Has(planned.element, r.action))
            {
                r.recovered = Simulator::Now();
                r.note = "over before anybody reacted";
            }
        }
    }
    m_open.push_back(index);
    Impose(effect, planned.element);
    TellRanks(index, effect.gpus, false);
    m_events.push_back(Simulator::Schedule(GetDetectionTime(target.kind),
                                           &FailureInjector::Detect,
                                           this,
                                           index,
                                           planned.element));
}

void
FailureInjector::Impose(const FailureEffect& effect, std::size_t element)
{
    if (!effect.broken.empty())
    {
        m_control->SetBroken(effect.broken, true);
    }
    if (!effect.mended.empty())
    {
        m_control->SetBroken(effect.mended, false);
    }
    for (const EdgeId e : effect.rated)
    {
        m_control->SetRate({e}, m_state->GetRate(e));
    }
    for (const EdgeId e : effect.erring)
    {
        m_control->SetBitErrors({e},
                                m_state->GetBitErrors(e),
                                m_stream + 2 * static_cast<int64_t>(e.Get()));
    }
    const FailureTarget& target = m_state->GetTarget(element);
    if (effect.controller && m_controllers[target.region.Get()])
    {
        RegionalController& controller = *m_controllers[target.region.Get()];
        m_state->IsDown(element) ? controller.Fail() : controller.Recover();
    }
}

std::vector<std::string>
FailureInjector::Finish()
{
    CloseLosses();
    CheckRecovery();
    std::vector<std::string> missed;
    for (const Planned& p : m_plan)
    {
        if (!p.done)
        {
            missed.push_back(p.event.origin + ": " + p.event.ToString() +
                             " never happened: the run was over before");
        }
    }
    return missed;
}

FailureLog&
FailureInjector::GetLog()
{
    return m_log;
}

const FailureState&
FailureInjector::GetState() const
{
    return *m_state;
}

Time
FailureInjector::GetBudget() const
{
    return m_budget;
}

Time
FailureInjector::GetDetectionTime(FailureKind kind) const
{
    return m_detection.Get(kind);
}

} // namespace ns3
