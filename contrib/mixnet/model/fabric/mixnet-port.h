/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_PORT_H
#define MIXNET_PORT_H

#include "egress-queues.h"
#include "fabric-element.h"
#include "frame-pool.h"
#include "mixnet-link.h"
#include "observed-callback.h"
#include "packet-fabric-context.h"
#include "pause-timers.h"
#include "port-interfaces.h"

#include "ns3/data-rate.h"
#include "ns3/mac48-address.h"
#include "ns3/mixnet-byte-count.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"

#include <memory>
#include <vector>

namespace ns3
{

class Node;

/**
 * @ingroup mixnet
 * A port of a NIC, packet switch or optical switch.
 *
 * Sending: frames wait in one queue per class and are sent one at a time; a NIC's EgressSource is
 * asked when the queues have nothing to send (with both, they take turns). PFC frames go first;
 * classes that the far end has paused wait. An idle port has no event, and a busy one none of its
 * own (FabricElement): its next *decision* is taken when somebody needs to know it.
 *
 * Pause semantics: a pause frame without quanta (all ones on the wire) holds until the resume frame
 * (zero quanta), one with quanta runs out; both are obeyed after the attribute PfcResponse
 * (PauseTimers). Links do not corrupt PFC frames, and forget pauses when they go down.
 *
 * Ordinary sockets: Send wraps a packet in an ETHERNET frame of the best-effort class (attribute
 * QueueSize). Broadcast and multicast ones are copied at the source to every other NIC that is an
 * interface of an IP stack, so ARP and neighbor discovery work with the stock helpers.
 *
 * CODE FLOW: NIC Kick -> Decide -> EgressSource::Pull -> Transmit (serialization, far port's list
 * of arrivals) -> FabricElement::TakeArrival at the far end -> Receive -> FrameReceiver ->
 * PacketSwitch::ReceiveFrame (route, admit) -> egress port's Enqueue -> Decide -> ...
 *
 * Law: frames pushed = sent + queued + dropped.
 */
class MixnetPort : public NetDevice, private TraceSourceOwner
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    MixnetPort();
    ~MixnetPort() override;

    /// @name Set-up
    /// @{

    /// @param context the fabric
    void SetFabric(Ptr<PacketFabricContext> context);

    /// @return the fabric
    PacketFabricContext& GetFabric() const
    {
        return *m_context;
    }

    /// Make this the port of a NIC (role NIC). @param address its NIC address
    void SetNicAddress(uint32_t address);

    /// @return NIC address; UINT32_MAX when this is no NIC
    uint32_t GetNicAddress() const
    {
        return m_nicAddress;
    }

    /// @param receiver where frames go; must outlive the traffic @param role what this is
    void SetReceiver(FrameReceiver* receiver, PortRole role);

    /// @param relaying whether frames for other NICs go to the receiver too (host forwarding)
    void SetRelaying(bool relaying)
    {
        m_relaying = relaying;
    }

    /// @param source asked for frames; null: none
    void SetEgressSource(EgressSource* source);
    /// @param observer told when frames leave the queues; null: nobody
    void SetEgressObserver(EgressObserver* observer);
    /// Put this port into an element with others; without, it is one of its own. Before the link.
    /// @param element the element @return the port's index in it
    uint32_t JoinElement(FabricElement* element);

    /// @return its element; null before the link is attached
    FabricElement* GetElement() const
    {
        return m_element;
    }

    /// @return its index in its element
    uint32_t GetIndex() const
    {
        return m_index;
    }

    /// @return the queues, for their scheduling parameters
    EgressQueues& GetQueues()
    {
        return m_queues;
    }

    /// @return the port at the other end of the link; null without one
    MixnetPort* GetPeer() const
    {
        return m_peer;
    }

    /// @return the link; null without one
    MixnetLink* GetLink() const
    {
        return PeekPointer(m_link);
    }

    /// @return rate of the link
    DataRate GetRate() const
    {
        return m_link->GetRate();
    }

    /// @}

    /// @name Sending
    /// @{

    /**
     * Take all decisions up to now with what was known when they were due. Call it before changing
     * anything that EgressSource::Pull depends on, then change, then call Kick. It takes decisions
     * only; nothing is received inside of it.
     *
     * @param now the present
     */
    void Settle(SimTick now)
    {
        while (*m_decideAt <= now)
        {
            Decide(*m_decideAt);
        }
    }

    /// The source has something to send, or its retry time changed. @param now the present
    void Kick(SimTick now)
    {
        Settle(now);
        if (m_busyUntil <= now)
        {
            Decide(now);
        }
    }

