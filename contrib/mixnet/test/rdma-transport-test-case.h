/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TRANSPORT_TEST_CASE_H
#define RDMA_TRANSPORT_TEST_CASE_H

#include "rdma-test-case.h"

#include "ns3/fabric-router.h"
#include "ns3/forwarding-installer.h"
#include "ns3/optical-switch.h"
#include "ns3/packet-fabric-control.h"
#include "ns3/packet-transport.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

/**
 * @ingroup mixnet-test
 * A packet world behind the two doors: servers of four GPUs, one electrical NIC each (owned by GPU
 * 0) on one switch, and fiber NICs (owned by GPUs 1, 2, ...) on one OCS.
 */
class RdmaTransportCase : public RdmaTestCase, public ns3::TransferSink
{
  public:
    /// @param name what it checks
    explicit RdmaTransportCase(const std::string& name)
        : RdmaTestCase(name)
    {
    }

    void OnCompletion(const ns3::Completion& completion) override
    {
        m_done.push_back(completion);
    }

  protected:
    static constexpr int64_t PICOS = 80;     //!< per byte at 100G
    static constexpr int64_t CABLE = 500000; //!< delay of a cable, ps
    static constexpr int64_t FIBER = 700000; //!< delay of a fiber, ps

    /// @param servers number @param fibers of each @param packet whether there is a switch
    void MakeHybrid(uint32_t servers, uint32_t fibers, bool packet = true)
    {
        MakeServers(0);
        m_transport = ns3::CreateObject<ns3::PacketTransport>();
        m_control = ns3::CreateObject<ns3::PacketFabricControl>();
        ns3::ServerSpec spec;
        spec.gpus = 4;
        spec.scaleUpRate = ns3::DataRate(m_scaleUp);
        for (uint32_t s = 0; s < servers; ++s)
        {
            m_graph->AddServer(spec);
        }
        if (packet)
        {
            m_switch = m_graph->AddSwitch(1, "switch");
        }
        if (fibers > 0)
        {
            m_ocs = m_graph->AddOcs(servers * fibers, "ocs");
        }
        for (uint32_t s = 0; s < servers; ++s)
        {
            const ns3::VertexId v = m_graph->GetVertex(ns3::ServerId(s));
            if (packet)
            {
                m_graph->AddEdge(v, m_switch, Cable("100Gbps", ns3::PicoSeconds(CABLE)));
                m_graph->SetNicOwner(ns3::ServerId(s), 0, 0, 0);
            }
            for (uint32_t f = 0; f < fibers; ++f)
            {
                ns3::EdgeSpec fiber = Cable(m_fiberRates.count(f) ? m_fiberRates[f] : "100Gbps",
                                            ns3::PicoSeconds(FIBER));
                fiber.kind = ns3::EdgeKind::FIBER;
                m_graph->AddEdge(v, m_ocs, fiber);
                m_graph->SetNicOwner(ns3::ServerId(s), f + (packet ? 1 : 0), f % 3 + 1, 0);
            }
        }
        m_fibers = fibers;
    }

    /// Make the world and the doors.
    void BuildDoors()
    {
        m_world->SetOcsFactory(MakeCallback(&ns3::OpticalSwitch::Make).Bind(m_graph));
        m_world->Build(m_graph);
        m_router = ns3::CreateObject<ns3::FabricRouter>();
        m_router->SetGraph(m_graph);
        m_installer = std::make_unique<ns3::ForwardingInstaller>(m_router);
        for (uint32_t v = 0; v < m_graph->GetNVertices(); ++v)
        {
            if (m_graph->GetKind(ns3::VertexId(v)) == ns3::VertexKind::SWITCH)
            {
                m_installer->Add(ns3::VertexId(v), &m_world->GetSwitch(ns3::VertexId(v)));
            }
        }
        m_transport->SetWorld(m_world, m_router);
        m_control->SetWorld(m_world, m_transport);
    }

