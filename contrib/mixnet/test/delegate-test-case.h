/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DELEGATE_TEST_CASE_H
#define DELEGATE_TEST_CASE_H

#include "ns3/all-to-all-helper.h"
#include "ns3/collective-runner.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

/// An all-to-all on a hybrid fabric of servers with 8 GPUs and NICs, NICs 0 and 4 on the EPS.
struct DelegateRun
{
    Fidelity fidelity{Fidelity::FLOW};                       //!< world
    uint32_t servers{2};                                     //!< of 8 GPUs
    std::string scaleUp{"3600Gbps"};                         //!< of a GPU
    std::string allToAll;                                    //!< algorithm
    std::string policy;                                      //!< of EP; empty: the default
    std::vector<uint32_t> circuits;                          //!< NICs that join servers 0, 1
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> bytes; //!< by GPU pair
    Time tearAt;                                             //!< take circuits away; 0: never
};

/// Runs all-to-alls in both worlds.
class DelegateTestCase : public TestCase, private CollectiveSink
{
  protected:
    /// @param name what is tested
    explicit DelegateTestCase(const std::string& name)
        : TestCase(name)
    {
    }

    /// @param result a result @param path path class @return its bytes
    static uint64_t On(const CollectiveResult& result, PathClass path)
    {
        return result.bytesByPath[static_cast<std::size_t>(path)].Get();
    }

    /// @param run what to do @return its end
    CollectiveResult Exchange(const DelegateRun& run)
    {
        m_results.clear();
        {
            MixnetFabricHelper helper;
            helper.SetTopology("ns3::HybridTopology");
            helper.SetTopologyAttribute("OcsNics", UintegerValue(6));
            helper.SetTopologyAttribute("ServersPerRegion", UintegerValue(run.servers));
            helper.SetRouterAttribute("EpPolicy", StringValue(run.policy));
            WorldConfig world;
            world.fidelity = run.fidelity;
            world.congestionType = "ns3::NoCongestionControl";
            world.loadBalance = "per-flow";
            helper.SetWorld(world);
            ServerSpec server;
            server.scaleUpRate = DataRate(run.scaleUp);
            MixnetFabric fabric = helper.Install(ClusterSpec(run.servers, 8, server));
            fabric.AssignStreams(1);
            Start(run, fabric);
        }
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(m_results.size(), 1, "ended once");
        return m_results.empty() ? CollectiveResult() : m_results.front();
    }

  private:
    void OnCollective(const CollectiveResult& result) override
    {
        m_results.push_back(result);
    }

    /// @param graph a fabric @param nic of servers 0 and 1 @return the circuit that joins them
    static Circuit MakeCircuit(const FabricGraph& graph, uint32_t nic)
    {
        const EdgeId a = graph.GetEdge(graph.GetVertex(ServerId(0)), nic);
        const EdgeId b = graph.GetEdge(graph.GetVertex(ServerId(1)), nic);
        const VertexId ocs = graph.GetEndB(a);
        return {ocs, graph.GetPortAt(a, ocs), graph.GetPortAt(b, ocs)};
    }

    /// @param run what to do @param fabric on which
    void Start(const DelegateRun& run, const MixnetFabric& fabric)
    {
        std::vector<Circuit> circuits;
        for (const uint32_t nic : run.circuits)
        {
            circuits.push_back(MakeCircuit(*fabric.GetGraph(), nic));
        }
        fabric.GetControl()->Connect(circuits, {});
        std::vector<GpuId> members;
        for (uint32_t g = 0; g < 8 * run.servers; ++g)
        {
            members.emplace_back(g);
        }
        Matrix<uint64_t> bytes(members.size(), members.size());
        for (const auto& [pair, size] : run.bytes)
        {
            bytes(pair.first, pair.second) = size;
        }
        const Ptr<AllToAllAlgorithm> algorithm = MakeAllToAll(run.allToAll, fabric);
        const Ptr<CollectiveRunner> runner = CreateObject<CollectiveRunner>();
        runner->SetTransport(fabric.GetTransport());
        const CollectiveRunner::Run id = runner->Open();
        algorithm->Append(runner->GetGraph(id), {members, 1, TrafficClass::EP, bytes, false});
        runner->Start(id, *this, 0);
        if (run.tearAt > Time())
        {
            Simulator::Schedule(run.tearAt, [&] { fabric.GetControl()->Connect({}, circuits); });
        }
        Simulator::Run();
        runner->Dispose();
        algorithm->Dispose();
    }

    std::vector<CollectiveResult> m_results; //!< of the run at hand
};

#endif // DELEGATE_TEST_CASE_H
