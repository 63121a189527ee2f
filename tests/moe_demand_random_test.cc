/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What planners and summaries are told of a job, against what a run of it sends: any features
// together.

#include "moe_fixture.h"

#include "ns3/job-demand.h"
#include "ns3/job-summary.h"
#include "ns3/mixnet-error.h"
#include "ns3/pointer.h"
#include "ns3/synthetic-gate.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sstream>

using namespace ns3;

namespace
{

/// A job of random features.
class RandomJob
{
  public:
    /// @param seed seed
    explicit RandomJob(uint32_t seed)
        : m_rng(seed)
    {
        do
        {
            Draw();
        } while (!IsValid());
    }

    TrainingJob job;             //!< job
    Ptr<PipelineSchedule> order; //!< its schedule
    uint32_t gpusPerServer{0};   //!< of its cluster

    /// @return what matters, for messages
    std::string Describe() const
    {
        std::ostringstream text;
        text << job.degrees.Describe() << ", order " << job.degrees.order.GetText()
             << ", EP ranks per block " << job.degrees.ranksPerBlock << ", chunks "
             << job.degrees.chunks << ", " << order->GetInstanceTypeId().GetName() << ", recompute "
             << GetName(job.recompute) << ", " << GetName(job.optimizerSharding) << ", "
             << GetName(job.gradientSync) << (job.gradientOverlap ? " overlapped" : "") << ", "
             << GetName(job.deduplication) << ", " << GetName(job.tensorShards) << ", "
             << gpusPerServer << " GPUs per server";
        return text.str();
    }

  private:
    /// @param values some @return one of them
    template <typename T>
    T Pick(std::initializer_list<T> values)
    {
        return *(values.begin() + m_rng() % values.size());
    }

    /// Draw everything.
    void Draw()
    {
        job = TinyJob();
        ModelSpec& m = job.model;
        m.layers = Pick({4U, 5U, 8U});
        m.moeLayers = m.layers - Pick({0U, 0U, 1U, 2U});
        m.hidden = 96;
        m.ffnHidden = 64;
        m.heads = 8;
        m.kvHeads = Pick({0U, 2U});
        m.experts = 8;
        m.topK = Pick({1U, 2U, 3U});
        m.sharedFfnHidden = Pick({0U, 32U});
        m.vocabulary = Pick({0U, 100U});
        m.bytesPerDispatch = Pick({0U, 1U});
        m.dispatchScale = Pick({0U, 64U});
        ParallelDegrees& d = job.degrees;
        d.data = Pick({1U, 2U, 3U});
        d.tensor = Pick({1U, 2U, 4U});
        d.pipeline = Pick({1U, 2U, 4U});
        d.expert = Pick({1U, 2U, 4U, 8U});
        d.context = Pick({1U, 1U, 2U, 4U});
        d.ranksPerBlock = Pick({1U, 1U, 2U, 4U});
        d.order = AxisOrder::Parse(Pick({"tp", "tp-cp-ep-dp-pp", "tp-pp-ep-cp-dp"}), "test");
        job.microBatches = d.pipeline * Pick({1U, 2U});
        job.tensorShards = Pick({TensorShards::SHARDED, TensorShards::REPLICATED});
        job.deduplication = Pick({Deduplication::NONE, Deduplication::RANK});
        job.sequenceParallel = Pick({true, true, false});
        job.gradientSync =
            Pick({GradientAlgorithm::RING, GradientAlgorithm::TREE, GradientAlgorithm::TWO_LEVEL});
        job.gradientOverlap = Pick({true, false});
        job.gradientBucket = ByteCount(Pick({1U, 200000U}));
        job.optimizerSharding = Pick({OptimizerSharding::NONE, OptimizerSharding::ZERO1});
        job.optimizerTime = MicroSeconds(Pick({0, 700}));
        job.recompute = static_cast<Recompute>(m_rng() % 5);
        gpusPerServer = Pick({4U, 8U});
        DrawSchedule();
    }

    /// Draw the order of passes, and chunks where it has them.
    void DrawSchedule()
    {
        job.degrees.chunks = 1;
        switch (m_rng() % 5)
        {
        case 0:
            order = CreateObject<GpipeSchedule>();
            break;
        case 1:
            order = CreateObject<ZeroBubbleSchedule>();
            break;
        case 2:
            order = CreateObject<InterleavedSchedule>();
            job.degrees.chunks = Pick({1U, 2U});
            break;
        case 3:
            order = CreateObject<OverlappedSchedule>();
            job.degrees.chunks = Pick({1U, 2U});
            break;
        default:
            order = CreateObject<OneForwardOneBackwardSchedule>();
        }
    }

