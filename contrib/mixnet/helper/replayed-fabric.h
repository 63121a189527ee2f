/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_REPLAYED_FABRIC_H
#define MIXNET_REPLAYED_FABRIC_H

#include "failure-helper.h"
#include "imported-fabric.h"
#include "mixnet-fabric-helper.h"

#include "ns3/callback.h"
#include "ns3/demand-recorder.h"
#include "ns3/job-demand.h"
#include "ns3/mixnet-scenario.h"
#include "ns3/progress-line.h"
#include "ns3/regional-controller.h"
#include "ns3/run-result.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * A fabric for a flow list or a task graph: of the settings, or of a topology file. The simulator
 * of the process belongs to it from construction to destruction.
 */
class ReplayedFabric
{
  public:
    /**
     * @param scenario the settings; must outlive this
     * @param fabric one of its fabrics; must outlive this
     * @param run number of the run
     * @param topology where the fabric comes from; null: from the settings
     */
    ReplayedFabric(const Scenario& scenario,
                   const FabricConfig& fabric,
                   uint32_t run,
                   const TopologyFile* topology);
    ReplayedFabric(const ReplayedFabric&) = delete;
    ReplayedFabric& operator=(const ReplayedFabric&) = delete;
    ~ReplayedFabric();

    /// @return graph, ways, doors
    const MixnetFabric& Get() const
    {
        return *m_fabric;
    }

    /// @return the topology file's fabric, or null
    const ImportedFabric* GetImported() const
    {
        return m_imported.get();
    }

    /// Plan the circuits, once for the whole run, and draw random streams. @param demand bytes
    void Start(const std::vector<ServerPairBytes>& demand);

    /**
     * Simulate until there is nothing left to do, Stop(), the stop time or an interruption.
     *
     * @param slot progress
     * @param isInterrupted asked whenever a transfer ends
     * @param done what has ended so far
     */
    void Run(SharedProgress::Slot& slot,
             bool (*isInterrupted)(),
             const Callback<std::size_t>& done);

    /// The work is done.
    void Stop();

    /// @param result status, message, notes and tables of the network are filled in; the message
    /// goes on with `what` when the work was not done
    void Judge(RunResult& result, const std::string& what);

  private:
    /// Progress, and whether to stop. @param completion not looked at
    void OnCompletion(const Completion& completion);

    const Scenario& m_scenario;                         //!< the settings
    const FabricConfig& m_config;                       //!< the fabric
    uint32_t m_run;                                     //!< number of the run
    std::unique_ptr<ImportedFabric> m_imported;         //!< or null
    std::unique_ptr<MixnetFabric> m_fabric;             //!< graph, ways, doors
    std::vector<Ptr<RegionalController>> m_controllers; //!< by region
    DemandRecorder m_demand;                            //!< what they planned for
    Ptr<FailureInjector> m_failures;                    //!< or null
    Callback<std::size_t> m_progress;                   //!< what has ended so far
    SharedProgress::Slot* m_slot{nullptr};              //!< progress
    bool (*m_isInterrupted)(){nullptr};                 //!< asked
    bool m_interrupted{false};                          //!< stopped by the user
    bool m_done{false};                                 //!< Stop() was called
};

} // namespace ns3

#endif // MIXNET_REPLAYED_FABRIC_H
