/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-test-case.h"

#include "ns3/data-rate.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <vector>

using namespace ns3;

namespace
{

constexpr int64_t WIRE = 4096 + ROCE_BASE_BYTES; //!< a full packet on the wire

} // namespace

/**
 * @ingroup mixnet-test
 * Two servers with cables between them, and the data frames that server 0 sends by its port 0.
 */
class RdmaNicTest : public RdmaTestCase
{
  public:
    /// A data frame that began to be sent.
    struct Sent
    {
        Time at;       //!< when
        uint32_t qp;   //!< of the receiver
        uint8_t c;     //!< class
        int64_t bytes; //!< on the wire
    };

    using Body = std::function<void(RdmaNicTest&)>;

    /// @param name what it shows @param body does and checks it
    RdmaNicTest(const std::string& name, Body body)
        : RdmaTestCase(name),
          m_body(std::move(body))
    {
    }

    /// @param cables number @param rate of each @param attributes of the NICs
    void Make(uint32_t cables,
              const std::string& rate,
              const std::vector<std::pair<std::string, std::string>>& attributes)
    {
        MakeServers(2);
        for (uint32_t i = 0; i < cables; ++i)
        {
            m_graph->AddEdge(m_graph->GetVertex(ServerId(0)),
                             m_graph->GetVertex(ServerId(1)),
                             Cable(rate, MicroSeconds(1)));
        }
        m_world->SetNicAttribute("CongestionControl", StringValue("ns3::NoCongestionControl"));
        for (const auto& [name, value] : attributes)
        {
            m_world->SetNicAttribute(name, StringValue(value));
        }
        Build();
    }

    /// Write down what server 0 sends by its port 0 (the port then acts at exact times).
    void Watch()
    {
        Port(0).TraceConnectWithoutContext("Dequeue", MakeCallback(&RdmaNicTest::Keep, this));
    }

    /// @param port number @return of server 0
    MixnetPort& Port(uint32_t port)
    {
        return m_world->GetPort(m_graph->GetVertex(ServerId(0)), port);
    }

    /// @param port at both ends @param trafficClass of the data @return number at server 0, 1
    std::pair<uint32_t, uint32_t> Pair(uint32_t port = 0, uint8_t trafficClass = UINT8_MAX)
    {
        QpConfig config;
        config.port = port;
        config.trafficClass = trafficClass;
        config.sink = &log;
        return RdmaNic::CreatePair(Nic(0), config, Nic(1), config);
    }

    /// @param qp of server 0 @param messages number @param bytes of each
    void Post(uint32_t qp, uint32_t messages, uint64_t bytes)
    {
        for (uint32_t i = 0; i < messages; ++i)
        {
            Nic(0).PostSend(qp, i, ByteCount(bytes));
        }
    }

    /// @param s server @return its NIC
    RdmaNic& GetNic(uint32_t s)
    {
        return Nic(s);
    }

    /// Run to the end and check the laws.
    void Finish()
    {
        Run();
    }

    /// @return the world
    PacketWorld& GetWorld()
    {
        return *m_world;
    }

    /// @param actual value @param expected value @param what message
    template <class T, class U>
    void Equal(const T& actual, const U& expected, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(actual, static_cast<T>(expected), what);
    }

    std::vector<Sent> sent; //!< data frames, in order
    RdmaLog log;            //!< completions

  private:
    /// @param frame begins to be sent
    void Keep(const Frame& frame)
    {
        if (IsData(frame.opcode))
        {
            sent.push_back(
                {Simulator::Now(), frame.destinationQp, frame.trafficClass, frame.wireBytes});
        }
    }

    void DoRun() override
    {
        m_body(*this);
    }

    Body m_body; //!< does and checks
};