    /// @return true when the features go together
    bool IsValid() const
    {
        try
        {
            job.Validate("test");
            if (job.degrees.GetGpus() % gpusPerServer != 0)
            {
                return false;
            }
            const auto servers = static_cast<uint32_t>(job.degrees.GetGpus() / gpusPerServer);
            const ParallelLayout layout(job, *MakeServers(servers, gpusPerServer), "test");
            return true;
        }
        catch (const InputError&)
        {
            return false;
        }
    }

    std::mt19937_64 m_rng; //!< draws
};

using Pairs = std::map<std::pair<uint32_t, uint32_t>, uint64_t>; //!< bytes between servers

/// @param run a run @param trafficClass class @return what it sent between servers
Pairs
ListSent(const JobRun& run, TrafficClass trafficClass)
{
    Pairs sent;
    for (const Transfer& t : run.transport->sent)
    {
        const uint32_t from = run.layout->GetServer(t.source).Get();
        const uint32_t to = run.layout->GetServer(t.destination).Get();
        if (from != to && t.trafficClass == trafficClass && t.bytes > ByteCount(0))
        {
            sent[{from, to}] += t.bytes.Get();
        }
    }
    return sent;
}

/// @param list demand @return the same by servers
Pairs
ListTold(const std::vector<ServerPairBytes>& list)
{
    Pairs told;
    for (const ServerPairBytes& p : list)
    {
        told[{p.source.Get(), p.destination.Get()}] += p.bytes;
    }
    return told;
}

/// @param run a run @param trafficClass class @return bytes of its transfers
ByteCount
SumSent(const JobRun& run, TrafficClass trafficClass)
{
    ByteCount sum;
    for (const Transfer& t : run.transport->sent)
    {
        sum += t.trafficClass == trafficClass ? t.bytes : ByteCount(0);
    }
    return sum;
}

/// @param random a job @return classes that it had bytes of
uint32_t
ExpectAgreement(const RandomJob& random)
{
    const TrainingJob& job = random.job;
    const auto servers = static_cast<uint32_t>(job.degrees.GetGpus() / random.gpusPerServer);
    JobRun run(job, MakeServers(servers, random.gpusPerServer));
    Ptr<SyntheticGate> gate = CreateObject<SyntheticGate>();
    gate->AssignStreams(1);
    Ptr<FixedComputeModel> compute = MakeFixed();
    compute->shared = MilliSeconds(1);
    compute->core = MicroSeconds(500);
    run.engine->SetAttribute("Gate", PointerValue(gate));
    run.engine->SetAttribute("Compute", PointerValue(compute));
    run.engine->SetAttribute("Schedule", PointerValue(random.order));
    run.transport->recording = true;
    run.transport->latency = MicroSeconds(3);
    run.Run();
    ExpectCompleted(run);
    if (!run.completed)
    {
        return 0;
    }
    const JobDemand demand = GetAverageDemand(job, *run.layout, *gate, 4);
    uint32_t classes = 0;
    for (const auto& [list, trafficClass] : {std::make_pair(&demand.expert, TrafficClass::EP),
                                             std::make_pair(&demand.data, TrafficClass::DP),
                                             std::make_pair(&demand.pipeline, TrafficClass::PP),
                                             std::make_pair(&demand.context, TrafficClass::CP)})
    {
        EXPECT_EQ(ListTold(*list), ListSent(run, trafficClass)) << GetName(trafficClass);
        classes += list->empty() ? 0 : 1;
    }
    const JobSummary s =
        SummarizeJob(job, *run.layout, *run.graph, *gate, *compute, 0, PeekPointer(random.order));
    const IterationRecord& it = run.iterations[0];
    EXPECT_EQ(s.allToAlls, it.allToAlls);
    EXPECT_EQ(s.expertBytes, SumSent(run, TrafficClass::EP));
    EXPECT_EQ(s.pipelineBytes, SumSent(run, TrafficClass::PP));
    EXPECT_EQ(s.contextBytes, SumSent(run, TrafficClass::CP));
    EXPECT_EQ(s.dataBytes, SumSent(run, TrafficClass::DP));
    EXPECT_LE(s.computeBound, it.GetDuration());
    EXPECT_LE(s.lowerBound, it.GetDuration());
    return classes;
}

TEST(JobDemand, EqualsWhatARunSendsWhateverTheFeatures)
{
    uint32_t classes = 0;
    uint32_t divided = 0;
    for (uint32_t seed = 0; seed < 150; ++seed)
    {
        const RandomJob random(seed);
        divided += random.job.degrees.ranksPerBlock > 1 ? 1 : 0;
        SCOPED_TRACE("seed " + std::to_string(seed) + ": " + random.Describe());
        classes += ExpectAgreement(random);
    }
    EXPECT_GT(classes, 300U);
    EXPECT_GT(divided, 5U) << "jobs with an expert TP below TP";
}

} // namespace
