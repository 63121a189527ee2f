/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_SEQUENTIAL_SIMULATOR_H
#define MIXNET_SEQUENTIAL_SIMULATOR_H

namespace ns3
{

/**
 * @ingroup mixnet
 * Refuse simulators that run events of several nodes at once (MPI, multithreaded): elements look
 * into their neighbors, so results would be wrong without a word.
 *
 * @throws InputError naming the simulator that is chosen and those that are accepted
 */
void RequireSequentialSimulator();

} // namespace ns3

#endif // MIXNET_SEQUENTIAL_SIMULATOR_H
