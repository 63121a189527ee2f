/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PACKET_TRANSPORT_H
#define PACKET_TRANSPORT_H

#include "packet-part.h"
#include "packet-stripe.h"
#include "packet-world.h"
#include "scale-up-domains.h"

#include "ns3/fabric-graph.h"
#include "ns3/router.h"
#include "ns3/transport.h"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Transport of the packet world: RDMA messages over a PacketWorld.
 *
 * A transfer is expanded into its lanes, a lane into its ways (Router::ResolveLane); a way is one
 * message on a queue pair of its own, whose bytes add up to the lane's. Bytes to or from a NIC of
 * another GPU cross the scale-up domain at the same time (cut-through); so do, on their own, bytes
 * that stay in their server. A transfer is delivered when the last of its parts is.
 *
 * Ways that the routing policy pools (parallel circuits shared by packet): each has a queue pair of
 * its own, and takes StripePackets packets of the lane at a time, as a message, whenever the one
 * before is acknowledged, so that faster ones take more. As many are posted ahead as a round trip
 * over the fibers holds. Order within a queue pair is kept, so any loss recovery will do; what a
 * circuit that goes dark had taken moves on like any other message, what it had not the others
 * take. Scale-up crossings count the share that each way is expected to carry.
 *
 * Answers (ACK, NACK, CNP) come back over the circuits of the data where these are duplex. Where
 * one is simplex, they take the way that the router has for the opposite direction: another
 * circuit, several of them, or the packet fabric. Without such a way there is none for the data
 * either.
 *
 * Ways over several circuits: the servers between forward frames from NIC to NIC (RdmaRelay); the
 * queue pair's window is capped at RelayWindow.
 *
 * Changes of the graph (phase WORLD): messages whose circuit or NIC went choose their way anew,
 * with what is left of them; so do those without a way. A message that has begun takes one way,
 * the one with the largest share; one of a stripe keeps its own while that is offered. Quiesced
 * edges: messages that use one are held and choose anew when it is released. A queue pair that
 * gives up fails its transfer.
 *
 * Queue pairs end when their message is acknowledged: memory follows the messages in progress.
 *
 * CODE FLOW: Send -> DoSend -> LaunchLane -> StartPart -> RdmaNic::PostSend ... -> PartArrived ->
 * Settle -> Transport::End; PartEnded (acknowledged) frees the queue pair.
 *
 * Law: payload by path of a delivered transfer: what came over circuits and packets adds up to its
 * bytes between servers (counted at the receiver, by the way each byte took).
 */
