/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_FABRIC_ELEMENT_H
#define MIXNET_FABRIC_ELEMENT_H

#include "time-table.h"

#include "ns3/standing-timer.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class MixnetPort;

/**
 * @ingroup mixnet
 * Something with ports that acts on frames: a packet switch (all its ports), a NIC port, a port of
 * an optical switch. It owns the order of what happens at those ports and the one pending event
 * that this takes.
 *
 * Design note: why a frame-hop costs less than an event
 *
 * A frame is chosen by a port (a *decision*) and its last byte reaches the far port later, by at
 * least the propagation delay (an *arrival*). What an element does at an instant therefore
 * concerns its neighbours only a propagation delay later. So an element may look at arrivals late:
 * when it wakes, it takes all arrivals up to now *in order of time* (at one instant by port index)
 * and gives every consequence its exact time. It has to wake at most `lookahead` after the
 * earliest arrival that it has not looked at, where lookahead is one tick less than the shortest
 * delay of its links: then whatever it causes is known to the neighbour before the neighbour gets
 * there. Decisions are late in the same way: a port decides when somebody needs to know, as if it
 * had decided at the instant its line became free (MixnetPort::Settle).
 *
 * With lookahead zero (anything a trace sink, capture or error model listens to) each arrival has
 * an event at its own time and Simulator::Now() is exact for everyone who is called. The results
 * are the same in both cases because the order of processing is: by time, departures before
 * arrivals at one instant, then by port index; never by the order of events.
 *
 * A NIC looks late too, but arrivals that somebody outside is told of (the end of a message) are
 * *urgent*: they have an event at their own time, and take those before them along. Which frame is
 * urgent is known when the neighbor has decided it, so a NIC also wakes when the last frame under
 * way arrives, if the neighbor may have decided another one by then; and an element that wakes has
 * its ports towards NICs decide what is due.
 *
 * Decisions of different ports matter to each other only while a PFC pause is out (a departure may
 * end it) and for observers; in these cases (`ordered`) they are taken in order of time too.
 * Otherwise, unsettled departures only make the recorded buffer use too large, and a switch
 * settles all its ports before it refuses or pauses anything because of it.
 *
 * Time shift: the pending state is m_arrivals, m_decision, the frames' times and the wake event.
 */
class FabricElement : private StandingTimer::Owner
{
  public:
    /// @param context ns-3 context (node id) that its events run in
    explicit FabricElement(uint32_t context);
    ~FabricElement();
    FabricElement(const FabricElement&) = delete;
    FabricElement& operator=(const FabricElement&) = delete;

    /// @param port a port, which must live as long as this @return its index
    uint32_t AddPort(MixnetPort* port);
    /// @param index a port that is gone; the others keep their indices
    void RemovePort(uint32_t index);

    /// @return number of ports
    uint32_t GetNPorts() const
    {
        return static_cast<uint32_t>(m_ports.size());
    }

    /// @param index index of a port @return the port
    MixnetPort* GetPort(uint32_t index) const
    {
        return m_ports[index];
    }

    /**
     * Allow late looks, up to one tick less than the shortest delay of its links.
     *
     * @param limit how late at most; zero (default): never late
     */
    void SetLookaheadLimit(SimTick limit);

    /// A link was attached to a port. @param delay its delay
    void LimitLookahead(SimTick delay);

    /// @param change +1 or -1 who needs exact times (an observer, an error model)
    void CountObservers(int change);

    /// @param ordered whether decisions of the ports are to be taken in order of time
    void SetOrdered(bool ordered)
    {
        m_ordered = ordered;
    }

    /// @return true when decisions are taken in order of time
    bool IsOrdered() const
    {
        return m_ordered || m_observers > 0;
    }

    /**
     * Take everything due at or before now. Call it before reading or changing the element's state
     * from outside of it, so that arrivals at this instant come before the change.
     *
     * @param now the present
     */
    void Advance(SimTick now);

    /// Take the ports' decisions due at or before a time, in order of time. @param time a time
    void SettlePorts(SimTick time);

    /**
     * A link or port tells when something arrives.
     *
     * @param index the port
     * @param time when the first frame under way to it arrives, or no earlier than which one may
     */
    void ExpectArrival(uint32_t index, SimTick time)
    {
        m_arrivals.Set(index, time);
        if (m_depth == 0 && time < m_soonest)
        {
            Arm(time);
        }
    }

    /**
     * A frame is under way to a port of a NIC that looks late.
     *
     * @param time when it arrives
     * @param urgent whether it needs an event at its own time
     * @param more whether the neighbor may decide another frame before then
     */
    void ExpectFrame(SimTick time, bool urgent, bool more);

    /// This is a NIC: some arrivals are urgent.
    void SetNic()
    {
        m_isNic = true;
        m_urgent.reserve(64);
    }

    /// @return true for a NIC that looks late and so has to be told of every frame
    bool IsLateNic() const
    {
        return m_isNic && m_lookahead > 0;
    }

    /**
     * Take everything due before now, so that a change from outside of it finds the state of now.
     * Unlike in Advance nobody is called back: what somebody is told of has its own event.
     *
     * @param now the present
     */
    void CatchUp(SimTick now)
    {
        if (m_depth == 0)
        {
            Advance(now - 1);
        }
    }

    /// A port of an ordered element set its next decision. @param time when
    void ExpectDecision(SimTick time)
    {
        if (m_depth == 0 && time < m_soonest && IsOrdered())
        {
            Arm(time);
        }
    }

  private:
    /// @param soonest earliest thing to look at: wake at most the lookahead later, and not after
    /// the earliest urgent arrival
    void Arm(SimTick soonest);
    /// The event fired.
    void OnTimer(uint32_t index) override;
    /// @param wakeAt wake then, unless earlier anyway
    void WakeAt(SimTick wakeAt);
    /// Arm for the earliest thing that is left.
    void Rearm();
    /// @return when neighbors may have decided frames that are not known here; NEVER
    SimTick GetPoll() const;
    /// @param index port whose next arrival is due
    void TakeArrival(uint32_t index);

    TimeTable m_arrivals;             //!< by port: next arrival, or no earlier than
    std::vector<SimTick> m_decision;  //!< by port: next decision (written by the ports)
    std::vector<MixnetPort*> m_ports; //!< the ports
    std::vector<SimTick> m_urgent;    //!< heap of urgent arrivals, earliest first
    SimTick m_soonest{NEVER};         //!< what the pending event is for
    SimTick m_lookahead{0};           //!< how late this may look
    SimTick m_limit{0};               //!< how late the user allows
    SimTick m_shortest{NEVER};        //!< shortest delay of its links
    SimTick m_done{0};                //!< time of the last arrival taken
    uint32_t m_depth{0};              //!< nesting of Advance
    uint32_t m_observers{0};          //!< who needs exact times
    bool m_ordered{false};            //!< decisions in order of time
    bool m_isNic{false};              //!< some arrivals are urgent

    StandingTimer m_timer; //!< the pending event
};

} // namespace ns3

#endif // MIXNET_FABRIC_ELEMENT_H
