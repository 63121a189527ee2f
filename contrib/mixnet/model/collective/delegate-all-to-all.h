/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DELEGATE_ALL_TO_ALL_H
#define DELEGATE_ALL_TO_ALL_H

#include "all-to-all.h"
#include "delegate-plan.h"

#include "ns3/delegate-policy.h"
#include "ns3/mixnet-byte-count.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * All-to-all by delegates (MixNet paper, section 5.3). Between two servers, bytes
 *
 * 1. find their delegates: the GPUs whose NICs the ways begin and end at that the routing policy of
 *    the class offers the two servers now: with the default policy the circuits that join them,
 *    else NICs of the packet fabric; all ways get their share, equal ones evenly;
 * 2. are gathered at the delegate, over the scale-up domain, unless they lie there already
 *    (ShareOutToDelegates keeps as many of them as it can);
 * 3. cross, all pairs of servers at once, over circuits and the packet fabric together;
 * 4. meanwhile, what stays in a server is exchanged there, once its gathering is over;
 * 5. are scattered to their GPUs, unless they have arrived.
 *
 * A crossing is cut into chunks of ChunkSize, each with its share of every GPU pair's bytes: one is
 * gathered while others cross and another is scattered. The gathering of a GPU's chunks follows one
 * another, at most ChunksUnderWay of a crossing are on the network at once, and a chunk is
 * scattered when it has arrived. With n bytes, chunks of C, idle networks, scale-up rate S above
 * network rate R and the latency L of a crossing hidden by the chunk beside it:
 *
 *     C/S + n/R + L + C/S, instead of n/S + n/R + L + n/S in one piece.
 *
 * Delegates are chosen when the all-to-all starts. A crossing whose circuit is dark when it is
 * sent, or turns dark under way, follows the policy of its class from its delegate
 * (DelegatePolicy).
 *
 * Law: every byte between two servers crosses once, after at most one move and before at most one;
 * what is delivered is the demand.
 */
class DelegateAllToAll : public AllToAllAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    void SetFabric(Ptr<FabricGraph> graph, Ptr<Router> router) override;
    void Append(TransferGraph& transfers, const AllToAllDemand& demand) override;

  protected:
    void DoDispose() override;

  private:
    using Node = TransferGraph::Node;

    /// What is under construction.
    struct Build
    {
        TransferGraph& transfers;   //!< appended to
        TrafficClass trafficClass;  //!< of its transfers
        std::vector<Node> gathered; //!< of the server at hand: last moves to delegates
    };

    /// @param b under construction @param from a server @param to another one @param pairs bytes
    void AppendServerPair(Build& b,
                          ServerId from,
                          ServerId to,
                          const std::vector<GpuPairBytes>& pairs);
    /// @param from a server @param to another one; m_crossings is the answer, without bytes
    void ListCrossings(ServerId from, ServerId to, TrafficClass trafficClass);
    /// @param b under construction @param crossing all its chunks
    void AppendCrossing(Build& b, const DelegateCrossing& crossing);
    /// @param b under construction @param crossing one of its chunks @param bytes of it by GPU
    /// @param last in and out: last move of each GPU to the delegate @return the moves of the chunk
    static std::vector<Node> AppendGathers(Build& b,
                                           const DelegateCrossing& crossing,
                                           const std::map<GpuId, uint64_t>& bytes,
                                           std::map<GpuId, Node>& last);
    /// @param b under construction @param pairs bytes that stay in their server, after b.gathered
    static void AppendLocal(Build& b, const std::vector<GpuPairBytes>& pairs);
    /// @param b under construction @param bytes what @param policy of its own, or null @return node
    static Node Add(Build& b, const GpuPairBytes& bytes, const RoutingPolicy* policy);

    ByteCount m_chunk;                         //!< attribute
    uint32_t m_underWay{2};                    //!< attribute
    Ptr<DelegatePolicy> m_policy;              //!< of crossings
    std::vector<LaneRoute> m_ways;             //!< scratch
    std::vector<DelegateCrossing> m_crossings; //!< scratch
};

} // namespace ns3

#endif // DELEGATE_ALL_TO_ALL_H