class PacketTransport : public Transport, private PacketPart::Owner
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    PacketTransport();
    ~PacketTransport() override;

    /// @param world where messages travel; built; @param router whom to ask for ways; once
    void SetWorld(Ptr<PacketWorld> world, Ptr<Router> router);

    /// @return how parallel ways are shared
    LoadBalance GetLoadBalance() const;
    /// @param link of ServerPaths::GetNumaLinks() @return payload of moves that have passed it
    ByteCount GetNumaBytes(uint32_t link) const;
    /// @return messages and moves in progress or not yet acknowledged
    uint32_t GetNParts() const;

    std::size_t GetNWayless() const override;

    /// For PacketFabricControl: hold messages that use channels. @param channels not held before
    void Hold(const std::vector<ChannelId>& channels);
    /// For PacketFabricControl: end Hold. @param channels channels that are held
    void Release(const std::vector<ChannelId>& channels);

  protected:
    void DoDispose() override;
    void DoSend(TransferId first, const Transfer* batch, std::size_t count) override;
    void DoAbort(TransferId id) override;
    void DoReroute(TransferId id) override;
    bool UsesCircuits(const Transfer& transfer) const override;
    std::unique_ptr<LoadMeter> DoMakeLoadMeter() override;

  private:
    /// A transfer in progress.
    struct Record
    {
        Transfer transfer;                              //!< as sent
        std::vector<uint32_t> parts;                    //!< its parts
        std::vector<PacketStripe> stripes;              //!< lanes that share ways by packet
        uint32_t open{0};                               //!< messages and crossings not delivered
        std::array<ByteCount, N_PATH_CLASSES> byPath{}; //!< payload delivered
    };

    void PartArrived(PacketPart& part) override;
    void PartEnded(PacketPart& part, bool success) override;
    /// @param cookies crossings that are done
    void CrossingsDone(const std::vector<uint32_t>& cookies);

    /// Choose the ways of (the rest of) a lane and start, hold or park it.
    /// @param id transfer @param lane a lane @param bytes its payload
    void LaunchLane(TransferId id, uint32_t lane, uint64_t bytes);
    /// @param id transfer @param record its record @param lane a lane @param way one of its ways
    /// @return a new part with that way, without bytes
    PacketPart& NewPart(TransferId id, Record& record, uint32_t lane, const LaneRoute& way);
    /// @param id transfer @param lane a lane @param bytes its payload @param routes its ways
    /// @return payload that the pooled ones have taken
    uint64_t LaunchStripe(TransferId id,
                          uint32_t lane,
                          uint64_t bytes,
                          const std::vector<LaneRoute>& routes);
    /// @return payload of a piece of a stripe
    uint64_t GetPieceBytes() const;
    /// @param stripe all of whose ways have begun @return the one that would be through with
    /// another piece first; null: all have as many as they may
    PacketPart* FindReady(const PacketStripe& stripe) const;
    /// @param record of its transfer @param part of a stripe: post as many pieces as may be under
    /// way
    void Feed(Record& record, PacketPart& part);
    /// @param record of its transfer @param part of a stripe: post the next piece
    void PostPiece(Record& record, PacketPart& part);
    /// @param part of a stripe, with its way @return pieces that may be posted ahead
    uint32_t GetPiecesAhead(const PacketPart& part) const;
    /// @param part of a stripe whose oldest piece was acknowledged
    void PieceEnded(PacketPart& part);
    /// @param record of its transfer @param stripe that has nothing left: end the ways that have
    /// delivered all they took
    void EndStripe(Record& record, const PacketStripe& stripe);
    /// @param record of its transfer @param part whose message has arrived
    void BookArrival(Record& record, PacketPart& part);
    /// @param record of its transfer @param part with its way: start it
    void StartPart(Record& record, PacketPart& part);
    /// @param part with a way between servers: create the queue pairs and post
    void StartMessage(PacketPart& part);
    /// @param record of its transfer @param part with its way: start the moves at its ends
    /// @param bytes to move
    void StartCrossings(Record& record, PacketPart& part, uint64_t bytes);
    /// @param part a part @param end 0 at its source or 1 @param move inside a server @param bytes
    /// to move
    void StartMove(PacketPart& part, uint32_t end, const ServerMove& move, uint64_t bytes);
    /// @param part on its way @param account of its transfer @param payload that went that way
    void Meter(const PacketPart& part, uint32_t account, uint64_t payload);
    /// Tell the load meter what arrived since it was last told, as if all of it had come by the
    /// present way; inside the packet fabric, by the way there is now. @param part with a message
    void MeterArrived(PacketPart& part);
    /// @param move a crossing @param bytes that it has moved
    void CountMove(const PartCrossing& move, uint64_t bytes);
    /// @param id transfer: a message or crossing of it has been delivered
    void Arrive(TransferId id);
    /// @param record of its transfer @param part whose moves stop
    void StopCrossings(Record& record, PacketPart& part);

    /// Where frames are sent to.
    struct NicEnd
    {
        uint32_t address{0}; //!< NIC
        uint32_t qp{0};      //!< queue-pair number there
    };

    /// @param part with queue pairs and a way @param at server between @param end frames to it
    /// @param nic leave by it
    void AddRule(PacketPart& part, ServerId at, const NicEnd& end, uint32_t nic);
    /// @param part with queue pairs and a way @param at server between @param in its NIC that
    /// frames are sent to @param end where they go @param nic leave by it @return where to send
    /// them
    NicEnd Translate(PacketPart& part, ServerId at, uint32_t in, const NicEnd& end, uint32_t nic);
    /// @param part with queue pairs and a way: have the servers between forward its data
    /// @return where the source sends to
    NicEnd SetRules(PacketPart& part);
    /// The same for answers that come back over the whole way. @param part as above
    /// @return where the destination answers to
    NicEnd SetAnswerRules(PacketPart& part);
    /// @param part with queue pairs and a way @param data where the source sends to
    void SetDataPeer(PacketPart& part, const NicEnd& data);
    /// @param part with queue pairs and a way @param end where the destination answers to
    void SetAnswerPeer(PacketPart& part, const NicEnd& end);
    /// Answers to data that cross a circuit and then the packet fabric come back over the packet
    /// fabric, to a packet NIC of the source, if it has one that is up; other answers over the way
    /// of the data. @param part its message and way @return NIC that answers are sent to
    uint32_t SetAnswerAddress(PacketPart& part);
    /// Say which way answers come back. @param part its message and way @return false: there is
    /// none
    bool SetAnswerWay(PacketPart& part);
    /// @param part its message and way, over which its answers come back
    void AnswerOverSameWay(PacketPart& part);
    /// @param legs a way @return true when light goes both ways in all its circuits
    bool IsTwoWay(const std::vector<NetworkLeg>& legs) const;
    /// @param legs a way @return true when the opposite direction of a circuit is quiesced
    bool IsReverseHeld(const std::vector<NetworkLeg>& legs) const;
    /// @param part on its way @return true while its answers have one, too
    bool AreAnswersAlive(const PacketPart& part) const;
    /// @param part on its way @return true when its answers use a quiesced channel
    bool AreAnswersHeld(const PacketPart& part) const;
    /// @param id transfer @param lane one of its lanes; m_routes is the answer
    void Resolve(TransferId id, uint32_t lane);
    /// @param id transfer @param lane one of its lanes @return what the router is asked
    RouteQuery MakeQuery(TransferId id, uint32_t lane);
    /// @param part WAITING, HELD, or on a way to be left: choose its way (anew)
    void Retry(PacketPart& part);
    /// @param part whose message has begun @param legs new way
    void Move(PacketPart& part, const std::vector<NetworkLeg>& legs);
    /// @param part stop sending @param state WAITING or HELD
    void Park(PacketPart& part, PartState state);
    /// @param id transfer: end it when everything has been delivered
    void Settle(TransferId id);
    /// @param id transfer: end all its parts, forget it
    void Remove(TransferId id);
    /// @param id transfer that is given up
    void Fail(TransferId id);

    /// @param id transfer @param record its record @return a new part of it
    PacketPart& NewPart(TransferId id, Record& record);
    /// @param id transfer @param lane lane @return 64 well-mixed bits
    static uint64_t HashFlow(TransferId id, uint32_t lane);
    /// @param part a part @return UDP source port of its frames
    static uint16_t GetEntropy(const PacketPart& part);
    /// @param part destroy its queue pairs and rules
    void CloseMessage(PacketPart& part);
    /// @param part ended
    void FreePart(PacketPart& part);
    /// @param id transfer @return its record; null when it has ended
    Record* Find(TransferId id);
    /// @param id transfer in progress @return its record
    Record& Get(TransferId id);

    /// @param change what happened to the graph
    void OnChange(const GraphChange& change);
    /// @param legs a way @return true when all its circuits are lit and NICs up
    bool IsAlive(const std::vector<NetworkLeg>& legs) const;
    /// @param legs a way @return true when a link at one of its NICs has failed, known or not
    bool IsFailed(const std::vector<NetworkLeg>& legs) const;
    /// @param part with a way @return true when the router still offers it
    bool IsOffered(const PacketPart& part);
    /// @param legs a way @return true when it uses a quiesced channel
    bool IsHeld(const std::vector<NetworkLeg>& legs) const;
    /// @param leg a crossing @return its edges at the two NICs
    std::array<EdgeId, 2> GetEdges(const NetworkLeg& leg) const;
    /// @param select which parts @return their indices, by transfer, then index
    std::vector<uint32_t> Select(const std::function<bool(const PacketPart&)>& select) const;
    /// @param legs a way @param part its part @return bit c: PathClass c is used
    uint8_t GetClasses(const PacketPart& part, const std::vector<NetworkLeg>& legs) const;
    /// Stop listening to the graph.
    void Detach();

    /// @param text attribute LoadBalance
    void SetLoadBalance(std::string text);
    /// @return attribute LoadBalance
    std::string GetLoadBalanceName() const;

    Ptr<PacketWorld> m_world;                          //!< where messages travel
    Ptr<Router> m_router;                              //!< which way
    Ptr<FabricGraph> m_graph;                          //!< of the world
    std::unique_ptr<ScaleUpDomains> m_scaleUp;         //!< inside servers
    std::vector<uint64_t> m_numaBytes;                 //!< by NUMA link: payload that passed
    LoadBalance m_balance{LoadBalance::PER_FLOW};      //!< attribute
    bool m_failUnreachable{false};                     //!< attribute
    uint64_t m_relayWindow{0};                         //!< attribute
    uint32_t m_stripePackets{1};                       //!< attribute
    std::unordered_map<uint64_t, Record> m_records;    //!< by transfer
    std::vector<std::unique_ptr<PacketPart>> m_parts;  //!< by index
    std::vector<uint32_t> m_freeParts;                 //!< indices to use again
    std::vector<uint8_t> m_heldChannels;               //!< by channel: quiesced
    LoadBalance m_innerBalance{LoadBalance::PER_FLOW}; //!< of the packet switches
    FluidRoute m_load;                                 //!< scratch of Meter
    std::vector<LaneRoute> m_routes;                   //!< scratch of Resolve
    std::vector<LaneRoute> m_answers;                  //!< scratch of SetAnswerWay
};

} // namespace ns3

#endif // PACKET_TRANSPORT_H
