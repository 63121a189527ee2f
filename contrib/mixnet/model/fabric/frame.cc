/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "frame.h"

namespace ns3
{

const char*
GetName(DropReason reason)
{
    switch (reason)
    {
    case DropReason::NO_ROUTE:
        return "no-route";
    case DropReason::BUFFER:
        return "buffer";
    case DropReason::HEADROOM:
        return "headroom";
    case DropReason::QUEUE:
        return "queue";
    case DropReason::LINK_DOWN:
        return "link-down";
    case DropReason::CORRUPT:
        return "corrupt";
    case DropReason::DARK:
        return "dark";
    case DropReason::UNWANTED:
        return "unwanted";
    }
    return "?";
}

const char*
GetName(FrameOpcode opcode)
{
    switch (opcode)
    {
    case FrameOpcode::DATA_FIRST:
        return "data-first";
    case FrameOpcode::DATA_MIDDLE:
        return "data-middle";
    case FrameOpcode::DATA_LAST:
        return "data-last";
    case FrameOpcode::DATA_ONLY:
        return "data-only";
    case FrameOpcode::ACK:
        return "ack";
    case FrameOpcode::NACK:
        return "nack";
    case FrameOpcode::CNP:
        return "cnp";
    case FrameOpcode::PFC_PAUSE:
        return "pfc-pause";
    case FrameOpcode::PFC_RESUME:
        return "pfc-resume";
    case FrameOpcode::ETHERNET:
        return "ethernet";
    }
    return "?";
}

std::ostream&
operator<<(std::ostream& os, const Frame& frame)
{
    os << GetName(frame.opcode);
    if (frame.opcode == FrameOpcode::PFC_PAUSE || frame.opcode == FrameOpcode::PFC_RESUME)
    {
        return os << " classes " << frame.psn << " " << frame.wireBytes << "B";
    }
    os << " " << frame.source << " > " << frame.destination << " class "
       << static_cast<unsigned>(frame.trafficClass);
    if (frame.opcode != FrameOpcode::ETHERNET)
    {
        os << " qp " << frame.destinationQp << " psn " << frame.psn
           << (frame.ecn == FrameEcn::CE ? " CE" : "");
    }
    return os << " " << frame.wireBytes << "B";
}

} // namespace ns3