    /// Forget pauses: the far end of the light is another one now. @param now the present
    void ForgetPauses(SimTick now);

    /// @param frame queued in its class; dropped and counted when the link is down
    /// @param now the present; decisions before it are taken first
    void Enqueue(Frame* frame, SimTick now)
    {
        Settle(now);
        EnqueueSettled(frame, now);
    }

    /// Enqueue on a port that is settled. @param frame the frame @param now the present
    void EnqueueSettled(Frame* frame, SimTick now);

    /**
     * Send a PFC frame, ahead of everything queued.
     * @param classes bit c: class c @param pause true stops the classes, false lets them go
     * @param now the present @param quanta 512 bit times that it lasts; 0: until the resume
     */
    void SendPfc(uint8_t classes, bool pause, SimTick now, uint16_t quanta = 0);

    /// Cut-through, for optical switches: a frame whose last byte is here now goes on over this
    /// port's link and arrives its propagation delay later. Dropped and counted when it is down.
    /// @param frame the frame @param now the present
    void Inject(Frame* frame, SimTick now);

    /// @param wireBytes bytes on the wire @return their serialization in ticks, rounded up
    SimTick GetSerialization(uint32_t wireBytes) const
    {
        return m_ticksPerByte > 0 ? wireBytes * m_ticksPerByte : SlowSerialization(wireBytes);
    }

    /// @return propagation of the link in ticks
    SimTick GetDelayTicks() const
    {
        return m_delay;
    }

    /// @return how long after a PFC frame it is obeyed
    Time GetPfcResponse() const
    {
        return m_pfcResponse;
    }

    /// @param classes bit c: class c waits here, whatever the far end says @param now the present
    void HoldClasses(uint8_t classes, SimTick now);

    /// @return bit c: class c is paused by the far end
    uint8_t GetPausedClasses() const
    {
        return m_paused;
    }

    /// @return what passed, up to the present
    PortCounters GetCounters();
    /// @}

    /// @name Bookkeeping for the port's owner
    /// @{

    /// A frame is dropped at this port. @param frame the frame @param reason why
    void Drop(Frame* frame, DropReason reason);
    /// A frame was marked in a queue of this port. @param frame the frame
    void NoteMark(const Frame& frame);
    /// @}

    /// @name NetDevice
    /// @{
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;

