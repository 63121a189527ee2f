/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_PACKET_SWITCH_SETTINGS_H
#define MIXNET_PACKET_SWITCH_SETTINGS_H

#include "simulation-world.h"

#include "ns3/packet-world.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * Set the attributes of switches and ports that a world's configuration speaks of.
 *
 * @param world not yet built
 * @param config what is asked for
 */
void SetSwitchAttributes(PacketWorld& world, const WorldConfig& config);

} // namespace ns3

#endif // MIXNET_PACKET_SWITCH_SETTINGS_H
