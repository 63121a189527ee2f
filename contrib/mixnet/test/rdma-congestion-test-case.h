/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONGESTION_TEST_CASE_H
#define RDMA_CONGESTION_TEST_CASE_H

#include "rdma-test-case.h"

#include "ns3/boolean.h"
#include "ns3/congestion-control.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/**
 * @ingroup mixnet-test
 * A congestion control that does what the test says and writes down what it is told.
 */
class CongestionRecorder : public ns3::CongestionControl
{
  public:
    /// @return the TypeId
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid =
            ns3::TypeId("ns3::TestCongestionRecorder")
                .SetParent<ns3::CongestionControl>()
                .SetGroupName("Mixnet")
                .AddConstructor<CongestionRecorder>()
                .AddAttribute("Room",
                              "Hops of telemetry.",
                              ns3::UintegerValue(15),
                              ns3::MakeUintegerAccessor(&CongestionRecorder::m_telemetryRoom),
                              ns3::MakeUintegerChecker<uint32_t>());
        return tid;
    }

    CongestionRecorder()
    {
        m_wantsAcks = true;
        m_wantsPath = true;
        m_hasWindow = true;
    }

    void Open(uint32_t, const ns3::CongestionPath& path, ns3::SimTick) override
    {
        paths.push_back(path);
    }

    ns3::SimTick OnSent(uint32_t, uint32_t wireBytes, ns3::SimTick now) override
    {
        sent.emplace_back(now, wireBytes);
        return gap;
    }

    void OnFeedback(uint32_t, const ns3::CongestionFeedback& feedback, ns3::SimTick) override
    {
        feedbacks.push_back(feedback);
        telemetry.push_back(feedback.telemetry ? *feedback.telemetry : ns3::FrameTelemetry());
    }

    ns3::DataRate GetRate(uint32_t, ns3::SimTick) override
    {
        return paths.back().lineRate;
    }

    uint64_t GetWindow(uint32_t) const override
    {
        return feedbacks.empty() ? NO_WINDOW : window;
    }

    ns3::SimTick gap{0};                                 //!< answer of OnSent
    uint64_t window{NO_WINDOW};                          //!< from the first feedback on
    std::vector<ns3::CongestionPath> paths;              //!< of Open
    std::vector<std::pair<ns3::SimTick, uint32_t>> sent; //!< of OnSent: when, bytes
    std::vector<ns3::CongestionFeedback> feedbacks;      //!< of OnFeedback
    std::vector<ns3::FrameTelemetry> telemetry;          //!< of each feedback
};

/**
 * @ingroup mixnet-test
 * A packet world with a body.
 */
class CongestionTestCase : public RdmaTestCase
{
  public:
    using Body = std::function<void(CongestionTestCase& test)>;

    /// @param name what it shows @param body does and checks it
    CongestionTestCase(const std::string& name, Body body)
        : RdmaTestCase(name),
          m_body(std::move(body))
    {
        CongestionRecorder::GetTypeId(); // so that it is found by name
    }

    using RdmaTestCase::Build;
    using RdmaTestCase::Cable;
    using RdmaTestCase::CheckLaws;
    using RdmaTestCase::Connect;
    using RdmaTestCase::DoTeardown;
    using RdmaTestCase::MakeChain;
    using RdmaTestCase::MakeServers;
    using RdmaTestCase::Nic;
    using RdmaTestCase::Run;

    /// @return the topology
    ns3::FabricGraph& Graph()
    {
        return *m_graph;
    }

    /// @return the world
    ns3::PacketWorld& World()
    {
        return *m_world;
    }

    /// @param name attribute of every NIC @param value its value as text
    void SetNic(const std::string& name, const std::string& value)
    {
        m_world->SetNicAttribute(name, ns3::StringValue(value));
    }

    /// @param server whose NIC has a CongestionRecorder @return it
    ns3::Ptr<CongestionRecorder> Recorder(uint32_t server)
    {
        return ns3::DynamicCast<CongestionRecorder>(Nic(server).GetCongestionControl());
    }

    /// @param condition must hold @param what message
    void Expect(bool condition, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(condition, true, what);
    }

    /// @param actual value @param low least @param high largest @param what message
    void ExpectWithin(double actual, double low, double high, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ((actual >= low && actual <= high),
                              true,
                              what << ": " << actual << " is not from " << low << " to " << high);
    }

    /// @param actual value @param expected value @param what message
    template <class T, class U>
    void ExpectEqual(const T& actual, const U& expected, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(actual, static_cast<T>(expected), what);
    }

    /// @param values not negative @return Jain's index: 1 when they are equal, 1/n at worst
    static double JainIndex(const std::vector<double>& values)
    {
        double sum = 0;
        double squares = 0;
        for (const double v : values)
        {
            sum += v;
            squares += v * v;
        }
        const double index = sum * sum / (static_cast<double>(values.size()) * squares);
        return std::min(index, 1.0); // not above by rounding
    }

  private:
    void DoRun() override
    {
        m_body(*this);
    }

    Body m_body; //!< does and checks
};

#endif // RDMA_CONGESTION_TEST_CASE_H
