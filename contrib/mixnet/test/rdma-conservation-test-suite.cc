/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-transport-test-case.h"

#include "ns3/ns3-compat.h"

#include <random>

using namespace ns3;

/**
 * @ingroup mixnet-test
 * Random transfers on a hybrid fabric whose circuits are drained, turned and torn meanwhile: all
 * are delivered, and payload by path adds up for each of them.
 */
class RdmaConservationTest : public RdmaTransportCase
{
  public:
    RdmaConservationTest()
        : RdmaTransportCase("conservation while circuits change")
    {
    }

  private:
    /// Turn the circuits to the next matching. @param round number @param drain first
    void Turn(uint32_t round, bool drain)
    {
        // server s to s + 1 + round mod 5, by fiber 0 outwards and fiber 1 inwards
        std::vector<Circuit> next;
        for (uint32_t s = 0; s < 6; ++s)
        {
            next.push_back(Join(s, 0, (s + 1 + round % 5) % 6, 1));
        }
        const auto swap = [this, next] {
            m_control->Connect(next, m_lit);
            m_lit = next;
        };
        if (!drain)
        {
            swap();
            return;
        }
        std::vector<EdgeId> fibers;
        for (uint32_t s = 0; s < 6; ++s)
        {
            fibers.push_back(FiberOf(s, 0));
            fibers.push_back(FiberOf(s, 1));
        }
        m_allFibers = fibers;
        m_token =
            m_control->Quiesce(fibers,
                               MicroSeconds(30),
                               Callback<void, bool>([this, swap](bool empty) {
                                   m_drained += empty ? 1 : 0;
                                   m_control->SetEdges(m_allFibers, EdgeCause::OPTICAL, false);
                                   swap();
                                   Simulator::Schedule(MicroSeconds(15), [this] {
                                       m_control->SetEdges(m_allFibers, EdgeCause::OPTICAL, true);
                                       m_control->Resume(m_token);
                                   });
                               }));
    }

    void DoRun() override
    {
        MakeHybrid(6, 2);
        BuildDoors();
        std::mt19937 random(7);
        const auto draw = [&random](uint64_t from, uint64_t to) {
            return std::uniform_int_distribution<uint64_t>(from, to)(random);
        };
        uint64_t bytes = 0;
        for (uint32_t i = 0; i < 300; ++i)
        {
            const uint32_t lanes = static_cast<uint32_t>(draw(1, 4));
            const auto a = static_cast<uint32_t>(draw(0, 5));
            const auto b = static_cast<uint32_t>(draw(0, 5));
            const Transfer t = Make(Gpu(a, draw(0, 4 - lanes)),
                                    Gpu(b, draw(0, 4 - lanes)),
                                    draw(0, 9) == 0 ? 0 : draw(1, 400000),
                                    lanes);
            bytes += t.bytes.Get();
            Simulator::Schedule(MicroSeconds(draw(0, 1000)), [this, t] { Send(t); });
        }
        for (uint32_t round = 0; round < 12; ++round)
        {
            Simulator::Schedule(MicroSeconds(100 * round),
                                [this, round] { Turn(round, round % 3 != 0); });
        }
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 300, "all end");
        uint64_t light = 0;
        for (const Completion& c : m_done)
        {
            NS_TEST_EXPECT_MSG_EQ((c.status == TransferStatus::DELIVERED), true, "delivered");
            const bool inside = c.source.Get() / 4 == c.destination.Get() / 4;
            const uint64_t network = On(c, PathClass::CIRCUIT) + On(c, PathClass::PACKET);
            NS_TEST_EXPECT_MSG_EQ(network, (inside ? 0 : c.bytes.Get()), "network");
            NS_TEST_EXPECT_MSG_LT(On(c, PathClass::SCALE_UP), c.bytes.Get() + 1, "scale-up");
            light += On(c, PathClass::CIRCUIT);
        }
        NS_TEST_EXPECT_MSG_GT(light, bytes / 20, "circuits were used");
        NS_TEST_EXPECT_MSG_GT(m_drained, 4, "drained");
        NS_TEST_EXPECT_MSG_GT(m_world->GetFabric().GetDrops(DropReason::DARK), 0, "torn");
        NS_TEST_EXPECT_MSG_EQ(m_transport->GetTotals().delivered, ByteCount(bytes), "bytes");
        CheckEmpty();
    }

    std::vector<Circuit> m_lit;      //!< matched now
    std::vector<EdgeId> m_allFibers; //!< all fibers
    FabricControl::Token m_token{0}; //!< of the quiesce
    uint32_t m_drained{0};           //!< quiesces that emptied
};

/// @ingroup mixnet-test
class RdmaConservationTestSuite : public TestSuite
{
  public:
    RdmaConservationTestSuite()
        : TestSuite("mixnet-rdma-conservation", TestSuite::Type::UNIT)
    {
        AddTestCase(new RdmaConservationTest());
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaConservationTestSuite g_rdmaConservationTestSuite; //!< the suite
