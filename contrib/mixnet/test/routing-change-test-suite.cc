/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "routing-test-case.h"

#include "ns3/forwarding-installer.h"
#include "ns3/hybrid-topology.h"
#include "ns3/packet-switch.h"

namespace
{

/**
 * @ingroup mixnet-test
 * Work is counted, at two sizes of a hybrid: a circuit that is lit concerns transfers of its two
 * servers and no table; a NIC that fails concerns the table of its switch; tables are as large as
 * switches have ports, whatever the number of servers.
 */
class ChangedOnlyCase : public TestCase
{
  public:
    /// @param servers size
    explicit ChangedOnlyCase(uint32_t servers)
        : TestCase("a change costs what changed, servers: " + std::to_string(servers)),
          m_servers(servers)
    {
    }

  private:
    void DoRun() override
    {
        const RoutedFabric fabric(Build<HybridTopology>(ClusterSpec(m_servers)));
        FabricGraph& graph = *fabric.graph;
        ForwardingInstaller installer(fabric.router);
        std::map<VertexId, Ptr<PacketSwitch>> devices;
        uint64_t ports = 0;
        for (uint32_t v = 0; v < graph.GetNVertices(); ++v)
        {
            if (graph.GetKind(VertexId(v)) == VertexKind::SWITCH)
            {
                devices[VertexId(v)] = CreateObject<PacketSwitch>();
                installer.Add(VertexId(v), devices[VertexId(v)]);
                ports += graph.GetNPorts(VertexId(v));
            }
        }
        const EcmpTables& tables = fabric.router->GetTables();
        NS_TEST_EXPECT_MSG_LT(tables.GetNEntries(), ports, "entries by range, not by NIC");

        const auto versions = [&] {
            std::vector<uint64_t> all;
            for (uint32_t a = 0; a < m_servers; ++a)
            {
                for (uint32_t b = 0; b < m_servers; ++b)
                {
                    all.push_back(fabric.router->GetVersion(fabric.Make(a, 0, b, 0, 8)));
                }
            }
            return all;
        };
        const auto before = versions();
        const uint64_t writes = installer.GetNWrites();
        const EdgeId a = graph.GetEdge(graph.GetVertex(ServerId(0)), 1);
        const EdgeId b = graph.GetEdge(graph.GetVertex(ServerId(1)), 1);
        const VertexId ocs = graph.GetEndB(a);
        graph.ChangeMatching({{ocs, graph.GetPortAt(a, ocs), graph.GetPortAt(b, ocs)}}, {});
        const auto after = versions();
        uint32_t anew = 0;
        for (std::size_t i = 0; i < before.size(); ++i)
        {
            anew += before[i] != after[i] ? 1 : 0;
        }
        // to and from servers 0 and 1, within a server nothing
        NS_TEST_EXPECT_MSG_EQ(anew, 2 * 2 * (m_servers - 2) + 2, "pairs of the two servers");
        NS_TEST_EXPECT_MSG_EQ(installer.GetNWrites(), writes, "circuits are in no table");

        graph.SetEdges({graph.GetEdge(graph.GetVertex(ServerId(2)), 0)}, EdgeCause::FAILURE, false);
        NS_TEST_EXPECT_MSG_EQ(installer.GetNWrites(), writes + 1, "the table of its leaf");
    }

    uint32_t m_servers; //!< size
};

/// @ingroup mixnet-test
class RoutingChangeTestSuite : public TestSuite
{
  public:
    RoutingChangeTestSuite()
        : TestSuite("mixnet-routing-change", TestSuite::Type::UNIT)
    {
        AddTestCase(new ChangedOnlyCase(16));
        AddTestCase(new ChangedOnlyCase(64));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

RoutingChangeTestSuite g_routingChangeTestSuite; //!< the suite

} // namespace
