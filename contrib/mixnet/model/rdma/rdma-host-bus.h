/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HOST_BUS_H
#define RDMA_HOST_BUS_H

#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/frame-pool.h"
#include "ns3/mixnet-byte-count.h"

#include <cstdint>

namespace ns3
{

class RdmaPort;

/**
 * @ingroup mixnet
 * The way between a NIC port and its host's memory (PCIe): a rate per direction, for payload.
 *
 * Sending: the payload of a packet has been fetched when it may be sent; the next one is fetched
 * from the start of this one on. Packet k thus starts no earlier than the payload of packets 0 to
 * k - 1 takes.
 *
 * Receiving: data are delivered (and answered) when their payload has crossed the bus, in order of
 * arrival; until then they lie in the buffer. Above half of the buffer, classes of frames that
 * arrive are paused by PFC; from a quarter on they go on. What finds the buffer full is dropped
 * (reason BUFFER). ACK, NACK, CNP and relayed frames do not cross the bus.
 */
class RdmaHostBus
{
  public:
    /// @param rate effective payload rate, above zero @param buffer receive buffer @param port its
    /// port; outlives this
    RdmaHostBus(DataRate rate, ByteCount buffer, RdmaPort& port);
    ~RdmaHostBus();

    RdmaHostBus(const RdmaHostBus&) = delete;
    RdmaHostBus& operator=(const RdmaHostBus&) = delete;

    /// @return when the next packet may start
    SimTick GetReady() const
    {
        return m_txReady;
    }

    /// @param payload of a packet that starts @param now the present
    void OnSent(uint32_t payload, SimTick now);

    /// @param frame data that arrived @param now the present
    void Receive(Frame* frame, SimTick now);

    /// The neighbor has forgotten its pauses.
    void ForgetPauses()
    {
        m_paused = 0;
    }

    /// @return PFC pauses asked for
    uint64_t GetPauses() const
    {
        return m_pauses;
    }

  private:
    /// Have the event fire when the first frame has crossed.
    void Schedule();
    /// The first frame has crossed.
    void Finish();

    RdmaPort& m_port;      //!< the port
    RateClock m_txClock;   //!< memory to NIC
    RateClock m_rxClock;   //!< NIC to memory
    uint64_t m_buffer;     //!< bytes
    SimTick m_txReady{0};  //!< next packet may start
    SimTick m_rxFree{0};   //!< the last frame has crossed
    FrameList m_waiting;   //!< received, by Frame::time when they have crossed
    uint64_t m_backlog{0}; //!< payload of them
    uint64_t m_pauses{0};  //!< asked for
    uint8_t m_paused{0};   //!< classes
    EventId m_event;       //!< of the first one
};

} // namespace ns3

#endif // RDMA_HOST_BUS_H
