/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-fabric.h"

#include "optical-helper.h"
#include "strategy-names.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/ns3-compat.h"
#include "ns3/object-factory.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

void
PrepareSimulator(const Scenario& scenario)
{
    EnsurePicosecondClock();
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(scenario.seed);
    ObjectFactory scheduler;
    scheduler.SetTypeId("ns3::HeapScheduler");
    Simulator::SetScheduler(scheduler);
}

WorldConfig
MakeWorldConfig(const Scenario& scenario, const FabricConfig& fabric)
{
    WorldConfig world;
    world.fidelity = scenario.fidelity;
    world.payload = scenario.transport.payload;
    world.congestionType = scenario.transport.congestionType;
    world.congestion = scenario.transport.congestion;
    world.recoveryType = scenario.transport.recoveryType;
    world.recovery = scenario.transport.recovery;
    world.window = scenario.transport.window;
    world.ecnKmin = scenario.transport.ecnKmin;
    world.ecnKmax = scenario.transport.ecnKmax;
    world.ecnPmax = scenario.transport.ecnPmax;
    world.ackInterval = scenario.transport.ackInterval;
    world.stripePackets = scenario.transport.stripePackets;
    world.loadBalance = scenario.transport.loadBalance;
    world.flowletGap = scenario.transport.flowletGap;
    world.switchBuffer = scenario.cluster.switchBuffer;
    world.switches = scenario.switches;
    if (fabric.type == "mixnet")
    {
        world.lossBudget = fabric.optical.lossBudget;
    }
    return world;
}

MixnetFabricHelper
MakeFabricHelper(const Scenario& scenario, const FabricConfig& fabric)
{
    const ClusterConfig& c = scenario.cluster;
    MixnetFabricHelper helper;
    helper.SetTopology(fabric.type == "fat-tree"         ? "ns3::FatTreeTopology"
                       : fabric.type == "rail-optimized" ? "ns3::RailOptimizedTopology"
                       : fabric.type == "topoopt"        ? "ns3::TopoOptTopology"
                                                         : "ns3::HybridTopology");
    if (fabric.type != "topoopt")
    {
        helper.SetTopologyAttribute("SwitchRadix", UintegerValue(c.switchRadix));
    }
    if (fabric.type == "fat-tree")
    {
        helper.SetTopologyAttribute("Oversubscription", StringValue(fabric.oversubscription));
    }
    if (fabric.type == "topoopt")
    {
        helper.SetTopologyAttribute("PanelPorts", UintegerValue(fabric.panelPorts));
    }
    if (fabric.type == "mixnet")
    {
        helper.SetTopologyAttribute("OcsNics", UintegerValue(fabric.optical.alpha));
        helper.SetTopologyAttribute("ServersPerRegion",
                                    UintegerValue(GetServersPerRegion(scenario, fabric)));
        const SparePlan spares = GetSparePlan(scenario, fabric);
        helper.SetTopologyAttribute("SpareHosts", UintegerValue(spares.GetHostsPerRegion()));
        helper.SetTopologyAttribute("SpareServers", UintegerValue(spares.GetNSpareServers()));
        helper.SetTopologyAttribute("OcsPerRegion",
                                    UintegerValue(fabric.optical.switchesPerRegion));
        for (std::size_t i = 0; i < N_TRAFFIC_CLASSES; ++i)
        {
            const auto c = static_cast<TrafficClass>(i);
            helper.SetRouterAttribute(GetPolicyAttribute(c),
                                      StringValue(GetPolicyType(fabric.routing, c)));
        }
    }
    helper.SetTopologyAttribute("NicRate", DataRateValue(c.nicRate));
    helper.SetTopologyAttribute("LinkDelay", TimeValue(c.linkDelay));
    helper.SetTopologyAttribute("FiberDelay", TimeValue(c.linkDelay));
    helper.SetWorld(MakeWorldConfig(scenario, fabric));
    return helper;
}

Ptr<RegionalController>
MakeController(const FabricConfig& fabric, Ptr<FabricControl> control, RegionId region)
{
    const OpticalConfig& o = fabric.optical;
    const bool whole = fabric.type == "topoopt";
    OpticalHelper helper;
    helper.SetPlanner(GetStrategyType(whole ? "static" : o.planner, "CircuitPlanner"));
    if (!whole)
    {
        if (o.keepUseful)
        {
            helper.SetPlannerAttribute("KeepUseful", BooleanValue(true));
        }
        if (o.planningTime.IsStrictlyPositive())
        {
            helper.SetPlannerAttribute("PlanningTime", TimeValue(o.planningTime));
        }
        helper.SetPredictor(GetStrategyType(o.predictor, "DemandPredictor"));
        helper.SetControllerAttribute("Circuits", StringValue(o.circuits));
    }
    if (!whole && o.planner == "greedy")
    {
        helper.SetPlannerAttribute("Rule", StringValue(o.greedyRule));
    }
    helper.SetPolicy(GetStrategyType(whole ? "never" : fabric.policy, "ReconfigurationPolicy"));
    helper.SetControllerAttribute("SwitchingDelay", TimeValue(o.switchingDelay));
    if (!o.switchingVariable.empty())
    {
        helper.SetControllerAttribute("SwitchingDelayVariable", StringValue(o.switchingVariable));
    }
    helper.SetControllerAttribute("SwitchingDelayTable", StringValue(o.switchingTable));
    helper.SetControllerAttribute("ActivationTime", TimeValue(o.activationTime));
    helper.SetControllerAttribute("ControlLatency", TimeValue(o.controlLatency));
    helper.SetControllerAttribute("DrainPolicy", StringValue(GetDrainType(o.drainPolicy)));
    helper.SetControllerAttribute("HeldTraffic", StringValue(o.heldTraffic));
    helper.SetControllerAttribute("NewTraffic", StringValue(o.newTraffic));
    helper.SetControllerAttribute("DrainTimeout", TimeValue(o.drainTimeout));
    helper.SetControllerAttribute("DarkScope", StringValue(o.darkScope));
    helper.SetControllerAttribute("NicMapping", StringValue(o.nicMapping));
    return helper.Install(control, region);
}

} // namespace ns3
