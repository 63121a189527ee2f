/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RUN_FLOWS_FIXTURE_H
#define RUN_FLOWS_FIXTURE_H

#include "replay_fixture.h"

#include "ns3/flow-list-run.h"

namespace ns3
{

constexpr int64_t G = 1000000000; //!< bit/s

const inline ScenarioOverrides PACKET{{"fidelity", "packet"},
                                      {"transport.congestionControl", "none"}};
const inline ScenarioOverrides FLOW{{"fidelity", "flow"}};

/// Runs of flow lists.
class RunFlows : public ReplayTest
{
  protected:
    /// @param flows flow list @param topology topology @param overrides command line @return result
    RunResult Run(const ImportedFile& flows,
                  const ImportedFile& topology,
                  const ScenarioOverrides& overrides)
    {
        return RunHere(FlowListReplay(Write(flows, "flows.h5"), Write(topology, "topology.h5")),
                       overrides);
    }

    /// @param flows flow list @param overrides command line @return result on a generated fabric
    RunResult Run(const ImportedFile& flows, const ScenarioOverrides& overrides)
    {
        return RunHere(FlowListReplay(Write(flows, "flows.h5"), ""), overrides);
    }

    /// @param result result @return completion times, ps
    static std::vector<int64_t> Times(const RunResult& result, const std::string& column = "fct")
    {
        std::vector<int64_t> ticks;
        for (const double s : Column<double>(result, "/flows", column))
        {
            ticks.push_back(Ticks(s));
        }
        return ticks;
    }
};

/// @param hosts number @param nodeDelay of the switch, ps @return hosts 0 to n - 1 on one switch
inline ImportedFile
Star(int64_t hosts, int64_t nodeDelay = 0)
{
    std::vector<TestLink> links;
    for (int64_t h = 0; h < hosts; ++h)
    {
        links.push_back({h, hosts});
    }
    return MakeTopology(hosts, {1}, links, nodeDelay);
}

} // namespace ns3

#endif // RUN_FLOWS_FIXTURE_H
