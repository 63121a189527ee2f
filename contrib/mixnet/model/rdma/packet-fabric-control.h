/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PACKET_FABRIC_CONTROL_H
#define PACKET_FABRIC_CONTROL_H

#include "packet-transport.h"
#include "packet-world.h"

#include "ns3/error-model.h"
#include "ns3/event-id.h"
#include "ns3/fabric-control.h"

#include <map>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * FabricControl of the packet world. A quiesced edge takes no new data: its NIC port sends none,
 * and messages of the transport that cross it, at whichever server, are held with their place.
 * Ordinary packets, of sockets, wait in the queue of their NIC, those already there as well.
 * Answers (ACK, NACK, CNP) and frames being relayed pass. It is empty when nothing else is queued
 * at its NIC and nothing is in flight on it in the directions concerned; that instant is exact.
 */
class PacketFabricControl : public FabricControl
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    PacketFabricControl();
    ~PacketFabricControl() override;

    /**
     * Calls SetGraph, too.
     *
     * @param world the packet world
     * @param transport whose messages are held; null when only verbs are used
     */
    void SetWorld(Ptr<PacketWorld> world, Ptr<PacketTransport> transport);

    /**
     * Errors that a link is built with: SetBitErrors() adds to them, and they stay when those go.
     *
     * @param c channel @param model of the frames that arrive by it
     */
    void SetBuiltErrors(ChannelId c, Ptr<ErrorModel> model);

    FabricLosses GetLosses() const override;
    bool SetBitErrors(const std::vector<EdgeId>& edges, double rate, int64_t stream) override;

  protected:
    void DoDispose() override;
    void DoQuiesce(Token token, const std::vector<ChannelId>& channels) override;
    void DoResume(Token token, const std::vector<ChannelId>& channels) override;

  private:
    /// A quiesce whose channels are not empty yet.
    struct Draining
    {
        std::vector<ChannelId> channels; //!< channels
        EventId check;                   //!< next look
    };

    /// Look whether the channels are empty. @param token the quiesce
    void Check(Token token);
    /// @param c channel @return when to look at it again; zero when it is empty
    Time GetBusy(ChannelId c);
    /// @param channels channels @param held whether the NIC ports that feed them send data
    void HoldPorts(const std::vector<ChannelId>& channels, bool held);
    /// @param c channel @return the port that feeds it
    MixnetPort& GetSender(ChannelId c) const;

    Ptr<PacketWorld> m_world;                     //!< the world
    Ptr<PacketTransport> m_transport;             //!< holds messages
    std::map<Token, Draining> m_draining;         //!< not empty yet
    std::map<ChannelId, Ptr<ErrorModel>> m_built; //!< errors of links as built
};

} // namespace ns3

#endif // PACKET_FABRIC_CONTROL_H
