/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRANSFER_GRAPH_H
#define TRANSFER_GRAPH_H

#include "ns3/mixnet-byte-count.h"
#include "ns3/nstime.h"
#include "ns3/transport.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Work of known duration inside scale-up domains: a collective by its closed form, no transfer.
 */
struct LocalOperation
{
    Time duration;          //!< how long it takes
    ByteCount scaleUpBytes; //!< bytes that all its members send over the scale-up domain
};

/**
 * @ingroup mixnet
 * Messages with an order: transfers and local operations as nodes, "after" as edges.
 *
 * Nodes are numbered in the order in which they were added; those that depend on nothing start
 * together, in that order. Clear() keeps the capacity, so a graph that is filled again allocates
 * nothing.
 */
class TransferGraph
{
  public:
    /// A node.
    using Node = uint32_t;

    /// @param transfer a transfer; its tag is overwritten by whoever runs the graph
    /// @return its node
    Node AddTransfer(const Transfer& transfer);

    /// @param operation local work @return its node
    Node AddLocal(const LocalOperation& operation);

    /// @param before node that must end first @param after node that waits for it
    void AddDependency(Node before, Node after);

    /// Forget everything, keep the capacity.
    void Clear();

    /**
     * Build the successor lists; call after the last Add. A graph without dependencies needs
     * nothing here and costs nothing.
     *
     * @throws InvariantError when the dependencies have a cycle
     */
    void Seal();

    /// @return number of nodes
    uint32_t GetNNodes() const
    {
        return static_cast<uint32_t>(m_place.size());
    }

    /// @return the transfers, in order
    const std::vector<Transfer>& GetTransfers() const
    {
        return m_transfers;
    }

    /// @return true when no node waits for another and all are transfers
    bool IsFlat() const
    {
        return m_locals.empty() && m_edges.empty();
    }

    /// @param node node @return true for a local operation
    bool IsLocal(Node node) const
    {
        return (m_place[node] & LOCAL) != 0;
    }

    /// @param node a transfer's node @return the transfer
    const Transfer& GetTransfer(Node node) const
    {
        return m_transfers[m_place[node]];
    }

    /// @param node a local operation's node @return the operation
    const LocalOperation& GetLocal(Node node) const
    {
        return m_locals[m_place[node] & ~LOCAL];
    }

    /// @return by node: number of nodes it waits for (Seal() first)
    const std::vector<uint32_t>& GetPredecessorCounts() const
    {
        return m_waits;
    }

    /// @param node node @return range of nodes that wait for it (Seal() first)
    std::pair<const Node*, const Node*> GetSuccessors(Node node) const;

    /// @return bytes of all transfers
    ByteCount GetTransferBytes() const;

  private:
    static constexpr uint32_t LOCAL = 0x80000000U; //!< flag in m_place

    std::vector<uint32_t> m_place;              //!< by node: index into one of the next two
    std::vector<Transfer> m_transfers;          //!< transfers
    std::vector<LocalOperation> m_locals;       //!< local operations
    std::vector<std::pair<Node, Node>> m_edges; //!< before, after
    std::vector<uint32_t> m_first;              //!< by node: first entry in m_successors
    std::vector<Node> m_successors;             //!< by before
    std::vector<uint32_t> m_waits;              //!< by node: predecessors
};

} // namespace ns3

#endif // TRANSFER_GRAPH_H
