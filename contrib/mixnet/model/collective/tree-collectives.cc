/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

namespace
{

/// @param tree 0 or 1 @param rank a rank @param n members @return its place in order of that tree
uint32_t
PlaceOf(uint32_t tree, uint32_t rank, uint32_t n)
{
    if (tree == 0)
    {
        return rank;
    }
    return n % 2 == 0 ? n - 1 - rank : (rank + n - 1) % n;
}

/// @param tree 0 or 1 @param place a place @param n members @return the rank there
uint32_t
RankAt(uint32_t tree, uint32_t place, uint32_t n)
{
    if (tree == 0)
    {
        return place;
    }
    return n % 2 == 0 ? n - 1 - place : (place + 1) % n;
}

/// A binary search tree of the places 1 to n - 1, hung below place 0: a place's level is its lowest
/// bit. @param place above 0 @param n members @return place of its parent
uint32_t
ParentOf(uint32_t place, uint32_t n)
{
    const uint32_t bit = place & (~place + 1);
    const uint32_t up = (place - bit) | (bit << 1);
    return up < n ? up : place - bit;
}

/// All edges of a chunk's half. @param w written to @param tree 0 or 1 @param n members
/// @param chunk chunk @param down from the root, else to it
void
SendTree(CollectiveWriter& w, uint32_t tree, uint32_t n, uint32_t chunk, bool down)
{
    uint32_t top = 1;
    while (2 * uint64_t(top) < n)
    {
        top *= 2;
    }
    for (uint32_t bit = down ? top : 1; bit > 0 && bit <= top; bit = down ? bit / 2 : bit * 2)
    {
        for (uint64_t place = bit; place < n; place += 2 * uint64_t(bit))
        {
            const auto p = static_cast<uint32_t>(place);
            const uint32_t child = RankAt(tree, p, n);
            const uint32_t parent = RankAt(tree, ParentOf(p, n), n);
            if (down)
            {
                w.Send(parent, child, {tree}, chunk, 2 + tree * n + child, false);
            }
            else
            {
                w.Send(child, parent, {tree}, chunk, tree, true);
            }
        }
    }
}

} // namespace

uint32_t
GetTreeParent(uint32_t tree, uint32_t rank, uint32_t members)
{
    const uint32_t place = PlaceOf(tree, rank, members);
    return place == 0 ? members : RankAt(tree, ParentOf(place, members), members);
}

CollectiveEnds
AppendTreeAllReduce(TransferGraph& graph,
                    const CollectiveSpec& spec,
                    const std::vector<TransferGraph::Node>& after)
{
    const auto n = static_cast<uint32_t>(spec.members.size());
    CollectiveWriter w(graph, spec, 2, 1, after);
    for (uint32_t chunk = 0; chunk < w.GetNChunks(); ++chunk)
    {
        for (const bool down : {false, true})
        {
            SendTree(w, 0, n, chunk, down);
            SendTree(w, 1, n, chunk, down);
        }
    }
    return w.Finish();
}

CollectiveEnds
AppendBroadcast(TransferGraph& graph,
                const CollectiveSpec& spec,
                uint32_t root,
                const std::vector<TransferGraph::Node>& after)
{
    const auto n = static_cast<uint32_t>(spec.members.size());
    MIXNET_CHECK(root < n, "root " << root << " of " << n);
    CollectiveWriter w(graph, spec, 1, 1, after);
    for (uint32_t chunk = 0; chunk < w.GetNChunks(); ++chunk)
    {
        for (uint32_t step = 0; step + 1 < n; ++step)
        {
            w.Send((root + step) % n, (root + step + 1) % n, {0}, chunk, 0, false);
        }
    }
    return w.Finish();
}

CollectiveEnds
AppendTreeBroadcast(TransferGraph& graph,
                    const CollectiveSpec& spec,
                    uint32_t root,
                    const std::vector<TransferGraph::Node>& after)
{
    const auto n = static_cast<uint32_t>(spec.members.size());
    MIXNET_CHECK(root < n, "root " << root << " of " << n);
    CollectiveWriter w(graph, spec, 1, 1, after);
    for (uint32_t chunk = 0; chunk < w.GetNChunks(); ++chunk)
    {
        for (uint64_t have = 1; have < n; have *= 2)
        {
            for (uint64_t step = 0; step < have && have + step < n; ++step)
            {
                const auto from = static_cast<uint32_t>((root + step) % n);
                const auto to = static_cast<uint32_t>((root + step + have) % n);
                w.Send(from, to, {0}, chunk, 0, false);
            }
        }
    }
    return w.Finish();
}

} // namespace ns3
