/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What users of other simulators suffered from with circuits and failures, as cases: each is named
// after what it guards.

#include "ns3/mixnet-fabric-helper.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Messages over a fabric of either world.
class FieldCase : public TestCase, public TransferSink
{
  public:
    FieldCase(const std::string& name, Fidelity fidelity)
        : TestCase(name + (fidelity == Fidelity::PACKET ? ", packets" : ", flows")),
          m_fidelity(fidelity)
    {
    }

    void OnCompletion(const Completion& c) override
    {
        m_ends[c.tag] = c;
    }

  protected:
    /// @param topology TypeId name @param cluster servers @param attributes of the topology
    void Build(const std::string& topology,
               const ClusterSpec& cluster,
               const std::map<std::string, uint32_t>& attributes = {})
    {
        MixnetFabricHelper helper;
        helper.SetTopology(topology);
        for (const auto& [name, value] : attributes)
        {
            helper.SetTopologyAttribute(name, UintegerValue(value));
        }
        helper.SetFidelity(m_fidelity);
        m_fabric = std::make_unique<MixnetFabric>(helper.Install(cluster));
        m_fabric->AssignStreams(1);
    }

    /// @param from server @param to server @param bytes payload @return its tag: 100 from + to
    uint64_t Send(uint32_t from, uint32_t to, uint64_t bytes)
    {
        Transfer t;
        t.source = m_fabric->GetGraph()->GetGpu(ServerId(from), 0);
        t.destination = m_fabric->GetGraph()->GetGpu(ServerId(to), 0);
        t.bytes = ByteCount(bytes);
        t.trafficClass = TrafficClass::EP;
        t.tag = 100 * from + to;
        m_fabric->GetTransport()->Send({t}, *this);
        return t.tag;
    }

    /// @param tag of a message @return true when it has arrived
    bool Arrived(uint64_t tag) const
    {
        const auto it = m_ends.find(tag);
        return it != m_ends.end() && it->second.status == TransferStatus::DELIVERED;
    }

    /// @return tags of messages that have not ended
    std::set<uint64_t> Unfinished() const
    {
        std::set<uint64_t> tags;
        for (const UnfinishedTransfer& u : m_fabric->GetTransport()->GetUnfinished())
        {
            tags.insert(u.transfer.tag);
        }
        return tags;
    }

    void DoTeardown() override
    {
        m_fabric.reset();
        Simulator::Destroy();
    }

    Fidelity m_fidelity;                    //!< which world
    std::unique_ptr<MixnetFabric> m_fabric; //!< the world
    std::map<uint64_t, Completion> m_ends;  //!< by tag
};

/**
 * Servers joined by circuits only, no switch: a direct circuit works, in its closed form of one
 * serialization and two fibers. A server without a circuit to the destination does not abort the
 * run: its message waits, is listed, and goes when a circuit is lit.
 */
class NoSwitchCase : public FieldCase
{
  public:
    explicit NoSwitchCase(Fidelity fidelity)
        : FieldCase("servers joined by circuits only", fidelity)
    {
    }

  private:
    void DoRun() override
    {
        Build("ns3::CircuitPairTopology", ClusterSpec(4, 1));
        const uint64_t direct = Send(0, 1, 1 << 20);
        const uint64_t none = Send(0, 2, 1 << 20);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(Arrived(direct), true, "direct");
        // 256 packets of 4,096 + 82 B and 16 B more in the first, 20 ps a byte, two fibers of 1 us
        NS_TEST_EXPECT_MSG_EQ(m_ends[direct].finished,
                              PicoSeconds((256 * 4178 + 16) * 20) + MicroSeconds(2),
                              "closed form");
        NS_TEST_EXPECT_MSG_EQ((Unfinished() == std::set<uint64_t>{none}), true, "listed");
        const VertexId ocs = m_fabric->GetGraph()->GetRegionOcs(RegionId(0))[0];
        m_fabric->GetControl()->Connect({{ocs, 0, 2}}, {{ocs, 0, 1}, {ocs, 2, 3}});
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Arrived(none), true, "when there is a way");
        NS_TEST_EXPECT_MSG_EQ(Unfinished().size(), 0, "none is left");
    }
};

/// Servers with unequal NICs on one region: what they have is used, nothing is indexed by a
/// neighbor's number.
class UnequalCase : public FieldCase
{
  public:
    explicit UnequalCase(Fidelity fidelity)
        : FieldCase("servers with unequal NICs", fidelity)
    {
    }

