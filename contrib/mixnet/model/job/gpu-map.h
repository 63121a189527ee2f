/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_GPU_MAP_H
#define MIXNET_GPU_MAP_H

#include "ns3/mixnet-ids.h"

#include <map>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Which GPUs a job runs on, when it is not on those that the arithmetic of its layout says: after
 * a failure. TP blocks lie in one server still, but a lane of one may be done elsewhere.
 */
struct GpuMap
{
    /// By (replica x PP + stage) x EP ranks + EP rank: GPU of lane 0. Empty: by arithmetic.
    std::vector<GpuId> blocks;
    /// By GPU of a block: the one that does its work. None: itself.
    std::map<GpuId, GpuId> moved;

    /// @param home GPU of a block @return GPU that does its work
    GpuId Find(GpuId home) const
    {
        const auto it = moved.find(home);
        return it == moved.end() ? home : it->second;
    }
};

} // namespace ns3

#endif // MIXNET_GPU_MAP_H
