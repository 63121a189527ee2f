/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_TEST_NETWORK_H
#define FABRIC_TEST_NETWORK_H

#include "ns3/boolean.h"
#include "ns3/mixnet-link.h"
#include "ns3/mixnet-port.h"
#include "ns3/node.h"
#include "ns3/ns3-compat.h"
#include "ns3/packet-switch.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

constexpr uint32_t WIRE = 4096 + ns3::ROCE_BASE_BYTES; //!< a full data frame on the wire

/// @param bytes on the wire @param gbps rate @return picoseconds
inline ns3::SimTick
Serialize(uint32_t bytes, uint64_t gbps)
{
    return static_cast<ns3::SimTick>(bytes * 8000ULL / gbps);
}

/**
 * @ingroup mixnet-test
 * A NIC without a protocol: sends what it is told, as fast as the line takes it, and writes down
 * what it receives.
 */
class RawNic : public ns3::EgressSource, public ns3::FrameReceiver
{
  public:
    /// Frames to one destination.
    struct Job
    {
        uint32_t destination{0};                   //!< NIC address
        uint32_t frames{1};                        //!< how many
        uint16_t payload{4096};                    //!< bytes of each
        uint8_t trafficClass{3};                   //!< class
        ns3::FrameEcn ecn{ns3::FrameEcn::NOT_ECT}; //!< ECN field
        uint16_t sourcePort{0xc000};               //!< entropy
        ns3::SimTick gap{0};                       //!< pause after each frame's start, at least
    };

    /// What arrived.
    struct Arrival
    {
        ns3::Frame frame;  //!< a copy
        ns3::SimTick time; //!< when
    };

    ns3::Frame* Pull(uint8_t open, ns3::SimTick now, ns3::SimTick& retry) override
    {
        for (std::size_t tried = 0; tried < jobs.size(); ++tried)
        {
            Job job = jobs.front();
            jobs.pop_front();
            const bool may = open >> job.trafficClass & 1;
            if (may && now < ready)
            {
                jobs.push_front(job);
                retry = ready;
                return nullptr;
            }
            ns3::Frame* frame = may ? Make(job, now) : nullptr;
            job.frames -= frame ? 1 : 0;
            if (job.frames > 0)
            {
                jobs.push_back(job);
            }
            if (frame)
            {
                ready = now + job.gap;
                return frame;
            }
        }
        return nullptr;
    }

    void ReceiveFrame(ns3::Frame* frame, ns3::MixnetPort& in, ns3::SimTick now) override
    {
        arrivals.push_back({*frame, now});
        late = late || now != ns3::Simulator::Now().GetTimeStep();
        in.GetFabric().GetPool().Free(frame);
    }

    /// @param job to be sent behind (round robin: beside) those not yet done, from now on
    void Send(const Job& job)
    {
        const ns3::SimTick now = ns3::Simulator::Now().GetTimeStep();
        port->Settle(now);
        jobs.push_back(job);
        port->Kick(now);
    }

    ns3::MixnetPort* port{nullptr}; //!< its port
    uint32_t address{0};            //!< its address
    std::deque<Job> jobs;           //!< to send, served in turn
    std::vector<Arrival> arrivals;  //!< received
    uint32_t sent{0};               //!< frames made
    ns3::SimTick ready{0};          //!< next start
    bool late{false};               //!< something arrived at another time than Simulator::Now()

  private:
    /// @param job what @param now when @return a frame of it
    ns3::Frame* Make(const Job& job, ns3::SimTick now)
    {
        ns3::Frame* frame = port->GetFabric().GetPool().Allocate();
        frame->opcode = ns3::FrameOpcode::DATA_MIDDLE;
        frame->source = address;
        frame->destination = job.destination;
        frame->payloadBytes = job.payload;
        frame->wireBytes = ns3::WireBytes(frame->opcode, job.payload);
        frame->trafficClass = job.trafficClass;
        frame->ecn = job.ecn;
        frame->sourcePort = job.sourcePort;
        frame->psn = sent++;
        frame->timestamp = now;
        return frame;
    }
};

/**
 * @ingroup mixnet-test
 * Hosts, switches and links by hand.
 */
class FabricTestNetwork
{
  public:
    FabricTestNetwork()
        : context(ns3::CreateObject<ns3::PacketFabricContext>())
    {
    }

    /// @param n number of hosts to add; addresses ascend
    void AddHosts(uint32_t n)
    {
        for (uint32_t i = 0; i < n; ++i)
        {
            const auto node = ns3::CreateObject<ns3::Node>();
            nodes.push_back(node);
            auto nic = std::make_unique<RawNic>();
            nic->address = static_cast<uint32_t>(hosts.size());
            nic->port = AddPort(node);
            nic->port->SetNicAddress(nic->address);
            nic->port->SetReceiver(nic.get(), ns3::PortRole::NIC);
            nic->port->SetEgressSource(nic.get());
            hosts.push_back(std::move(nic));
        }
    }

    /// @param ports number of ports @param attributes set before its configuration @return it
    ns3::PacketSwitch* AddSwitch(
        uint32_t ports,
        const std::vector<std::pair<std::string, std::string>>& attributes = {})
    {
        const auto node = ns3::CreateObject<ns3::Node>();
        nodes.push_back(node);
        const auto sw = ns3::CreateObject<ns3::PacketSwitch>();
        node->AggregateObject(sw);
        for (const auto& [name, value] : attributes)
        {
            sw->SetAttribute(name, ns3::StringValue(value));
        }
        for (uint32_t i = 0; i < ports; ++i)
        {
            sw->AddPort(AddPort(node));
        }
        switches.push_back(sw);
        return ns3::PeekPointer(sw);
    }

