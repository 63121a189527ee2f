/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WORK_COMPLETION_H
#define WORK_COMPLETION_H

#include "ns3/mixnet-byte-count.h"

#include <cstdint>

namespace ns3
{

class RdmaNic;

/// How a posted message ended.
enum class WorkStatus : uint8_t
{
    SUCCESS,        //!< acknowledged
    RETRY_EXCEEDED, //!< the retransmission timer ran out too often; the queue pair is in error
    FLUSHED         //!< queued behind such a message, or posted after it
};

/// @ingroup mixnet
/// A message that was sent and acknowledged, or given up.
struct SendCompletion
{
    uint32_t qp{0};                         //!< local queue pair
    uint64_t id{0};                         //!< work-request id of PostSend
    ByteCount bytes;                        //!< payload
    WorkStatus status{WorkStatus::SUCCESS}; //!< how it ended
};

/// @ingroup mixnet
/// A message whose last byte has been delivered.
struct ReceiveCompletion
{
    uint32_t qp{0};     //!< local queue pair
    uint64_t number{0}; //!< order of the message on the queue pair, from 0
    ByteCount bytes;    //!< payload
};

/**
 * @ingroup mixnet
 * Who hears of completions of a queue pair. It may create, destroy, move and use any queue pair
 * inside these calls, this one included.
 */
class WorkSink
{
  public:
    virtual ~WorkSink() = default;
    /// @param nic the sender @param completion what ended
    virtual void OnSend(RdmaNic& nic, const SendCompletion& completion) = 0;
    /// @param nic the receiver @param completion what arrived
    virtual void OnReceive(RdmaNic& nic, const ReceiveCompletion& completion) = 0;
};

} // namespace ns3

#endif // WORK_COMPLETION_H
