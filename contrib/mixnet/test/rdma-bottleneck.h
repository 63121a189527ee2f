/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_BOTTLENECK_H
#define RDMA_BOTTLENECK_H

#include "rdma-congestion-test-case.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

/// Text pairs: attribute and value.
using BottleneckSettings = std::vector<std::pair<std::string, std::string>>;

/**
 * @ingroup mixnet-test
 * N senders, one switch, one receiver.
 */
struct Bottleneck
{
    uint32_t senders{2};                     //!< N
    std::string control;                     //!< "Hpcc", ...
    uint64_t gbps{100};                      //!< rate of all links
    ns3::Time warmUp;                        //!< not measured
    ns3::Time measured;                      //!< measured
    BottleneckSettings strategy{};           //!< attributes of the strategy
    BottleneckSettings nic{};                //!< attributes of NICs
    BottleneckSettings fabricSwitch{};       //!< attributes of the switch
    ns3::Time delay{ns3::MicroSeconds(1)};   //!< of each link
    ns3::Time stagger{ns3::MicroSeconds(7)}; //!< between the starts of senders
};

/// What was measured.
struct Steady
{
    std::vector<double> goodput; //!< by sender: payload, as a share of the link's bits
    double total{0};             //!< sum of goodput
    double queue{0};             //!< mean bytes waiting at the bottleneck
    double peak{0};              //!< most bytes seen waiting
    double marked{0};            //!< share of frames marked
    uint64_t pauses{0};          //!< PFC pauses of the switch, from the beginning
    uint64_t drops{0};           //!< frames dropped, from the beginning
    uint64_t resent{0};          //!< packets sent again, from the beginning
};

/// Runs a bottleneck; the world stays for questions.
class BottleneckRun
{
  public:
    /// @param test the case @param b what to run
    BottleneckRun(CongestionTestCase& test, const Bottleneck& b)
        : m_test(test),
          m_b(b)
    {
        test.MakeChain(b.senders,
                       1,
                       1,
                       CongestionTestCase::Cable(std::to_string(b.gbps) + "Gbps", b.delay));
        test.SetNic("CongestionControl", "ns3::" + b.control + "CongestionControl");
        for (const auto& [name, value] : b.nic)
        {
            test.SetNic(name, value);
        }
        for (const auto& [name, value] : b.fabricSwitch)
        {
            test.World().SetSwitchAttribute(name, ns3::StringValue(value));
        }
        test.Build();
        test.World().AssignStreams(7);
        for (uint32_t s = 0; s < b.senders; ++s)
        {
            for (const auto& [name, value] : b.strategy)
            {
                test.Nic(s).GetCongestionControl()->SetAttribute(name, ns3::StringValue(value));
            }
            qps.push_back(test.Connect(s, b.senders, nullptr));
            ns3::Simulator::Schedule(b.stagger * static_cast<int64_t>(s), [this, s] {
                m_test.Nic(s).PostSend(qps[s].first, 0, ns3::ByteCount(uint64_t{1} << 40));
            });
        }
    }

    /// @return what was measured
    Steady Measure()
    {
        Steady steady;
        std::vector<uint64_t> before;
        ns3::PortCounters counters;
        ns3::Simulator::Schedule(m_b.warmUp, [&] {
            for (const auto& qp : qps)
            {
                before.push_back(Received(qp.second));
            }
            counters = Port().GetCounters();
        });
        constexpr int samples = 4000;
        for (int i = 0; i < samples; ++i)
        {
            ns3::Simulator::Schedule(m_b.warmUp + m_b.measured * int64_t{i} / int64_t{samples},
                                     [&] {
                                         Port().GetCounters(); // up to the present
                                         const double bytes = Port().GetQueues().GetBytes(3);
                                         steady.queue += bytes / samples;
                                         steady.peak = std::max(steady.peak, bytes);
                                     });
        }
        ns3::Simulator::Stop(m_b.warmUp + m_b.measured);
        ns3::Simulator::Run();
        const double bits = m_b.gbps * 1e9 * m_b.measured.GetSeconds();
        for (std::size_t s = 0; s < qps.size(); ++s)
        {
            steady.goodput.push_back((Received(qps[s].second) - before[s]) * 8.0 / bits);
        }
        steady.total = std::accumulate(steady.goodput.begin(), steady.goodput.end(), 0.0);
        const ns3::PortCounters after = Port().GetCounters();
        steady.marked =
            double(after.marks - counters.marks) / double(after.txFrames - counters.txFrames);
        ns3::PacketSwitch& sw = Switch();
        for (uint32_t p = 0; p < sw.GetNPorts(); ++p)
        {
            steady.pauses += sw.GetPort(p)->GetCounters().pausesSent;
        }
        steady.drops = m_test.World().GetFabric().GetTotalDrops();
        steady.resent = m_test.World().GetCounters().dataResent;
        return steady;
    }

    /// @return the switch
    ns3::PacketSwitch& Switch()
    {
        const ns3::VertexId server = m_test.Graph().GetVertex(ns3::ServerId(0));
        const ns3::EdgeId e = m_test.Graph().GetEdge(server, 0);
        const ns3::VertexId a = m_test.Graph().GetEndA(e);
        return m_test.World().GetSwitch(a == server ? m_test.Graph().GetEndB(e) : a);
    }

    /// @return the bottleneck
    ns3::MixnetPort& Port()
    {
        return *Switch().GetPort(m_b.senders);
    }

    /// @param s sender @return its strategy
    template <class T>
    T& Control(uint32_t s)
    {
        return dynamic_cast<T&>(*m_test.Nic(s).GetCongestionControl());
    }

    /// @param s sender @return slot of its queue pair
    uint32_t Slot(uint32_t s) const
    {
        return qps[s].first & ns3::QpTable::SLOT_MASK;
    }

    std::vector<std::pair<uint32_t, uint32_t>> qps; //!< by sender: its end, the receiver's

  private:
    /// @param qp of the receiver @return payload received
    uint64_t Received(uint32_t qp)
    {
        return m_test.Nic(m_b.senders).GetReceived(qp).Get();
    }

    CongestionTestCase& m_test; //!< the case
    Bottleneck m_b;             //!< what to run
};

#endif // RDMA_BOTTLENECK_H
