/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_BUILDERS_H
#define COLLECTIVE_BUILDERS_H

#include "collective-writer.h"
#include "transfer-graph.h"

#include "ns3/mixnet-ids.h"
#include "ns3/mixnet-matrix.h"
#include "ns3/traffic-class.h"

#include <functional>
#include <vector>

/**
 * @file
 * @ingroup mixnet
 * Collectives as transfer graphs. A member is a block of `lanes` consecutive GPUs of one server,
 * named by its first; lane l of a transfer joins GPU l of both blocks, and `bytes` counts all
 * lanes together. Every builder appends to the graph and leaves Seal() to the caller.
 */

namespace ns3
{

/**
 * Direct all-to-all: one transfer per ordered pair of members that has bytes, row by row.
 * Law: the transfers add up to the off-diagonal sum of the matrix.
 *
 * @param graph appended to
 * @param members the members
 * @param lanes GPUs of a member
 * @param trafficClass class of the transfers
 * @param bytes from row to column; the diagonal stays where it is
 * @param transposed send bytes(column, row) instead: what came in goes back
 */
void AppendAllToAll(TransferGraph& graph,
                    const std::vector<GpuId>& members,
                    uint32_t lanes,
                    TrafficClass trafficClass,
                    const Matrix<uint64_t>& bytes,
                    bool transposed);

/// One ring, or `lanes` parallel ones.
struct RingSpec
{
    std::vector<GpuId> members;                  //!< in ring order
    uint32_t lanes{1};                           //!< GPUs of a member
    ByteCount bytes;                             //!< buffer of a member, all lanes together
    TrafficClass trafficClass{TrafficClass::DP}; //!< class of the transfers
    uint32_t steppedUpTo{4};                     //!< members up to which steps are explicit
};

/**
 * Ring all-reduce of n members: reduce-scatter, then all-gather (Patarasuk and Yuan, 2009).
 *
 * Up to `steppedUpTo` members every step is a transfer: 2(n-1) steps of bytes/n per edge, step k
 * of member i after step k-1 of member i-1. Above, each edge is one flow of 2(n-1)/n x bytes and
 * all edges run at once: what a finely chunked, pipelined ring approaches, with n instead of
 * 2n(n-1) transfers. On equal, steady edges both end at the same time but for what the steps pay
 * per message, 2(n-1) - 1 times the one-way latency (16 members at 6 us: 174 us, of the 46 ms that
 * 2.5 GB take at 800 Gb/s); on unequal edges the flow form ends with the slowest edge, whereas
 * steps also wait for it at every turn.
 * Law: the transfers of either form add up to 2(n-1) x bytes.
 *
 * @param graph appended to
 * @param spec the ring
 * @param after by member: node that its first transfer waits for; empty: none
 * @return by member: the nodes after which it holds the result
 */
std::vector<std::vector<TransferGraph::Node>> AppendRingAllReduce(
    TransferGraph& graph,
    const RingSpec& spec,
    const std::vector<TransferGraph::Node>& after = {});

/// Which halves of an all-reduce.
enum class ReduceStep : uint8_t
{
    ALL_REDUCE,     //!< both
    REDUCE_SCATTER, //!< the first: every member ends with its part of the sum
    ALL_GATHER      //!< the second: every member starts with its part
};

/// All-reduce, or a half of it, over servers with several members each (paper, section 5.3).
struct HierarchicalSpec
{
    ReduceStep step{ReduceStep::ALL_REDUCE}; //!< what is done
    RingSpec ring;            //!< between servers: one member (gateway block) per server
    uint32_t localMembers{1}; //!< members that each server reduces first and tells last
    ByteCount localBytes;     //!< buffer of one local member per GPU (its share of the lanes)
    uint32_t localLanes{1};   //!< GPUs of one local member
    DataRate scaleUpRate;     //!< per GPU and direction
    /// The same between servers, by what each waits for; empty: AppendRingAllReduce(ring) or its
    /// half.
    std::function<CollectiveEnds(TransferGraph&, const std::vector<TransferGraph::Node>&)> between;
};

/**
 * Reduce inside every server (closed form, as reduce-scatter over the local members), an all-reduce
 * between the servers, and back (closed form, as all-gather). One server: only the closed forms.
 * A reduce-scatter is the first part of it with a reduce-scatter between the servers, an all-gather
 * the second one with an all-gather between them.
 *
 * @param graph appended to
 * @param spec the collective
 */
void AppendHierarchical(TransferGraph& graph, const HierarchicalSpec& spec);

/**
 * @param graph appended to
 * @param from sending member @param to receiving member @param lanes GPUs of a member
 * @param trafficClass class @param bytes all lanes together
 * @return the node
 */
TransferGraph::Node AppendPointToPoint(TransferGraph& graph,
                                       GpuId from,
                                       GpuId to,
                                       uint32_t lanes,
                                       TrafficClass trafficClass,
                                       ByteCount bytes);

} // namespace ns3

#endif // COLLECTIVE_BUILDERS_H
