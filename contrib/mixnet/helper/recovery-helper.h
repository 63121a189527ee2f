/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_RECOVERY_HELPER_H
#define MIXNET_RECOVERY_HELPER_H

#include "ns3/failure-injector.h"
#include "ns3/job-recovery.h"
#include "ns3/mixnet-scenario.h"
#include "ns3/recovery-recorder.h"
#include "ns3/run-result.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Recovery of the job of a run: between the injector, which tells of GPUs, and the job; and what is
 * recorded of it.
 */
class RunRecovery
{
  public:
    /**
     * @param scenario its settings of recovery are active
     * @param spares where spares are
     * @param run its number
     * @param engine runs the job
     * @param layout of the job
     * @param graph the cluster
     */
    RunRecovery(const Scenario& scenario,
                const SparePlan& spares,
                uint32_t run,
                Ptr<IterationEngine> engine,
                std::shared_ptr<const ParallelLayout> layout,
                Ptr<FabricGraph> graph);
    RunRecovery(const RunRecovery&) = delete;
    RunRecovery& operator=(const RunRecovery&) = delete;
    ~RunRecovery();

    /// @param injector tells of GPUs; null: nothing fails
    void Listen(const Ptr<FailureInjector>& injector);

    /// @return true when the job ended for want of ranks
    bool HasStopped() const;

    /// @param name of the run, for notes @param result out: /checkpoints, /recoveries and notes
    void Report(const std::string& name, RunResult& result) const;

    /// @return spares and checkpoints, a line each
    std::vector<std::string> Describe() const;

  private:
    /// @param failure traced
    void OnRank(const RankFailure& failure);
    /// @param recovery traced
    void OnRecovery(const RecoveryRecord& recovery);

    uint32_t m_run;                  //!< its number
    SparePlan m_spares;              //!< where spares are
    Ptr<JobRecovery> m_recovery;     //!< of the job
    RecoveryRecorder m_recorder;     //!< what it did
    Ptr<FailureInjector> m_injector; //!< or null
};

} // namespace ns3

#endif // MIXNET_RECOVERY_HELPER_H
