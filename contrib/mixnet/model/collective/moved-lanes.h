/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_MOVED_LANES_H
#define MIXNET_MOVED_LANES_H

#include "ns3/mixnet-ids.h"
#include "ns3/transport.h"

#include <map>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Cut a transfer where the work of one of its lanes' GPUs is done by another GPU: lanes side by
 * side at both ends stay together. The parts carry what the lanes carried, and the tag.
 *
 * @param transfer the transfer
 * @param moved by GPU: the one that has its work
 * @param parts appended to
 */
void AppendCut(const Transfer& transfer,
               const std::map<GpuId, GpuId>& moved,
               std::vector<Transfer>& parts);

} // namespace ns3

#endif // MIXNET_MOVED_LANES_H
