/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_IPV4_ROUTING_H
#define FABRIC_IPV4_ROUTING_H

#include "fabric-ipv4-directory.h"
#include "fabric-router.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/ns3-compat.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Gives ordinary ns-3 sockets the way that the fabric's RoutingPolicy would give a transfer: every
 * packet asks when it leaves, so a flow takes its circuit while that is open and the packet fabric
 * while it is held or dark. See MixnetIpv4RoutingHelper.
 *
 * - Every NIC has an IPv4 address. Any address of a server leads to it, whichever NIC is free to
 *   take it there (weak end system, the default of ns3::Ipv4L3Protocol).
 * - The GPUs asked for are those of the NICs whose addresses the packet bears; a NIC without a GPU
 *   counts for the GPU of its share of the server. Without a source address the first address of
 *   the server is taken, so the addresses of a connection stay the same when its way changes.
 * - Of several ways one is taken by hash of addresses, protocol and, for TCP, ports, with odds of
 *   the ways' shares.
 * - Over more than one circuit the servers between forward by the same policy.
 * - A socket that is bound to a device uses that device only: the policy's way if it leaves there,
 *   else the packet fabric, or the circuit at that NIC if it leads to the destination.
 * - Neighbors are written into the ARP caches when first used; no ARP request is ever sent.
 *
 * Destinations that are no NIC of the fabric have no route here; ns3::Ipv4ListRouting asks the next
 * protocol. No broadcast, no multicast.
 */
class FabricIpv4Routing : public Ipv4RoutingProtocol
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    FabricIpv4Routing();
    ~FabricIpv4Routing() override;

    /**
     * Before SetIpv4.
     *
     * @param router which way
     * @param directory addresses of all servers, shared by their protocols
     */
    void SetRouter(Ptr<const FabricRouter> router, Ptr<FabricIpv4Directory> directory);

    Ptr<Ipv4Route> RouteOutput(Ptr<Packet> p,
                               const Ipv4Header& header,
                               Ptr<NetDevice> oif,
                               Socket::SocketErrno& sockerr) override;
    bool RouteInput(Ptr<const Packet> p,
                    const Ipv4Header& header,
                    Ptr<const NetDevice> idev,
                    MIXNET_ROUTE_INPUT_CALLBACK(UnicastForwardCallback) ucb,
                    MIXNET_ROUTE_INPUT_CALLBACK(MulticastForwardCallback) mcb,
                    MIXNET_ROUTE_INPUT_CALLBACK(LocalDeliverCallback) lcb,
                    MIXNET_ROUTE_INPUT_CALLBACK(ErrorCallback) ecb) override;
    void NotifyInterfaceUp(uint32_t interface) override;
    void NotifyInterfaceDown(uint32_t interface) override;
    void NotifyAddAddress(uint32_t interface, Ipv4InterfaceAddress address) override;
    void NotifyRemoveAddress(uint32_t interface, Ipv4InterfaceAddress address) override;
    void SetIpv4(Ptr<Ipv4> ipv4) override;
    void PrintRoutingTable(Ptr<OutputStreamWrapper> stream,
                           Time::Unit unit = Time::S) const override;

  protected:
    void DoDispose() override;

  private:
    /// From one NIC to the next one.
    struct Hop
    {
        uint32_t from{0}; //!< address of a NIC of this server
        uint32_t to{0};   //!< address of the NIC it arrives at
    };

    /// @param name of a traffic class @throws InputError when there is none
    void SetTrafficClass(std::string name);
    /// @return name of the traffic class
    std::string GetTrafficClass() const;
    /// @param interface an interface @return address of its NIC; none if it is no NIC
    std::optional<uint32_t> FindNic(uint32_t interface) const;
    /// @param nic address of a NIC @return the GPU it counts for
    GpuId GetGpu(uint32_t nic) const;
    /// @param source address of a NIC of this server @param destination address of another
    /// server's @param hash of the flow @param relayed this server forwards it: no circuit to
    /// another relay @return the way's first hop by the policy, if there is a way
    std::optional<Hop> Choose(uint32_t source,
                              uint32_t destination,
                              uint64_t hash,
                              bool relayed) const;
    /// @param nic address of a NIC of this server, to be used @param destination address of
    /// another server's @return the hop, if there is one
    std::optional<Hop> ChooseAt(uint32_t nic, uint32_t destination) const;
    /// @param header addresses @param source of the route @param hop where @return the route; the
    /// neighbor is in the ARP cache
    Ptr<Ipv4Route> MakeRoute(const Ipv4Header& header, Ipv4Address source, const Hop& hop) const;
    /// @param source if not any @param device if set, whose first address to take @return the
    /// source of a packet
    Ipv4Address GetSource(Ipv4Address source, Ptr<NetDevice> device) const;
    /// @param header addresses, protocol @param packet begins with the header of the transport;
    /// may be null @return hash of its flow
    static uint64_t Hash(const Ipv4Header& header, Ptr<const Packet> packet);

    TrafficClass m_trafficClass{TrafficClass::OTHER}; //!< attribute
    Ptr<const FabricRouter> m_router;                 //!< which way
    Ptr<FabricIpv4Directory> m_directory;             //!< addresses
    Ptr<Ipv4> m_ipv4;                                 //!< stack of this server
    mutable std::vector<LaneRoute> m_routes;          //!< scratch
};

} // namespace ns3

#endif // FABRIC_IPV4_ROUTING_H
