/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DEDUPLICATING_ALL_TO_ALL_H
#define DEDUPLICATING_ALL_TO_ALL_H

#include "all-to-all.h"

#include "ns3/mixnet-byte-count.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * All-to-all that sends a token once to every server, however many of its experts are there
 * (DeepSeek-V3, arXiv 2412.19437, section 3.2.2, and DeepEP's kernels between nodes). On its way
 * out, what a member sends to another server
 *
 * 1. goes to the member there with the same local index, over the same rail (where there is none,
 *    to one in the same order);
 * 2. is forwarded by it over the scale-up domain to each member that needs it, once.
 *
 * On the way back, members hand their results to that member first, which adds up those of a token
 * and returns the sum: the same bytes the other way. What stays in a server is exchanged there.
 *
 * Both are cut into chunks of ChunkSize of the crossing: one is forwarded while others cross; at
 * most ChunksUnderWay of a crossing are on the network at once. With n bytes, chunks of C, scale-up
 * rate S above network rate R, and f bytes forwarded for a byte that crosses, idle networks take
 *
 *     n/R + f C/S instead of n/R + f n/S in one piece, and latencies.
 *
 * Adding up takes no time here: it is bound by the memory of GPUs that wait anyway.
 *
 * A demand without bytes per server (AllToAllDemand::perServer) is sent directly.
 *
 * Law: what crosses is the demand per server, byte by byte; what reaches a member in the end is the
 * demand between members, of which its own part of the crossings needs no forwarding.
 */
class DeduplicatingAllToAll : public AllToAllAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    void Append(TransferGraph& transfers, const AllToAllDemand& demand) override;

  private:
    using Node = TransferGraph::Node;

    /// A crossing.
    struct Crossing
    {
        uint32_t owner;  //!< member whose tokens these are
        uint32_t server; //!< index of the other server
        uint32_t relay;  //!< member there that sends or receives them
        uint64_t chunks; //!< pieces
    };

    /// Fill m_serverOf and m_members. @param members of an all-to-all
    void FindServers(const std::vector<GpuId>& members);
    /// @param source member @param server index of another server @return member there
    uint32_t FindRelay(const std::vector<GpuId>& members, uint32_t source, uint32_t server) const;
    /// What a member sends to, or gets back from, another server. @param owner the member
    /// @param server index of the server
    void AppendServer(TransferGraph& transfers,
                      const AllToAllDemand& demand,
                      uint32_t owner,
                      uint32_t server);
    /// Cross and forward, or hand over and cross. @param crossing which @param chunk of it
    void AppendChunk(TransferGraph& transfers,
                     const AllToAllDemand& demand,
                     const Crossing& crossing,
                     uint64_t chunk);
    /// @param outer member @param inner member that it sends to; the other way when transposed
    /// @param bytes what @return its node
    static Node Add(TransferGraph& transfers,
                    const AllToAllDemand& demand,
                    uint32_t outer,
                    uint32_t inner,
                    ByteCount bytes);

    ByteCount m_chunk;                            //!< attribute
    uint32_t m_underWay{2};                       //!< attribute
    std::vector<ServerId> m_servers;              //!< scratch: in order of their first member
    std::vector<uint32_t> m_serverOf;             //!< scratch: by member: index into m_servers
    std::vector<std::vector<uint32_t>> m_members; //!< scratch: by server
    std::vector<Node> m_crossed;                  //!< scratch: by chunk
    std::vector<Node> m_handed;                   //!< scratch: by member of the server: last move
};

} // namespace ns3

#endif // DEDUPLICATING_ALL_TO_ALL_H
