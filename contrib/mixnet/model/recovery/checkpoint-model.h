/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_CHECKPOINT_MODEL_H
#define MIXNET_CHECKPOINT_MODEL_H

#include "ns3/data-rate.h"
#include "ns3/mixnet-byte-count.h"
#include "ns3/nstime.h"
#include "ns3/parallel-layout.h"
#include "ns3/training-job.h"

#include <cstdint>

namespace ns3
{

/// What is saved, how often, and how fast storage is.
struct CheckpointSpec
{
    /**
     * Of every parameter, beside the weight itself: fp32 master weight and the two moments of Adam,
     * 4 + 4 + 4 (Rajbhandari et al., SC 2020, section 3.1; gradients are not saved).
     */
    uint32_t optimizerBytes{12};
    bool sharded{false};     //!< the optimizer's bytes are spread over the replicas (ZeRO stage 1)
    uint32_t interval{100};  //!< iterations between two checkpoints; 0: none is ever written
    DataRate serverRate{0};  //!< storage, per server and direction
    DataRate totalRate{0};   //!< storage, all servers together; 0: without limit
    double blockingShare{1}; //!< share of the time of a save in which training stands still
};

/// State of a job. A GPU holds 1/TP of what its EP rank holds.
struct StateBytes
{
    ByteCount stored;        //!< a checkpoint: every parameter once
    ByteCount loaded;        //!< what all GPUs read from one
    ByteCount largestServer; //!< of that, the server that reads most
    ByteCount largestGpu;    //!< of that, the GPU that reads most
};

/**
 * @ingroup mixnet
 * Sizes and times of checkpoints. Saves are spread evenly over the servers of the job; restores
 * read what every GPU holds:
 *
 *     save    = max(stored / (servers x serverRate), stored / totalRate)
 *     restore = max(largestServer / serverRate, loaded / totalRate)
 *     lost    = iterations since the last checkpoint, interval / 2 in the mean
 *
 * Pure: takes sizes, returns times.
 */
class CheckpointModel
{
  public:
    /// @param spec what and how fast @param job job @param layout its layout
    CheckpointModel(const CheckpointSpec& spec,
                    const TrainingJob& job,
                    const ParallelLayout& layout);

    /// @return what is saved, how often
    const CheckpointSpec& GetSpec() const
    {
        return m_spec;
    }

    /// @return sizes
    const StateBytes& GetState() const
    {
        return m_state;
    }

    /// @return time to write a checkpoint
    Time GetSaveTime() const;
    /// @return time in which training stands still for one
    Time GetBlockingTime() const;
    /// @return time until all GPUs have read one
    Time GetRestoreTime() const;
    /// @param gpus GPUs of one server that were lost @param rate at which that server receives
    /// @return time until they have their state from the replicas that have the same
    Time GetPeerTime(uint32_t gpus, DataRate rate) const;

    /// @param iteration iteration that was interrupted @return iteration to go on from
    uint32_t GetLastCheckpoint(uint32_t iteration) const;
    /// @param iteration iteration that is about to start @return true when one is written before
    bool IsDue(uint32_t iteration) const;

    /**
     * Young's interval, sqrt(2 x cost x MTBF) (CACM 17(9), 1974): loses least, to first order.
     *
     * @param mtbf mean time between failures of the whole job @return time between checkpoints
     */
    Time GetBestInterval(Time mtbf) const;

  private:
    CheckpointSpec m_spec; //!< what and how fast
    StateBytes m_state;    //!< sizes
    uint32_t m_servers{1}; //!< servers that the job uses
};

} // namespace ns3

#endif // MIXNET_CHECKPOINT_MODEL_H
