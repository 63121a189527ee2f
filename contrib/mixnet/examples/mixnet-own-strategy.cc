/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup mixnet
 * For who studies algorithms: a circuit planner and a reconfiguration policy of one's own, written
 * here and chosen by their TypeId names beside the module's. One region exchanges demands that
 * drift; every exchange asks the controller, waits for its light, and is followed by computation.
 *
 *     ./ns3 run "mixnet-own-strategy --planner=ns3::ShareCircuitPlanner[Share=3]"
 *     ./ns3 run "mixnet-own-strategy --policy=ns3::PaperReconfigurationPolicy --delay=5ms"
 */

#include "ns3/circuit-planner.h"
#include "ns3/command-line.h"
#include "ns3/double.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/ns3-compat.h"
#include "ns3/optical-helper.h"
#include "ns3/port-budget.h"
#include "ns3/random-variable-stream.h"
#include "ns3/reconfiguration-policy.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iostream>

using namespace ns3;

namespace
{

/// Pairs in order of their bytes, each taking several circuits at a time.
class ShareCircuitPlanner : public CircuitPlanner
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ShareCircuitPlanner")
                                .SetParent<CircuitPlanner>()
                                .AddConstructor<ShareCircuitPlanner>()
                                .AddAttribute("Share",
                                              "Circuits that a pair takes at a time.",
                                              UintegerValue(2),
                                              MakeUintegerAccessor(&ShareCircuitPlanner::m_share),
                                              MakeUintegerChecker<uint32_t>(1));
        return tid;
    }

  private:
    CircuitPlan DoPlan(const PlanRequest& request) override
    {
        const auto servers = static_cast<uint32_t>(request.demand.Rows());
        std::vector<std::pair<uint64_t, std::pair<uint32_t, uint32_t>>> pairs;
        for (uint32_t a = 0; a < servers; ++a)
        {
            for (uint32_t b = a + 1; b < servers; ++b)
            {
                pairs.push_back({request.demand(a, b) + request.demand(b, a), {a, b}});
            }
        }
        std::sort(pairs.rbegin(), pairs.rend());
        CircuitPlan plan(servers);
        PortBudget ports(request);
        for (bool served = true; served;)
        {
            served = false;
            for (const auto& [bytes, pair] : pairs)
            {
                for (uint32_t n = 0; bytes > 0 && n < m_share; ++n)
                {
                    served |= ports.Take(pair.first, pair.second, plan);
                }
            }
        }
        return plan;
    }

    uint32_t m_share{2}; //!< at a time
};

/// Reconfigures when the circuits there are would take `Factor` times as long as the best ones.
class RatioReconfigurationPolicy : public ReconfigurationPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::RatioReconfigurationPolicy")
                .SetParent<ReconfigurationPolicy>()
                .AddConstructor<RatioReconfigurationPolicy>()
                .AddAttribute("Factor",
                              "How much slower circuits may be than those that a plan would give.",
                              DoubleValue(1.5),
                              MakeDoubleAccessor(&RatioReconfigurationPolicy::m_factor),
                              MakeDoubleChecker<double>(1.0));
        return tid;
    }

    bool Considers(AllToAllPhase /* phase */, AllToAllEvent event) const override
    {
        return event == AllToAllEvent::REQUESTED;
    }

    ReconfigurationDecision Decide(const ReconfigurationContext& c) const override
    {
        if (c.predictedCurrent.GetDouble() > m_factor * c.predictedProposed.GetDouble())
        {
            return {ReconfigurationAction::BEFORE, "the circuits are too slow for this demand"};
        }
        return {ReconfigurationAction::KEEP, "the circuits are good enough"};
    }

  private:
    double m_factor{1.5}; //!< tolerated
};

NS_OBJECT_ENSURE_REGISTERED(ShareCircuitPlanner);
NS_OBJECT_ENSURE_REGISTERED(RatioReconfigurationPolicy);

/// Exchanges of a region, one after the other.
class Exchanges : public TransferSink
{
  public:
    /// @param fabric one region @param helper strategies @param count exchanges
    /// @param compute time after each
    Exchanges(MixnetFabric& fabric, const OpticalHelper& helper, uint32_t count, Time compute)
        : m_fabric(fabric),
          m_controller(helper.Install(fabric.GetControl(), RegionId(0))),
          m_demand(fabric.GetGraph()->GetNServers(), fabric.GetGraph()->GetNServers(), 0),
          m_count(count),
          m_compute(compute)
    {
        m_random->SetStream(1);
        m_controller->Start();
        Simulator::ScheduleNow(&Exchanges::Ask, this);
    }

