/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECOVERY_FIXTURE_H
#define RECOVERY_FIXTURE_H

#include "moe_fixture.h"

#include "ns3/job-recovery.h"
#include "ns3/pointer.h"

#include <vector>

namespace ns3
{

/// @return a job of DP 2, TP 2, PP 2, EP 2 on 4 servers of 4 GPUs: an EP group is a server
inline TrainingJob
SmallJob()
{
    TrainingJob job = TinyJob();
    job.degrees.data = 2;
    job.degrees.tensor = 2;
    job.degrees.pipeline = 2;
    job.degrees.expert = 2;
    job.model.layers = 4;
    job.model.moeLayers = 4;
    job.iterations = 4;
    job.microBatches = 2;
    return job;
}

/// A job with spares: servers 0-3 of the job (regions of 2), 4 and 5 hosts, 6 global.
class RecoveryRun : public JobRun
{
  public:
    explicit RecoveryRun(const TrainingJob& theJob,
                         uint32_t gpusPerRegion = 2,
                         uint32_t globalServers = 1)
        : RecoveryRun(theJob, SparePlan{4, 4, 2, gpusPerRegion, globalServers})
    {
    }

    RecoveryRun(const TrainingJob& theJob, const SparePlan& plan)
        : JobRun(theJob, MakeServers(plan.GetNServers(), 4), plan.GetNSpareServers() * 4),
          spares(plan)
    {
        transport->latency = MicroSeconds(1);
        transport->bitsPerSecond = 8000000000ULL;
        compute = CreateObject<FixedComputeModel>();
        compute->attention = MicroSeconds(100);
        compute->gate = MicroSeconds(1);
        compute->perCopy = NanoSeconds(100);
        engine->SetAttribute("Compute", PointerValue(compute));
        recovery = CreateObject<JobRecovery>();
        recovery->SetJob(engine, job, layout, graph);
        recovery->SetSpares(spares);
        recovery->SetCheckpoints(checkpoints);
        recovery->TraceConnectWithoutContext("Recovery",
                                             MakeCallback(&RecoveryRun::OnRecovery, this));
    }

    ~RecoveryRun()
    {
        recovery->Dispose();
    }

    /// Kill or repair. @param at when @param gpus which @param alive state
    void At(Time at, const std::vector<uint32_t>& gpus, bool alive = false, double factor = 1)
    {
        RankFailure f;
        f.record = record++;
        f.at = at;
        f.alive = alive;
        f.factor = factor;
        f.kind = gpus.size() > 1 ? FailureKind::SERVER : FailureKind::GPU;
        for (const uint32_t g : gpus)
        {
            f.gpus.emplace_back(g);
        }
        Simulator::Schedule(at, &JobRecovery::OnRankFailure, recovery, f);
        f.detected = true;
        Simulator::Schedule(at + detection, &JobRecovery::OnRankFailure, recovery, f);
    }

    SparePlan spares;                       //!< where spares are
    CheckpointSpec checkpoints;             //!< set again with SetCheckpoints
    Ptr<FixedComputeModel> compute;         //!< compute model
    Ptr<JobRecovery> recovery;              //!< recovery
    std::vector<RecoveryRecord> recoveries; //!< traced
    std::size_t record{0};                  //!< next
    Time detection{MicroSeconds(50)};       //!< of failures

  private:
    void OnRecovery(const RecoveryRecord& r)
    {
        recoveries.push_back(r);
    }
};

} // namespace ns3

#endif // RECOVERY_FIXTURE_H
