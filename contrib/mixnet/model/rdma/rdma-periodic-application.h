/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PERIODIC_APPLICATION_H
#define RDMA_PERIODIC_APPLICATION_H

#include "rdma-application.h"

#include "ns3/event-id.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * Posts a message at its start and every interval after it, whether the earlier ones are done or
 * not.
 */
class RdmaPeriodicApplication : public RdmaApplication
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

  protected:
    void DoDispose() override;

  private:
    void DoStart() override;
    void DoStop() override;
    void DoEnded(RdmaConnection& connection, const RdmaMessage& message) override;

    /// Post, and schedule the next one.
    void Tick();

    ByteCount m_size;                      //!< attribute
    uint64_t m_messages;                   //!< attribute
    Time m_interval;                       //!< attribute
    RdmaConnection* m_connection{nullptr}; //!< of this application
    EventId m_event;                       //!< next message
};

} // namespace ns3

#endif // RDMA_PERIODIC_APPLICATION_H
