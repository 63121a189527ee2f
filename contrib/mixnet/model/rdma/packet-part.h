/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PACKET_PART_H
#define PACKET_PART_H

#include "work-completion.h"

#include "ns3/flow-solver.h"
#include "ns3/mixnet-ids.h"
#include "ns3/routing-policy.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/// What happens to a part of a transfer.
enum class PartState : uint8_t
{
    FREE,    //!< no part
    WAITING, //!< there is no way; a message may have begun
    HELD,    //!< its way is quiesced; a message may have begun
    MOVING,  //!< on its way
    ARRIVED  //!< delivered by the network; the last ACK or a scale-up crossing is outstanding
};

/// A move inside a server.
struct PartCrossing
{
    bool active{false};        //!< in progress
    FlowHandle handle{0};      //!< when active
    uint32_t link{UINT32_MAX}; //!< NUMA link that it passes, as in ServerPath
    uint64_t bytes{0};         //!< to move
};

/**
 * @ingroup mixnet
 * One way of one lane of a transfer: a message on a queue pair, and the scale-up crossings at its
 * ends (or one move in a scale-up domain, and no message).
 */
class PacketPart : public WorkSink
{
  public:
    /// Who acts on what happens to parts.
    class Owner
    {
      public:
        virtual ~Owner() = default;
        /// @param part its last byte has been delivered by the network
        virtual void PartArrived(PacketPart& part) = 0;
        /// @param part its message was acknowledged (true) or given up @param success which
        virtual void PartEnded(PacketPart& part, bool success) = 0;
    };

    /// @param owner acts @param index of this part
    PacketPart(Owner& owner, uint32_t index)
        : index(index),
          m_owner(owner)
    {
    }

    void OnSend(RdmaNic&, const SendCompletion& completion) override
    {
        m_owner.PartEnded(*this, completion.status == WorkStatus::SUCCESS);
    }

    void OnReceive(RdmaNic&, const ReceiveCompletion&) override
    {
        m_owner.PartArrived(*this);
    }

    /// @return true when bytes cross a scale-up domain
    bool IsCrossing() const
    {
        return crossings[0].active || crossings[1].active;
    }

    /// A rule that makes a server forward frames.
    struct Rule
    {
        ServerId server;     //!< the server
        uint32_t address{0}; //!< destination NIC
        uint32_t qp{0};      //!< queue pair there
    };

    PartState state{PartState::FREE};        //!< what happens to it
    uint32_t index;                          //!< of this part
    uint32_t lane{0};                        //!< lane of the transfer
    uint32_t qp{0};                          //!< at the source's server, 0: none
    uint32_t peer{0};                        //!< at the destination's server
    TransferId transfer;                     //!< whose part
    GpuId source;                            //!< source of the lane
    GpuId destination;                       //!< destination of the lane
    uint64_t bytes{0};                       //!< payload; of a stripe: posted so far
    uint32_t stripe{0};                      //!< of its transfer, counted from 1; 0: none
    uint64_t metered{0};                     //!< payload that the load meter knows of
    uint32_t pieces{0};                      //!< of a stripe: posted and not acknowledged
    Time lag;                                //!< of the NUMA links on its way
    std::vector<NetworkLeg> legs;            //!< its way; empty: within a server, or none yet
    std::vector<NetworkLeg> answer;          //!< way of the answers; empty: back over its own
    bool detour{false};                      //!< its receiver was told where answers go
    bool readdressed{false};                 //!< its ends were told of other numbers than theirs
    std::vector<uint8_t> classes;            //!< by path of the queue pair: bit c for PathClass c
    std::vector<Rule> rules;                 //!< that it set
    std::array<PartCrossing, 2> crossings{}; //!< at the source, at the destination

  private:
    Owner& m_owner; //!< acts
};

} // namespace ns3

#endif // PACKET_PART_H
