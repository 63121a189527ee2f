/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-core.h"

namespace ns3
{

RdmaCounters&
RdmaCounters::operator+=(const RdmaCounters& o)
{
    static constexpr uint64_t RdmaCounters::*all[] = {&RdmaCounters::dataSent,
                                                      &RdmaCounters::dataResent,
                                                      &RdmaCounters::payloadSent,
                                                      &RdmaCounters::dataReceived,
                                                      &RdmaCounters::dataAccepted,
                                                      &RdmaCounters::payloadAccepted,
                                                      &RdmaCounters::dataDuplicate,
                                                      &RdmaCounters::dataOutOfOrder,
                                                      &RdmaCounters::acksSent,
                                                      &RdmaCounters::nacksSent,
                                                      &RdmaCounters::cnpsSent,
                                                      &RdmaCounters::acksReceived,
                                                      &RdmaCounters::nacksReceived,
                                                      &RdmaCounters::cnpsReceived,
                                                      &RdmaCounters::timeouts,
                                                      &RdmaCounters::strays,
                                                      &RdmaCounters::relayed,
                                                      &RdmaCounters::relayPauses};
    static_assert(sizeof(RdmaCounters) == sizeof(all), "a counter is missing");
    for (const auto member : all)
    {
        this->*member += o.*member;
    }
    return *this;
}

} // namespace ns3
