/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CLASS_CHOOSER_H
#define CLASS_CHOOSER_H

#include "ns3/frame.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup mixnet
 * The choice between the priority classes of a NIC port: strict classes first (the higher number
 * wins), then deficit round robin by wire bytes over the others. The size of a packet is known only
 * after the choice, so what a packet takes beyond its class's deficit is taken off the next round
 * (otherwise as EgressQueues: a class without packets loses its deficit, a paused one keeps it).
 * Pure.
 */
class ClassChooser
{
  public:
    /// @param mask bit c: class c is strict
    void SetStrict(uint8_t mask)
    {
        m_strict = mask;
    }

    /// @param priority a class @param bytes its quantum per round, above zero
    void SetQuantum(uint8_t priority, uint32_t bytes)
    {
        m_quantum[priority] = bytes;
    }

    /// @param ready classes with a packet, at least one @param open classes that are not paused
    /// @return the class to serve
    uint8_t Choose(uint8_t ready, uint8_t open);

    /// @param priority class that was served @param bytes of the packet
    void OnSent(uint8_t priority, uint32_t bytes)
    {
        m_deficit[priority] -= (m_strict >> priority & 1) ? 0 : bytes;
    }

  private:
    uint8_t m_strict{0};                           //!< strict classes
    uint8_t m_turn{0};                             //!< class visited
    std::array<int64_t, N_PRIORITIES> m_deficit{}; //!< by class
    /// By class. Default: one jumbo frame.
    std::array<uint32_t, N_PRIORITIES> m_quantum{{9216, 9216, 9216, 9216, 9216, 9216, 9216, 9216}};
};

} // namespace ns3

#endif // CLASS_CHOOSER_H
