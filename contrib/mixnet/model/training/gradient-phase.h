/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GRADIENT_PHASE_H
#define GRADIENT_PHASE_H

#include "stage-runner.h"

#include "ns3/collective-builders.h"
#include "ns3/collective-runner.h"
#include "ns3/event-id.h"
#include "ns3/gradient-buckets.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// Who hears what becomes of the gradients.
class GradientHost
{
  public:
    virtual ~GradientHost() = default;
    /// @param op the operation that ended the iteration: all stages are updated
    virtual void OnUpdated(uint32_t op) = 0;
    /// @param what an operation that lost transfers
    virtual void OnLoss(const std::string& what) = 0;
};

/**
 * @ingroup mixnet
 * Everything from gradients to the next iteration's parameters, for all stages of a job.
 *
 * A stage's buckets are reduced one after the other, each once all replicas are through its layers
 * (with gradientOverlap beside their other layers, else after the last pass): NCCL runs the
 * collectives of one communicator in order. Then come the optimizer's step, when it takes time, and
 * with ZERO1 the all-gather of the stage's parameters. Stages do not wait for each other until
 * the end.
 */
class GradientPhase : private CollectiveSink
{
  public:
    /**
     * @param context shared with the stages
     * @param stages by group
     * @param host told what becomes of it
     * @param steppedUpTo RingSpec::steppedUpTo
     */
    GradientPhase(StageContext& context,
                  const std::vector<std::unique_ptr<StageRunner>>& stages,
                  GradientHost& host,
                  uint32_t steppedUpTo);

    ~GradientPhase() override;

    GradientPhase(const GradientPhase&) = delete;
    GradientPhase& operator=(const GradientPhase&) = delete;

    /// An iteration begins.
    void Start();

    /// A replica starts nothing more until Start(): what is under way ends, nothing follows it.
    void Freeze();

    /// Drop the iteration; Start() begins anew. Collectives under way are dropped by whoever owns
    /// the runner (CollectiveRunner::AbortAll()).
    void Abort();

    /// A replica has gradients of a layer, of one micro-batch. @param replica replica
    /// @param stage PP stage @param layer layer @param op operation that ended now
    void OnLayer(uint32_t replica, uint32_t stage, uint32_t layer, uint32_t op);

    /// The last pass of a stage is over. @param replica replica @param stage PP stage
    /// @param op operation that ended now
    void OnStageDone(uint32_t replica, uint32_t stage, uint32_t op);

  private:
    /// A bucket in an iteration.
    struct Bucket
    {
        GradientBucket layers;                //!< what is in it
        uint32_t passes{0};                   //!< that have ended
        uint32_t replica{0};                  //!< of the last of them
        uint32_t predecessor{OpRecord::NONE}; //!< its last operation
        std::vector<uint32_t> waits;          //!< by replica: its last operation
    };

    /// A stage in an iteration.
    struct Stage
    {
        std::vector<Bucket> buckets;     //!< in order
        GradientBucket whole;            //!< all layers
        std::size_t next{0};             //!< bucket that is reduced now or next
        bool busy{false};                //!< a collective is under way
        ReduceStep step{};               //!< which
        uint32_t replica{0};             //!< for the records
        uint32_t lastOp{OpRecord::NONE}; //!< operation that let the next one start
        std::vector<uint32_t> waits;     //!< others that the present one waited for
        Time start;                      //!< of the optimizer's step
        EventId optimizer;               //!< its end
    };

    void OnCollective(const CollectiveResult& result) override;

    /// A pass over a bucket has ended. @param replica replica @param index PP stage
    /// @param bucket index of the bucket @param op operation that ended now
    void Deliver(uint32_t replica, uint32_t index, std::size_t bucket, uint32_t op);
    /// @param index PP stage @param bucket layers @param step what is done with them
    void StartStep(uint32_t index, const GradientBucket& bucket, ReduceStep step);
    /// @param index PP stage with its gradients reduced
    void StartOptimizer(uint32_t index);
    /// @param index PP stage whose optimizer has ended
    void EndOptimizer(uint32_t index);
    /// @param index PP stage @param kind kind of an operation that ends now @param start its start
    /// @param load what bounded it
    void AddOp(uint32_t index, OpKind kind, Time start, const OperationLoad& load = {});
    /// @param index PP stage that is through
    void EndStage(uint32_t index);
    /// @param index PP stage @param replica replica @return meter of its ranks
    ExposureMeter& GetMeter(uint32_t index, uint32_t replica) const;

    StageContext& m_context;                                    //!< shared
    const std::vector<std::unique_ptr<StageRunner>>& m_runners; //!< by group
    GradientHost& m_host;                                       //!< told
    const uint32_t m_steppedUpTo;                               //!< of rings
    const uint32_t m_passes;                                    //!< over a bucket, of all replicas
    const uint32_t m_replicas;                                  //!< DP
    std::vector<uint32_t> m_bucketOf; //!< by layer: bucket that it completes, or NONE
    std::vector<Stage> m_stages;      //!< by PP stage
    uint32_t m_open{0};               //!< stages that are not through
    bool m_frozen{false};             //!< nothing is started
};

} // namespace ns3

#endif // GRADIENT_PHASE_H