    ~Exchanges() override
    {
        m_controller->Dispose();
    }

    void OnCompletion(const Completion& completion) override
    {
        m_onCircuits += completion.bytesByPath[static_cast<size_t>(PathClass::CIRCUIT)];
        m_bytes += completion.bytes;
        if (--m_left == 0)
        {
            m_controller->Finish(m_id);
            m_end = Simulator::Now();
            ++m_id.layer;
            if (m_id.layer < m_count)
            {
                Simulator::Schedule(m_compute, &Exchanges::Ask, this);
            }
        }
    }

    /// @param out what came of it
    void Print(std::ostream& out) const
    {
        out << m_id.layer << " exchanges in " << m_end.As(Time::MS) << ", "
            << m_controller->GetNReconfigurations() << " reconfigurations, "
            << 100 * m_onCircuits.Get() / m_bytes.Get() << " % of the bytes over circuits\n";
    }

  private:
    /// A third of the demand is new, the rest as it was; heavy tails.
    void Ask()
    {
        for (uint64_t& bytes : m_demand.Data())
        {
            if (bytes == 0 || m_random->GetValue() < 1.0 / 3)
            {
                const double u = m_random->GetValue();
                bytes = static_cast<uint64_t>(1e6 / (0.01 + u * u));
            }
        }
        m_controller->Request(m_id, m_demand, MakeCallback(&Exchanges::Exchange, this));
    }

    void Exchange()
    {
        std::vector<Transfer> transfers;
        const auto& graph = *m_fabric.GetGraph();
        for (uint32_t a = 0; a < graph.GetNServers(); ++a)
        {
            for (uint32_t b = 0; b < graph.GetNServers(); ++b)
            {
                if (a != b)
                {
                    transfers.push_back({graph.GetGpu(ServerId(a), 0),
                                         graph.GetGpu(ServerId(b), 0),
                                         ByteCount(m_demand(a, b)),
                                         8,
                                         TrafficClass::EP});
                }
            }
        }
        m_left = static_cast<uint32_t>(transfers.size());
        m_fabric.GetTransport()->Send(transfers, *this);
    }

    MixnetFabric& m_fabric;               //!< the region
    Ptr<RegionalController> m_controller; //!< with the strategies
    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()}; //!< of the demand
    DemandMatrix m_demand;                                                      //!< drifts
    uint32_t m_count;                                                           //!< to do
    Time m_compute;                                                             //!< in between
    AllToAllId m_id;                                                            //!< this one
    uint32_t m_left{0};                                                         //!< transfers
    ByteCount m_bytes;                                                          //!< delivered
    ByteCount m_onCircuits;                                                     //!< of these
    Time m_end;                                                                 //!< of the last
};

} // namespace

int
main(int argc, char* argv[])
{
    EnsurePicosecondClock();
    std::string planner = "ns3::ShareCircuitPlanner";
    std::string policy = "ns3::RatioReconfigurationPolicy";
    uint32_t servers = 16;
    uint32_t alpha = 6;
    uint32_t count = 20;
    Time delay = MilliSeconds(1);
    Time compute = MilliSeconds(5);
    CommandLine cmd(__FILE__);
    cmd.AddValue("planner", "class of the circuit planner, [Name=value|...] after it", planner);
    cmd.AddValue("policy", "class of the reconfiguration policy, likewise", policy);
    cmd.AddValue("servers", "servers of the region", servers);
    cmd.AddValue("alpha", "NICs of a server on the optical switch, of 8", alpha);
    cmd.AddValue("exchanges", "exchanges, one after the other", count);
    cmd.AddValue("delay", "switching delay, with its unit", delay);
    cmd.AddValue("compute", "computation after an exchange, with its unit", compute);
    cmd.Parse(argc, argv);
    try
    {
        MixnetFabricHelper helper;
        helper.SetTopology("ns3::HybridTopology");
        helper.SetTopologyAttribute("OcsNics", UintegerValue(alpha));
        helper.SetTopologyAttribute("ServersPerRegion", UintegerValue(servers));
        OpticalHelper optical;
        optical.SetPlanner(planner);
        optical.SetPolicy(policy);
        optical.SetControllerAttribute("SwitchingDelay", TimeValue(delay));
        MixnetFabric fabric = helper.Install(ClusterSpec(servers, 8));
        Exchanges exchanges(fabric, optical, count, compute);
        Simulator::Run();
        std::cout << planner << ", " << policy << ": ";
        exchanges.Print(std::cout);
    }
    catch (const InputError& e)
    {
        std::cerr << "mixnet-own-strategy: " << e.what() << std::endl;
        return 1;
    }
    Simulator::Destroy();
    return 0;
}