    /// @param a server @param fiberA its fiber @param b server @param fiberB its fiber
    /// @return the circuit that joins them
    ns3::Circuit Join(uint32_t a, uint32_t fiberA, uint32_t b, uint32_t fiberB) const
    {
        const uint32_t p = a * m_fibers + fiberA;
        const uint32_t q = b * m_fibers + fiberB;
        return {m_ocs, std::min(p, q), std::max(p, q)};
    }

    /// @param server a server @param fiber one of its fibers @return its edge
    ns3::EdgeId FiberOf(uint32_t server, uint32_t fiber) const
    {
        return m_graph->GetEdge(m_ocs, server * m_fibers + fiber);
    }

    /// @param server a server @param local GPU in it @return the GPU
    static ns3::GpuId Gpu(uint32_t server, uint32_t local)
    {
        return ns3::GpuId(4 * server + local);
    }

    /// @param source a GPU @param destination a GPU @param bytes payload @param lanes number
    /// @return the transfer
    static ns3::Transfer Make(ns3::GpuId source,
                              ns3::GpuId destination,
                              uint64_t bytes,
                              uint32_t lanes = 1)
    {
        ns3::Transfer transfer;
        transfer.source = source;
        transfer.destination = destination;
        transfer.bytes = ns3::ByteCount(bytes);
        transfer.lanes = lanes;
        transfer.trafficClass = ns3::TrafficClass::EP;
        transfer.tag = bytes;
        return transfer;
    }

    /// @param transfer sent now @return its id
    ns3::TransferId Send(const ns3::Transfer& transfer)
    {
        return m_transport->Send({transfer}, *this);
    }

    /**
     * Idle FCT; see RdmaIdleTest.
     *
     * @param bytes payload @param serializations links that serialize @param delay all of it, ps
     * @return FCT
     */
    static ns3::Time Ideal(uint64_t bytes, int64_t serializations, int64_t delay)
    {
        const auto packets = static_cast<int64_t>((bytes + 4095) / 4096);
        const int64_t wire = static_cast<int64_t>(bytes) + 82 * packets + 16;
        const int64_t largest = static_cast<int64_t>(std::min<uint64_t>(bytes, 4096)) + 98;
        return ns3::PicoSeconds((wire + (serializations - 1) * largest) * PICOS + delay);
    }

    /// @param completion a completion @param path path class @return its bytes
    static uint64_t On(const ns3::Completion& completion, ns3::PathClass path)
    {
        return completion.bytesByPath[static_cast<std::size_t>(path)].Get();
    }

    /// Everything has ended: nothing is left, the totals add up.
    void CheckEmpty()
    {
        CheckLaws();
        NS_TEST_EXPECT_MSG_EQ(m_transport->GetNParts(), 0, "parts left");
        NS_TEST_EXPECT_MSG_EQ(m_transport->GetTotals().unfinished.Get(), 0, "unfinished bytes");
        for (uint32_t s = 0; s < m_graph->GetNServers(); ++s)
        {
            NS_TEST_EXPECT_MSG_EQ(Nic(s).GetNQps(), 0, "queue pairs of server " << s);
            NS_TEST_EXPECT_MSG_EQ(Nic(s).GetRelay().GetNRules(), 0, "rules of server " << s);
        }
    }

    void DoTeardown() override
    {
        m_installer.reset();
        m_control->Dispose();
        m_transport->Dispose();
        RdmaTestCase::DoTeardown();
        m_router = nullptr;
    }

    std::string m_scaleUp{"3600Gbps"};                     //!< rate of every GPU
    std::map<uint32_t, std::string> m_fiberRates;          //!< by fiber; others: 100 Gb/s
    ns3::VertexId m_switch;                                //!< electrical switch
    ns3::VertexId m_ocs;                                   //!< optical switch
    uint32_t m_fibers{0};                                  //!< per server
    ns3::Ptr<ns3::FabricRouter> m_router;                  //!< which way
    std::unique_ptr<ns3::ForwardingInstaller> m_installer; //!< tables
    ns3::Ptr<ns3::PacketTransport> m_transport;            //!< first door
    ns3::Ptr<ns3::PacketFabricControl> m_control;          //!< second door
    std::vector<ns3::Completion> m_done;                   //!< completions
};

#endif // RDMA_TRANSPORT_TEST_CASE_H
