/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_RECOVERY_POLICY_H
#define MIXNET_RECOVERY_POLICY_H

#include "spare-choice.h"
#include "spare-pool.h"

#include "ns3/mixnet-ids.h"
#include "ns3/object.h"
#include "ns3/parallel-layout.h"
#include "ns3/training-job.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{

/// What a policy knows.
struct RecoveryContext
{
    const ParallelLayout& layout;   //!< of the job as it ran
    const SparePlan& spares;        //!< where spares are
    const std::vector<GpuId>& dead; //!< GPUs of the job that are dead, ascending
    std::vector<HostHealth> hosts;  //!< by server of the cluster; empty: all are whole
};

/// What a job does about dead GPUs.
struct RecoveryPlan
{
    bool stop{false};                     //!< end the job
    std::map<GpuId, GpuId> gpus;          //!< by GPU of a TP block: the spare that has its work
    std::map<ServerId, ServerId> servers; //!< by server: the one that has all its work
    std::vector<uint32_t> replicas;       //!< DP replicas that are given up, ascending
    std::string why;                      //!< why these spares, or why none of those that are ready

    /// @return e.g. "GPU 7 to spare GPU 64", "server 3 to spare server 9", "without replica 1"
    std::string Describe() const;
};

/// @param layout a layout @param dead its dead GPUs @return their ranks, "GPU 7 (replica 0, stage
/// 1, EP rank 2, TP rank 7)", at most 8 of them
std::string DescribeRanks(const ParallelLayout& layout, const std::vector<GpuId>& dead);

/**
 * @param plan plan that does not stop
 * @param layout layout that it was made for
 * @param gpusPerServer GPUs of every server
 * @return where the job runs next
 */
GpuMap ApplyRecovery(const RecoveryPlan& plan,
                     const ParallelLayout& layout,
                     uint32_t gpusPerServer);

/**
 * @ingroup mixnet
 * Strategy: what a job does when GPUs are gone (MixNet paper, section 5.4). A pure function of its
 * attributes, the context and the spares that are ready.
 */
class RecoveryPolicy : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param context all there is to know @param pool spares that are ready; those used are taken
    /// @return what to do
    virtual RecoveryPlan Decide(const RecoveryContext& context, SparePool& pool) const = 0;
};

/**
 * @ingroup mixnet
 * As in MixNet: a GPU's rank moves to a spare GPU of its region, a server's ranks to a server of
 * the global pool; a GPU without a spare in its region takes its whole server along. Of several
 * spares the one that SpareChoice says; none whose host cannot be reached. Without spares the job
 * stops.
 */
class SpareRecoveryPolicy : public RecoveryPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RecoveryPlan Decide(const RecoveryContext& context, SparePool& pool) const override;
};

/**
 * @ingroup mixnet
 * No spares: DP replicas that lost a rank are given up, the others go on with a smaller batch.
 * Without a whole replica the job stops.
 */
class ShrinkRecoveryPolicy : public RecoveryPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RecoveryPlan Decide(const RecoveryContext& context, SparePool& pool) const override;
};

/// @ingroup mixnet
/// As SpareRecoveryPolicy, and when spares do not suffice, as ShrinkRecoveryPolicy.
class SpareOrShrinkRecoveryPolicy : public RecoveryPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RecoveryPlan Decide(const RecoveryContext& context, SparePool& pool) const override;
};

} // namespace ns3

#endif // MIXNET_RECOVERY_POLICY_H
