/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CIRCUIT_SEQUENCER_H
#define CIRCUIT_SEQUENCER_H

#include "circuit-map.h"
#include "circuit-sequence.h"
#include "circuit-switcher.h"

#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/traced-callback.h"

#include <cstddef>

namespace ns3
{

/**
 * @ingroup mixnet
 * Lights the phases of a sequence one after the other, through a CircuitSwitcher that does what it
 * is told (not a controller): turn, light for the phase's duration, turn on. A phase begins when
 * its light is there, so the dark time between phases is the switcher's.
 *
 * Messages sent before wait for the light of their pair where there is no EPS; with one they must
 * be sent when their phase is lit (trace `Phase`), or they take the EPS.
 */
class CircuitSequencer : public Object
{
  public:
    /// Told when the last phase is over.
    using DoneCallback = Callback<void>;

    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param switcher whom to command, with its fabric set @param control the same fabric
    void SetSwitcher(Ptr<CircuitSwitcher> switcher, Ptr<FabricControl> control);

    /**
     * Play a sequence from its first phase on.
     *
     * @param sequence what to light
     * @param cycles how often; 0: until Stop(), as a rotor does
     * @param done told once, at the end of the last phase; null when nobody is to be told
     */
    void Play(const CircuitSequence& sequence, uint64_t cycles, const DoneCallback& done);

    /// Leave the circuits as they are. Nobody is told.
    void Stop();

    /// TracedCallback signature for phases: index in the sequence.
    typedef void (*PhaseTracedCallback)(std::size_t phase);

  protected:
    void DoDispose() override;

  private:
    /// Turn to the next phase, or end.
    void Turn();
    /// @param play which Play() it was turned for
    void OnLit(uint64_t play);

    Ptr<CircuitSwitcher> m_switcher;          //!< commanded
    Ptr<FabricControl> m_control;             //!< its fabric
    RegionPorts m_ports;                      //!< of its region
    CircuitSequence m_sequence;               //!< played
    std::size_t m_next{0};                    //!< phase
    uint64_t m_cycles{0};                     //!< left; 0: without end
    uint64_t m_play{0};                       //!< number of Play() and Stop() calls
    DoneCallback m_done;                      //!< told at the end
    EventId m_event;                          //!< end of a phase
    TracedCallback<std::size_t> m_phaseTrace; //!< phases
};

} // namespace ns3

#endif // CIRCUIT_SEQUENCER_H
