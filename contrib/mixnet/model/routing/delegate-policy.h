/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DELEGATE_POLICY_H
#define DELEGATE_POLICY_H

#include "fabric-routing-policy.h"

#include "ns3/ptr.h"
#include "ns3/router.h"

#include <vector>

namespace ns3
{

/**
 * @param router whom to ask @param graph what is up now
 * @param from a server @param to another one @param trafficClass whose policy
 * @param ways out: every way that the policy of the class offers the GPUs of `from`, all of them
 * alike and with ideal balancing, each once; shares adding up to 1; empty when there is none
 */
void ListServerWays(const Router& router,
                    const FabricGraph& graph,
                    ServerId from,
                    ServerId to,
                    TrafficClass trafficClass,
                    std::vector<LaneRoute>& ways);

/**
 * @ingroup mixnet
 * What delegates send by: of the ways that the policy of the traffic class offers their two
 * servers (ListServerWays), those that leave by a NIC of the source GPU and arrive at one of the
 * destination GPU. IDEAL: all of these, in proportion; PER_FLOW: one by hash.
 *
 * When there is none (any more: a circuit that the two GPUs were chosen for is dark), the policy of
 * the class decides as for any other GPU.
 */
class DelegatePolicy : public FabricRoutingPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param router holds the policies of the classes; must outlive this
    void SetRouter(Ptr<Router> router);

    RouteScope GetScope() const override;
    void Choose(const FabricGraph& graph,
                const RouteQuery& query,
                std::vector<LaneRoute>& routes) const override;

  protected:
    void DoDispose() override;

  private:
    Ptr<Router> m_router; //!< holds the policies of the classes
};

} // namespace ns3

#endif // DELEGATE_POLICY_H
