/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVES_H
#define COLLECTIVES_H

#include "collective-writer.h"

#include "ns3/fabric-graph.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <vector>

/**
 * @file
 * @ingroup mixnet
 * All-gather, reduce-scatter, all-reduce and broadcast as transfer graphs, for any GPUs.
 *
 * `bytes` of a CollectiveSpec is the whole buffer B: what every rank has in the end of an
 * all-gather, at the start of a reduce-scatter, and both times in an all-reduce or a broadcast.
 * Rank r owns part r of n. Every builder appends to the graph, leaves Seal() to the caller, and
 * gives the ends by rank. `after` is, by rank, the node that its first transfers wait for; empty:
 * none.
 *
 * Messages of a rank to the same neighbor, in the same phase, follow one another: the next is sent
 * when the one before has arrived. A chunk thus costs the one-way latency L on top of its bytes;
 * chunks well above rate x L keep that small. The times below are those of an idle network where
 * every member sends and receives at R.
 */

namespace ns3
{

/**
 * Ring: n - 1 steps in which every rank hands to the next what it received in the step before,
 * (n-1) (L + B/(n R)) (Patarasuk and Yuan, JPDC 69(2), 2009).
 *
 * With groups: first around all groups, among the ranks of equal place in each, then around every
 * group; G groups of m: (G-1) (L + B/(n R)) + (m-1) (L + B/(m R)), and (G-1)/n x B enter a rank
 * from other groups instead of (n-1)/n. In a smaller group, ranks stand in for places it has not.
 * Chunks let the two phases overlap.
 *
 * One group of more than `steppedUpTo` members: one flow per edge, what fine chunks approach,
 * without their latency.
 *
 * Law: (n-1) B in all; a rank receives everything but its own part.
 *
 * @param graph appended to @param spec the collective @param after see above @return the ends
 */
CollectiveEnds AppendAllGather(TransferGraph& graph,
                               const CollectiveSpec& spec,
                               const std::vector<TransferGraph::Node>& after = {});

/**
 * The all-gather backwards: part r is summed up on its way around the ring and ends at rank r; with
 * groups, around every group first and then around all groups. Same times, same law.
 *
 * @param graph appended to @param spec the collective @param after see above @return the ends
 */
CollectiveEnds AppendReduceScatter(TransferGraph& graph,
                                   const CollectiveSpec& spec,
                                   const std::vector<TransferGraph::Node>& after = {});

/**
 * Reduce-scatter and all-gather: ring 2(n-1) (L + B/(n R)). With groups: reduce-scatter in every
 * group, ring all-reduces between groups among ranks of equal place, all-gather in every group; for
 * groups of servers' GPUs hierarchical, for groups of optical regions two-level.
 * Law: 2(n-1) B in all.
 *
 * @param graph appended to @param spec the collective @param after see above @return the ends
 */
CollectiveEnds AppendAllReduce(TransferGraph& graph,
                               const CollectiveSpec& spec,
                               const std::vector<TransferGraph::Node>& after = {});

/**
 * Double binary tree: each half of the buffer is summed up to the root of its tree and handed down
 * again; a rank is a leaf in at least one of the trees, so that both together load all ranks
 * (Sanders, Speck and Traeff, Parallel Computing 35(12), 2009; the trees are those of NCCL: in
 * order of ranks, the second mirrored for even n, shifted by one for odd n). The depth of a tree is
 * at most ceil(log2 n): latency grows with the logarithm of n, in return for chunks, without which
 * halves cross the tree level by level. Groups are not looked at.
 * Law: 2(n-1) B in all.
 *
 * @param graph appended to @param spec the collective @param after see above @return the ends
 */
CollectiveEnds AppendTreeAllReduce(TransferGraph& graph,
                                   const CollectiveSpec& spec,
                                   const std::vector<TransferGraph::Node>& after = {});

/// @param tree 0 or 1 @param rank a rank @param members n
/// @return its parent in that tree of AppendTreeAllReduce(); n for the root
uint32_t GetTreeParent(uint32_t tree, uint32_t rank, uint32_t members);

/**
 * Pipelined ring: from the root, rank by rank. k chunks: (k + n - 2) (L + B/(k R)).
 * With two members: a point-to-point message in chunks. Law: (n-1) B in all.
 *
 * @param graph appended to @param spec the collective @param root rank that has the buffer
 * @param after see above @return the ends
 */
CollectiveEnds AppendBroadcast(TransferGraph& graph,
                               const CollectiveSpec& spec,
                               uint32_t root = 0,
                               const std::vector<TransferGraph::Node>& after = {});

/**
 * Binomial tree: in round k the 2^k ranks that have the buffer send it to as many others, one
 * message at a time: ceil(log2 n) (L + B/R) in one piece. Law: (n-1) B in all.
 *
 * @param graph appended to @param spec the collective @param root rank that has the buffer
 * @param after see above @return the ends
 */
CollectiveEnds AppendTreeBroadcast(TransferGraph& graph,
                                   const CollectiveSpec& spec,
                                   uint32_t root = 0,
                                   const std::vector<TransferGraph::Node>& after = {});

/// @param members by rank @param graph where they are
/// @return ranks by server, in order of appearance: CollectiveSpec::groups
std::vector<std::vector<uint32_t>> GroupByServer(const std::vector<GpuId>& members,
                                                 const FabricGraph& graph);

/// @param members by rank, all in optical regions @param graph where they are
/// @return ranks by region, in order of appearance: CollectiveSpec::groups
std::vector<std::vector<uint32_t>> GroupByRegion(const std::vector<GpuId>& members,
                                                 const FabricGraph& graph);

} // namespace ns3

#endif // COLLECTIVES_H
