/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_APPLICATION_TEST_CASE_H
#define RDMA_APPLICATION_TEST_CASE_H

#include "ns3/frame.h"
#include "ns3/mixnet-error.h"
#include "ns3/rdma-application-helper.h"
#include "ns3/rdma-application.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

constexpr int64_t PS_PER_BYTE = 80; //!< at 100 Gb/s

/// Servers on one switch, 100 Gb/s, 1 us, no congestion control, and what applications report.
class RdmaApplicationBench
{
  public:
    explicit RdmaApplicationBench(uint32_t n)
        : servers(n)
    {
        rdma.SetTopology("ns3::StarTopology");
        rdma.SetTopologyAttribute("NicRate", ns3::StringValue("100Gbps"));
        rdma.SetTopologyAttribute("LinkDelay", ns3::StringValue("1us"));
        rdma.SetNicAttribute("CongestionControl", ns3::StringValue("ns3::NoCongestionControl"));
        devices = rdma.Install(servers);
    }

    ~RdmaApplicationBench()
    {
        ns3::Simulator::Destroy();
    }

    /// @param applications whose traces are collected
    void Listen(const ns3::ApplicationContainer& applications)
    {
        for (uint32_t i = 0; i < applications.GetN(); ++i)
        {
            const ns3::Ptr<ns3::Application> a = applications.Get(i);
            a->TraceConnectWithoutContext("Tx", ns3::MakeCallback(&RdmaApplicationBench::Tx, this));
            a->TraceConnectWithoutContext("Rx", ns3::MakeCallback(&RdmaApplicationBench::Rx, this));
            a->TraceConnectWithoutContext("Completion",
                                          ns3::MakeCallback(&RdmaApplicationBench::End, this));
        }
    }

    /// @param server index @return its NIC
    ns3::RdmaNic& Nic(uint32_t server) const
    {
        return *servers.Get(server)->GetObject<ns3::RdmaNic>();
    }

    /// @param message trace
    void Tx(const ns3::RdmaMessage& message)
    {
        posted.push_back(message);
    }

    /// @param message trace
    void Rx(const ns3::RdmaMessage& message)
    {
        delivered.push_back(message);
    }

    /// @param message trace
    void End(const ns3::RdmaMessage& message)
    {
        ended.push_back(message);
    }

    /// @return everything that happened, as text
    std::string Print() const
    {
        std::ostringstream text;
        for (const auto* list : {&posted, &delivered, &ended})
        {
            for (const ns3::RdmaMessage& m : *list)
            {
                text << m.number << " " << m.bytes << " " << m.source << " " << m.destination << " "
                     << m.posted.GetTimeStep() << " " << m.delivered.GetTimeStep() << " "
                     << m.ended.GetTimeStep() << " " << static_cast<int>(m.end) << "\n";
            }
        }
        return text.str();
    }

    ns3::NodeContainer servers;              //!< nodes
    ns3::RdmaHelper rdma;                    //!< helper
    ns3::NetDeviceContainer devices;         //!< NICs
    std::vector<ns3::RdmaMessage> posted;    //!< Tx
    std::vector<ns3::RdmaMessage> delivered; //!< Rx
    std::vector<ns3::RdmaMessage> ended;     //!< Completion
};

/// @param a applications @param i which one @return its counts
inline const ns3::RdmaApplicationCounters&
Counters(const ns3::ApplicationContainer& a, uint32_t i = 0)
{
    return ns3::DynamicCast<ns3::RdmaApplication>(a.Get(i))->GetCounters();
}

/// @param bytes of a message of full packets on an idle path over one switch @return ps to deliver
///
/// The first packet is longer than the others by its RETH, so that the switch sends back to back
/// from its arrival on: serialization of the first packet, delay, serialization of all, delay.
inline int64_t
IdleTime(uint64_t bytes)
{
    const int64_t packets = static_cast<int64_t>((bytes + 4095) / 4096);
    const int64_t wire =
        static_cast<int64_t>(bytes) + packets * ns3::ROCE_BASE_BYTES + ns3::RETH_BYTES;
    const int64_t first = std::min<int64_t>(static_cast<int64_t>(bytes), 4096) +
                          ns3::ROCE_BASE_BYTES + ns3::RETH_BYTES;
    return (first + wire) * PS_PER_BYTE + 2 * 1000000;
}

/**
 * @ingroup mixnet-test
 * A test case that runs one body.
 */
class RdmaApplicationTest : public ns3::TestCase
{
  public:
    using Body = std::function<void(RdmaApplicationTest&)>;

    /// @param name what it shows @param body does and checks it
    RdmaApplicationTest(const std::string& name, Body body)
        : ns3::TestCase(name),
          m_body(std::move(body))
    {
    }

    /// @param actual value @param expected value @param what message
    template <class T, class U>
    void Equal(const T& actual, const U& expected, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(actual, static_cast<T>(expected), what);
    }

    /// @param action must throw an ns3::InputError @param part of its message
    void Refused(const std::function<void()>& action, const std::string& part)
    {
        std::string message = "accepted";
        try
        {
            action();
        }
        catch (const ns3::InputError& e)
        {
            message = e.what();
        }
        NS_TEST_EXPECT_MSG_EQ((message.find(part) != std::string::npos),
                              true,
                              "'" << part << "' is not in '" << message << "'");
    }

  private:
    void DoRun() override
    {
        m_body(*this);
    }

    Body m_body; //!< does and checks
};

#endif // RDMA_APPLICATION_TEST_CASE_H
