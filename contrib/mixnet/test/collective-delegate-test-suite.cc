/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "delegate-test-case.h"

namespace
{

/**
 * @ingroup mixnet-test
 * GPU 0 sends n bytes to GPU 0 of the other server; the one circuit joins NICs 1, of GPUs 1. Whole:
 * gather n/S, crossing (n and headers)/R + L, scatter n/S. In chunks of C, the network being
 * slower: C/S, then the crossing without a gap, then C/S. The scale-up domain being slower (200
 * Gb/s): n/S, then the last chunk's crossing and C/S.
 */
class DelegateTimeCase : public DelegateTestCase
{
  public:
    /// @param fidelity world @param name of it
    DelegateTimeCase(Fidelity fidelity, const std::string& name)
        : DelegateTestCase("times of delegates in the world " + name),
          m_fidelity(fidelity)
    {
    }

  private:
    /// @param chunk bytes, 0: whole @param scaleUp rate @return time of the all-to-all
    Time Measure(uint64_t chunk, const std::string& scaleUp)
    {
        DelegateRun run;
        run.fidelity = m_fidelity;
        run.scaleUp = scaleUp;
        run.allToAll = "ns3::DelegateAllToAll[ChunkSize=" + std::to_string(chunk) + "B]";
        run.circuits = {1};
        run.bytes[{0, 8}] = BYTES;
        const CollectiveResult result = Exchange(run);
        const auto chunks = chunk == 0 ? 1 : BYTES / chunk;
        NS_TEST_EXPECT_MSG_EQ(result.transfers, 3 * chunks, "gather, cross, scatter");
        NS_TEST_EXPECT_MSG_EQ(On(result, PathClass::CIRCUIT), BYTES, "crossed once");
        NS_TEST_EXPECT_MSG_EQ(On(result, PathClass::PACKET), 0, "crossed once");
        NS_TEST_EXPECT_MSG_EQ(On(result, PathClass::SCALE_UP), 2 * BYTES, "gathered, scattered");
        return result.finished - result.started;
    }

    /// @param bytes of a crossing in `messages` messages @return its time
    static Time Cross(uint64_t bytes, uint64_t messages)
    {
        const uint64_t wire = bytes + 82 * (bytes / 4096) + 16 * messages;
        return ByteCount(wire) / DataRate("400Gbps") + MicroSeconds(2);
    }

    /// @param bytes moved @param rate scale-up @return time
    static Time Move(uint64_t bytes, const std::string& rate)
    {
        return ByteCount(bytes) / DataRate(rate);
    }

    void DoRun() override
    {
        const auto check = [this](Time time, Time ideal, double tolerance, const std::string& m) {
            NS_TEST_EXPECT_MSG_EQ_TOL(time.GetSeconds() / ideal.GetSeconds(), 1, tolerance, m);
        };
        const std::string fast = "3600Gbps";
        const std::string slow = "200Gbps";
        check(Measure(0, fast), Move(BYTES, fast) * 2 + Cross(BYTES, 1), 1e-7, "whole");
        check(Measure(0, slow), Move(BYTES, slow) * 2 + Cross(BYTES, 1), 1e-7, "whole, slow");
        check(Measure(CHUNK, fast), Move(CHUNK, fast) * 2 + Cross(BYTES, 8), 1e-3, "chunks");
        check(Measure(CHUNK, slow),
              Move(BYTES, slow) + Cross(CHUNK, 1) + Move(CHUNK, slow),
              1e-6,
              "chunks, slow");
    }

    static constexpr uint64_t CHUNK = 4 << 20;   //!< an eighth
    static constexpr uint64_t BYTES = 8 * CHUNK; //!< payload
    Fidelity m_fidelity;                         //!< world
};

/**
 * @ingroup mixnet-test
 * Where delegates pay, and where they cost. Two circuits join NICs 1 and 2 of two servers. One GPU
 * has all the bytes: direct, by flow, it has one of the circuits (n/R), with delegates both (n/2R
 * and a chunk's gathering and scattering). All GPUs have an eighth: direct, by flow, four send on
 * each circuit without a stop (n/2R); delegates add the gathering and scattering, n/S each in one
 * piece where GPUs 1 and 2 take in (and give out) half of the bytes less their own eighth.
 */
class DelegateGainCase : public DelegateTestCase
{
  public:
    /// @param fidelity world @param name of it
    DelegateGainCase(Fidelity fidelity, const std::string& name)
        : DelegateTestCase("when delegates pay in the world " + name),
          m_fidelity(fidelity)
    {
    }

  private:
    /// @param even all GPUs alike, or one with everything @param allToAll algorithm @return time
    double Measure(bool even, const std::string& allToAll)
    {
        DelegateRun run;
        run.fidelity = m_fidelity;
        run.allToAll = allToAll;
        run.circuits = {1, 2};
        for (uint32_t g = 0; g < (even ? 8 : 1); ++g)
        {
            run.bytes[{g, 8 + g}] = even ? BYTES / 8 : BYTES;
        }
        const CollectiveResult result = Exchange(run);
        NS_TEST_EXPECT_MSG_EQ(On(result, PathClass::CIRCUIT), BYTES, "all by light, once");
        return (result.finished - result.started).GetSeconds();
    }

