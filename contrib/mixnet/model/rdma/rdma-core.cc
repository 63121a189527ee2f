/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-core.h"

#include <algorithm>

namespace ns3
{

RdmaCounters&
RdmaCounters::operator+=(const RdmaCounters& o)
{
    static constexpr uint64_t RdmaCounters::*all[] = {
        &RdmaCounters::dataSent,        &RdmaCounters::dataResent,   &RdmaCounters::payloadSent,
        &RdmaCounters::payloadResent,   &RdmaCounters::dataReceived, &RdmaCounters::dataAccepted,
        &RdmaCounters::payloadAccepted, &RdmaCounters::dataStored,   &RdmaCounters::dataDuplicate,
        &RdmaCounters::dataOutOfOrder,  &RdmaCounters::acksSent,     &RdmaCounters::nacksSent,
        &RdmaCounters::cnpsSent,        &RdmaCounters::acksReceived, &RdmaCounters::nacksReceived,
        &RdmaCounters::cnpsReceived,    &RdmaCounters::timeouts,     &RdmaCounters::strays,
        &RdmaCounters::relayed,         &RdmaCounters::relayPauses};
    static_assert(sizeof(RdmaCounters) == sizeof(all), "a counter is missing");
    for (const auto member : all)
    {
        this->*member += o.*member;
    }
    return *this;
}

void
RdmaCore::BookPath(uint8_t flags, uint32_t payload, uint32_t qp)
{
    QpCold& cold = table.Cold(qp);
    const uint32_t path = DecodePath(flags, cold.path);
    cold.path = std::max(cold.path, path);
    if (path > cold.pathBytes.size())
    {
        cold.pathBytes.resize(path, 0);
    }
    cold.pathBytes[path - 1] += payload;
}

} // namespace ns3
