/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_RECOVERY_CONFIG_H
#define MIXNET_RECOVERY_CONFIG_H

#include "failure-config.h"

#include "ns3/checkpoint-model.h"
#include "ns3/mixnet-json.h"
#include "ns3/nstime.h"
#include "ns3/spare-pool.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// What a job does when it loses ranks.
struct RecoveryConfig
{
    bool active{false};           //!< GPUs or servers may fail: someone recovers the job
    std::string policy{"spare"};  //!< "spare", "shrink", "spare-or-shrink", or a class
    SpareShare regionGpus;        //!< spare GPUs of the GPUs of a region
    SpareShare globalServers;     //!< servers of the global pool of all servers
    Time restartTime{Seconds(5)}; //!< from restored state to the next iteration
    bool restoreFromPeers{true};  //!< state comes from other replicas where they have it
    uint32_t tensorChannels{0};   //!< rings of a TP block over two servers
    CheckpointSpec checkpoints;   //!< what is saved, how often
};

/// A long walk under drawn failures.
struct AvailabilityConfig
{
    double horizon{0};    //!< seconds; 0: none is wanted
    FailureRates rates{}; //!< of NICs, GPUs and servers
};

/// @param a the object "availability" @return what it says @throws InputError when it is not
/// accepted
AvailabilityConfig ReadAvailability(const JsonReader& a);

/**
 * @param r the object "recovery"
 * @param failures what fails
 * @param availability what fails in a long walk
 * @param job the job, whose optimizer may be sharded
 * @return what it says; inactive when neither GPUs nor servers fail and nothing is said
 * @throws InputError when it is not accepted
 */
RecoveryConfig ReadRecovery(const JsonReader& r,
                            const FailureConfig& failures,
                            const AvailabilityConfig& availability,
                            const TrainingJob& job);

/**
 * @param config what a job does
 * @param servers of the job
 * @param gpusPerServer GPUs of each
 * @param serversPerRegion its regions
 * @return where spares are
 */
SparePlan MakeSparePlan(const RecoveryConfig& config,
                        uint32_t servers,
                        uint32_t gpusPerServer,
                        uint32_t serversPerRegion);

} // namespace ns3

#endif // MIXNET_RECOVERY_CONFIG_H
