/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How good is a planner? One's own against the module's: the predicted finish time of random
// demands, relative to circuits that are spread evenly. Nothing is simulated; write your DoPlan().
//   ./ns3 run "mixnet/mixnet-own-planner --servers=16 --skew=3 --planners=ns3::RotorCircuitPlanner"

#include "ns3/circuit-planner.h"
#include "ns3/command-line.h"
#include "ns3/mixnet-object-text.h"
#include "ns3/plan-objective.h"
#include "ns3/port-budget.h"

#include <cmath>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
using namespace ns3;

/// A ring of the servers, then whatever ports are left to the pairs with most bytes, one by one.
class RingCircuitPlanner : public CircuitPlanner
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RingCircuitPlanner")
                                .SetParent<CircuitPlanner>()
                                .AddConstructor<RingCircuitPlanner>();
        return tid;
    }

  private:
    CircuitPlan DoPlan(const PlanRequest& request) override
    {
        const auto n = static_cast<uint32_t>(request.demand.Rows());
        CircuitPlan plan(n);
        PortBudget ports(request);
        std::multimap<uint64_t, std::pair<uint32_t, uint32_t>, std::greater<>> pairs;
        for (uint32_t a = 0; a < n; ++a)
        {
            ports.Take(a, (a + 1) % n, plan);
            for (uint32_t b = a + 1; b < n; ++b)
            {
                pairs.insert({request.demand(a, b) + request.demand(b, a), {a, b}});
            }
        }
        for (const auto& [bytes, pair] : pairs)
        {
            ports.Take(pair.first, pair.second, plan);
        }
        return plan;
    }
};

NS_OBJECT_ENSURE_REGISTERED(RingCircuitPlanner);

int
main(int argc, char* argv[])
{
    uint32_t servers = 16, alpha = 6, demands = 200;
    double skew = 2, even = 0;
    std::string planners = "ns3::RingCircuitPlanner ns3::GreedyCircuitPlanner";
    CommandLine cmd(__FILE__);
    cmd.AddValue("servers", "servers of the region, 3 or more", servers);
    cmd.AddValue("alpha", "circuits of a server at 400 Gb/s; 800 Gb/s of EPS beside them", alpha);
    cmd.AddValue("demands", "random demands", demands);
    cmd.AddValue("skew", "1 even, 2 and more: few pairs have most bytes", skew);
    cmd.AddValue("planners", "classes, with attributes if you like, separated by blanks", planners);
    cmd.Parse(argc, argv);
    const RegionRates rates{std::vector<DataRate>(servers, DataRate("400Gbps")),
                            std::vector<DataRate>(servers, DataRate("800Gbps"))};
    const PortTable ports(servers, 1, alpha);
    const CircuitPlan dark(servers);
    std::istringstream names("ns3::UniformCircuitPlanner " + planners);
    for (std::string name; names >> name;)
    {
        auto type =
            ParseObjectText(name, CircuitPlanner::GetTypeId(), "planner", "--planners", "a class");
        const auto planner = type.Create<CircuitPlanner>();
        std::mt19937 random(1);
        double sum = 0;
        for (uint32_t i = 0; i < demands; ++i)
        {
            DemandMatrix demand(servers, servers, 0);
            for (uint64_t& bytes : demand.Data())
            {
                bytes = static_cast<uint64_t>(1e8 * std::pow(random() / 4294967296.0, skew));
            }
            const auto plan = planner->Plan({demand, ports, dark, nullptr, &rates});
            sum += PredictFinishTime(demand, plan, rates).GetSeconds();
        }
        even = even == 0 ? sum : even; // of the first, the uniform one
        std::cout << name << ": " << sum / even << "\n";
    }
}
