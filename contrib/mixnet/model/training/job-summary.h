/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef JOB_SUMMARY_H
#define JOB_SUMMARY_H

#include "op-sizes.h"

#include "ns3/compute-model.h"
#include "ns3/fabric-graph.h"
#include "ns3/gate-model.h"
#include "ns3/mixnet-byte-count.h"
#include "ns3/nstime.h"
#include "ns3/parallel-layout.h"
#include "ns3/pipeline-schedule.h"
#include "ns3/training-job.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * A job's sizes before it runs, from one of its iterations.
 */
struct JobSummary
{
    uint32_t gpus{0};               //!< GPUs
    uint32_t servers{0};            //!< servers
    uint32_t regions{0};            //!< optical regions that the job uses
    uint32_t groups{0};             //!< EP groups: replicas x stages
    uint64_t allToAlls{0};          //!< of an iteration
    uint32_t allToAllTransfers{0};  //!< transfers of the largest
    ByteCount allToAllMin;          //!< bytes between ranks of the smallest
    ByteCount allToAllMean;         //!< mean
    ByteCount allToAllMax;          //!< largest
    ByteCount expertBytes;          //!< of an iteration: all-to-alls, between ranks
    ByteCount pipelineBytes;        //!< of an iteration: hand-overs
    ByteCount contextBytes;         //!< of an iteration: keys, values and their gradients
    ByteCount dataBytes;            //!< of an iteration: gradients and, sharded, parameters
    Time computeBound;              //!< no iteration is shorter, whatever the network
    Time lowerBound;                //!< with all NICs of every server at line rate
    std::vector<OpSize> ops;        //!< compute operations of a micro-batch
    std::vector<std::string> notes; //!< layout and gate: what a reader should know
};

/**
 * Bounds: a stage computes all its micro-batches (TP collectives included; experts as the gate
 * loads them), after the first has come through the stages before it and before its last gradient
 * has gone back through them. The lower bound adds what a server must at least send or receive in
 * every all-to-all, CP exchange, hand-over and, after its last pass, for gradients and parameters,
 * at the sum of its NIC rates, and the optimizer's time. Where passes overlap, the exchanges of a
 * stage may hide behind its compute and are counted on the way of the first micro-batch only; where
 * backward passes are split, gradients of weights may follow the way back, which is not counted.
 *
 * @param job job
 * @param layout its layout
 * @param graph its cluster
 * @param gate configured gate
 * @param compute how long a GPU computes
 * @param iteration which iteration
 * @param schedule order of the passes; null: one at a time, whole
 * @return its sizes
 */
JobSummary SummarizeJob(const TrainingJob& job,
                        const ParallelLayout& layout,
                        const FabricGraph& graph,
                        const GateModel& gate,
                        const ComputeModel& compute,
                        uint32_t iteration = 0,
                        const PipelineSchedule* schedule = nullptr);

} // namespace ns3

#endif // JOB_SUMMARY_H
