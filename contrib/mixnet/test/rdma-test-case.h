/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TEST_CASE_H
#define RDMA_TEST_CASE_H

#include "ns3/ecmp-tables.h"
#include "ns3/error-model.h"
#include "ns3/fabric-graph.h"
#include "ns3/frame-codec.h"
#include "ns3/packet-world.h"
#include "ns3/rdma-nic.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/**
 * @ingroup mixnet-test
 * Corrupts the frames that a function names: it sees each RoCE frame of a direction in turn.
 */
class RdmaScript : public ns3::ErrorModel
{
  public:
    /// @param frame as on the wire @param count of its opcode so far @return true to corrupt it
    using Function = std::function<bool(const ns3::Frame& frame, uint32_t count)>;

    /// @param function asked for each frame
    explicit RdmaScript(Function function)
        : m_function(std::move(function))
    {
    }

    uint32_t corrupted{0}; //!< frames lost so far

  private:
    bool DoCorrupt(ns3::Ptr<ns3::Packet> packet) override
    {
        std::vector<uint8_t> bytes(packet->GetSize());
        packet->CopyData(bytes.data(), packet->GetSize());
        const auto frame = ns3::FrameCodec::Decode(bytes);
        const bool lost =
            frame && m_function(*frame, m_count[static_cast<std::size_t>(frame->opcode)]++);
        corrupted += lost ? 1 : 0;
        return lost;
    }

    void DoReset() override
    {
    }

    Function m_function;                //!< asked
    std::array<uint32_t, 16> m_count{}; //!< by opcode
};

/**
 * @ingroup mixnet-test
 * Shows a function every frame that ports begin to send, or receive.
 */
class FrameTap
{
  public:
    /// @param function called for each frame
    explicit FrameTap(std::function<void(const ns3::Frame&)> function)
        : m_function(std::move(function))
    {
    }

    FrameTap(const FrameTap&) = delete;
    FrameTap& operator=(const FrameTap&) = delete;

    /// @param port watched from now on; this must outlive the run @param source trace source
    void Connect(ns3::MixnetPort& port, const std::string& source = "Dequeue")
    {
        port.TraceConnectWithoutContext(source, ns3::MakeCallback(&FrameTap::Show, this));
    }

  private:
    /// @param frame sent
    void Show(const ns3::Frame& frame)
    {
        m_function(frame);
    }

    std::function<void(const ns3::Frame&)> m_function; //!< called
};

/**
 * @ingroup mixnet-test
 * Completions of any number of queue pairs, with their times.
 */
class RdmaLog : public ns3::WorkSink
{
  public:
    /// A completion.
    struct Entry
    {
        ns3::Time at;           //!< when
        ns3::RdmaNic* nic;      //!< whose
        uint32_t qp;            //!< queue pair
        uint64_t id;            //!< work request, or order of the message
        ns3::ByteCount bytes;   //!< payload
        ns3::WorkStatus status; //!< of send completions
    };

    void OnSend(ns3::RdmaNic& nic, const ns3::SendCompletion& c) override
    {
        sent.push_back({ns3::Simulator::Now(), &nic, c.qp, c.id, c.bytes, c.status});
    }

    void OnReceive(ns3::RdmaNic& nic, const ns3::ReceiveCompletion& c) override
    {
        received.push_back(
            {ns3::Simulator::Now(), &nic, c.qp, c.number, c.bytes, ns3::WorkStatus::SUCCESS});
    }

    std::vector<Entry> sent;     //!< send completions
    std::vector<Entry> received; //!< receive completions
};

/**
 * @ingroup mixnet-test
 * A small packet world: two groups of servers with a chain of switches between them.
 */
class RdmaTestCase : public ns3::TestCase
{
  public:
    /// @param name what it checks
    explicit RdmaTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    /// Start a graph. @param servers number of servers, numbered from 0
    void MakeServers(uint32_t servers)
    {
        m_graph = ns3::CreateObject<ns3::FabricGraph>();
        m_world = ns3::CreateObject<ns3::PacketWorld>();
        for (uint32_t s = 0; s < servers; ++s)
        {
            m_graph->AddServer(ns3::ServerSpec());
        }
    }

