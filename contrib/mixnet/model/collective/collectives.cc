/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collectives.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{

using Groups = std::vector<std::vector<uint32_t>>;

/// Channels of the phases, so that chunks in different phases pass each other.
constexpr uint32_t INSIDE = 0;  //!< around a group
constexpr uint32_t BETWEEN = 1; //!< around all groups
constexpr uint32_t BACK = 2;    //!< around a group again, after BETWEEN

/// Ranks in groups, and who stands for whom.
class RingPlan
{
  public:
    /// @param spec the collective
    explicit RingPlan(const CollectiveSpec& spec)
        : m_groups(spec.groups)
    {
        const auto n = static_cast<uint32_t>(spec.members.size());
        if (m_groups.empty())
        {
            m_groups.emplace_back();
            for (uint32_t r = 0; r < n; ++r)
            {
                m_groups[0].push_back(r);
            }
        }
        std::vector<bool> seen(n);
        m_group.resize(n);
        m_place.resize(n);
        for (uint32_t g = 0; g < m_groups.size(); ++g)
        {
            for (uint32_t p = 0; p < m_groups[g].size(); ++p)
            {
                const uint32_t r = m_groups[g][p];
                MIXNET_CHECK(r < n && !seen[r], "rank " << r << " of " << n << " in the groups");
                seen[r] = true;
                m_group[r] = g;
                m_place[r] = p;
            }
        }
        MIXNET_CHECK(std::find(seen.begin(), seen.end(), false) == seen.end(),
                     "a rank is in no group");
        Bundle();
    }

    /// @return largest number of parts in a message
    uint32_t GetLargestBundle() const
    {
        std::size_t most = 1;
        for (std::size_t g = 0; g < m_groups.size(); ++g)
        {
            for (const auto& bundle : m_bundles[g])
            {
                most = m_groups[g].size() > 1 ? std::max(most, bundle.size()) : most;
            }
        }
        return static_cast<uint32_t>(most);
    }

    /// @return true for a single group
    bool IsFlat() const
    {
        return m_groups.size() == 1;
    }

    /// Around every group. @param w written to @param chunk chunk @param channel channel
    /// @param reduces towards the owners' places, else from there
    void Inside(CollectiveWriter& w, uint32_t chunk, uint32_t channel, bool reduces) const
    {
        for (uint32_t step = 0; step + 1 < GetLargestGroup(); ++step)
        {
            for (std::size_t g = 0; g < m_groups.size(); ++g)
            {
                const auto& ranks = m_groups[g];
                const auto m = static_cast<uint32_t>(ranks.size());
                for (uint32_t p = 0; step + 1 < m && p < m; ++p)
                {
                    const uint32_t from = p + step + (reduces ? 1 : 0);
                    w.Send(ranks[from % m],
                           ranks[(from + 1) % m],
                           m_bundles[g][p],
                           chunk,
                           channel,
                           reduces);
                }
            }
        }
    }

    /// Around all groups. @param w written to @param chunk chunk @param reduces as above
    void Between(CollectiveWriter& w, uint32_t chunk, bool reduces) const
    {
        const auto groups = static_cast<uint32_t>(m_groups.size());
        for (uint32_t step = 0; step + 1 < groups; ++step)
        {
            for (uint32_t r = 0; r < m_group.size(); ++r)
            {
                const uint32_t from = m_group[r] + step + (reduces ? 1 : 0);
                w.Send(Deputy(r, from % groups),
                       Deputy(r, (from + 1) % groups),
                       {r},
                       chunk,
                       BETWEEN,
                       reduces);
            }
        }
    }

  private:
    /// @param owner rank @param group a group @return the rank of its place there
    uint32_t Deputy(uint32_t owner, uint32_t group) const
    {
        return m_groups[group][m_place[owner] % m_groups[group].size()];
    }

    /// @return members of the largest group
    uint32_t GetLargestGroup() const
    {
        std::size_t most = 0;
        for (const auto& ranks : m_groups)
        {
            most = std::max(most, ranks.size());
        }
        return static_cast<uint32_t>(most);
    }

    /// Fill m_bundles.
    void Bundle()
    {
        m_bundles.resize(m_groups.size());
        for (std::size_t g = 0; g < m_groups.size(); ++g)
        {
            MIXNET_CHECK(!m_groups[g].empty(), "group " << g << " is empty");
            m_bundles[g].resize(m_groups[g].size());
            for (uint32_t r = 0; r < m_place.size(); ++r)
            {
                m_bundles[g][m_place[r] % m_groups[g].size()].push_back(r);
            }
        }
    }

    Groups m_groups;               //!< ranks
    std::vector<uint32_t> m_group; //!< by rank
    std::vector<uint32_t> m_place; //!< by rank: place in its group
    std::vector<Groups> m_bundles; //!< by group and place: parts whose deputy is there
};

/// One flow per edge. @param phases 1 or 2 times around @param reduces the first is a reduction
CollectiveEnds
AppendFlows(TransferGraph& graph,
            const CollectiveSpec& spec,
            const std::vector<TransferGraph::Node>& after,
            bool reduces,
            bool gathers)
{
    const auto n = static_cast<uint32_t>(spec.members.size());
    CollectiveSpec whole = spec;
    whole.chunk = ByteCount(0);
    CollectiveWriter w(graph, whole, n, 1, after);
    for (uint32_t r = 0; r < n; ++r)
    {
        const uint32_t next = (r + 1) % n;
        ByteCount bytes;
        if (reduces) // part r starts behind rank r
        {
            bytes += spec.bytes - w.GetBytes(r);
        }
        if (gathers) // the next rank's part ends before it
        {
            bytes += spec.bytes - w.GetBytes(next);
        }
        w.SendFlow(r, next, bytes);
    }
    return w.Finish();
}

/// @param reduces reduce-scatter @param gathers all-gather, after it
CollectiveEnds
AppendRing(TransferGraph& graph,
           const CollectiveSpec& spec,
           const std::vector<TransferGraph::Node>& after,
           bool reduces,
           bool gathers)
{
    const RingPlan plan(spec);
    const auto n = static_cast<uint32_t>(spec.members.size());
    if (plan.IsFlat() && n > spec.steppedUpTo && n > 1)
    {
        return AppendFlows(graph, spec, after, reduces, gathers);
    }
    CollectiveWriter w(graph, spec, n, plan.GetLargestBundle(), after);
    for (uint32_t chunk = 0; chunk < w.GetNChunks(); ++chunk)
    {
        if (reduces)
        {
            plan.Inside(w, chunk, INSIDE, true);
            plan.Between(w, chunk, true);
        }
        if (gathers)
        {
            plan.Between(w, chunk, false);
            plan.Inside(w, chunk, plan.IsFlat() ? INSIDE : BACK, false);
        }
    }
    return w.Finish();
}

/// @param members by rank @param find group of a GPU @return ranks by group
template <typename F>
Groups
GroupBy(const std::vector<GpuId>& members, F find)
{
    Groups groups;
    std::map<uint32_t, std::size_t> index;
    for (uint32_t r = 0; r < members.size(); ++r)
    {
        const auto [it, isNew] = index.try_emplace(find(members[r]), groups.size());
        if (isNew)
        {
            groups.emplace_back();
        }
        groups[it->second].push_back(r);
    }
    return groups;
}

} // namespace

CollectiveEnds
AppendAllGather(TransferGraph& graph,
                const CollectiveSpec& spec,
                const std::vector<TransferGraph::Node>& after)
{
    return AppendRing(graph, spec, after, false, true);
}

CollectiveEnds
AppendReduceScatter(TransferGraph& graph,
                    const CollectiveSpec& spec,
                    const std::vector<TransferGraph::Node>& after)
{
    return AppendRing(graph, spec, after, true, false);
}

CollectiveEnds
AppendAllReduce(TransferGraph& graph,
                const CollectiveSpec& spec,
                const std::vector<TransferGraph::Node>& after)
{
    return AppendRing(graph, spec, after, true, true);
}

Groups
GroupByServer(const std::vector<GpuId>& members, const FabricGraph& graph)
{
    return GroupBy(members, [&graph](GpuId gpu) { return graph.GetServerOf(gpu).Get(); });
}

Groups
GroupByRegion(const std::vector<GpuId>& members, const FabricGraph& graph)
{
    return GroupBy(members,
                   [&graph](GpuId gpu) { return graph.GetRegion(graph.GetServerOf(gpu)).Get(); });
}

} // namespace ns3