namespace
{

/// Packets of 64 bytes beside packets of 4,096. By packet, numbers stay equal (up to the packet
/// that the first one sent while it was alone); by bytes, wire bytes never differ by more than a
/// quantum and a packet while both have something to send.
void
CheckScheduling(RdmaNicTest& t, bool bytes)
{
    t.Make(1,
           "100Gbps",
           {{"QpScheduling", bytes ? "ns3::DeficitQpScheduling" : "ns3::RoundRobinQpScheduling"}});
    t.Watch();
    const auto a = t.Pair();
    const auto b = t.Pair();
    const auto c = t.Pair();
    t.Post(a.first, 4000, 64);
    t.Post(b.first, 4, 1 << 18);
    t.Post(c.first, 4, 1 << 18);
    t.Finish();
    std::map<uint32_t, int64_t> share{{a.second, 0}, {b.second, 0}, {c.second, 0}};
    std::map<uint32_t, int64_t> packets{{a.second, 4000}, {b.second, 256}, {c.second, 256}};
    int64_t worst = 0;
    std::size_t compared = 0;
    for (const auto& frame : t.sent)
    {
        share[frame.qp] += bytes ? frame.bytes : 1;
        if (--packets[frame.qp] == 0)
        {
            break; // one of them is done
        }
        ++compared;
        const auto less = [](const auto& x, const auto& y) { return x.second < y.second; };
        const auto ends = std::minmax_element(share.begin(), share.end(), less);
        worst = std::max(worst, ends.second->second - ends.first->second);
    }
    t.Equal((compared > 700), true, "compared");
    t.Equal((worst <= (bytes ? 9216 + WIRE + RETH_BYTES : 2)), true, "fair");
    t.Equal((worst > 0), true, "not vacuous");
}

/// Strict: class 4 is served before class 3 whenever it has packets.
void
CheckStrict(RdmaNicTest& t)
{
    t.Make(1, "100Gbps", {{"StrictClasses", "16"}});
    t.Watch();
    const auto low = t.Pair(0, 3);
    const auto high = t.Pair(0, 4);
    t.Post(low.first, 1, 100 * 4096);
    Simulator::Schedule(MicroSeconds(10), [&] { t.Post(high.first, 1, 50 * 4096); });
    t.Finish();
    t.Equal(t.sent.size(), 150, "frames");
    const auto isHigh = [](const RdmaNicTest::Sent& s) { return s.c == 4; };
    const auto first = std::find_if(t.sent.begin(), t.sent.end(), isHigh);
    const auto index = static_cast<std::size_t>(first - t.sent.begin());
    // 10 us are 125,000 wire bytes: 29.9 packets of 4,178
    t.Equal(index, 30, "low ones before");
    for (std::size_t i = 0; i < 150; ++i)
    {
        t.Equal(static_cast<int>(t.sent[i].c), i >= 30 && i < 80 ? 4 : 3, "class in order");
    }
    t.Equal(t.log.received.size(), 2, "delivered");
}

/// Weights: quanta of 1 to 3 give wire bytes of 1 to 3, within a quantum and a packet of each.
void
CheckWeights(RdmaNicTest& t)
{
    t.Make(1, "100Gbps", {{"ClassQuanta", "3=5000B,5=15000B"}});
    t.Watch();
    const auto one = t.Pair(0, 3);
    const auto three = t.Pair(0, 5);
    t.Post(one.first, 1, 400 * 4096);
    t.Post(three.first, 1, 400 * 4096);
    t.Finish();
    int64_t bytes[8] = {};
    for (std::size_t i = 0; i < 500; ++i) // class 5 ends near frame 533
    {
        bytes[t.sent[i].c] += t.sent[i].bytes;
        t.Equal((std::abs(3 * bytes[3] - bytes[5]) <= 3 * (5000 + WIRE + 16) + 15000 + WIRE),
                true,
                "in proportion");
    }
    t.Equal((bytes[5] > 360 * WIRE), true, "three quarters");
}

/// PFC by class: class 3 is paused, class 4 is not; class 3 goes on when it may.
void
CheckPausedClass(RdmaNicTest& t)
{
    t.Make(1, "100Gbps", {});
    t.Watch();
    const auto a = t.Pair(0, 3);
    const auto b = t.Pair(0, 4);
    t.Post(a.first, 1, 200 * 4096);
    t.Post(b.first, 1, 200 * 4096);
    MixnetPort& peer = *t.Port(0).GetPeer();
    const auto pfc = [&peer](bool pause) {
        peer.SendPfc(1 << 3, pause, Simulator::Now().GetTimeStep());
    };
    Simulator::Schedule(MicroSeconds(10), [&] { pfc(true); });
    Simulator::Schedule(MicroSeconds(40), [&] { pfc(false); });
    t.Finish();
    uint32_t paused[8] = {};
    for (const auto& frame : t.sent)
    {
        // a pause acts 1 us and 84 bytes after it was sent, and one packet is under way
        if (frame.at > MicroSeconds(12) && frame.at < MicroSeconds(41))
        {
            ++paused[frame.c];
        }
    }
    t.Equal(paused[3], 0, "paused");
    t.Equal((paused[4] > 80), true, "29 us at line rate are 86 packets");
    t.Equal(t.log.received.size(), 2, "delivered");
}

/// Hosts slower than the line, sending to one as slow: packet k starts when the payload of those
/// before it has been fetched, so packets come as fast as the receiver's bus takes them, which is
/// busy from the arrival of the first one (with its RETH) on: arrival + n x 4,096 B at 100 Gb/s.
void
CheckHostSends(RdmaNicTest& t)
{
    t.Make(1, "400Gbps", {{"HostRate", "100Gbps"}});
    const auto qp = t.Pair();
    t.Post(qp.first, 1, 100 * 4096);
    t.Finish();
    t.Equal(t.GetNic(1).GetPort(0).GetCounters().pausesSent, 0, "no pause");
    t.Equal(t.log.received.at(0).at.GetTimeStep(),
            (WIRE + RETH_BYTES) * 20 + 1000000 + 100 * 4096 * 80,
            "FCT");
}

/// A host slower than the line, receiving: from the arrival of the first packet on the bus is
/// never idle, the neighbor is paused, nothing is lost: arrival + n x 4,096 B at 100 Gb/s.
void
CheckHostReceives(RdmaNicTest& t)
{
    t.Make(1, "400Gbps", {});
    t.GetNic(1).SetAttribute("HostRate", StringValue("100Gbps"));
    const auto qp = t.Pair();
    const uint32_t packets = 2000; // 8 MB through a buffer of 1 MiB
    t.Post(qp.first, 1, packets * 4096);
    t.Finish();
    const int64_t first = (WIRE + RETH_BYTES) * 20 + 1000000;
    t.Equal(t.log.received.at(0).at.GetTimeStep(), first + int64_t{packets} * 4096 * 80, "FCT");
    t.Equal((t.Port(0).GetCounters().pausesReceived > 5), true, "paused");
    t.Equal(t.GetWorld().GetFabric().GetTotalDrops(), 0, "drops");
}

/// Three cables between two servers: queue pairs of different ports do not disturb each other, and
/// two on one port share it.
void
CheckPorts(RdmaNicTest& t)
{
    t.Make(3, "100Gbps", {});
    std::map<uint32_t, uint32_t> port;
    for (const uint32_t p : {0, 1, 2, 2})
    {
        const auto qp = t.Pair(p);
        port[qp.second] = p;
        t.Post(qp.first, 1, 100 * 4096);
    }
    t.Finish();
    t.Equal(t.log.received.size(), 4, "delivered");
    const int64_t alone = (100 * WIRE + RETH_BYTES) * 80;
    for (const auto& entry : t.log.received)
    {
        const int64_t took = entry.at.GetTimeStep() - 1000000;
        const bool shared = port[entry.qp] == 2;
        t.Equal((shared ? took > 2 * alone - 3 * WIRE * 80 && took <= 2 * alone : took == alone),
                true,
                "port " + std::to_string(port[entry.qp]));
    }
}

/// Wrong settings are refused by name.
void
CheckErrors(RdmaNicTest& t)
{
    for (const char* quanta : {"9=100B", "3:100B", "3=100", "3=1B"})
    {
        std::string message;
        try
        {
            const auto nic = CreateObject<RdmaNic>();
            nic->SetAttribute("ClassQuanta", StringValue(quanta));
            nic->SetAttribute("HostRate", StringValue("100Gbps"));
            const auto port = CreateObject<MixnetPort>();
            port->SetFabric(CreateObject<PacketFabricContext>());
            port->SetNicAddress(0);
            nic->AddPort(port);
        }
        catch (const InputError& e)
        {
            message = e.what();
        }
        t.Equal((message.find("ns3::RdmaNic::ClassQuanta") == 0), true, message);
    }
}

} // namespace

/**
 * @ingroup mixnet-test
 * Classes, turns, ports and host bus of a NIC.
 */
class RdmaNicOptionsTestSuite : public TestSuite
{
  public:
    RdmaNicOptionsTestSuite()
        : TestSuite("mixnet-rdma-nic-options", TestSuite::Type::UNIT)
    {
        const auto add = [this](const std::string& name, RdmaNicTest::Body body) {
            AddTestCase(new RdmaNicTest(name, std::move(body)));
        };
        add("round robin by packet", [](RdmaNicTest& t) { CheckScheduling(t, false); });
        add("deficit round robin", [](RdmaNicTest& t) { CheckScheduling(t, true); });
        add("strict class", CheckStrict);
        add("weighted classes", CheckWeights);
        add("paused class", CheckPausedClass);
        add("host bus, sending", CheckHostSends);
        add("host bus, receiving", CheckHostReceives);
        add("several ports", CheckPorts);
        add("errors", CheckErrors);
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaNicOptionsTestSuite g_rdmaNicOptionsTestSuite; //!< the suite
