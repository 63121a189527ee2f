/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_FLOW_LIST_APPLICATION_H
#define RDMA_FLOW_LIST_APPLICATION_H

#include "rdma-application.h"

#include "ns3/event-id.h"

#include <cstddef>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Plays flows: each is one message on queue pairs of its own, opened at the flow's start and
 * destroyed when it ends, so that memory follows the flows under way. The tag of a message is the
 * index of its flow as it was added. The attributes Remote and Port of the base are not used.
 */
class RdmaFlowListApplication : public RdmaApplication
{
  public:
    /// A flow of this server.
    struct Flow
    {
        Time start;       //!< since the start of the application
        Address remote;   //!< address of the peer's NIC port
        uint32_t port{0}; //!< local port
        ByteCount size;   //!< payload
        uint64_t tag{0};  //!< of its message
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    /// Before the start time. @param flow a flow
    void AddFlow(const Flow& flow);

  protected:
    void DoDispose() override;

  private:
    void DoStart() override;
    void DoStop() override;
    void DoEnded(RdmaConnection& connection, const RdmaMessage& message) override;

    /// Begin the flows that are due, and schedule the next one.
    void Play();

    std::vector<Flow> m_flows; //!< by start, from DoStart on
    std::size_t m_next{0};     //!< first one that has not begun
    Time m_begin;              //!< start of the application
    EventId m_event;           //!< next flow
};

} // namespace ns3

#endif // RDMA_FLOW_LIST_APPLICATION_H
