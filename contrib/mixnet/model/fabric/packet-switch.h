/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_PACKET_SWITCH_H
#define MIXNET_PACKET_SWITCH_H

#include "ecn-marker.h"
#include "fabric-element.h"
#include "forwarding-table.h"
#include "mixnet-port.h"
#include "pause-refresher.h"
#include "port-balancer.h"
#include "shared-buffer.h"

#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/queue-size.h"
#include "ns3/random-variable-stream.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// What ends a pause; unscoped because the EnumValue of old releases holds an int.
enum PfcRelease : uint8_t
{
    PFC_XON,    //!< a resume frame; the pause itself does not run out
    PFC_QUANTA, //!< its quanta run out, unless it is sent again; no resume frames
    PFC_BOTH    //!< whichever is first
};

/**
 * @ingroup mixnet
 * Store-and-forward packet switch, aggregated to the node that owns its ports: forwarding with
 * ECMP, shared buffer, PFC, ECN, strict and round-robin classes.
 *
 * A frame is looked at when its last byte has arrived: route, admission to the shared buffer (and
 * perhaps a pause to the neighbor it came from), queue of the egress port. It leaves the buffer
 * when the egress port begins to send it (and perhaps the neighbor may resume).
 *
 * Law: bytes in the shared buffer = sum over the queues of all ports.
 */
