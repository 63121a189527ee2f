/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "transfer-graph.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

TransferGraph::Node
TransferGraph::AddTransfer(const Transfer& transfer)
{
    m_place.push_back(static_cast<uint32_t>(m_transfers.size()));
    m_transfers.push_back(transfer);
    return GetNNodes() - 1;
}

TransferGraph::Node
TransferGraph::AddLocal(const LocalOperation& operation)
{
    m_place.push_back(static_cast<uint32_t>(m_locals.size()) | LOCAL);
    m_locals.push_back(operation);
    return GetNNodes() - 1;
}

void
TransferGraph::AddDependency(Node before, Node after)
{
    MIXNET_CHECK(before < GetNNodes() && after < GetNNodes() && before != after,
                 "dependency " << before << " -> " << after << " of " << GetNNodes() << " nodes");
    m_edges.emplace_back(before, after);
}

void
TransferGraph::Clear()
{
    m_place.clear();
    m_transfers.clear();
    m_locals.clear();
    m_edges.clear();
}

void
TransferGraph::Seal()
{
    const uint32_t nodes = GetNNodes();
    m_waits.assign(nodes, 0);
    m_first.assign(nodes + 1, 0);
    for (const auto& [before, after] : m_edges)
    {
        ++m_first[before + 1];
        ++m_waits[after];
    }
    for (uint32_t n = 0; n < nodes; ++n)
    {
        m_first[n + 1] += m_first[n];
    }
    m_successors.resize(m_edges.size());
    std::vector<uint32_t> next(m_first.begin(), m_first.end() - 1);
    for (const auto& [before, after] : m_edges)
    {
        m_successors[next[before]++] = after;
    }

    // Kahn: every node of an acyclic graph is reached from those that wait for nothing.
    std::vector<uint32_t> waits = m_waits;
    std::vector<Node> ready;
    for (Node n = 0; n < nodes; ++n)
    {
        if (waits[n] == 0)
        {
            ready.push_back(n);
        }
    }
    for (std::size_t i = 0; i < ready.size(); ++i)
    {
        const auto [begin, end] = GetSuccessors(ready[i]);
        for (const Node* s = begin; s != end; ++s)
        {
            if (--waits[*s] == 0)
            {
                ready.push_back(*s);
            }
        }
    }
    MIXNET_CHECK(ready.size() == nodes, "the dependencies have a cycle");
}

std::pair<const TransferGraph::Node*, const TransferGraph::Node*>
TransferGraph::GetSuccessors(Node node) const
{
    return {m_successors.data() + m_first[node], m_successors.data() + m_first[node + 1]};
}

ByteCount
TransferGraph::GetTransferBytes() const
{
    ByteCount bytes;
    for (const Transfer& t : m_transfers)
    {
        bytes += t.bytes;
    }
    return bytes;
}

} // namespace ns3
