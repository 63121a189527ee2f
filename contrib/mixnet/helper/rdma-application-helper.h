/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_APPLICATION_HELPER_H
#define RDMA_APPLICATION_HELPER_H

#include "ns3/address.h"
#include "ns3/application-container.h"
#include "ns3/flow-list.h"
#include "ns3/net-device.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup mixnet
 * Installs RDMA applications on servers:
 *
 *     RdmaApplicationHelper bulk("ns3::RdmaBulkApplication", devices.Get(0));
 *     bulk.SetAttribute("MessageSize", StringValue("8MiB"));
 *     ApplicationContainer senders = bulk.Install(others);
 *     senders.Start(MicroSeconds(10));
 */
class RdmaApplicationHelper
{
  public:
    /// @param typeId an RdmaApplication @param remote the peer's NIC port
    RdmaApplicationHelper(const std::string& typeId, Ptr<NetDevice> remote);
    /// @param typeId an RdmaApplication @param remote address of the peer's NIC port
    RdmaApplicationHelper(const std::string& typeId, const Address& remote);

    /// @param name attribute of the application @param value its value
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /// @param node a server @return its new application
    ApplicationContainer Install(Ptr<Node> node) const;
    /// @param nodes servers @return an application on each, in order
    ApplicationContainer Install(NodeContainer nodes) const;
    /// @param nodeName name of a server (Names) @return its new application
    ApplicationContainer Install(const std::string& nodeName) const;

    /**
     * An RdmaFlowListApplication on each server that has flows of the list.
     *
     * @param flows server i is node i; the tag of a message is the index of its flow in the list
     * @param servers the servers
     * @return the applications, in order of the servers that have flows
     * @throws InputError naming file and line of a flow whose server or NIC does not exist
     */
    static ApplicationContainer InstallFlows(const FlowList& flows, const NodeContainer& servers);

    /**
     * Fix the random variables of the RDMA applications.
     *
     * @param applications the applications @param stream first stream @return streams used
     */
    static int64_t AssignStreams(const ApplicationContainer& applications, int64_t stream);
    /// @param nodes with RDMA applications @param stream first stream @return streams used
    static int64_t AssignStreams(const NodeContainer& nodes, int64_t stream);

  private:
    ObjectFactory m_factory; //!< of applications
};

} // namespace ns3

#endif // RDMA_APPLICATION_HELPER_H
