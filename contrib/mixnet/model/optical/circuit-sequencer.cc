/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "circuit-sequencer.h"

#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CircuitSequencer);

TypeId
CircuitSequencer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CircuitSequencer")
            .SetParent<Object>()
            .SetGroupName("Mixnet")
            .AddConstructor<CircuitSequencer>()
            .AddTraceSource("Phase",
                            "The circuits of a phase are lit.",
                            MakeTraceSourceAccessor(&CircuitSequencer::m_phaseTrace),
                            "ns3::CircuitSequencer::PhaseTracedCallback");
    return tid;
}

void
CircuitSequencer::DoDispose()
{
    Stop();
    m_switcher = nullptr;
    m_control = nullptr;
    Object::DoDispose();
}

void
CircuitSequencer::SetSwitcher(Ptr<CircuitSwitcher> switcher, Ptr<FabricControl> control)
{
    m_switcher = switcher;
    m_control = control;
    m_ports = RegionPorts(*control->GetGraph(), switcher->GetRegion());
}

void
CircuitSequencer::Play(const CircuitSequence& sequence, uint64_t cycles, const DoneCallback& done)
{
    MIXNET_CHECK(m_switcher, "a sequence without a switcher");
    Stop();
    m_sequence = sequence;
    m_next = 0;
    m_cycles = cycles;
    m_done = done;
    if (m_sequence.phases.empty())
    {
        m_cycles = 1;
    }
    Turn();
}

void
CircuitSequencer::Stop()
{
    ++m_play;
    m_event.Cancel();
    m_done = DoneCallback();
}

void
CircuitSequencer::Turn()
{
    if (m_next == m_sequence.phases.size())
    {
        m_next = 0;
        if (m_cycles == 1)
        {
            const DoneCallback done = std::exchange(m_done, DoneCallback());
            if (!done.IsNull())
            {
                done();
            }
            return;
        }
        m_cycles -= m_cycles > 0 ? 1 : 0;
    }
    const PlanChange change =
        MapPlan(m_ports, *m_control->GetGraph(), m_sequence.phases[m_next].plan);
    m_switcher->Turn(change.added, MakeCallback(&CircuitSequencer::OnLit, this).Bind(m_play));
}

void
CircuitSequencer::OnLit(uint64_t play)
{
    if (play == m_play)
    {
        const std::size_t phase = m_next++;
        m_event =
            Simulator::Schedule(m_sequence.phases[phase].duration, &CircuitSequencer::Turn, this);
        m_phaseTrace(phase);
    }
}

} // namespace ns3
