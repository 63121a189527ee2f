/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ALL_TO_ALL_HELPER_H
#define ALL_TO_ALL_HELPER_H

#include "mixnet-fabric-helper.h"

#include "ns3/all-to-all.h"

#include <string>

namespace ns3
{

/**
 * @ingroup mixnet
 * @param text TypeId name of an all-to-all, with attributes if need be:
 * "ns3::DelegateAllToAll[ChunkSize=1MiB]"
 * @param fabric what it runs on; must outlive it
 * @return the all-to-all, for IterationEngine::AllToAll or for graphs of one's own
 * @throws InputError when class, attribute or value is not known
 */
Ptr<AllToAllAlgorithm> MakeAllToAll(const std::string& text, const MixnetFabric& fabric);

} // namespace ns3

#endif // ALL_TO_ALL_HELPER_H
