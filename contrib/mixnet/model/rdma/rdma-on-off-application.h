/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_ON_OFF_APPLICATION_H
#define RDMA_ON_OFF_APPLICATION_H

#include "rdma-application.h"

#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/random-variable-stream.h"

#include <optional>

namespace ns3
{

/**
 * @ingroup mixnet
 * Alternates between on and off. While on, payload comes into being at a constant rate, and a
 * message is posted whenever one is complete; time towards the next message is kept over an off
 * period, and remainders below the clock's tick are carried, so the rate over all on time is exact.
 * It starts with an on period.
 */
class RdmaOnOffApplication : public RdmaApplication
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    int64_t AssignStreams(int64_t stream) override;

  protected:
    void DoDispose() override;

  private:
    void DoStart() override;
    void DoStop() override;
    void DoEnded(RdmaConnection& connection, const RdmaMessage& message) override;

    /// An on period begins.
    void BeginOn();
    /// Schedule the next message, or the end of the on period.
    void Continue();
    /// An on period ends.
    void BeginOff();
    /// A message is complete.
    void Emit();
    /// @param variable of a period @return its next length, not negative
    static Time Draw(RandomVariableStream& variable);

    ByteCount m_size;                      //!< attribute
    DataRate m_rate;                       //!< attribute
    ByteCount m_maxBytes;                  //!< attribute
    Ptr<RandomVariableStream> m_onTime;    //!< attribute
    Ptr<RandomVariableStream> m_offTime;   //!< attribute
    RdmaConnection* m_connection{nullptr}; //!< of this application
    std::optional<RateClock> m_clock;      //!< of the payload
    Time m_left;                           //!< on time until the next message is complete
    Time m_onUntil;                        //!< end of the on period
    EventId m_event;                       //!< next message or change of state
};

} // namespace ns3

#endif // RDMA_ON_OFF_APPLICATION_H
