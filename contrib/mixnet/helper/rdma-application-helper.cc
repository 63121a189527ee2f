/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-application-helper.h"

#include "ns3/mixnet-error.h"
#include "ns3/names.h"
#include "ns3/node.h"
#include "ns3/rdma-flow-list-application.h"

#include <vector>

namespace ns3
{

namespace
{

/// @param servers the servers @param server index @param nic index @param where for messages
/// @return the NIC port
Ptr<NetDevice>
FindNic(const NodeContainer& servers, uint32_t server, uint32_t nic, const std::string& where)
{
    const Ptr<RdmaNic> model =
        server < servers.GetN() ? servers.Get(server)->GetObject<RdmaNic>() : nullptr;
    if (!model || nic >= model->GetNPorts())
    {
        throw InputError(where,
                         "server " + std::to_string(server) + " with NIC " + std::to_string(nic) +
                             " does not exist",
                         "servers below " + std::to_string(servers.GetN()) + " and their NICs");
    }
    return Ptr<NetDevice>(&model->GetPort(nic));
}

} // namespace

RdmaApplicationHelper::RdmaApplicationHelper(const std::string& typeId, Ptr<NetDevice> remote)
    : RdmaApplicationHelper(typeId, remote->GetAddress())
{
}

RdmaApplicationHelper::RdmaApplicationHelper(const std::string& typeId, const Address& remote)
{
    m_factory.SetTypeId(typeId);
    m_factory.Set("Remote", AddressValue(remote));
}

void
RdmaApplicationHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

ApplicationContainer
RdmaApplicationHelper::Install(Ptr<Node> node) const
{
    const Ptr<Application> application = m_factory.Create<Application>();
    node->AddApplication(application);
    return ApplicationContainer(application);
}

ApplicationContainer
RdmaApplicationHelper::Install(NodeContainer nodes) const
{
    ApplicationContainer applications;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        applications.Add(Install(*node));
    }
    return applications;
}

ApplicationContainer
RdmaApplicationHelper::Install(const std::string& nodeName) const
{
    return Install(Names::Find<Node>(nodeName));
}

ApplicationContainer
RdmaApplicationHelper::InstallFlows(const FlowList& flows, const NodeContainer& servers)
{
    std::vector<Ptr<RdmaFlowListApplication>> applications(servers.GetN());
    uint64_t tag = 0;
    for (const FlowEntry& entry : flows.GetEntries())
    {
        const std::string where = flows.Locate(entry);
        FindNic(servers, entry.source, entry.nic, where);
        const Ptr<NetDevice> remote = FindNic(servers, entry.destination, entry.nic, where);
        auto& application = applications[entry.source];
        if (!application)
        {
            application = CreateObject<RdmaFlowListApplication>();
        }
        application->AddFlow({entry.start, remote->GetAddress(), entry.nic, entry.size, tag++});
    }
    ApplicationContainer installed;
    for (uint32_t i = 0; i < servers.GetN(); ++i)
    {
        if (applications[i])
        {
            servers.Get(i)->AddApplication(applications[i]);
            installed.Add(applications[i]);
        }
    }
    return installed;
}

int64_t
RdmaApplicationHelper::AssignStreams(const ApplicationContainer& applications, int64_t stream)
{
    int64_t used = 0;
    for (auto it = applications.Begin(); it != applications.End(); ++it)
    {
        const Ptr<RdmaApplication> application = DynamicCast<RdmaApplication>(*it);
        used += application ? application->AssignStreams(stream + used) : 0;
    }
    return used;
}

int64_t
RdmaApplicationHelper::AssignStreams(const NodeContainer& nodes, int64_t stream)
{
    int64_t used = 0;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        ApplicationContainer applications;
        for (uint32_t i = 0; i < (*node)->GetNApplications(); ++i)
        {
            applications.Add((*node)->GetApplication(i));
        }
        used += AssignStreams(applications, stream + used);
    }
    return used;
}

} // namespace ns3
