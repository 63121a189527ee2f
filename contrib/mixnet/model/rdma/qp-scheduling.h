/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QP_SCHEDULING_H
#define QP_SCHEDULING_H

#include "ns3/object.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Strategy: how the queue pairs of one port and class that may send share it. They take turns; the
 * strategy says when a turn ends. One object serves all queue pairs of a NIC, by slot.
 */
class QpScheduling : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param slot a queue pair that begins
    virtual void Open(uint32_t slot) = 0;

    /**
     * @param slot a queue pair that has sent a packet
     * @param wireBytes of the packet
     * @param more it has another one that may be sent
     * @return true when its turn goes on
     */
    virtual bool KeepsTurn(uint32_t slot, uint32_t wireBytes, bool more) = 0;
};

/// @ingroup mixnet
/// A turn is a packet: equal numbers of packets.
class RoundRobinQpScheduling : public QpScheduling
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();
    void Open(uint32_t slot) override;
    bool KeepsTurn(uint32_t slot, uint32_t wireBytes, bool more) override;
};

/**
 * @ingroup mixnet
 * A turn is a quantum of wire bytes: equal rates, whatever the sizes of packets (deficit round
 * robin, Shreedhar and Varghese, SIGCOMM 1995; what a packet takes beyond the quantum is taken off
 * the next turn). A queue pair that runs dry starts anew. Two queue pairs that always have packets
 * differ by less than a quantum and a packet at any time.
 */
class DeficitQpScheduling : public QpScheduling
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();
    void Open(uint32_t slot) override;
    bool KeepsTurn(uint32_t slot, uint32_t wireBytes, bool more) override;

  private:
    uint32_t m_quantum{0};         //!< attribute
    std::vector<int64_t> m_credit; //!< by slot: bytes left of the turn
};

} // namespace ns3

#endif // QP_SCHEDULING_H
