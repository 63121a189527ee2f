/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_PFC_DEADLOCK_DETECTOR_H
#define MIXNET_PFC_DEADLOCK_DETECTOR_H

#include "packet-switch.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// An egress port of a switch and a class that its neighbor has told to pause.
struct PausedPort
{
    PacketSwitch* device; //!< switch
    uint32_t port;        //!< index of the port
    uint8_t priority;     //!< class

    /// @param other another one @return true when they are the same
    bool operator==(const PausedPort& other) const
    {
        return device == other.device && port == other.port && priority == other.priority;
    }
};

/**
 * @ingroup mixnet
 * Looks for PFC deadlocks among switches: paused ports that wait for each other in a circle and
 * that nothing can free (PauseGraph). It looks an interval after a pause began, and again while
 * pauses are out and frames still move; without pauses it has no event, and what it sees changes no
 * result. It reports; it does not break deadlocks.
 */
class PfcDeadlockDetector : public Object, public PauseObserver
{
  public:
    /// Ports of a deadlock, each waiting for the next and the last for the first.
    using Cycle = std::vector<PausedPort>;

    /// @return the TypeId
    static TypeId GetTypeId();

    PfcDeadlockDetector();
    ~PfcDeadlockDetector() override;

    /// @param device a switch whose links are attached
    void Watch(Ptr<PacketSwitch> device);

    /// Look now. @return deadlocks, whether known before or not
    std::vector<Cycle> Check();

    /// @return deadlocks found so far, each once
    const std::vector<Cycle>& GetDeadlocks() const;

    /// @param cycle a deadlock @return its ports by name: "switch 4 port 1, ... (class 3)"
    static std::string Describe(const Cycle& cycle);

    void NeighborPaused() override;

    /// TracedCallback signature for deadlocks.
    typedef void (*DeadlockTracedCallback)(const Cycle& cycle);

  protected:
    void DoDispose() override;

  private:
    /// Schedule a look if none is pending.
    void Arm();
    /// The event fired.
    void Look();
    /// @return true when some neighbor is paused
    bool AnyPaused() const;

    Time m_interval;                           //!< attribute
    std::vector<Ptr<PacketSwitch>> m_switches; //!< watched
    std::vector<Cycle> m_found;                //!< deadlocks
    EventId m_event;                           //!< next look
    uint64_t m_freed{0};                       //!< frames that had ended at the last look
    TracedCallback<const Cycle&> m_trace;      //!< a new deadlock
};

} // namespace ns3

#endif // MIXNET_PFC_DEADLOCK_DETECTOR_H