    void DoRun() override
    {
        const std::string whole = "ns3::DelegateAllToAll";
        const std::string chunks = "ns3::DelegateAllToAll[ChunkSize=1MiB]";
        const double uneven = Measure(false, "ns3::DirectAllToAll");
        // half of the network's time n/R, and n/S twice, headers making R 2 % slower
        NS_TEST_EXPECT_MSG_EQ_TOL(Measure(false, whole) / uneven,
                                  0.5 + 2.0 / 9 / 1.02,
                                  0.002,
                                  "whole");
        NS_TEST_EXPECT_MSG_LT(Measure(false, chunks) / uneven, 0.53, "chunks: both circuits");
        const double even = Measure(true, "ns3::DirectAllToAll");
        // gather (n/2 - n/8)/S and scatter as much, of n/2R: 2 x 3/4 / 9
        NS_TEST_EXPECT_MSG_EQ_TOL(Measure(true, whole) / even, 1 + 0.163, 0.01, "whole");
        const double piecewise = Measure(true, chunks) / even;
        NS_TEST_EXPECT_MSG_GT(piecewise, 1.002, "chunks hide most of it, not all");
        NS_TEST_EXPECT_MSG_LT(piecewise, 1.02, "chunks hide most of it");
    }

    static constexpr uint64_t BYTES = 32 << 20; //!< payload
    Fidelity m_fidelity;                        //!< world
};

/**
 * @ingroup mixnet-test
 * All five steps at once: three servers, circuits between two of them, the third over the EPS, and
 * bytes that stay in server 0. What stays starts behind the gathering and ends within the crossing.
 * A second run loses the circuits while the first chunks are gathered or cross; a third one before
 * anything is sent: all bytes arrive, over the EPS, those that had crossed by light not again.
 */
class DelegatePathsCase : public DelegateTestCase
{
  public:
    /// @param fidelity world @param name of it
    DelegatePathsCase(Fidelity fidelity, const std::string& name)
        : DelegateTestCase("bytes by path of delegates in the world " + name),
          m_fidelity(fidelity)
    {
    }

  private:
    /// @return all-to-all with both kinds of crossing
    DelegateRun MakeRun() const
    {
        DelegateRun run;
        run.fidelity = m_fidelity;
        run.servers = 3;
        run.allToAll = "ns3::DelegateAllToAll[ChunkSize=1MiB]";
        run.circuits = {1, 2, 3};
        run.bytes[{5, 8 + 6}] = LIGHT;
        run.bytes[{5, 16 + 6}] = EPS;
        return run;
    }

    void DoRun() override
    {
        DelegateRun run = MakeRun();
        const CollectiveResult apart = Exchange(run);
        NS_TEST_EXPECT_MSG_EQ(On(apart, PathClass::CIRCUIT), LIGHT, "to server 1");
        NS_TEST_EXPECT_MSG_EQ(On(apart, PathClass::PACKET), EPS, "to server 2");
        NS_TEST_EXPECT_MSG_EQ(On(apart, PathClass::SCALE_UP), 2 * (LIGHT + EPS), "both ends");

        run.bytes[{5, 4}] = LOCAL;
        const CollectiveResult result = Exchange(run);
        NS_TEST_EXPECT_MSG_EQ(result.finished - result.started,
                              apart.finished - apart.started,
                              "the exchange within the server costs nothing");
        NS_TEST_EXPECT_MSG_EQ(On(result, PathClass::SCALE_UP),
                              2 * (LIGHT + EPS) + LOCAL,
                              "once more");

        for (const Time& when : {MicroSeconds(30), NanoSeconds(1)})
        {
            run.tearAt = when;
            const CollectiveResult torn = Exchange(run);
            NS_TEST_EXPECT_MSG_EQ(torn.lost, 0, "no transfer is lost");
            const uint64_t light = On(torn, PathClass::CIRCUIT);
            NS_TEST_EXPECT_MSG_EQ(light + On(torn, PathClass::PACKET), LIGHT + EPS, "once");
            NS_TEST_EXPECT_MSG_EQ((light > 0), (when > MicroSeconds(1)), "light until then");
            NS_TEST_EXPECT_MSG_LT(light, LIGHT / 2, "light until then");
            NS_TEST_EXPECT_MSG_GT(torn.finished - torn.started,
                                  result.finished - result.started,
                                  "the EPS has it all");
        }
    }

    static constexpr uint64_t LIGHT = 24 << 20; //!< between servers with circuits
    static constexpr uint64_t EPS = 8 << 20;    //!< between servers without
    static constexpr uint64_t LOCAL = 4 << 20;  //!< within a server
    Fidelity m_fidelity;                        //!< world
};

/// @ingroup mixnet-test
class CollectiveDelegateTestSuite : public TestSuite
{
  public:
    CollectiveDelegateTestSuite()
        : TestSuite("mixnet-collective-delegate", TestSuite::Type::UNIT)
    {
        for (const auto& [fidelity, name] :
             {std::pair{Fidelity::FLOW, "flow"}, std::pair{Fidelity::PACKET, "packet"}})
        {
            AddTestCase(new DelegateTimeCase(fidelity, name));
            AddTestCase(new DelegateGainCase(fidelity, name));
            AddTestCase(new DelegatePathsCase(fidelity, name));
        }
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

CollectiveDelegateTestSuite g_collectiveDelegateTestSuite; //!< the suite

} // namespace
