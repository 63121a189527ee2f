/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_STAGE_CONTEXT_H
#define MIXNET_STAGE_CONTEXT_H

#include "iteration-ledger.h"
#include "phase-watch.h"

#include "ns3/all-to-all.h"
#include "ns3/collective-runner.h"
#include "ns3/compute-variation.h"
#include "ns3/gate-model.h"
#include "ns3/gate-traffic.h"
#include "ns3/job-times.h"
#include "ns3/parallel-layout.h"
#include "ns3/ptr.h"
#include "ns3/regional-controller.h"

#include <string>
#include <vector>

namespace ns3
{

class StageRunner;

/// @ingroup mixnet
/// What the stage runners of a job share; must outlive them.
struct StageContext
{
    const TrainingJob* job{nullptr};                  //!< the job
    const ParallelLayout* layout{nullptr};            //!< its layout
    const JobTimes* times{nullptr};                   //!< its durations
    ComputeVariation variation;                       //!< how GPUs differ from them
    Ptr<GateModel> gate;                              //!< who sends what to whom
    GateTraffic* traffic{nullptr};                    //!< in bytes
    Ptr<CollectiveRunner> runner;                     //!< moves bytes
    Ptr<AllToAllAlgorithm> allToAll;                  //!< makes messages of all-to-alls
    std::vector<Ptr<RegionalController>> controllers; //!< by region; null or missing: none
    IterationLedger ledger;                           //!< what happened
    PhaseWatch phases;                                //!< who hears where the iteration is
    uint32_t tensorChannels{0};                       //!< TensorCrossings
    uint32_t steppedUpTo{0};                          //!< CollectiveSpec::steppedUpTo of rings
    uint32_t iteration{0};                            //!< now
    bool stopped{false};                              //!< the job is over: start nothing more
};

/// @ingroup mixnet
/// Who coordinates the stages.
class StageHost
{
  public:
    virtual ~StageHost() = default;
    /// @param stage a stage whose last pass is over
    virtual void OnStageDone(StageRunner& stage) = 0;
    /**
     * A backward pass has the gradients of the weights of a layer.
     *
     * @param replica DP replica
     * @param stage PP stage
     * @param layer layer of the model
     * @param op operation that ended now
     */
    virtual void OnLayerGradients(uint32_t replica,
                                  uint32_t stage,
                                  uint32_t layer,
                                  uint32_t op) = 0;
    /// @param record an all-to-all that has ended
    virtual void OnAllToAll(const AllToAllRecord& record) = 0;
    /// @param what an operation that lost transfers
    virtual void OnLoss(const std::string& what) = 0;
};

} // namespace ns3

#endif // MIXNET_STAGE_CONTEXT_H