    bool IsLinkUp() const final
    {
        return m_up;
    }

    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address multicastGroup) const override;
    Address GetMulticast(Ipv6Address addr) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;
    /// @}

    /// TracedCallback signature for frames.
    typedef void (*FrameTracedCallback)(const Frame& frame);
    /// TracedCallback signature for drops.
    typedef void (*DropTracedCallback)(const Frame& frame, DropReason reason);
    /// TracedCallback signature for PFC: bit vector of classes, true for pause.
    typedef void (*PfcTracedCallback)(uint8_t classes, bool pause);

  protected:
    void DoDispose() override;

  private:
    friend class FabricElement;
    friend class MixnetLink;
    friend struct PathProbe;

    void CountObservers(int change) override;

    /// Choose and start a frame; the line is free. @param now the instant
    void Decide(SimTick now);
    /// @param arrival no earlier than this a frame may arrive at the far port
    void ExpectRetry(SimTick arrival);
    /// @param now the instant @param retry out: when to choose again if there is none
    /// @return the frame to send now; null: none
    Frame* Choose(SimTick now, SimTick& retry);
    /// Add this hop to a frame's telemetry. @param frame leaves the queues @param now the instant
    void Stamp(Frame& frame, SimTick now);
    /// @param frame sent from now on @param now the instant
    void Transmit(Frame* frame, SimTick now);
    /// @param frame into the far port's list, its time being set
    void Deliver(Frame* frame);
    /// @param bytes on the wire @return ticks, when they are no whole number per byte
    SimTick SlowSerialization(uint32_t bytes) const;
    /// @param bytes sent @param now the instant @return ticks, remainder carried
    SimTick AdvanceClock(uint32_t bytes, SimTick now);

    /// @param frame for this NIC @return whether its arrival needs an event of its own
    bool IsUrgent(const Frame& frame) const;
    /// @return when the next frame arrives, or no earlier than which one may
    SimTick GetNextArrival() const;
    /// @param frame arrived @param now when
    void Receive(Frame* frame, SimTick now);
    /// @param frame a PFC frame for this port @param now when
    void ReceivePfc(Frame* frame, SimTick now);
    /// @param frame an ETHERNET frame for this NIC
    void ReceivePacket(Frame* frame);
    /// @param frame captured @param incoming direction
    void Sniff(const Frame& frame, bool incoming);
    /// Wrap a packet and queue it. @param packet the packet @param source NIC @param dest NIC
    /// @param protocol number @param group a copy of a broadcast or multicast @return false when
    /// dropped
    bool SendPacket(Ptr<Packet> packet,
                    uint32_t source,
                    uint32_t dest,
                    uint16_t protocol,
                    bool group);

    /// The link attaches. @param link the link @param peer the far port
    void Attach(Ptr<MixnetLink> link, MixnetPort* peer);
    /// @param rate of the link, for frames that begin from now on
    void SetRate(DataRate rate);
    /// The link's state changes, now. @param up new state @param now the present
    void ChangeLink(bool up, SimTick now);
    /// Drop what is queued. @param now the present
    void Flush(SimTick now);

    // Sending: one cache line
    alignas(64) SimTick* m_decideAt;     //!< next decision; in the element's array
    SimTick m_busyUntil{0};              //!< the line is free from here on
    SimTick m_ticksPerByte{0};           //!< zero: not a whole number
    SimTick m_delay{0};                  //!< propagation
    MixnetPort* m_peer{nullptr};         //!< far end
    EgressSource* m_source{nullptr};     //!< asked for frames
    EgressObserver* m_observer{nullptr}; //!< told of departures
    uint32_t m_observers{0};             //!< trace sources with sinks
    uint8_t m_paused{0};                 //!< classes paused by the far end
    uint8_t m_held{0};                   //!< classes held by its owner
    bool m_up{false};                    //!< the link carries frames
    bool m_sourceTurn{false};            //!< with both, the source is next
    bool m_feedsNic{false};              //!< the far end is a NIC

    // Receiving: one cache line
    alignas(64) FrameList m_arrivals;       //!< frames under way to this port, by arrival
    FabricElement* m_element{nullptr};      //!< where it belongs
    FrameReceiver* m_receiver{nullptr};     //!< where frames go
    PacketFabricContext* m_fabric{nullptr}; //!< m_context
    uint32_t m_index{0};                    //!< in m_element
    PortRole m_role{PortRole::NIC};         //!< what it is
    bool m_hasErrors{false};                //!< the link may corrupt what arrives here
    bool m_relaying{false};                 //!< frames for other NICs are wanted
    FrameList m_control;                    //!< PFC frames to send

    alignas(64) EgressQueues m_queues; //!< everything else to send
    PortCounters m_counters;           //!< what passed

    // Cold
    SimTick m_ownDecision{NEVER};                //!< slot before there is an element
    std::unique_ptr<RateClock> m_clock;          //!< when ticks per byte are not whole
    std::unique_ptr<PauseTimers> m_pauseTimers;  //!< once a pause is late or runs out
    Time m_pfcResponse;                          //!< attribute
    Ptr<PacketFabricContext> m_context;          //!< the fabric
    Ptr<MixnetLink> m_link;                      //!< the link
    std::unique_ptr<FabricElement> m_ownElement; //!< when it joined none
    uint32_t m_nicAddress{UINT32_MAX};           //!< NIC address
    Mac48Address m_mac;                          //!< its address
    uint32_t m_ifIndex{0};                       //!< interface of the node
    uint16_t m_mtu{9000};                        //!< of ordinary packets
    QueueSize m_queueLimit;                      //!< attribute
    Ptr<Node> m_node;                            //!< its node
    ReceiveCallback m_receiveCallback;           //!< ordinary packets
    PromiscReceiveCallback m_promiscCallback;    //!< ordinary packets, all
    std::vector<Callback<void>> m_linkCallbacks; //!< told of link changes

    ObservedCallback<const Frame&> m_enqueueTrace;             //!< queued
    ObservedCallback<const Frame&> m_dequeueTrace;             //!< begins to be sent
    ObservedCallback<const Frame&> m_receiveTrace;             //!< received
    ObservedCallback<const Frame&, DropReason> m_dropTrace;    //!< dropped
    ObservedCallback<const Frame&> m_markTrace;                //!< marked CE
    ObservedCallback<uint8_t, bool> m_pfcSentTrace;            //!< PFC frame asked for
    ObservedCallback<uint8_t, bool> m_pfcReceivedTrace;        //!< PFC frame obeyed
    ObservedCallback<Ptr<const Packet>> m_snifferTrace;        //!< true frames of this NIC
    ObservedCallback<Ptr<const Packet>> m_promiscSnifferTrace; //!< all true frames
};

} // namespace ns3

#endif // MIXNET_PORT_H
