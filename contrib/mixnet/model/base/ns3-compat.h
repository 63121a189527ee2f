/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_NS3_COMPAT_H
#define MIXNET_NS3_COMPAT_H

#include "ns3/enum.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

/**
 * @file
 * @ingroup mixnet
 * Everything that differs between the supported ns-3 releases (3.37 to the current one).
 * MIXNET_NS3_MINOR is defined by the module's CMakeLists.txt (999 on a development tree).
 */

#ifndef MIXNET_NS3_MINOR
#define MIXNET_NS3_MINOR 37
#endif

namespace ns3
{

/// @tparam E enum type @param member attribute member or setter @return its accessor
template <class E, class M>
auto
MakeMixnetEnumAccessor(M member)
{
#if MIXNET_NS3_MINOR >= 41
    return MakeEnumAccessor<E>(member);
#else
    return MakeEnumAccessor(member);
#endif
}

#if MIXNET_NS3_MINOR >= 41
/// EnumValue of an enum type (a template since 3.41).
template <class E>
using MixnetEnumValue = EnumValue<E>;
#else
template <class E>
using MixnetEnumValue = EnumValue;
#endif

/// @param id an event @return true while it waits to be run
inline bool
IsEventPending(const EventId& id)
{
#if MIXNET_NS3_MINOR >= 42
    return id.IsPending();
#else
    return id.IsRunning();
#endif
}

/**
 * Set the clock to picoseconds, once, before the first Simulator::Run of the process and only if
 * it differs (in 3.37 Time::SetResolution after a run crashes).
 */
inline void
EnsurePicosecondClock()
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
}

} // namespace ns3

/// Parameter of Ipv4RoutingProtocol::RouteInput's callbacks: a const reference since 3.39.
#if MIXNET_NS3_MINOR >= 39
#define MIXNET_ROUTE_INPUT_CALLBACK(Type) const Type&
#else
#define MIXNET_ROUTE_INPUT_CALLBACK(Type) Type
#endif

#endif // MIXNET_NS3_COMPAT_H
