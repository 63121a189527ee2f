/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-probe.h"

#include "mixnet-port.h"

namespace ns3
{

PathProbe
PathProbe::Follow(MixnetPort& from, const Frame& frame, uint32_t answerBytes)
{
    constexpr uint32_t limit = 64; // a loop of routes is longer than any path
    PathProbe probe;
    MixnetPort* out = &from;
    bool stored = true;
    for (uint32_t i = 0; i < limit && out && out->GetLink() && out->IsLinkUp(); ++i)
    {
        probe.roundTrip += 2 * out->GetDelayTicks();
        if (stored)
        {
            probe.roundTrip +=
                out->GetSerialization(frame.wireBytes) + out->GetSerialization(answerBytes);
        }
        MixnetPort& in = *out->GetPeer();
        if (in.GetNicAddress() == frame.destination)
        {
            probe.complete = true;
            return probe;
        }
        FrameReceiver* receiver = in.m_receiver;
        stored = in.m_role != PortRole::OPTICAL;
        probe.hops += stored ? 1 : 0;
        out = receiver ? receiver->FindNext(frame, in) : nullptr;
    }
    return probe;
}

} // namespace ns3
