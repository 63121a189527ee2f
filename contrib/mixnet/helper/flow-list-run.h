/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_FLOW_LIST_RUN_H
#define MIXNET_FLOW_LIST_RUN_H

#include "replay.h"
#include "replayed-fabric.h"

#include "ns3/flow-file.h"
#include "ns3/flow-replay.h"
#include "ns3/flow-wire.h"
#include "ns3/router.h"
#include "ns3/topology-file.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * One flow list on one fabric. Builds it at construction, runs it once.
 *
 * Hosts: with a topology file, the source's numbers of nodes. Else servers, when the list has at
 * most as many hosts as there are servers: flow number k of a host leaves by GPU k modulo the GPUs
 * of a server and arrives at the GPU of the same index; with more hosts, GPUs.
 */
class FlowListRun
{
  public:
    /**
     * @param scenario settings
     * @param fabric one of its fabrics
     * @param run number of the run
     * @param flows flow list
     * @param topology where the fabric comes from, or null
     * @throws InputError when the list does not fit; all arguments must outlive this
     */
    FlowListRun(const Scenario& scenario,
                const FabricConfig& fabric,
                uint32_t run,
                const FlowFile& flows,
                const TopologyFile* topology);

    /// @return sizes of the fabric, lines
    const std::string& DescribeFabric() const
    {
        return m_fabric.Get().Describe();
    }

    /// @param slot progress @param isInterrupted asked now and then @return tables and status
    RunResult Run(SharedProgress::Slot& slot, bool (*isInterrupted)());

  private:
    /// @return by flow: GPUs
    std::vector<FlowReplay::Ends> PlaceFlows() const;
    /// @return links that the list says are down
    std::vector<EdgeId> FindFailures() const;
    /// @param ends GPUs of the flows @return bytes by pair of servers
    std::vector<ServerPairBytes> SumDemand(const std::vector<FlowReplay::Ends>& ends) const;
    /// @param transfer a flow @param id its number @return ticks that it takes alone, propagation
    std::pair<int64_t, int64_t> JudgeAlone(const Transfer& transfer, TransferId id);
    /// @return /flows
    ResultTable MakeFlowTable() const;
    /// @return /flow_summary
    ResultTable MakeSummary() const;
    /// @param lines out: what has not ended
    void ListUnfinished(std::vector<std::string>& lines) const;

    const Scenario& m_scenario;           //!< settings
    uint32_t m_run;                       //!< number of the run
    const FlowFile& m_flows;              //!< flow list
    bool m_queues;                        //!< the topology has queue sizes
    ReplayedFabric m_fabric;              //!< where it runs
    LoadBalance m_balance;                //!< as the world does it
    FlowWire m_wire;                      //!< packets
    FluidRoute m_route;                   //!< scratch
    std::unique_ptr<FlowReplay> m_replay; //!< sends
};

/**
 * @ingroup mixnet
 * A flow list, to be run on fabrics.
 */
class FlowListReplay : public Replay
{
  public:
    /// @param flows file of a flow list @param topology file of a topology, or empty
    /// @throws InputError when one is not accepted
    FlowListReplay(const std::string& flows, const std::string& topology);

    ReplayKind GetKind() const override;
    std::vector<std::string> GetFiles() const override;
    std::string Describe(const Scenario& scenario) const override;
    std::string DryRun(const Scenario& scenario, const FabricConfig& fabric) const override;
    RunResult Run(const Scenario& scenario,
                  const FabricConfig& fabric,
                  uint32_t run,
                  SharedProgress::Slot& slot,
                  bool (*isInterrupted)()) const override;
    std::string GetSummaryTable() const override;

  private:
    FlowFile m_flows;                         //!< flow list
    std::unique_ptr<TopologyFile> m_topology; //!< or null
};

} // namespace ns3

#endif // MIXNET_FLOW_LIST_RUN_H