    /// @param rate rate @param delay delay @return properties of a cable
    static ns3::EdgeSpec Cable(const std::string& rate, ns3::Time delay)
    {
        ns3::EdgeSpec spec;
        spec.rate = ns3::DataRate(rate);
        spec.delay = delay;
        return spec;
    }

    /**
     * Servers 0 to left - 1, a chain of switches, servers left to left + right - 1.
     *
     * @param left number @param right number @param switches number, may be 0 for one server each
     * @param spec of every cable
     */
    void MakeChain(uint32_t left, uint32_t right, uint32_t switches, const ns3::EdgeSpec& spec)
    {
        MakeServers(left + right);
        std::vector<ns3::VertexId> chain;
        for (uint32_t i = 0; i < switches; ++i)
        {
            chain.push_back(m_graph->AddSwitch(1, "switch " + std::to_string(i)));
        }
        const auto server = [this](uint32_t s) { return m_graph->GetVertex(ns3::ServerId(s)); };
        if (switches == 0)
        {
            m_graph->AddEdge(server(0), server(1), spec);
            return;
        }
        for (uint32_t s = 0; s < left + right; ++s)
        {
            m_graph->AddEdge(server(s), s < left ? chain.front() : chain.back(), spec);
        }
        for (uint32_t i = 1; i < switches; ++i)
        {
            m_graph->AddEdge(chain[i - 1], chain[i], spec);
        }
    }

    /// Make the world and fill its tables.
    void Build()
    {
        m_world->Build(m_graph);
        ns3::EcmpTables tables(*m_graph);
        tables.Compute();
        for (uint32_t i = 0; i < tables.GetNSwitches(); ++i)
        {
            std::vector<ns3::RouteRange> ranges;
            std::vector<ns3::PortGroup> groups;
            tables.GetRoutes(tables.GetVertex(i), ranges, groups);
            m_world->GetSwitch(tables.GetVertex(i)).SetRoutes(ranges, groups);
        }
    }

    /// @param s server @return its NIC
    ns3::RdmaNic& Nic(uint32_t s)
    {
        return m_world->GetNic(ns3::ServerId(s));
    }

    /// @param a server @param b server @param sink of both ends @return connected queue pairs
    std::pair<uint32_t, uint32_t> Connect(uint32_t a, uint32_t b, ns3::WorkSink* sink)
    {
        ns3::QpConfig config;
        config.sink = sink;
        return ns3::RdmaNic::CreatePair(Nic(a), config, Nic(b), config);
    }

    /**
     * Corrupt frames on their way from a server's port 0.
     *
     * @param server the sending server @param model asked for each frame
     */
    void CorruptFrom(uint32_t server, ns3::Ptr<ns3::ErrorModel> model)
    {
        const ns3::VertexId v = m_graph->GetVertex(ns3::ServerId(server));
        m_world->GetLink(m_graph->GetEdge(v, 0)).SetErrorModel(&m_world->GetPort(v, 0), model);
    }

    /// Run to the end of all events and check the laws that always hold; keeps the world.
    void Run()
    {
        ns3::Simulator::Run();
        CheckLaws();
    }

    /// Frames are conserved and every NIC's data add up.
    void CheckLaws()
    {
        for (uint32_t s = 0; s < m_graph->GetNServers(); ++s)
        {
            const ns3::RdmaCounters& c = Nic(s).GetCounters();
            NS_TEST_EXPECT_MSG_EQ(c.dataReceived,
                                  c.dataAccepted + c.dataDuplicate + c.dataOutOfOrder,
                                  "data of server " << s << " do not add up");
        }
        NS_TEST_EXPECT_MSG_EQ(m_world->GetFabric().GetPool().GetInUse(),
                              0,
                              "frames are left over at the end");
    }

    void DoTeardown() override
    {
        if (m_world)
        {
            m_world->Dispose();
        }
        m_world = nullptr;
        m_graph = nullptr;
        ns3::Simulator::Destroy();
    }

    ns3::Ptr<ns3::FabricGraph> m_graph; //!< topology
    ns3::Ptr<ns3::PacketWorld> m_world; //!< packet world
};

#endif // RDMA_TEST_CASE_H
