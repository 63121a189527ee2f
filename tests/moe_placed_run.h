/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MOE_PLACED_RUN_H
#define MOE_PLACED_RUN_H

#include "moe_fixture.h"

#include "ns3/mixnet-fabric-helper.h"
#include "ns3/optical-helper.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <utility>
#include <vector>

namespace ns3
{

/// @param servers servers of 4 GPUs and 4 NICs, 3 of them on the OCS @param perRegion servers of a
/// region @param fidelity world @return the fabric
inline MixnetFabric
MakeFabric(uint32_t servers, uint32_t perRegion, Fidelity fidelity)
{
    MixnetFabricHelper helper;
    helper.SetTopology("ns3::HybridTopology");
    helper.SetTopologyAttribute("OcsNics", UintegerValue(3));
    helper.SetTopologyAttribute("ServersPerRegion", UintegerValue(perRegion));
    helper.SetFidelity(fidelity);
    ServerSpec server;
    server.gpus = 4;
    return helper.Install(ClusterSpec(servers, 4, server));
}

/// A job in a real world, with controllers that light circuits once, between servers of a region
/// that are an even number apart.
class PlacedRun : public JobRun
{
  public:
    /// @param theJob job @param theFabric where
    PlacedRun(const TrainingJob& theJob, MixnetFabric&& theFabric)
        : JobRun(theJob, theFabric.GetGraph(), 0, theFabric.GetTransport()),
          fabric(std::move(theFabric))
    {
        fabric.AssignStreams(1);
        OpticalHelper optical;
        optical.SetPolicy("ns3::NeverReconfigurationPolicy");
        controllers = optical.Install(fabric);
        for (const auto& controller : controllers)
        {
            const std::size_t n = graph->GetRegionServers(controller->GetRegion()).size();
            DemandMatrix demand(n, n);
            for (std::size_t i = 0; i < n; ++i)
            {
                for (std::size_t j = i % 2; j < n; j += 2)
                {
                    demand(i, j) = i != j;
                }
            }
            controller->SetAverageDemand(demand);
            controller->Start();
            engine->SetController(controller);
        }
        engine->SetAttribute("Compute", PointerValue(MakeFixed()));
        Run();
    }

    ~PlacedRun()
    {
        for (const auto& controller : controllers)
        {
            controller->Dispose();
        }
        engine->Dispose();
    }

    /// @param c class @param p path @return bytes of its iteration
    uint64_t Bytes(TrafficClass c, PathClass p) const
    {
        return iterations.at(0).bytes[At(c)][static_cast<std::size_t>(p)].Get();
    }

    MixnetFabric fabric;                              //!< where
    std::vector<Ptr<RegionalController>> controllers; //!< by region
};

} // namespace ns3

#endif // MOE_PLACED_RUN_H
