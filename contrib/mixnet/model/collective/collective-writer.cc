/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-writer.h"

#include "ns3/even-part.h"
#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr TransferGraph::Node NOBODY = UINT32_MAX;

/// Piece of a range that is cut into equal pieces, the first ones a byte longer.
struct Piece
{
    uint64_t offset; //!< from the start of the range
    uint64_t bytes;  //!< length
};

/// @param bytes of the range @param pieces their number @param index one of them @return it
Piece
Cut(uint64_t bytes, uint32_t pieces, uint32_t index)
{
    return {GetEvenPartStart(bytes, pieces, index), GetEvenPart(bytes, pieces, index)};
}

} // namespace

CollectiveWriter::CollectiveWriter(TransferGraph& graph,
                                   const CollectiveSpec& spec,
                                   uint32_t parts,
                                   uint32_t together,
                                   const std::vector<Node>& after)
    : m_graph(graph),
      m_spec(spec),
      m_after(after),
      m_parts(parts),
      m_chunks(1),
      m_sent(spec.members.size()),
      m_received(spec.members.size())
{
    const std::size_t n = spec.members.size();
    MIXNET_CHECK(n > 0 && (after.empty() || after.size() == n), "a collective of " << n);
    if (spec.chunk > ByteCount(0) && spec.bytes > ByteCount(0))
    {
        const uint64_t longest = Cut(spec.bytes.Get(), parts, 0).bytes;
        const uint64_t slice = std::max<uint64_t>(1, spec.chunk.Get() / together);
        const uint64_t chunks = (longest + slice - 1) / slice;
        MIXNET_CHECK(chunks <= UINT32_MAX / parts, spec.bytes << " in chunks of " << spec.chunk);
        m_chunks = static_cast<uint32_t>(chunks);
    }
    m_writers.assign(n * parts * m_chunks, {NOBODY, NOBODY});
}

ByteCount
CollectiveWriter::GetBytes(uint32_t part) const
{
    return ByteCount(Cut(m_spec.bytes.Get(), m_parts, part).bytes);
}

TransferGraph::Node
CollectiveWriter::Add(uint32_t from, uint32_t to, ByteCount bytes)
{
    Transfer t;
    t.source = m_spec.members[from];
    t.destination = m_spec.members[to];
    t.bytes = bytes;
    t.lanes = m_spec.lanes;
    t.trafficClass = m_spec.trafficClass;
    return m_graph.AddTransfer(t);
}

void
CollectiveWriter::AddBefore(Node after)
{
    if (after != NOBODY && std::find(m_before.begin(), m_before.end(), after) == m_before.end())
    {
        m_before.push_back(after);
    }
}

void
CollectiveWriter::Replace(std::vector<Last>& list, const Last& last)
{
    const auto it = std::find_if(list.begin(), list.end(), [&last](const Last& l) {
        return l.from == last.from && l.channel == last.channel;
    });
    if (it == list.end())
    {
        list.push_back(last);
    }
    else
    {
        it->node = last.node;
    }
}

void
CollectiveWriter::Send(uint32_t from,
                       uint32_t to,
                       const std::vector<uint32_t>& parts,
                       uint32_t chunk,
                       uint32_t channel,
                       bool reduces)
{
    uint64_t bytes = 0;
    const Node node = m_graph.GetNNodes();
    m_before.clear();
    const auto row = [this](uint32_t rank) {
        return m_writers.data() + std::size_t(rank) * m_parts * m_chunks;
    };
    for (const uint32_t part : parts)
    {
        const Piece whole = Cut(m_spec.bytes.Get(), m_parts, part);
        const Piece piece = Cut(whole.bytes, m_chunks, chunk);
        if (piece.bytes == 0)
        {
            continue;
        }
        bytes += piece.bytes;
        const std::size_t slice = std::size_t(part) * m_chunks + chunk;
        AddBefore(row(from)[slice][0]);
        AddBefore(row(from)[slice][1]);
        auto& writers = row(to)[slice];
        if (!reduces)
        {
            writers = {node, NOBODY};
        }
        else
        {
            MIXNET_CHECK(writers[1] == NOBODY, "three ranks add to one");
            writers[writers[0] == NOBODY ? 0 : 1] = node;
        }
        if (m_spec.moves != nullptr)
        {
            m_spec.moves->push_back(
                {node, from, to, whole.offset + piece.offset, piece.bytes, reduces});
        }
    }
    if (bytes == 0)
    {
        return;
    }
    Add(from, to, ByteCount(bytes));
    const auto& sent = m_sent[from];
    const auto last = std::find_if(sent.begin(), sent.end(), [channel](const Last& l) {
        return l.channel == channel;
    });
    AddBefore(last != sent.end() ? last->node : m_after.empty() ? NOBODY : m_after[from]);
    for (const Node before : m_before)
    {
        m_graph.AddDependency(before, node);
    }
    Replace(m_sent[from], {from, channel, node});
    Replace(m_received[to], {from, channel, node});
}

void
CollectiveWriter::SendFlow(uint32_t from, uint32_t to, ByteCount bytes)
{
    if (bytes == ByteCount(0))
    {
        return;
    }
    const Node node = Add(from, to, bytes);
    if (!m_after.empty())
    {
        m_graph.AddDependency(m_after[from], node);
    }
    m_sent[from].push_back({from, 0, node});
    m_received[to].push_back({from, 0, node});
}

CollectiveEnds
CollectiveWriter::Finish()
{
    CollectiveEnds ends(m_spec.members.size());
    for (std::size_t rank = 0; rank < ends.size(); ++rank)
    {
        for (const auto* list : {&m_received[rank], &m_sent[rank]})
        {
            for (const Last& last : *list)
            {
                ends[rank].push_back(last.node);
            }
        }
        if (ends[rank].empty() && !m_after.empty())
        {
            ends[rank].push_back(m_after[rank]);
        }
    }
    return ends;
}

} // namespace ns3
