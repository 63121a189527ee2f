/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "congestion-control.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CongestionControl);

CongestionControl::CongestionControl() = default;

TypeId
CongestionControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MixnetCongestionControl").SetParent<Object>().SetGroupName("Mixnet");
    return tid;
}

uint64_t
CongestionControl::GetWindow(uint32_t) const
{
    return NO_WINDOW;
}

} // namespace ns3
