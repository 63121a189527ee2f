/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PACKET_WORLD_H
#define PACKET_WORLD_H

#include "rdma-nic.h"

#include "ns3/fabric-graph.h"
#include "ns3/mixnet-link.h"
#include "ns3/mixnet-port.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/packet-fabric-context.h"
#include "ns3/packet-switch.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * The packet world of a FabricGraph: a Node per vertex with its ports, a link per edge, a
 * PacketSwitch or RdmaNic aggregated to each switch or server. Links follow the state of edges
 * (phase WORLD). The tables of the switches are filled by whoever routes.
 *
 * An edge that is down for the optical cause alone keeps its link up: what is sent into the dark
 * is lost at the OCS, and counted there.
 *
 * NIC addresses count the NICs of server 0 first, by port, then those of server 1, and so on.
 */
class PacketWorld : public Object
{
  public:
    /**
     * Makes the model of an OCS: (vertex, its node, its ports in order, not yet linked); the object
     * is kept until the world ends.
     */
    using OcsFactory =
        Callback<Ptr<Object>, VertexId, Ptr<Node>, const std::vector<Ptr<MixnetPort>>&>;

    /// @return the TypeId
    static TypeId GetTypeId();

    PacketWorld();
    ~PacketWorld() override;

    /// @name Before Build
    /// @{

    /// @param name attribute of every RdmaNic @param value its value
    void SetNicAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of every PacketSwitch @param value its value
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of every MixnetPort @param value its value
    void SetPortAttribute(const std::string& name, const AttributeValue& value);
    /// @param nodes one for each server, in order; without, they are made
    void SetServerNodes(const NodeContainer& nodes);
    /// @param factory makes optical switches; needed when the graph has any
    void SetOcsFactory(const OcsFactory& factory);
    /// @}

    /**
     * Make everything, once.
     *
     * @param graph complete graph; must outlive this
     * @throws InputError when the graph has an OCS and there is no factory, or a buffer is too
     * small
     */
    void Build(Ptr<FabricGraph> graph);

    /// @return the graph
    Ptr<FabricGraph> GetGraph() const;
    /// @return what the ports share: frames, drops
    PacketFabricContext& GetFabric() const;
    /// @return all nodes, by vertex
    const NodeContainer& GetNodes() const;
    /// @param v vertex @return its node
    Ptr<Node> GetNode(VertexId v) const;
    /// @param v vertex @param port its port @return the port's device
    MixnetPort& GetPort(VertexId v, uint32_t port) const;
    /// @param e edge @return its link
    MixnetLink& GetLink(EdgeId e) const;
    /// @param s server @return its NIC
    RdmaNic& GetNic(ServerId s) const;
    /// @param v a switch @return its model
    PacketSwitch& GetSwitch(VertexId v) const;
    /// @param v an OCS @return what the factory made
    Ptr<Object> GetOcs(VertexId v) const;
    /// @param s server @param nic its NIC @return the address
    uint32_t GetAddress(ServerId s, uint32_t nic) const;

    /// @param c channel @return wire bytes it has carried, preamble and gap included
    uint64_t GetWireBytes(ChannelId c) const;

    /// @return sum of what all NICs counted
    RdmaCounters GetCounters() const;

    /// @param stream first stream @return streams used, by the switches
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    /// @return a node for each vertex
    NodeContainer MakeNodes() const;
    /// @param v vertex: make its ports and its model
    void BuildVertex(VertexId v);
    /// @param e edge: make its link
    void BuildLink(EdgeId e);
    /// Tell a NIC whether its port hears whom it sends to. @param fiber of the port
    void FollowDirections(EdgeId fiber);
    /// @param change what happened to the graph
    void Follow(const GraphChange& change);
    /// @param e edge @return true when its link carries frames
    bool CarriesFrames(EdgeId e) const;

    ObjectFactory m_nicFactory;                        //!< RdmaNic
    ObjectFactory m_switchFactory;                     //!< PacketSwitch
    ObjectFactory m_portFactory;                       //!< MixnetPort
    OcsFactory m_ocsFactory;                           //!< optical switches
    Ptr<FabricGraph> m_graph;                          //!< the graph
    Ptr<PacketFabricContext> m_fabric;                 //!< shared
    NodeContainer m_servers;                           //!< given by the user
    NodeContainer m_nodes;                             //!< by vertex
    std::vector<std::vector<Ptr<MixnetPort>>> m_ports; //!< by vertex and port
    std::vector<Ptr<Object>> m_models;                 //!< by vertex
    std::vector<Ptr<MixnetLink>> m_links;              //!< by edge
    std::vector<RdmaNic*> m_nics;                      //!< by server
    std::vector<uint32_t> m_firstAddress;              //!< by server
};

} // namespace ns3

#endif // PACKET_WORLD_H
