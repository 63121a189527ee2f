/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_BULK_APPLICATION_H
#define RDMA_BULK_APPLICATION_H

#include "rdma-application.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * Sends one message, a number of them, or message after message until it is stopped; the next one
 * is posted when an earlier one is acknowledged, so that a fixed number is outstanding.
 */
class RdmaBulkApplication : public RdmaApplication
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

  private:
    void DoStart() override;
    void DoEnded(RdmaConnection& connection, const RdmaMessage& message) override;

    /// Post what may be outstanding. @param connection whose
    void Fill(RdmaConnection& connection);

    ByteCount m_size;       //!< attribute
    uint64_t m_messages;    //!< attribute
    uint32_t m_outstanding; //!< attribute
};

} // namespace ns3

#endif // RDMA_BULK_APPLICATION_H
