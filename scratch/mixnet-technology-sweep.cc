/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What do more ports or faster mirrors buy? Pairs exchange 100 MB, circuits turn, and again.
//   ./ns3 run "mixnet/mixnet-technology-sweep --technology=piezo --alpha=6"

#include "ns3/circuit-switcher.h"
#include "ns3/command-line.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/ns3-compat.h"
#include "ns3/optical-technology.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <iostream>
using namespace ns3;

/// Two rounds of messages between servers s and s ^ distance: 1, then 2.
struct Exchange : public TransferSink
{
    Exchange(uint32_t servers, uint32_t nics, Time delay)
        : alpha(nics)
    {
        MixnetFabricHelper helper;
        helper.SetTopology("ns3::HybridTopology");
        helper.SetTopologyAttribute("OcsNics", UintegerValue(alpha));
        helper.SetTopologyAttribute("ServersPerRegion", UintegerValue(servers));
        fabric = std::make_unique<MixnetFabric>(helper.Install(ClusterSpec(servers, 8)));
        device->SetAttribute("SwitchingDelay", TimeValue(delay));
        device->SetFabric(fabric->GetControl(), RegionId(0));
        fabric->GetControl()->Connect(Pair(1), {});
        Send(1);
        Simulator::Run();
        fabric.reset();
        Simulator::Destroy();
    }

    std::vector<Circuit> Pair(uint32_t distance) const
    {
        std::vector<Circuit> circuits;
        const VertexId ocs = fabric->GetGraph()->GetRegionOcs(RegionId(0))[0];
        for (uint32_t n = 0; n < fabric->GetGraph()->GetNPorts(ocs) / 2; ++n)
        {
            const uint32_t port = n + n / alpha / distance * distance * alpha;
            circuits.push_back({ocs, port, port + distance * alpha});
        }
        return circuits;
    }

    void Send(uint32_t distance)
    {
        for (uint32_t s = 0; s < fabric->GetGraph()->GetNServers(); ++s, ++left)
        {
            const GpuId to(8 * (s ^ distance));
            const Transfer t{GpuId(8 * s), to, ByteCount(100000000), 8, TrafficClass::EP};
            fabric->GetTransport()->Send({t}, *this);
        }
    }

    void OnCompletion(const Completion& c) override
    {
        end = c.finished;
        if (--left == 0 && device->GetNReconfigurations() == 0)
        {
            device->Turn(Pair(2), MakeCallback(&Exchange::Send, this).Bind(2U));
        }
    }

    std::unique_ptr<MixnetFabric> fabric;
    Ptr<CircuitSwitcher> device = CreateObject<CircuitSwitcher>();
    uint32_t alpha, left{0};
    Time end;
};

int
main(int argc, char* argv[])
{
    EnsurePicosecondClock();
    CommandLine cmd(__FILE__);
    std::string name("piezo");
    uint32_t alpha(6);
    cmd.AddValue("technology", "kind of optical switch", name);
    cmd.AddValue("alpha", "NICs of a server on the switch, of 8", alpha);
    cmd.Parse(argc, argv);
    const OpticalTechnology t = FindOpticalTechnology(name, "--technology");
    const Time most = t.switchingDelay.value_or(MilliSeconds(25)) * 10;
    for (uint32_t ports = t.ports / 4; t.ports > 0 && ports <= t.ports; ports *= 2)
    {
        const uint32_t servers = ports / std::max(1U, alpha) / 4 * 4; // rounds need fours
        for (Time delay = most / 1000; servers > 0 && delay <= most; delay = delay * 10)
        {
            std::cout << ports << " ports, " << servers << " servers, " << delay.As(Time::US)
                      << ": " << Exchange(servers, alpha, delay).end.As(Time::US) << "\n";
        }
    }
}
