/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pfc-deadlock-detector.h"

#include "pause-graph.h"

#include "ns3/log.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <map>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PfcDeadlockDetector");

NS_OBJECT_ENSURE_REGISTERED(PfcDeadlockDetector);

namespace
{

/// The pause graph of switches, as at the present.
class Snapshot : private PauseGraph::Rules
{
  public:
    /// @param switches watched, up to the present
    explicit Snapshot(const std::vector<Ptr<PacketSwitch>>& switches);

    /// @return deadlocks
    std::vector<PfcDeadlockDetector::Cycle> FindDeadlocks() const;

  private:
    /// An ingress queue.
    struct Queue
    {
        const SharedBuffer* buffer; //!< of its switch
        uint32_t port;              //!< ingress
        uint8_t priority;           //!< class
    };

    uint64_t GetShared(uint32_t queue, uint64_t left) const override;
    bool Resumes(uint32_t queue, uint64_t left, uint64_t sharedUsed) const override;

    /// @param owner index of a switch @param port port @param priority class @return its number
    uint32_t GetEgress(std::size_t owner, uint32_t port, uint8_t priority) const
    {
        return m_first[owner] + port * N_PRIORITIES + priority;
    }

    /// @param owner index of a switch @param port port @param priority class of an ingress queue
    /// @return the egress behind the cable
    uint32_t GetUpstream(std::size_t owner, uint32_t port, uint8_t priority) const;
    /// @param owner index of a switch: add its ingress queues and their frames
    void AddSwitch(std::size_t owner);

    const std::vector<Ptr<PacketSwitch>>& m_switches;     //!< watched
    std::map<const FabricElement*, std::size_t> m_owners; //!< index, by element
    std::vector<uint32_t> m_first;                        //!< by switch: its first egress
    std::vector<Queue> m_queues;                          //!< by number
    PauseGraph m_graph;                                   //!< who waits for whom
};

Snapshot::Snapshot(const std::vector<Ptr<PacketSwitch>>& switches)
    : m_switches(switches)
{
    uint32_t next = 0;
    for (std::size_t i = 0; i < switches.size(); ++i)
    {
        m_first.push_back(next);
        next += switches[i]->GetNPorts() * N_PRIORITIES;
        if (switches[i]->GetNPorts() > 0)
        {
            m_owners[switches[i]->GetPort(0)->GetElement()] = i;
        }
    }
    for (std::size_t i = 0; i < switches.size(); ++i)
    {
        AddSwitch(i);
    }
}

uint32_t
Snapshot::GetUpstream(std::size_t owner, uint32_t port, uint8_t priority) const
{
    const MixnetPort* peer = m_switches[owner]->GetPort(port)->GetPeer();
    const auto it = peer ? m_owners.find(peer->GetElement()) : m_owners.end();
    return it == m_owners.end() ? PauseGraph::NONE
                                : GetEgress(it->second, peer->GetIndex(), priority);
}

void
Snapshot::AddSwitch(std::size_t owner)
{
    PacketSwitch& device = *m_switches[owner];
    const SharedBuffer& buffer = device.GetBuffer();
    std::vector<uint8_t> paused;
    for (uint32_t port = 0; port < device.GetNPorts(); ++port)
    {
        paused.push_back(device.GetPausedNeighbor(port));
    }
    std::map<std::pair<uint32_t, uint8_t>, uint32_t> numbers; // by ingress port and class
    const auto number = [&](uint32_t port, uint8_t priority) {
        const auto [it, fresh] =
            numbers.insert({{port, priority}, static_cast<uint32_t>(m_queues.size())});
        if (fresh)
        {
            m_queues.push_back({&buffer, port, priority});
            m_graph.AddQueue(static_cast<uint32_t>(owner),
                             paused[port] >> priority & 1,
                             GetUpstream(owner, port, priority));
        }
        return it->second;
    };
    for (uint32_t port = 0; port < device.GetNPorts(); ++port)
    {
        for (uint8_t c = 0; c < N_PRIORITIES; ++c)
        {
            if (paused[port] >> c & 1)
            {
                number(port, c);
            }
            const Frame* frame = device.GetPort(port)->GetQueues().GetFront(c);
            for (; frame; frame = frame->next)
            {
                m_graph.AddBytes(number(frame->ingress, c),
                                 GetEgress(owner, port, c),
                                 frame->wireBytes - ETHERNET_GAP_BYTES);
            }
        }
    }
}

uint64_t
Snapshot::GetShared(uint32_t queue, uint64_t left) const
{
    const Queue& q = m_queues[queue];
    return q.buffer->GetRemainder(q.port, q.priority, left).shared;
}

bool
Snapshot::Resumes(uint32_t queue, uint64_t left, uint64_t sharedUsed) const
{
    const Queue& q = m_queues[queue];
    return q.buffer->WouldResume(q.buffer->GetRemainder(q.port, q.priority, left), sharedUsed);
}

std::vector<PfcDeadlockDetector::Cycle>
Snapshot::FindDeadlocks() const
{
    std::vector<PfcDeadlockDetector::Cycle> result;
    for (const auto& cycle : m_graph.FindDeadlocks(*this))
    {
        result.emplace_back();
        for (const uint32_t egress : cycle)
        {
            const auto owner = static_cast<std::size_t>(
                std::upper_bound(m_first.begin(), m_first.end(), egress) - m_first.begin() - 1);
            const uint32_t rest = egress - m_first[owner];
            result.back().push_back({PeekPointer(m_switches[owner]),
                                     rest / N_PRIORITIES,
                                     static_cast<uint8_t>(rest % N_PRIORITIES)});
        }
    }
    return result;
}

} // namespace

