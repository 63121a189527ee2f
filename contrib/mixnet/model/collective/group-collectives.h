/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_GROUP_COLLECTIVES_H
#define MIXNET_GROUP_COLLECTIVES_H

#include "transfer-graph.h"

#include "ns3/fabric-graph.h"
#include "ns3/graph-file.h"
#include "ns3/mixnet-ids.h"
#include "ns3/traffic-class.h"

#include <vector>

namespace ns3
{

/// @ingroup mixnet
/// A collective of any GPUs. Sizes are those of nccl-tests (doc/schemas.rst).
struct GroupSpec
{
    std::vector<GpuId> members;                     //!< in the order that counts
    uint8_t kind{GraphFile::ALL_REDUCE};            //!< a collective of GraphFile::Kind
    ByteCount bytes;                                //!< buffer of a member
    uint32_t root{0};                               //!< place of the root
    const uint64_t* cells{nullptr};                 //!< uneven all-to-all: bytes [sender][receiver]
                                                    //!< by place; null: even
    TrafficClass trafficClass{TrafficClass::OTHER}; //!< class of its transfers
};

/**
 * @ingroup mixnet
 * Collectives of groups as transfer graphs.
 *
 * - Inside one server: one local operation with the closed form of collective-cost.h.
 * - All-reduce, all-gather, reduce-scatter over servers with m members each: locally reduce-scatter
 *   first (not for all-gather), then m rings of one member per server that carry bytes / m each,
 *   then locally all-gather (not for reduce-scatter). Servers with unequal numbers of members: one
 *   ring of all members in the order of the group. Rings of all-reduces are those of
 *   AppendRingAllReduce(); the others are one flow of (n - 1)/n of the buffer per edge.
 * - All-to-all: one transfer per pair; inside a server the busiest member's port decides.
 * - Broadcast and reduce: a pipelined chain of servers from or to the root, and closed forms inside
 *   of servers. Gather and scatter: one transfer between the root and each member.
 */
class GroupCollectives
{
  public:
    /// @param graph who is where; must outlive this
    explicit GroupCollectives(const FabricGraph& graph)
        : m_graph(graph)
    {
    }

    /// @param transfers appended to; Seal() is left to the caller @param spec the collective, of
    /// two members or more and one byte or more
    void Append(TransferGraph& transfers, const GroupSpec& spec);

  private:
    using Node = TransferGraph::Node;

    /// Fill m_servers. @param spec the collective
    void Split(const GroupSpec& spec);
    /// @param spec the collective @return it, inside one server
    LocalOperation MakeLocal(const GroupSpec& spec) const;
    /// @param transfers appended to @param spec an all-reduce, all-gather or reduce-scatter
    void AppendHierarchy(TransferGraph& transfers, const GroupSpec& spec) const;
    /// @param transfers appended to @param spec the collective @param members in ring order
    /// @param lanes GPUs of a member @param bytes buffer @param after by member: waits for it;
    /// may be empty @return by member: nodes that it waits for in the end
    static std::vector<std::vector<Node>> AppendRing(TransferGraph& transfers,
                                                     const GroupSpec& spec,
                                                     const std::vector<GpuId>& members,
                                                     uint32_t lanes,
                                                     ByteCount bytes,
                                                     const std::vector<Node>& after);
    /// @param transfers appended to @param spec an all-to-all
    static void AppendPairs(TransferGraph& transfers, const GroupSpec& spec);
    /// @param transfers appended to @param spec a broadcast or reduce
    void AppendChain(TransferGraph& transfers, const GroupSpec& spec) const;
    /// @param transfers appended to @param spec a gather or scatter
    static void AppendStar(TransferGraph& transfers, const GroupSpec& spec);

    const FabricGraph& m_graph;                //!< who is where
    std::vector<std::vector<GpuId>> m_servers; //!< members by server, in the order of the group
};

} // namespace ns3

#endif // MIXNET_GROUP_COLLECTIVES_H
