/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_WRITER_H
#define COLLECTIVE_WRITER_H

#include "transfer-graph.h"

#include "ns3/mixnet-byte-count.h"
#include "ns3/mixnet-ids.h"
#include "ns3/traffic-class.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/// Part of a buffer that a transfer of a collective carries.
struct BufferMove
{
    TransferGraph::Node node; //!< the transfer; one that carries several parts has several moves
    uint32_t from;            //!< sending rank
    uint32_t to;              //!< receiving rank
    uint64_t offset;          //!< first byte in the buffer
    uint64_t bytes;           //!< number of bytes
    bool reduces;             //!< added to what the receiver has, instead of replacing it
};

/// By rank: the nodes after which it has its result and has sent what others need of it.
using CollectiveEnds = std::vector<std::vector<TransferGraph::Node>>;

/// A collective. Rank r is members[r].
struct CollectiveSpec
{
    std::vector<GpuId> members;                     //!< each once, in order of ranks
    uint32_t lanes{1};                              //!< GPUs of a member
    ByteCount bytes;                                //!< the whole buffer, all lanes together
    TrafficClass trafficClass{TrafficClass::OTHER}; //!< class of the transfers
    ByteCount chunk;                                //!< largest message; 0: messages are not cut
    std::vector<std::vector<uint32_t>> groups;      //!< ranks that are close to each other, every
                                                    //!< rank once; empty: all are
    uint32_t steppedUpTo{128};                      //!< members up to which rings have steps
    std::vector<BufferMove>* moves{nullptr};        //!< unless null, appended to
};

/**
 * Writes the transfers of a collective, with what each must wait for: a rank sends a part of the
 * buffer when it has all of it, after the message before on the same channel, and the first time
 * when it is ready.
 *
 * The buffer is cut into equal parts (the first ones a byte longer), every part into equal chunks.
 */
class CollectiveWriter
{
  public:
    /**
     * @param graph appended to
     * @param spec the collective
     * @param parts parts of the buffer
     * @param together largest number of parts in a message
     * @param after by rank: node that its first transfers wait for; empty: none
     */
    CollectiveWriter(TransferGraph& graph,
                     const CollectiveSpec& spec,
                     uint32_t parts,
                     uint32_t together,
                     const std::vector<TransferGraph::Node>& after);

    /// @return chunks of a part
    uint32_t GetNChunks() const
    {
        return m_chunks;
    }

    /// @param part a part @return its bytes
    ByteCount GetBytes(uint32_t part) const;

    /**
     * Chunk `chunk` of some parts; nothing if they are empty.
     *
     * @param from sending rank
     * @param to receiving rank
     * @param parts parts
     * @param chunk chunk of each
     * @param channel messages of a rank on one channel follow one another
     * @param reduces added to what the receiver has
     */
    void Send(uint32_t from,
              uint32_t to,
              const std::vector<uint32_t>& parts,
              uint32_t chunk,
              uint32_t channel,
              bool reduces);

    /// A transfer of its own, that waits for nothing but its rank. @param from sending rank
    /// @param to receiving rank @param bytes all lanes together
    void SendFlow(uint32_t from, uint32_t to, ByteCount bytes);

    /// @return the ends
    CollectiveEnds Finish();

  private:
    using Node = TransferGraph::Node;

    /// The last message of a channel.
    struct Last
    {
        uint32_t from;    //!< sender
        uint32_t channel; //!< of the sender
        Node node;        //!< message
    };

    /// @param from sending rank @param to receiving rank @param bytes payload @return the node
    Node Add(uint32_t from, uint32_t to, ByteCount bytes);
    /// @param list of a rank @param last put in the place of its channel's
    static void Replace(std::vector<Last>& list, const Last& last);
    /// @param after node of m_before, now or before
    void AddBefore(Node after);

    TransferGraph& m_graph;                     //!< appended to
    const CollectiveSpec& m_spec;               //!< the collective
    const std::vector<Node>& m_after;           //!< of the constructor
    uint32_t m_parts;                           //!< parts of the buffer
    uint32_t m_chunks;                          //!< chunks of a part
    std::vector<std::array<Node, 2>> m_writers; //!< by rank and slice: who brought it
    std::vector<std::vector<Last>> m_sent;      //!< by rank: by channel
    std::vector<std::vector<Last>> m_received;  //!< by rank: by sender and channel
    std::vector<Node> m_before;                 //!< scratch
};

} // namespace ns3

#endif // COLLECTIVE_WRITER_H
