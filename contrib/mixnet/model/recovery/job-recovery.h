/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_JOB_RECOVERY_H
#define MIXNET_JOB_RECOVERY_H

#include "checkpoint-model.h"
#include "recovery-policy.h"
#include "spare-pool.h"

#include "ns3/callback.h"
#include "ns3/fabric-graph.h"
#include "ns3/iteration-engine.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/rank-failure.h"
#include "ns3/traced-callback.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup mixnet
/// How a job came through a loss of ranks.
struct RecoveryRecord
{
    std::vector<std::size_t> failures; //!< in the FailureLog, ascending
    Time failed;                       //!< when the first of these ranks was lost
    Time detected;                     //!< when the job learned of it
    Time resumed;                      //!< when iterations went on; when it ended, if stopped
    DroppedWork dropped;               //!< the iteration that was interrupted
    uint32_t resumedAt{0};             //!< iteration that it went on with
    uint32_t lost{0};                  //!< whole iterations to be done again
    bool fromPeers{false};             //!< state came from other replicas, not from a checkpoint
    Time restore;                      //!< until all ranks have their state
    Time restart;                      //!< until processes run again
    bool stopped{false};               //!< the job ended
    std::string action;                //!< what was done, or which ranks are lost
    std::string why;                   //!< why these spares, or why none of those that are ready
};

/**
 * @ingroup mixnet
 * Takes a job through the loss of ranks (MixNet paper, section 5.4). When a GPU of the job dies,
 * its replica stands still, then the others, which wait for it. When the job learns of it, the
 * iteration is dropped, the RecoveryPolicy says where its ranks go, their state is restored, and
 * the job goes on:
 *
 *     lost -> (detection) -> interrupt, decide -> restore + restart -> resume
 *
 * State comes from another replica that has the same (the iteration that was dropped begins anew),
 * else from the last checkpoint (all iterations since are done again). A rank lost meanwhile starts
 * this over. Repaired GPUs and GPUs that are not needed any more become spares.
 *
 * Use: SetJob(), SetSpares(), SetCheckpoints(), attributes; OnRankFailure() from the injector.
 */
class JobRecovery : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @param engine runs the job; is asked to pause for checkpoints
     * @param job the job
     * @param layout its layout
     * @param graph the cluster
     */
    void SetJob(Ptr<IterationEngine> engine,
                const TrainingJob& job,
                std::shared_ptr<const ParallelLayout> layout,
                Ptr<FabricGraph> graph);
    /// @param plan where spares are
    void SetSpares(const SparePlan& plan);
    /// @param checkpoints what is saved, how often
    void SetCheckpoints(const CheckpointSpec& checkpoints);

    /// @param failure GPUs die, come back, or become slower
    void OnRankFailure(const RankFailure& failure);

    /// @return sizes and times of checkpoints of the job as it runs now
    CheckpointModel GetCheckpoints() const;

    /// @return spares that are ready
    const SparePool& GetPool() const
    {
        return m_pool;
    }

    /// @return true while ranks are lost and the job does not go on
    bool IsRecovering() const
    {
        return m_recovering;
    }

    /// TracedCallback signature for recoveries, told when the job goes on or has ended.
    typedef void (*RecoveryTracedCallback)(const RecoveryRecord& recovery);

  protected:
    void DoDispose() override;

  private:
    /// @param iteration iteration that is about to start @return time for a checkpoint before it
    Time Pause(uint32_t iteration);
    /// @param failure first call
    void Happen(const RankFailure& failure);
    /// The job knows that ranks are lost.
    void Recover();
    /// @param plan what to do @return where the job runs next
    std::shared_ptr<const ParallelLayout> MakeLayout(const RecoveryPlan& plan);
    /// GPUs that one layout used and the next does not. @param before the first @param after next
    void ReleaseGpus(const ParallelLayout& before, const ParallelLayout& after);
    /// @param gpu alive, without work
    void MakeSpare(GpuId gpu);
    /// @return true when each rank has a replica with its state
    bool HasPeers() const;
    /// Fill in how state is restored.
    void PlanRestore();
    /// @return time until GPUs without state have it from their peers
    Time GetPeerTime() const;
    /// @param generation of the recovery
    void Resume(uint64_t generation);

    Ptr<RecoveryPolicy> m_policy;                   //!< attribute
    Time m_restart;                                 //!< attribute
    bool m_usePeers;                                //!< attribute
    Ptr<IterationEngine> m_engine;                  //!< runs the job
    TrainingJob m_job;                              //!< the job
    Ptr<FabricGraph> m_graph;                       //!< the cluster
    std::shared_ptr<const ParallelLayout> m_layout; //!< where it runs, or will
    SparePlan m_plan;                               //!< where spares are
    SparePool m_pool;                               //!< ready ones
    CheckpointSpec m_spec;                          //!< what is saved
    std::set<GpuId> m_dead;                         //!< GPUs of the cluster
    std::set<GpuId> m_stricken;                     //!< of the job, lost and not yet acted on
    std::set<GpuId> m_blank;                        //!< of the job, without state until it goes on
    Time m_since;                                   //!< when the first of the stricken was lost
    bool m_recovering{false};                       //!< m_record is open
    uint64_t m_generation{0};                       //!< rises with every Recover()
    RecoveryRecord m_record;                        //!< of the recovery under way
    TracedCallback<const RecoveryRecord&> m_trace;  //!< recoveries
};

} // namespace ns3

#endif // MIXNET_JOB_RECOVERY_H