class PacketSwitch : public Object, public FrameReceiver, public EgressObserver
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    PacketSwitch();
    ~PacketSwitch() override;

    /// @param port a port of this switch's node, without link; the switch must be aggregated to
    /// the node @return its index
    uint32_t AddPort(Ptr<MixnetPort> port);
    /// @return number of ports
    uint32_t GetNPorts() const;
    /// @param index index of a port @return the port
    MixnetPort* GetPort(uint32_t index) const;

    /**
     * Divide the buffer and set the thresholds by the rates and delays of the links. Called at
     * the start of the simulation if not before; all links must be attached.
     *
     * @throws InputError when the buffer is smaller than headroom and reserved bytes
     */
    void Configure();

    /// Replace all routes, now. @param ranges see ForwardingTable @param groups port groups
    void SetRoutes(const std::vector<RouteRange>& ranges, const std::vector<PortGroup>& groups);
    /// @return the routes
    const ForwardingTable& GetTable() const;

    /// @param seed mixed into the hash that chooses among equal-cost ports
    void SetEcmpSeed(uint64_t seed);

    /// @return chooses among equal-cost ports; null before Configure and for plain ECMP
    Ptr<PortBalancer> GetBalancer() const;

    /// @param priority class that is not strict @param quantum bytes per round at every port
    void SetQuantum(uint8_t priority, uint32_t quantum);

    /// @param observer told of pauses; null: nobody
    void SetPauseObserver(PauseObserver* observer);
    /// @param name in messages; default: "switch <node id>"
    void SetName(const std::string& name);
    /// @return its name
    std::string GetName() const;

    /// @return the buffer, up to the present
    const SharedBuffer& GetBuffer();
    /// @param port index of a port @return bit c: the neighbor there was told to pause class c
    uint8_t GetPausedNeighbor(uint32_t port);

    /**
     * @param stream first stream number
     * @return streams used: one per port, for ECN, and those of the balancer
     */
    int64_t AssignStreams(int64_t stream);

    void ReceiveFrame(Frame* frame, MixnetPort& in, SimTick now) override;
    MixnetPort* FindNext(const Frame& frame, const MixnetPort& in) override;
    void FrameLeaves(Frame& frame, MixnetPort& port, SimTick now) override;
    void LinkChanged(MixnetPort& port, bool up) override;
    void RateChanged(MixnetPort& port) override;

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    /// What the switch knows of a port.
    struct PortState
    {
        EcnMarker marker;                  //!< thresholds
        Ptr<UniformRandomVariable> random; //!< for marks
        uint8_t pausedNeighbor{0};         //!< bit c: told to pause
    };

    static TypeId AddBufferAttributes(TypeId tid); //!< @param tid so far @return with more
    static TypeId AddPfcAttributes(TypeId tid);    //!< @param tid so far @return with more
    static TypeId AddEcnAttributes(TypeId tid);    //!< @param tid so far @return with more

    /// @return bytes of headroom by port; notes those that are too few
    std::vector<uint64_t> ChooseHeadroom() const;
    /// Set ECN thresholds. @param index port whose rate is known
    void SetMarker(uint32_t index);
    /// Set how late the element may look.
    void LimitLateLooks();
    /// @param port port @return time between two pause frames with quanta: half of the quanta
    SimTick GetRefreshInterval(const MixnetPort& port) const;
    /// Have a pause refreshed, or not any more. @param port ingress @param priority class
    /// @param pause it was told to pause @param now when
    void WatchPause(MixnetPort& port, uint8_t priority, bool pause, SimTick now);
    /// Send a pause again, now. @param index ingress @param priority class
    void RefreshPause(uint32_t index, uint8_t priority);

    /// @param frame to forward @param now when @return egress port that the balancer chooses
    uint16_t Balance(const Frame& frame, SimTick now);

    /// Admission when the buffer is not obviously roomy. @param frame the frame @param in ingress
    /// @param out egress @param bytes size @param now when @return why it is dropped; none
    bool AdmitCarefully(Frame* frame, MixnetPort& in, MixnetPort& out, uint32_t bytes, SimTick now);
    /// @param frame may be marked @param port egress @param bytes length of its queue
    void Mark(Frame& frame, MixnetPort& port, uint64_t bytes);
    /// Tell a neighbor. @param port ingress @param priority class @param pause or resume
    /// @param now when
    void TellNeighbor(MixnetPort& port, uint8_t priority, bool pause, SimTick now);

    std::unique_ptr<FabricElement> m_element;    //!< order of events at the ports
    std::vector<Ptr<MixnetPort>> m_ports;        //!< by index
    std::vector<PortState> m_state;              //!< by index
    PauseObserver* m_pauseObserver{nullptr};     //!< told of pauses
    std::string m_name;                          //!< in messages
    ForwardingTable m_table;                     //!< routes
    Ptr<PortBalancer> m_balancer;                //!< null: ECMP by hash
    SharedBuffer m_buffer;                       //!< memory
    uint64_t m_hashSeed{0};                      //!< of ECMP
    uint32_t m_pauses{0};                        //!< pauses in force, over ports and classes
    bool m_configured{false};                    //!< Configure was called
    bool m_ecn{true};                            //!< attribute
    bool m_pfc{true};                            //!< attribute
    EcnPoint m_ecnPoint{ECN_DEQUEUE};            //!< attribute
    PfcRelease m_pfcRelease{PFC_XON};            //!< attribute
    uint16_t m_pfcQuanta{UINT16_MAX};            //!< attribute
    std::unique_ptr<PauseRefresher> m_refresher; //!< null: pauses hold until the resume

    // Attributes read once
    QueueSize m_bufferSize;          //!< memory
    QueueSize m_reserved;            //!< per ingress port and class
    QueueSize m_xonOffset;           //!< hysteresis
    QueueSize m_headroom;            //!< zero: computed
    QueueSize m_maxFrame;            //!< for the headroom
    Time m_response;                 //!< for the headroom
    double m_alphaLossless;          //!< dynamic threshold
    double m_alphaLossy;             //!< dynamic threshold
    QueueSize m_staticLossless;      //!< zero: dynamic
    QueueSize m_staticLossy;         //!< zero: dynamic
    QueueSize m_kmin;                //!< ECN
    QueueSize m_kmax;                //!< ECN
    double m_pmax;                   //!< ECN
    bool m_scaleEcn{true};           //!< thresholds grow with the rate
    uint8_t m_strict{0};             //!< strict classes
    uint64_t m_seed{0};              //!< of the fabric
    Time m_lookahead;                //!< limit
    ObjectFactory m_balancerFactory; //!< attribute
};

} // namespace ns3

#endif // MIXNET_PACKET_SWITCH_H
