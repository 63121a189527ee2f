/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef JOB_DEMAND_H
#define JOB_DEMAND_H

#include "ns3/demand.h"
#include "ns3/gate-model.h"
#include "ns3/mixnet-ids.h"
#include "ns3/parallel-layout.h"
#include "ns3/training-job.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// Bytes from one server to another.
struct ServerPairBytes
{
    ServerId source;      //!< sender
    ServerId destination; //!< receiver
    uint64_t bytes{0};    //!< bytes
};

/**
 * @ingroup mixnet
 * What a job's servers send to each other in one iteration, on average over its iterations: the
 * input of static plans. Sorted by source and destination, pairs without bytes left out.
 */
struct JobDemand
{
    std::vector<ServerPairBytes> expert;   //!< all-to-alls
    std::vector<ServerPairBytes> data;     //!< gradient all-reduces
    std::vector<ServerPairBytes> pipeline; //!< hand-overs between stages
    std::vector<ServerPairBytes> context;  //!< exchanges of CP groups
};

/**
 * @param job job
 * @param layout its layout
 * @param gate configured gate; asked for every all-to-all of the job
 * @param steppedUpTo as the engine's RingSteps
 * @return its average demand
 */
JobDemand GetAverageDemand(const TrainingJob& job,
                           const ParallelLayout& layout,
                           const GateModel& gate,
                           uint32_t steppedUpTo);

/**
 * @param pairs demand
 * @param servers rows and columns
 * @param divisor divides every entry
 * @param demand added to; resized when its shape differs
 */
void AddDemand(const std::vector<ServerPairBytes>& pairs,
               const std::vector<ServerId>& servers,
               uint64_t divisor,
               DemandMatrix& demand);

/// @param job job @param layout its layout @return all-to-alls of an iteration
uint64_t CountAllToAlls(const TrainingJob& job, const ParallelLayout& layout);

/// @param job job @param layout its layout @param region region
/// @return all-to-alls of an iteration whose group has two or more servers in the region
uint64_t CountAllToAlls(const TrainingJob& job, const ParallelLayout& layout, RegionId region);

} // namespace ns3

#endif // JOB_DEMAND_H