    /// @param a port @param b port @param rate rate @param delay delay @return their link
    ns3::MixnetLink* Link(ns3::MixnetPort* a,
                          ns3::MixnetPort* b,
                          const std::string& rate,
                          const std::string& delay)
    {
        const auto link = ns3::CreateObject<ns3::MixnetLink>();
        link->SetAttribute("DataRate", ns3::StringValue(rate));
        link->SetAttribute("Delay", ns3::StringValue(delay));
        link->Attach(a, b);
        links.push_back(link);
        return ns3::PeekPointer(link);
    }

    /// n hosts on one switch, equal links. @param n hosts @param rate @param delay of the links
    /// @param attributes of the switch @return the switch
    ns3::PacketSwitch* Star(uint32_t n,
                            const std::string& rate,
                            const std::string& delay,
                            const std::vector<std::pair<std::string, std::string>>& attributes)
    {
        AddHosts(n);
        ns3::PacketSwitch* sw = AddSwitch(n, attributes);
        std::vector<ns3::RouteRange> ranges;
        std::vector<ns3::PortGroup> groups;
        for (uint32_t i = 0; i < n; ++i)
        {
            Link(hosts[i]->port, sw->GetPort(i), rate, delay);
            ranges.push_back({i, i, i});
            groups.push_back({static_cast<uint16_t>(i)});
        }
        sw->SetRoutes(ranges, groups);
        sw->Configure();
        return sw;
    }

    /// k-ary fat tree with k^3/4 hosts, equal links. @param k even @param rate @param delay of the
    /// links @param attributes of the switches
    void FatTree(uint32_t k,
                 const std::string& rate,
                 const std::string& delay,
                 const std::vector<std::pair<std::string, std::string>>& attributes);

    /// Two leaves with n hosts each (0 to n - 1 on the first) and spines between them, equal links.
    /// The leaves are switches 0 and 1, the spines follow; ports of a leaf: hosts, then spines.
    /// @param n hosts per leaf @param spines number @param rate @param delay of the links
    /// @param attributes of the switches
    void LeafSpine(uint32_t n,
                   uint32_t spines,
                   const std::string& rate,
                   const std::string& delay,
                   const std::vector<std::pair<std::string, std::string>>& attributes);

    /// @param index of a switch @return frames that arrived at all its ports
    uint64_t CountPassed(std::size_t index) const
    {
        uint64_t count = 0;
        for (uint32_t i = 0; i < switches[index]->GetNPorts(); ++i)
        {
            count += switches[index]->GetPort(i)->GetCounters().rxFrames;
        }
        return count;
    }

    /// @return frames received by all hosts
    uint64_t CountArrivals() const
    {
        uint64_t count = 0;
        for (const auto& host : hosts)
        {
            count += host->arrivals.size();
        }
        return count;
    }

    /// @return frames made by all hosts
    uint64_t CountSent() const
    {
        uint64_t count = 0;
        for (const auto& host : hosts)
        {
            count += host->sent;
        }
        return count;
    }

    /// @return PFC pauses sent by all switches
    uint64_t CountPauses() const
    {
        uint64_t count = 0;
        for (const auto& sw : switches)
        {
            for (uint32_t i = 0; i < sw->GetNPorts(); ++i)
            {
                count += sw->GetPort(i)->GetCounters().pausesSent;
            }
        }
        return count;
    }

    /// @param sw a switch @return bytes in the queues of its ports
    static uint64_t CountQueued(ns3::PacketSwitch& sw)
    {
        uint64_t bytes = 0;
        for (uint32_t i = 0; i < sw.GetNPorts(); ++i)
        {
            bytes += sw.GetPort(i)->GetQueues().GetTotalBytes();
        }
        return bytes;
    }

    /// Run until nothing is left to do.
    static void Run()
    {
        ns3::Simulator::Run();
    }

    /// End the simulation; every frame must come back to the pool.
    /// @return frames that did not
    uint64_t Close()
    {
        ns3::Simulator::Destroy();
        for (const auto& node : nodes)
        {
            node->Dispose();
        }
        return context->GetPool().GetInUse();
    }

    ns3::Ptr<ns3::PacketFabricContext> context;        //!< the fabric
    std::vector<std::unique_ptr<RawNic>> hosts;        //!< by NIC address
    std::vector<ns3::Ptr<ns3::PacketSwitch>> switches; //!< in order
    std::vector<ns3::Ptr<ns3::MixnetLink>> links;      //!< in order
    std::vector<ns3::Ptr<ns3::Node>> nodes;            //!< in order

  private:
    /// @param node owner @return a new port of it
    ns3::MixnetPort* AddPort(const ns3::Ptr<ns3::Node>& node)
    {
        const auto port = ns3::CreateObject<ns3::MixnetPort>();
        port->SetFabric(context);
        node->AddDevice(port);
        return ns3::PeekPointer(port);
    }
};

/**
 * @ingroup mixnet-test
 * A test case that runs one body.
 */
class FabricTestCase : public ns3::TestCase
{
  public:
    using Body = std::function<void(FabricTestCase& test)>;

    /// @param name what it shows @param body does and checks it
    FabricTestCase(const std::string& name, Body body)
        : TestCase(name),
          m_body(std::move(body))
    {
    }

    /// @param condition must hold @param what message
    void Expect(bool condition, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(condition, true, what);
    }

    /// @param actual value @param expected value @param what message
    template <class T, class U>
    void ExpectEqual(const T& actual, const U& expected, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(actual, static_cast<T>(expected), what);
    }

  private:
    void DoRun() override
    {
        m_body(*this);
    }

    Body m_body; //!< does and checks
};

#endif // FABRIC_TEST_NETWORK_H
