/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A new optical switch by its data sheet: how many servers fit, what light is left, and how large
// messages must be for a turn to pay: it costs the dark time, no turn leaves the packet fabric
// (EPS).
//   ./ns3 run "mixnet/mixnet-new-switch-duty --ports=256 --delays=1:2ms,64:5ms --loss=4"

#include "ns3/circuit-switcher.h"
#include "ns3/command-line.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/ns3-compat.h"
#include "ns3/optical-loss-budget.h"
#include "ns3/optical-technology.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <iostream>
using namespace ns3;

/// Every server sends to the one beside it, after its circuits have turned there, or not.
struct Exchange : public TransferSink
{
    Exchange(uint32_t servers, uint32_t alpha, ByteCount size, std::string table, Time dark)
        : bytes(size)
    {
        MixnetFabricHelper helper;
        helper.SetTopology("ns3::HybridTopology");
        helper.SetTopologyAttribute("OcsNics", UintegerValue(alpha));
        helper.SetTopologyAttribute("ServersPerRegion", UintegerValue(servers));
        fabric = std::make_unique<MixnetFabric>(helper.Install(ClusterSpec(servers, 8)));
        const auto device = CreateObject<CircuitSwitcher>();
        device->SetAttribute("SwitchingDelayTable", StringValue(table));
        device->SetAttribute("ActivationTime", TimeValue(dark));
        device->SetFabric(fabric->GetControl(), RegionId(0));
        std::vector<Circuit> circuits;
        for (uint32_t n = 0; n < servers / 2 * alpha; ++n)
        {
            const uint32_t a = n + n / alpha * alpha;
            circuits.push_back({fabric->GetGraph()->GetRegionOcs(RegionId(0))[0], a, a + alpha});
        }
        table.empty() ? Send() : device->Turn(circuits, MakeCallback(&Exchange::Send, this));
        Simulator::Run();
        fabric.reset();
        Simulator::Destroy();
    }

    void Send()
    {
        for (uint32_t gpu = 0; gpu < fabric->GetGraph()->GetNGpus(); gpu += 8)
        {
            const Transfer t{GpuId(gpu), GpuId(gpu ^ 8), bytes, 8, TrafficClass::EP};
            fabric->GetTransport()->Send({t}, *this);
        }
    }

    void OnCompletion(const Completion& c) override
    {
        end = c.finished;
    }

    std::unique_ptr<MixnetFabric> fabric;
    const ByteCount bytes;
    Time end;
};

int
main(int argc, char* argv[])
{
    EnsurePicosecondClock();
    OpticalTechnology kind{"new", "a data sheet", 64, std::nullopt};
    std::string delays = "1:2ms, 24:4ms";
    uint32_t alpha(6);
    Time settling(MilliSeconds(1));
    OpticalLossBudget budget;
    CommandLine cmd(__FILE__);
    cmd.AddValue("ports", "duplex ports of the switch", kind.ports);
    cmd.AddValue("delays", "switching delay by pairs switched together, N:TIME, ...", delays);
    cmd.AddValue("settling", "time in the dark after switching, with its unit", settling);
    cmd.AddValue("loss", "insertion loss, dB", budget.switchLossDb);
    cmd.AddValue("alpha", "ports of a server, of 8 at 400 Gb/s", alpha);
    cmd.Parse(argc, argv);
    const uint32_t servers = kind.CountServers(alpha) / 2 * 2; // pairs
    std::cout << kind.CountServers(alpha) << " servers fit; margin " << budget.GetMarginDb()
              << " dB\n";
    for (uint64_t mb = 1; servers > 0 && mb <= 10000; mb *= 10)
    {
        const ByteCount bytes(mb * 1000000);
        std::cout << mb << " MB each: turned "
                  << Exchange(servers, alpha, bytes, delays, settling).end.As(Time::MS) << ", EPS "
                  << Exchange(servers, alpha, bytes, "", settling).end.As(Time::MS) << "\n";
    }
}