TypeId
PfcDeadlockDetector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PfcDeadlockDetector")
            .SetParent<Object>()
            .SetGroupName("Mixnet")
            .AddConstructor<PfcDeadlockDetector>()
            .AddAttribute("Interval",
                          "Time from a pause to a look, and between looks while pauses are out; "
                          "0s: only when asked.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&PfcDeadlockDetector::m_interval),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("Deadlock",
                            "Paused ports wait for each other for ever; once per deadlock.",
                            MakeTraceSourceAccessor(&PfcDeadlockDetector::m_trace),
                            "ns3::PfcDeadlockDetector::DeadlockTracedCallback");
    return tid;
}

PfcDeadlockDetector::PfcDeadlockDetector() = default;
PfcDeadlockDetector::~PfcDeadlockDetector() = default;

void
PfcDeadlockDetector::DoDispose()
{
    m_event.Cancel();
    for (const auto& device : m_switches)
    {
        device->SetPauseObserver(nullptr);
    }
    m_switches.clear();
    m_found.clear();
    Object::DoDispose();
}

void
PfcDeadlockDetector::Watch(Ptr<PacketSwitch> device)
{
    NS_LOG_FUNCTION(this << device);
    m_switches.push_back(device);
    device->SetPauseObserver(this);
}

std::vector<PfcDeadlockDetector::Cycle>
PfcDeadlockDetector::Check()
{
    for (const auto& device : m_switches)
    {
        if (device->GetNPorts() > 0)
        {
            device->GetBuffer(); // up to the present, before any is looked at
        }
    }
    const std::vector<Cycle> cycles = Snapshot(m_switches).FindDeadlocks();
    for (const Cycle& cycle : cycles)
    {
        if (std::find(m_found.begin(), m_found.end(), cycle) == m_found.end())
        {
            NS_LOG_WARN("PFC deadlock: " << Describe(cycle));
            m_found.push_back(cycle);
            m_trace(cycle);
        }
    }
    return cycles;
}

const std::vector<PfcDeadlockDetector::Cycle>&
PfcDeadlockDetector::GetDeadlocks() const
{
    return m_found;
}

std::string
PfcDeadlockDetector::Describe(const Cycle& cycle)
{
    std::string text;
    for (const PausedPort& p : cycle)
    {
        text +=
            (text.empty() ? "" : ", ") + p.device->GetName() + " port " + std::to_string(p.port);
    }
    return text + " (class " + std::to_string(cycle.empty() ? 0 : cycle[0].priority) + ")";
}

void
PfcDeadlockDetector::NeighborPaused()
{
    if (m_interval.IsStrictlyPositive())
    {
        Arm();
    }
}

void
PfcDeadlockDetector::Arm()
{
    if (!IsEventPending(m_event))
    {
        m_event = Simulator::Schedule(m_interval, &PfcDeadlockDetector::Look, this);
    }
}

void
PfcDeadlockDetector::Look()
{
    Check();
    const uint64_t freed = m_switches.front()->GetPort(0)->GetFabric().GetPool().GetFreed();
    if (AnyPaused() && freed != m_freed)
    {
        Arm();
    }
    m_freed = freed;
}

bool
PfcDeadlockDetector::AnyPaused() const
{
    for (const auto& device : m_switches)
    {
        for (uint32_t port = 0; port < device->GetNPorts(); ++port)
        {
            if (device->GetPausedNeighbor(port) != 0)
            {
                return true;
            }
        }
    }
    return false;
}

} // namespace ns3