  private:
    void DoRun() override
    {
        const ServerSpec spec;
        Build("ns3::HybridTopology",
              ClusterSpec(
                  {ServerGroup{2, 3, spec}, ServerGroup{3, 2, spec}, ServerGroup{1, 5, spec}}),
              {{"OcsNics", 1}, {"ServersPerRegion", 6}});
        const FabricGraph& graph = *m_fabric->GetGraph();
        const VertexId ocs = graph.GetRegionOcs(RegionId(0))[0];
        NS_TEST_ASSERT_MSG_EQ(graph.GetNPorts(ocs), 6, "one fiber each");
        m_fabric->GetControl()->Connect({{ocs, 0, 5}, {ocs, 1, 2}}, {});
        for (uint32_t from = 0; from < 6; ++from)
        {
            for (uint32_t to = 0; to < 6; ++to)
            {
                if (from != to)
                {
                    Send(from, to, 100001);
                }
            }
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_ends.size(), 30, "all end");
        for (const auto& [tag, c] : m_ends)
        {
            const bool lit = tag == 5 || tag == 500 || tag == 102 || tag == 201;
            NS_TEST_EXPECT_MSG_EQ(Arrived(tag), true, "message " << tag);
            NS_TEST_EXPECT_MSG_EQ(c.bytesByPath[static_cast<std::size_t>(PathClass::CIRCUIT)].Get(),
                                  (lit ? 100001 : 0),
                                  "way of message " << tag);
        }
    }
};

/**
 * All links of server 0 fail 20 us into an all-to-all. The run ends; messages of other servers
 * arrive; those of server 0 are delivered before, failed, or listed as unfinished, by name. When it
 * is repaired, the unfinished ones arrive.
 */
class DeadServerCase : public FieldCase
{
  public:
    explicit DeadServerCase(Fidelity fidelity)
        : FieldCase("a server dies during an all-to-all", fidelity)
    {
    }

  private:
    void SetServer(bool up)
    {
        const FabricGraph& graph = *m_fabric->GetGraph();
        const VertexId dead = graph.GetVertex(ServerId(0));
        std::vector<EdgeId> edges;
        for (uint32_t port = 0; port < graph.GetNPorts(dead); ++port)
        {
            edges.push_back(graph.GetEdge(dead, port));
        }
        m_fabric->GetControl()->SetEdges(edges, EdgeCause::FAILURE, up);
    }

    void DoRun() override
    {
        Build("ns3::HybridTopology", ClusterSpec(4, 2), {{"OcsNics", 1}, {"ServersPerRegion", 4}});
        const VertexId ocs = m_fabric->GetGraph()->GetRegionOcs(RegionId(0))[0];
        m_fabric->GetControl()->Connect({{ocs, 0, 1}, {ocs, 2, 3}}, {});
        for (uint32_t from = 0; from < 4; ++from)
        {
            for (uint32_t to = 0; to < 4; ++to)
            {
                if (from != to)
                {
                    Send(from, to, 2 << 20);
                }
            }
        }
        Simulator::Schedule(MicroSeconds(20), [this] { SetServer(false); });
        Simulator::Stop(Seconds(1)); // a retransmission for ever would be seen as "still busy"
        Simulator::Run();
        const std::set<uint64_t> open = Unfinished();
        NS_TEST_EXPECT_MSG_EQ(m_ends.size() + open.size(), 12, "every message has a fate");
        NS_TEST_EXPECT_MSG_GT(12 - m_ends.size() + CountFailed(), 0, "some were hit");
        for (uint32_t from = 1; from < 4; ++from)
        {
            for (uint32_t to = 1; to < 4; ++to)
            {
                NS_TEST_EXPECT_MSG_EQ((from == to || Arrived(100 * from + to)), true, "others'");
            }
        }
        for (const uint64_t tag : open)
        {
            NS_TEST_EXPECT_MSG_EQ((tag < 100 || tag % 100 == 0), true, "of server 0: " << tag);
        }
        SetServer(true);
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Unfinished().size(), 0, "repaired");
        for (const uint64_t tag : open)
        {
            NS_TEST_EXPECT_MSG_EQ(Arrived(tag), true, "after the repair: " << tag);
        }
    }

    /// @return messages that ended without arriving
    uint64_t CountFailed() const
    {
        uint64_t failed = 0;
        for (const auto& [tag, c] : m_ends)
        {
            failed += c.status == TransferStatus::FAILED ? 1 : 0;
        }
        return failed;
    }
};

/// The suite.
class OpticalFieldTestSuite : public TestSuite
{
  public:
    OpticalFieldTestSuite()
        : TestSuite("mixnet-optical-field", TestSuite::Type::UNIT)
    {
        for (const Fidelity fidelity : {Fidelity::PACKET, Fidelity::FLOW})
        {
            AddTestCase(new NoSwitchCase(fidelity));
            AddTestCase(new UnequalCase(fidelity));
            AddTestCase(new DeadServerCase(fidelity));
        }
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

OpticalFieldTestSuite g_opticalFieldTestSuite; //!< registers the suite

} // namespace
