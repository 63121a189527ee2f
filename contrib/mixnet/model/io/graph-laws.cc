/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "graph-file.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace ns3
{

GraphGroups::GraphGroups(const GraphFile& graph)
    : m_graph(graph),
      m_number(graph.GetNTasks(), 0)
{
    for (uint32_t s = 0; s + 1 < graph.firstGroup.size(); ++s)
    {
        for (uint64_t g = graph.firstGroup[s]; g < graph.firstGroup[s + 1]; ++g)
        {
            for (uint64_t m = graph.firstMember[g]; m < graph.firstMember[g + 1]; ++m)
            {
                const auto place = static_cast<uint32_t>(m - graph.firstMember[g]);
                m_places.emplace_back(Key(s, graph.members[m]),
                                      Place{static_cast<uint32_t>(g), place});
            }
        }
    }
    std::sort(m_places.begin(), m_places.end(), [](const auto& a, const auto& b) {
        return std::make_pair(a.first, a.second.group) < std::make_pair(b.first, b.second.group);
    });
    for (std::size_t i = 1; i < m_places.size(); ++i)
    {
        if (m_places[i].first == m_places[i - 1].first)
        {
            throw InputError(graph.path + ": /graph/groups",
                             "rank " + std::to_string(uint32_t(m_places[i].first)) +
                                 " is twice in the groups of set '" +
                                 graph.sets[m_places[i].first >> 32] + "'",
                             "groups without a rank in common");
        }
    }
    using Message = std::tuple<uint8_t, uint32_t, int32_t, uint64_t>;
    for (uint32_t p = 0; p < graph.GetNPrograms(); ++p)
    {
        std::map<Message, uint32_t> messages;
        for (uint64_t t = graph.firstTask[p]; t < graph.firstTask[p + 1]; ++t)
        {
            if (graph.IsCollective(t))
            {
                auto& list = m_collectives[Key(p, graph.set[t])];
                m_number[t] = static_cast<uint32_t>(list.size());
                list.push_back(static_cast<uint32_t>(t));
            }
            else if (graph.kind[t] != GraphFile::COMPUTE)
            {
                m_number[t] =
                    messages[{graph.kind[t], graph.set[t], graph.peer[t], graph.tag[t]}]++;
            }
        }
    }
}

GraphGroups::Place
GraphGroups::Find(uint32_t set, uint32_t rank) const
{
    const uint64_t key = Key(set, rank);
    const auto it =
        std::lower_bound(m_places.begin(), m_places.end(), key, [](const auto& p, uint64_t k) {
            return p.first < k;
        });
    return it == m_places.end() || it->first != key ? Place() : it->second;
}

std::pair<const uint32_t*, const uint32_t*>
GraphGroups::GetMembers(uint32_t group) const
{
    const uint32_t* members = m_graph.members.data();
    return {members + m_graph.firstMember[group], members + m_graph.firstMember[group + 1]};
}

uint32_t
GraphGroups::GetPeer(uint32_t rank, std::size_t task) const
{
    const int64_t peer = m_graph.peer[task];
    if (m_graph.set[task] == GraphFile::NONE)
    {
        const bool known = peer >= 0 && peer < int64_t(m_graph.GetNRanks()) && peer != rank;
        return known ? static_cast<uint32_t>(peer) : GraphFile::NONE;
    }
    const Place at = Find(m_graph.set[task], rank);
    if (at.group == GraphFile::NONE || peer == 0)
    {
        return GraphFile::NONE;
    }
    const auto [begin, end] = GetMembers(at.group);
    const int64_t to = int64_t(at.place) + peer;
    return to >= 0 && to < end - begin ? begin[to] : GraphFile::NONE;
}

const std::vector<uint32_t>&
GraphGroups::GetCollectives(uint32_t program, uint32_t set) const
{
    const auto it = m_collectives.find(Key(program, set));
    return it == m_collectives.end() ? m_none : it->second;
}

namespace
{

/// @param graph graph @param task task @return "file: task 3 of program 1 (all-reduce ...)"
std::string
Where(const GraphFile& graph, std::size_t task)
{
    const auto after = std::upper_bound(graph.firstTask.begin(), graph.firstTask.end(), task);
    const auto program = after - graph.firstTask.begin() - 1;
    return graph.path + ": /graph: task " +
           std::to_string(task - graph.firstTask[static_cast<std::size_t>(program)]) +
           " of program " + std::to_string(program) + ", " + graph.Describe(task);
}

/// Dependencies have no circles. @param graph graph
void
CheckCircles(const GraphFile& graph)
{
    for (uint32_t p = 0; p < graph.GetNPrograms(); ++p)
    {
        const uint64_t first = graph.firstTask[p];
        const auto n = static_cast<std::size_t>(graph.firstTask[p + 1] - first);
        std::vector<uint32_t> next(n, 0); // dependencies looked at
        std::vector<uint8_t> state(n, 0); // 1 on the stack, 2 done
        std::vector<uint32_t> stack;
        for (uint32_t root = 0; root < n; ++root)
        {
            if (state[root] == 0)
            {
                stack.push_back(root);
                state[root] = 1;
            }
            while (!stack.empty())
            {
                const uint32_t t = stack.back();
                const uint64_t at = graph.firstOn[first + t] + next[t];
                if (at == graph.firstOn[first + t + 1])
                {
                    state[t] = 2;
                    stack.pop_back();
                    continue;
                }
                ++next[t];
                const uint32_t on = graph.on[at];
                if (state[on] == 1)
                {
                    throw InputError(Where(graph, first + t),
                                     "waits for itself, by way of task " + std::to_string(on),
                                     "dependencies without circles");
                }
                if (state[on] == 0)
                {
                    state[on] = 1;
                    stack.push_back(on);
                }
            }
        }
    }
}

/// @param graph graph @param task a collective @return what all members must agree on
std::tuple<uint8_t, uint64_t, int32_t, uint32_t>
MakeOperation(const GraphFile& graph, std::size_t task)
{
    return {graph.kind[task], graph.bytes[task], graph.peer[task], graph.GetMatrix(task)};
}

/// An uneven all-to-all has a cell per pair, and the bytes of its largest row. @param graph graph
/// @param task the all-to-all @param n members of its group
void
CheckMatrix(const GraphFile& graph, std::size_t task, uint64_t n)
{
    const uint32_t index = graph.matrix[task];
    const uint64_t size = graph.firstCell[index + 1] - graph.firstCell[index];
    if (size != n * n)
    {
        throw InputError(Where(graph, task),
                         "has a matrix of " + std::to_string(size) + " cells in a group of " +
                             std::to_string(n),
                         std::to_string(n * n) + " cells");
    }
    uint64_t largest = 0;
    for (uint64_t row = 0; row < n; ++row)
    {
        const uint64_t* cells = graph.GetCells(index) + row * n;
        largest = std::max(largest, std::accumulate(cells, cells + n, uint64_t(0)));
    }
    if (largest != graph.bytes[task])
    {
        throw InputError(Where(graph, task),
                         "has " + std::to_string(graph.bytes[task]) +
                             " B, the largest row of its "
                             "matrix " +
                             std::to_string(largest),
                         "equal numbers");
    }
}

/// Members of a group do the same. @param graph graph @param groups groups
void
CheckCollectives(const GraphFile& graph, const GraphGroups& groups)
{
    for (uint32_t r = 0; r < graph.GetNRanks(); ++r)
    {
        const uint32_t p = graph.rankProgram[r];
        for (uint32_t s = 0; s + 1 < graph.firstGroup.size(); ++s)
        {
            const auto& mine = groups.GetCollectives(p, s);
            const GraphGroups::Place at = groups.Find(s, r);
            if (at.group == GraphFile::NONE)
            {
                if (!mine.empty())
                {
                    throw InputError(Where(graph, mine[0]),
                                     "rank " + std::to_string(r) + " is in no group of the set");
                }
                continue;
            }
            const auto [begin, end] = groups.GetMembers(at.group);
            const auto& theirs = groups.GetCollectives(graph.rankProgram[*begin], s);
            for (std::size_t k = 0; k < std::max(mine.size(), theirs.size()); ++k)
            {
                if (k >= mine.size() || k >= theirs.size() ||
                    (&mine != &theirs &&
                     MakeOperation(graph, mine[k]) != MakeOperation(graph, theirs[k])))
                {
                    throw InputError(Where(graph, k < mine.size() ? mine[k] : theirs[k]),
                                     "is number " + std::to_string(k) + " of its set at rank " +
                                         std::to_string(k < mine.size() ? r : *begin) + ", rank " +
                                         std::to_string(k < mine.size() ? *begin : r) +
                                         " of its group has another one or none",
                                     "equal numbers, kinds, bytes, roots and matrices");
                }
            }
            for (const uint32_t t : mine)
            {
                if (r == *begin && graph.GetMatrix(t) != GraphFile::NONE)
                {
                    CheckMatrix(graph, t, static_cast<uint64_t>(end - begin));
                }
                if (graph.peer[t] < 0 || graph.peer[t] >= end - begin)
                {
                    throw InputError(Where(graph, t),
                                     "has the root " + std::to_string(graph.peer[t]) +
                                         " in a group of " + std::to_string(end - begin));
                }
            }
        }
    }
}

/// A message as both its ends must see it.
using MessageKey = std::tuple<uint32_t, uint32_t, uint64_t, uint32_t, uint64_t>;

/// @param key message @return its hash, nothing random
uint64_t
Hash(const MessageKey& key)
{
    uint64_t h = 0x9e3779b97f4a7c15ULL;
    const auto mix = [&h](uint64_t v) {
        h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
        h *= 0xbf58476d1ce4e5b9ULL;
        h ^= h >> 31;
    };
    mix(std::get<0>(key));
    mix(std::get<1>(key));
    mix(std::get<2>(key));
    mix(std::get<3>(key));
    mix(std::get<4>(key));
    return h;
}

/// Walks all messages of all ranks. @param graph graph @param groups groups @param see called with
/// the key, the task and the rank
template <class See>
void
WalkMessages(const GraphFile& graph, const GraphGroups& groups, const See& see)
{
    for (uint32_t r = 0; r < graph.GetNRanks(); ++r)
    {
        const uint32_t p = graph.rankProgram[r];
        // (peer, kind) that was named in one way must not be named in another one
        std::map<std::pair<uint32_t, uint8_t>, std::pair<uint32_t, int32_t>> named;
        for (uint64_t t = graph.firstTask[p]; t < graph.firstTask[p + 1]; ++t)
        {
            const bool send = graph.kind[t] == GraphFile::SEND;
            if (!send && graph.kind[t] != GraphFile::RECV)
            {
                continue;
            }
            const uint32_t peer = groups.GetPeer(r, t);
            if (peer == GraphFile::NONE)
            {
                throw InputError(Where(graph, t),
                                 "peer " + std::to_string(graph.peer[t]) + " of rank " +
                                     std::to_string(r) + " does not exist",
                                 "another rank, or another member of its group");
            }
            const auto way = std::make_pair(graph.set[t], graph.peer[t]);
            if (named.emplace(std::make_pair(peer, graph.kind[t]), way).first->second != way)
            {
                throw InputError(Where(graph, t),
                                 "rank " + std::to_string(r) + " names rank " +
                                     std::to_string(peer) + " in two ways",
                                 "by rank, or by one place in one set");
            }
            see(MessageKey{send ? r : peer,
                           send ? peer : r,
                           graph.tag[t],
                           groups.GetNumber(t),
                           graph.bytes[t]},
                t,
                r);
        }
    }
}

/// Every send has its recv. @param graph graph @param groups groups
void
CheckMessages(const GraphFile& graph, const GraphGroups& groups)
{
    // Sums of hashes agree when the messages do; only when they do not is each one looked at.
    uint64_t sum = 0;
    WalkMessages(graph, groups, [&](const MessageKey& key, std::size_t t, uint32_t) {
        sum += graph.kind[t] == GraphFile::SEND ? Hash(key) : -Hash(key);
    });
    if (sum == 0)
    {
        return;
    }
    std::map<MessageKey, std::pair<std::size_t, uint32_t>> open;
    WalkMessages(graph, groups, [&](const MessageKey& key, std::size_t t, uint32_t r) {
        const auto it = open.find(key);
        if (it != open.end() && graph.kind[it->second.first] != graph.kind[t])
        {
            open.erase(it);
        }
        else
        {
            open.emplace(key, std::make_pair(t, r));
        }
    });
    MIXNET_CHECK(!open.empty(), "messages that differ");
    const auto& [key, at] = *open.begin();
    const bool send = graph.kind[at.first] == GraphFile::SEND;
    throw InputError(Where(graph, at.first),
                     std::string("number ") + std::to_string(std::get<3>(key)) + " from rank " +
                         std::to_string(std::get<0>(key)) + " to rank " +
                         std::to_string(std::get<1>(key)) + " with tag " +
                         std::to_string(std::get<2>(key)) + " and " +
                         std::to_string(std::get<4>(key)) + " B has no " + (send ? "recv" : "send"),
                     "a send and a recv of equal bytes for every message");
}

} // namespace

void
CheckGraphLaws(const GraphFile& graph)
{
    CheckCircles(graph);
    const GraphGroups groups(graph);
    CheckCollectives(graph, groups);
    CheckMessages(graph, groups);
}

} // namespace ns3
