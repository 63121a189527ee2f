/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPTICAL_TEST_CASE_H
#define OPTICAL_TEST_CASE_H

#include "ns3/fabric-control.h"
#include "ns3/regional-controller.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// A world without traffic: says "drained" after a set time, or never.
class FakeControl : public FabricControl
{
  public:
    Time drain;           //!< time to drain; negative: never
    uint32_t quiesces{0}; //!< calls
    uint32_t resumes{0};  //!< calls

  private:
    void DoQuiesce(Token token, const std::vector<ChannelId>& /* channels */) override
    {
        ++quiesces;
        if (!drain.IsStrictlyNegative())
        {
            Simulator::Schedule(drain, &FakeControl::Drained, this, token);
        }
    }

    void DoResume(Token /* token */, const std::vector<ChannelId>& /* channels */) override
    {
        ++resumes;
    }
};

/// A region of servers with alpha fibers each, its controller, and what it tells.
class OpticalCase : public TestCase
{
  public:
    explicit OpticalCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    void Build(uint32_t servers, uint32_t alpha)
    {
        graph = CreateObject<FabricGraph>();
        std::vector<ServerId> members;
        for (uint32_t s = 0; s < servers; ++s)
        {
            members.push_back(graph->AddServer(ServerSpec()));
        }
        const VertexId eps = graph->AddSwitch(1, "eps");
        ocs = graph->AddOcs(std::max(1U, servers * alpha), "ocs");
        EdgeSpec fiber;
        fiber.kind = EdgeKind::FIBER;
        for (const ServerId s : members)
        {
            graph->AddEdge(graph->GetVertex(s), eps, EdgeSpec());
            for (uint32_t n = 0; n < alpha; ++n)
            {
                graph->AddEdge(graph->GetVertex(s), ocs, fiber);
            }
        }
        region = graph->AddRegion(members, {ocs});
        control = CreateObject<FakeControl>();
        control->SetGraph(graph);
        controller = CreateObject<RegionalController>();
        controller->SetFabric(control, region);
        controller->TraceConnectWithoutContext("Reconfiguration",
                                               MakeCallback(&OpticalCase::OnReconfiguration, this));
        controller->TraceConnectWithoutContext("Decision",
                                               MakeCallback(&OpticalCase::OnDecision, this));
    }

    void OnReconfiguration(const CircuitReconfiguration& r)
    {
        reconfigurations.push_back(r);
    }

    void OnDecision(const CircuitDecision& d)
    {
        decisions.push_back(d);
    }

    void Started(std::string name)
    {
        started[name] = Simulator::Now();
    }

    /// @param name key of `started` @param id all-to-all @param demand demand
    void Request(std::string name, AllToAllId id, DemandMatrix demand)
    {
        controller->Request(id, demand, MakeCallback(&OpticalCase::Started, this).Bind(name));
    }

    /// @param pairs pairs that talk, all alike @return demand of a region of four or eight servers
    DemandMatrix Pairs(const std::vector<std::pair<uint32_t, uint32_t>>& pairs) const
    {
        const auto servers = graph->GetNServers();
        DemandMatrix demand(servers, servers, 0);
        for (const auto& [a, b] : pairs)
        {
            demand(a, b) = 1000000;
        }
        return demand;
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
        controller->Dispose();
        control->Dispose();
    }

    Ptr<FabricGraph> graph;                               //!< the network
    VertexId ocs;                                         //!< its OCS
    RegionId region;                                      //!< its region
    Ptr<FakeControl> control;                             //!< the door
    Ptr<RegionalController> controller;                   //!< under test
    std::vector<CircuitReconfiguration> reconfigurations; //!< told
    std::vector<CircuitDecision> decisions;               //!< told
    std::map<std::string, Time> started;                  //!< when all-to-alls started
};

} // namespace ns3

#endif // OPTICAL_TEST_CASE_H
