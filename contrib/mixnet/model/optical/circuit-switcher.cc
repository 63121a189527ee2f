/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "circuit-switcher.h"

#include "ns3/log.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CircuitSwitcher");

NS_OBJECT_ENSURE_REGISTERED(CircuitSwitcher);

const char*
GetName(RegionState s)
{
    static constexpr const char* names[] = {"steady",
                                            "commanding",
                                            "draining",
                                            "switching",
                                            "activating"};
    return names[static_cast<uint8_t>(s)];
}

CircuitSwitcher::CircuitSwitcher() = default;
CircuitSwitcher::~CircuitSwitcher() = default;

TypeId
CircuitSwitcher::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CircuitSwitcher")
            .SetParent<Object>()
            .SetGroupName("Mixnet")
            .AddConstructor<CircuitSwitcher>()
            .AddAttribute("SwitchingDelay",
                          "Time the switch takes; with SwitchingDelayVariable only the time that "
                          "decisions expect (default: MixNet paper, section 7.1).",
                          TimeValue(MilliSeconds(25)),
                          MakeTimeAccessor(&CircuitSwitcher::m_switchingDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SwitchingDelayVariable",
                          "Distribution of the switching delay in seconds; null for a constant.",
                          PointerValue(),
                          MakePointerAccessor(&CircuitSwitcher::m_switchingVariable),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute(
                "SwitchingDelayTable",
                "Measured delays by pairs switched together, e.g. 1:41.4ms, 4:42.4ms, or "
                "prototype (MixNet paper, section 6); empty for a constant.",
                StringValue(""),
                MakeStringAccessor(&CircuitSwitcher::SetTable, &CircuitSwitcher::GetTable),
                MakeStringChecker())
            .AddAttribute("ControlLatency",
                          "Time for the demand to reach the controller and the command to reach "
                          "the switch; circuits stay lit meanwhile.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&CircuitSwitcher::m_controlLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ActivationTime",
                          "Time the transceivers take to lock after switching (the paper measured "
                          "5.67 s and left it out).",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&CircuitSwitcher::m_activationTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("DrainPolicy",
                          "How to get from old circuits to new ones.",
                          StringValue("ns3::FullDrainPolicy"),
                          MakePointerAccessor(&CircuitSwitcher::m_drainPolicy),
                          MakePointerChecker<DrainPolicy>())
            .AddAttribute("HeldTraffic",
                          "What drained traffic does in the dark: wait for light, or move to "
                          "another way.",
                          MixnetEnumValue<HeldTraffic>(WAIT),
                          MakeMixnetEnumAccessor<HeldTraffic>(&CircuitSwitcher::m_held),
                          MakeEnumChecker(WAIT, "wait", MOVE, "move"))
            .AddAttribute("NewTraffic",
                          "What messages do that start while their servers' circuit is dark: "
                          "choose among what is lit, or wait for the light that this change will "
                          "give.",
                          MixnetEnumValue<NewTraffic>(NEW_LIT),
                          MakeMixnetEnumAccessor<NewTraffic>(&CircuitSwitcher::m_new),
                          MakeEnumChecker(NEW_LIT, "lit", NEW_WAIT, "wait"))
            .AddAttribute("DrainTimeout",
                          "Longest drain; then what is still on the fibers is lost. 0: no limit.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&CircuitSwitcher::m_drainTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("DarkScope",
                          "Which fibers go dark: the changed ones or all of the region.",
                          MixnetEnumValue<DarkScope>(CHANGED),
                          MakeMixnetEnumAccessor<DarkScope>(&CircuitSwitcher::m_scope),
                          MakeEnumChecker(CHANGED, "changed", REGION, "region"))
            .AddTraceSource("Reconfiguration",
                            "A new plan is lit.",
                            MakeTraceSourceAccessor(&CircuitSwitcher::m_reconfigurationTrace),
                            "ns3::CircuitSwitcher::ReconfigurationTracedCallback")
            .AddTraceSource("State",
                            "The state has changed.",
                            MakeTraceSourceAccessor(&CircuitSwitcher::m_stateTrace),
                            "ns3::CircuitSwitcher::StateTracedCallback")
            .AddTraceSource("PortState",
                            "The state of a port of an OCS has changed.",
                            MakeTraceSourceAccessor(&CircuitSwitcher::m_portTrace),
                            "ns3::CircuitSwitcher::PortStateTracedCallback");
    return tid;
}

void
CircuitSwitcher::DoDispose()
{
    m_event.Cancel();
    m_lit = LitCallback();
    m_control = nullptr;
    m_drainPolicy = nullptr;
    m_switchingVariable = nullptr;
    Object::DoDispose();
}

void
CircuitSwitcher::SetTable(std::string text)
{
    m_switchingTable = SwitchingDelayTable::Parse(text, "SwitchingDelayTable");
}

std::string
CircuitSwitcher::GetTable() const
{
    return m_switchingTable.ToString();
}

void
CircuitSwitcher::SetFabric(Ptr<FabricControl> control, RegionId region)
{
    m_control = control;
    m_region = region;
    m_ports = RegionPorts(*control->GetGraph(), region);
    m_portStates.assign(m_ports.GetFibers().size(), RegionState::STEADY);
}

void
CircuitSwitcher::Turn(const std::vector<Circuit>& wanted, const LitCallback& lit)
{
    NS_LOG_FUNCTION(this << m_region << wanted.size());
    MIXNET_CHECK(m_control, "a circuit switcher without a fabric");
    if (m_state != RegionState::STEADY)
    {
        throw InputError("circuits of region " + std::to_string(m_region.Get()),
                         std::string("turned while ") + GetName(m_state),
                         "one change at a time: the next from the callback of the last");
    }
    const FabricGraph& graph = *m_control->GetGraph();
    const auto& units = graph.GetRegionOcs(m_region);
    for (const Circuit& c : wanted)
    {
        if (std::find(units.begin(), units.end(), c.ocs) == units.end() || c.portA == c.portB ||
            std::max(c.portA, c.portB) >= graph.GetOcsPortCount(c.ocs))
        {
            throw InputError("circuits of region " + std::to_string(m_region.Get()),
                             "no circuit " + std::to_string(c.portA) +
                                 (c.kind == CircuitKind::DUPLEX ? "-" : "->") +
                                 std::to_string(c.portB),
                             "two ports of an OCS of the region");
        }
    }
    m_wanted = wanted;
    m_lit = lit;
    Command(AllToAllId(), Simulator::Now(), m_number + 1);
}

RegionState
CircuitSwitcher::GetState() const
{
    return m_state;
}

RegionState
CircuitSwitcher::GetPortState(VertexId ocs, uint32_t port) const
{
    const auto& fibers = m_ports.GetFibers();
    const EdgeId e = m_control->GetGraph()->GetEdge(ocs, port);
    const auto it = std::lower_bound(fibers.begin(), fibers.end(), e);
    MIXNET_CHECK(it != fibers.end() && *it == e, "port " << port << " is not of the region");
    return m_portStates[it - fibers.begin()];
}

RegionId
CircuitSwitcher::GetRegion() const
{
    return m_region;
}

uint64_t
CircuitSwitcher::GetNReconfigurations() const
{
    return m_reconfigurations;
}

uint64_t
CircuitSwitcher::GetNKept() const
{
    return m_kept;
}

Time
CircuitSwitcher::GetSwitchingDelay(uint32_t pairs) const
{
    return m_switchingTable.IsEmpty() ? m_switchingDelay : m_switchingTable.Get(pairs);
}

int64_t
CircuitSwitcher::AssignStreams(int64_t stream)
{
    if (!m_switchingVariable)
    {
        return 0;
    }
    m_switchingVariable->SetStream(stream);
    return 1;
}

} // namespace ns3
