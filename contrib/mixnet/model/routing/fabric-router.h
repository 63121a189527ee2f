/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_ROUTER_H
#define FABRIC_ROUTER_H

#include "ecmp-tables.h"
#include "fabric-routing-policy.h"
#include "fluid-route-builder.h"

#include "ns3/fabric-graph.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"
#include "ns3/router.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * The Router of both worlds: one RoutingPolicy per traffic class, the equal-cost ways of the packet
 * fabric, and the hash seed of every switch. It hears of changes of the graph first (phase
 * ROUTING).
 *
 * Use: attributes, SetGraph(); SetPolicy() for policies of one's own. A class whose attribute is
 * empty gets, by what the graph has:
 *
 * | graph | EP, other | TP | CP, DP, PP |
 * |---|---|---|---|
 * | packet NICs and circuits (hybrid) | ns3::DirectOrEpsPolicy | ns3::SplitPolicy |
 * ns3::EpsOnlyPolicy | | no packet NIC (TopoOpt) | ns3::MultiHopPolicy | the same | the same | | no
 * circuit | ns3::EpsOnlyPolicy | the same | the same |
 *
 * A way over a simplex circuit counts only if the policy has some way for the opposite direction as
 * well, by which answers come back; in the fluid world, too, which has no answers.
 *
 * What a FluidRoute counts: bytes that leave by a NIC of another GPU pass the source's scale-up
 * egress and that GPU's ingress, and likewise at the destination; servers in the middle forward
 * from NIC to NIC, past their GPUs. A byte that crosses two circuits counts once in pathShare.
 */
class FabricRouter : public Router
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    FabricRouter();
    ~FabricRouter() override;

    /// @param trafficClass class @return type of its policy where there are packet NICs and
    /// circuits, unless its attribute says otherwise
    static const char* GetHybridPolicyName(TrafficClass trafficClass);

    /// @param graph a complete graph; once
    void SetGraph(Ptr<FabricGraph> graph);

    /// @param trafficClass a class @param policy its policy; after SetGraph
    void SetPolicy(TrafficClass trafficClass, Ptr<RoutingPolicy> policy);
    /// @param trafficClass a class @return its policy
    Ptr<RoutingPolicy> GetPolicy(TrafficClass trafficClass) const;

    /**
     * The hash seeds of the switches are drawn from this stream, one after the other, when first
     * needed.
     *
     * @param stream first stream @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    /// @param v a switch @return what it mixes into its ECMP hash
    uint64_t GetHashSeed(VertexId v) const;

    /// @return ways through the packet fabric
    const EcmpTables& GetTables() const;

    /// Told, in phase ROUTING, which switches changed their routes; see ForwardingInstaller.
    using RoutesChangedCallback = Callback<void, const std::vector<VertexId>&>;
    /// @param callback whom to tell; null ends it
    void SetRoutesChangedCallback(const RoutesChangedCallback& callback);

    void ResolveLane(const RouteQuery& query,
                     const RoutingPolicy* policy,
                     std::vector<LaneRoute>& routes) const override;
    void ResolveTransfer(const Transfer& transfer,
                         LoadBalance balance,
                         TransferId id,
                         FluidRoute& route) const override;
    void ResolveWay(const RouteQuery& lane, const LaneRoute& way, FluidRoute& route) const override;
    uint64_t GetVersion(const Transfer& transfer) const override;
    bool UsesCircuits(const Transfer& transfer) const override;

  protected:
    void DoDispose() override;

  private:
    /// @param change what happened to the graph
    void OnChange(const GraphChange& change);
    /// Look which servers have no packet NIC that is up: their ways depend on circuits.
    void CountStranded();
    /// Stop listening to the graph.
    void Detach();
    /// @param trafficClass a class @return TypeId name of its policy: the attribute, or by the
    /// graph
    std::string GetPolicyName(TrafficClass trafficClass) const;
    /// @param override null, or the policy to take @param trafficClass a class @return the policy
    const RoutingPolicy& Select(const RoutingPolicy* override, TrafficClass trafficClass) const;
    /// @param transfer a transfer @return what its ways depend on
    RouteScope GetScope(const Transfer& transfer) const;
    /// @param policy a policy @param query a lane between servers @param routes out: its ways that
    /// answers have a way back from
    void Choose(const RoutingPolicy& policy,
                const RouteQuery& query,
                std::vector<LaneRoute>& routes) const;
    /// Draw the seeds unless they are.
    void EnsureSeeds() const;

    Ptr<FabricGraph> m_graph;                                     //!< the graph
    std::shared_ptr<EcmpTables> m_tables;                         //!< packet fabric
    std::unique_ptr<FluidRouteBuilder> m_builder;                 //!< scratch of ResolveTransfer
    std::string m_tpPolicy;                                       //!< attribute
    std::string m_epPolicy;                                       //!< attribute
    std::string m_dpPolicy;                                       //!< attribute
    std::string m_ppPolicy;                                       //!< attribute
    std::string m_otherPolicy;                                    //!< attribute
    std::string m_cpPolicy;                                       //!< attribute
    std::array<Ptr<RoutingPolicy>, N_TRAFFIC_CLASSES> m_policies; //!< by class
    uint32_t m_stranded{0};                                       //!< servers without packet NIC
    uint64_t m_strandings{0};                                     //!< changes of m_stranded
    uint64_t m_policyVersion{0};                                  //!< changes of m_policies
    Ptr<UniformRandomVariable> m_random;                          //!< of the seeds
    mutable std::vector<uint64_t> m_seeds;                        //!< by dense index of the switch
    mutable std::vector<LaneRoute> m_routes;                      //!< scratch of ResolveTransfer
    mutable std::vector<LaneRoute> m_answers;                     //!< scratch of Choose
    RoutesChangedCallback m_routesChanged;                        //!< whom to tell
};

} // namespace ns3

#endif // FABRIC_ROUTER_H
