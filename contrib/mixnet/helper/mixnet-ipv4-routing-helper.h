/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_IPV4_ROUTING_HELPER_H
#define MIXNET_IPV4_ROUTING_HELPER_H

#include "mixnet-fabric-helper.h"

#include "ns3/fabric-ipv4-directory.h"
#include "ns3/fabric-router.h"
#include "ns3/ipv4-routing-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/packet-world.h"

#include <string>

namespace ns3
{

/**
 * @ingroup mixnet
 * Gives the sockets of a packet world the fabric's routing policies (ns3::FabricIpv4Routing):
 *
 *     MixnetIpv4RoutingHelper routing(fabric);
 *     InternetStackHelper internet;
 *     internet.SetRoutingHelper(routing);
 *     internet.Install(routing.GetServers());
 *     Ipv4AddressHelper("10.0.0.0", "255.0.0.0").Assign(routing.GetNics());
 *
 * One helper per fabric: its copies share the addresses. Every NIC needs an address.
 */
class MixnetIpv4RoutingHelper : public Ipv4RoutingHelper
{
  public:
    /// @param world a packet world that is built @param router its router
    MixnetIpv4RoutingHelper(Ptr<PacketWorld> world, Ptr<FabricRouter> router);
    /// @param fabric a fabric of the packet world
    /// @throws InputError when it is of another one
    explicit MixnetIpv4RoutingHelper(const MixnetFabric& fabric);

    /// @param name attribute of ns3::FabricIpv4Routing @param value its value
    void Set(const std::string& name, const AttributeValue& value);

    /// @return nodes of all servers, in order
    NodeContainer GetServers() const;
    /// @return NICs of all servers, by server, then port
    NetDeviceContainer GetNics() const;

    MixnetIpv4RoutingHelper* Copy() const override;
    Ptr<Ipv4RoutingProtocol> Create(Ptr<Node> node) const override;

  private:
    ObjectFactory m_factory;              //!< protocol
    Ptr<PacketWorld> m_world;             //!< nodes and ports
    Ptr<FabricRouter> m_router;           //!< which way
    Ptr<FabricIpv4Directory> m_directory; //!< shared by copies
};

} // namespace ns3

#endif // MIXNET_IPV4_ROUTING_HELPER_H
