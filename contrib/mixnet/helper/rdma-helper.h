/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HELPER_H
#define RDMA_HELPER_H

#include "ns3/cluster-spec.h"
#include "ns3/fabric-router.h"
#include "ns3/forwarding-installer.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/packet-world.h"
#include "ns3/trace-helper.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * What RdmaHelper::Install built: graph, router, nodes, links. The simulator keeps it until
 * Simulator::Destroy.
 */
class RdmaFabric : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RdmaFabric();
    ~RdmaFabric() override;

    /// @param graph graph @param router its router @param world built on it
    void Setup(Ptr<FabricGraph> graph, Ptr<FabricRouter> router, Ptr<PacketWorld> world);
    /// @return what is connected to what
    Ptr<FabricGraph> GetGraph() const;
    /// @return nodes, ports, switches, NICs
    Ptr<PacketWorld> GetWorld() const;
    /// Fix the random numbers of router and switches. @param stream first stream @return streams
    /// used
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    Ptr<FabricGraph> m_graph;                         //!< graph
    Ptr<FabricRouter> m_router;                       //!< router
    Ptr<PacketWorld> m_world;                         //!< world
    std::unique_ptr<ForwardingInstaller> m_installer; //!< tables of the switches
};

/**
 * @ingroup mixnet
 * Puts RDMA NICs on the nodes of a program and joins them by a packet fabric:
 *
 *     NodeContainer servers(16);
 *     RdmaHelper rdma;
 *     rdma.SetTopologyAttribute("Tiers", UintegerValue(2)); // a leaf-spine
 *     rdma.SetNicAttribute("PayloadSize", UintegerValue(1024));
 *     NetDeviceContainer devices = rdma.Install(servers);
 *     rdma.EnablePcap("incast", devices.Get(0), true);
 *
 * Fabrics with optical switches are built by MixnetFabricHelper.
 *
 * Devices are MixnetPorts: stock helpers (InternetStackHelper, Ipv4AddressHelper) work on them.
 *
 * Captures hold true frames (see FrameCodec) with nanosecond time stamps, written when a frame
 * begins to be sent and when its last byte has arrived; "promiscuous" adds what passes a relaying
 * NIC or a switch port, and PFC. Text traces have a line per frame queued (+), sent (-), received
 * (r) and dropped (d), with its time in seconds. Both work on any MixnetPort, whoever built it, and
 * make the element of the port handle its frames one by one (slower, same result).
 */
class RdmaHelper : public PcapHelperForDevice, public AsciiTraceHelperForDevice
{
  public:
    RdmaHelper();

    /// @param typeId a TopologyGenerator; default "ns3::FatTreeTopology"
    void SetTopology(const std::string& typeId);
    /// @param name attribute of the topology @param value its value
    void SetTopologyAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of every RdmaNic @param value its value
    void SetNicAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of every PacketSwitch @param value its value
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of every MixnetPort @param value its value
    void SetPortAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Build a fabric; an RdmaNic is aggregated to each node.
     *
     * @param servers nodes without an RdmaNic, one NIC port each
     * @return the NIC ports, in order of the servers
     * @throws InputError when the topology cannot be built
     */
    NetDeviceContainer Install(const NodeContainer& servers);
    /// @param servers nodes without an RdmaNic @param cluster as many servers, with their NICs
    /// @return the NIC ports: those of server 0 in order, those of server 1, ...
    NetDeviceContainer Install(const NodeContainer& servers, const ClusterSpec& cluster);

    /// @return the fabric of the last Install
    Ptr<RdmaFabric> GetFabric() const;
    /// Fix the random numbers of the last fabric. @param stream first stream @return streams used
    int64_t AssignStreams(int64_t stream) const;

  private:
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;
    void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                             std::string prefix,
                             Ptr<NetDevice> device,
                             bool explicitFilename) override;

    /// Names and values of attributes.
    using Attributes = std::vector<std::pair<std::string, Ptr<const AttributeValue>>>;

    ObjectFactory m_topology; //!< generator
    Attributes m_nic;         //!< of RdmaNic
    Attributes m_switch;      //!< of PacketSwitch
    Attributes m_port;        //!< of MixnetPort
    Ptr<RdmaFabric> m_fabric; //!< the last one
};

} // namespace ns3

#endif // RDMA_HELPER_H
