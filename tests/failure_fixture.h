/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FAILURE_FIXTURE_H
#define FAILURE_FIXTURE_H

#include "ns3/failure-injector.h"
#include "ns3/failure-text.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/optical-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Transfers on a fabric whose elements fail by a script. The simulator belongs to it.
class FailureNetwork : public TransferSink
{
  public:
    /// @param fidelity world @param helper topology, without world @param cluster servers
    /// @param recovery TypeId name of the loss recovery
    FailureNetwork(Fidelity fidelity,
                   MixnetFabricHelper& helper,
                   const ClusterSpec& cluster,
                   const std::string& recovery = "ns3::GoBackN")
    {
        WorldConfig world;
        world.fidelity = fidelity;
        world.congestionType = "ns3::NoCongestionControl";
        world.recoveryType = recovery;
        helper.SetWorld(world);
        fabric = std::make_unique<MixnetFabric>(helper.Install(cluster));
        fabric->AssignStreams(1);
        graph = fabric->GetGraph();
        injector = CreateObject<FailureInjector>();
        injector->SetFabric(fabric->GetControl(), fabric->GetTransport());
    }

    ~FailureNetwork() override
    {
        for (const auto& controller : controllers)
        {
            controller->Dispose();
        }
        injector->Dispose();
        injector = nullptr;
        graph = nullptr;
        fabric.reset();
        Simulator::Destroy();
    }

    /// @param policy reconfiguration policy: every region gets a controller, started
    void Light(const std::string& policy)
    {
        OpticalHelper optical;
        optical.SetPolicy(policy);
        Light(optical);
    }

    /// @param optical makes controllers for all regions, which are started
    void Light(const OpticalHelper& optical)
    {
        for (const auto& controller : optical.Install(*fabric))
        {
            controller->Start();
            injector->SetController(controller);
            controllers.push_back(controller);
        }
    }

    /// @param script failures, a line each
    void Fail(const std::string& script)
    {
        injector->SetSchedule(ParseFailureScript(script, "script"));
    }

    /// @param at when @param from GPU @param to GPU @param bytes payload @param traffic class
    void Send(Time at, uint32_t from, uint32_t to, uint64_t bytes, TrafficClass traffic)
    {
        Transfer t;
        t.source = GpuId(from);
        t.destination = GpuId(to);
        t.bytes = ByteCount(bytes);
        t.trafficClass = traffic;
        t.tag = sent++;
        ends.emplace_back();
        times.push_back(0);
        Simulator::Schedule(at, &FailureNetwork::Launch, this, t);
    }

    /// Start the failures and run, to the end or a limit. @param limit zero: none; else `dry` says
    /// whether anything was still to come
    void Run(Time limit = Time(0))
    {
        injector->Start();
        if (limit.IsStrictlyPositive())
        {
            Simulator::Schedule(limit, [this] {
                dry = Simulator::IsFinished();
                Simulator::Stop();
            });
        }
        Simulator::Run();
        missed = injector->Finish();
    }

    void OnCompletion(const Completion& c) override
    {
        ends.at(c.tag) = c;
        ++times.at(c.tag);
        ++ended;
    }

    /// @param tag of a transfer @param path class @return payload that took it
    uint64_t GetBytes(std::size_t tag, PathClass path) const
    {
        return ends.at(tag).bytesByPath[static_cast<std::size_t>(path)].Get();
    }

    /// @param index of a record @return it
    const FailureRecord& GetRecord(std::size_t index) const
    {
        return injector->GetLog().GetAll().at(index);
    }

    std::unique_ptr<MixnetFabric> fabric;             //!< where
    Ptr<FabricGraph> graph;                           //!< of it
    Ptr<FailureInjector> injector;                    //!< what breaks
    std::vector<Ptr<RegionalController>> controllers; //!< by region
    std::vector<Completion> ends;                     //!< by tag
    std::vector<uint32_t> times;                      //!< by tag: completions
    std::vector<std::string> missed;                  //!< events that never happened
    bool dry{false};                                  //!< nothing was left at the limit
    uint64_t sent{0};                                 //!< transfers
    uint64_t ended{0};                                //!< of them

  private:
    void Launch(Transfer t)
    {
        fabric->GetTransport()->Send(&t, 1, *this);
    }
};

/// A star of two servers whose NICs are missed after 50 us.
class StarNetwork : public FailureNetwork
{
  public:
    /// @param fidelity world @param nics per server
    StarNetwork(Fidelity fidelity, uint32_t nics)
        : StarNetwork(fidelity, nics, MixnetFabricHelper())
    {
    }

  private:
    StarNetwork(Fidelity fidelity, uint32_t nics, MixnetFabricHelper helper)
        : FailureNetwork(fidelity, Shape(helper), ClusterSpec(2, nics))
    {
        FailureDetection detection;
        detection.At(FailureKind::NIC) = MicroSeconds(50);
        injector->SetDetectionTimes(detection);
    }

    static MixnetFabricHelper& Shape(MixnetFabricHelper& helper)
    {
        helper.SetTopology("ns3::StarTopology");
        return helper;
    }
};

} // namespace ns3

#endif // FAILURE_FIXTURE_H
