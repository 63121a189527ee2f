/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// One copy per rank or server, bytes of either direction and group limits, in whole jobs.

#include "moe_fixture.h"

#include "ns3/deduplicating-all-to-all.h"
#include "ns3/distinct-tokens.h"
#include "ns3/job-demand.h"
#include "ns3/job-summary.h"
#include "ns3/mixnet-error.h"
#include "ns3/pointer.h"
#include "ns3/synthetic-gate.h"
#include "ns3/uniform-gate.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

using namespace ns3;

namespace
{

constexpr uint64_t HIDDEN = 100;

/// @return 2 replicas of 2 stages of 8 EP ranks with 2 GPUs, 32 experts in 4 groups, top-6
TrainingJob
WideJob()
{
    TrainingJob job = TinyJob();
    job.model.layers = 4;
    job.model.moeLayers = 3;
    job.model.experts = 32;
    job.model.topK = 6;
    job.model.expertGroups = 4;
    job.degrees = {2, 2, 2, 8};
    job.microBatches = 2;
    return job;
}

/// A run of a job with a skewed gate, 4 EP ranks on a server.
class DeduplicatedRun
{
  public:
    /// @param job job @param placement of its experts; none: in groups
    explicit DeduplicatedRun(const TrainingJob& job,
                             const std::optional<ExpertPlacement>& placement = {})
        : run(job, MakeServers(8, 8))
    {
        auto layout = std::make_shared<ParallelLayout>(*run.layout);
        if (placement)
        {
            layout->SetPlacement(*placement, "");
        }
        run.layout = layout;
        run.engine->SetJob(run.job, layout);
        gate = CreateObject<SyntheticGate>();
        gate->AssignStreams(5);
        gate->SetCapacity(ExpertCapacity(capacity, CapacityScope::RANK));
        algorithm = CreateObject<DeduplicatingAllToAll>();
        algorithm->SetFabric(run.graph, nullptr);
        run.engine->SetAttribute("Gate", PointerValue(gate));
        run.engine->SetAttribute("AllToAll", PointerValue(algorithm));
        run.transport->recording = true;
    }

    /// Run to the end. @param permille capacity factor
    void Run(uint32_t permille = 0)
    {
        gate->SetCapacity(ExpertCapacity(permille, CapacityScope::RANK));
        run.Run();
        ExpectCompleted(run);
    }

    /// @return EP bytes between servers
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> GetCrossing() const
    {
        std::map<std::pair<uint32_t, uint32_t>, uint64_t> sent;
        for (const Transfer& t : run.transport->sent)
        {
            const uint32_t from = run.layout->GetServer(t.source).Get();
            const uint32_t to = run.layout->GetServer(t.destination).Get();
            if (t.trafficClass == TrafficClass::EP && from != to)
            {
                sent[{from, to}] += t.bytes.Get();
            }
        }
        return sent;
    }

    /// @return all EP bytes
    uint64_t GetBytes() const
    {
        uint64_t bytes = 0;
        for (const Transfer& t : run.transport->sent)
        {
            bytes += t.trafficClass == TrafficClass::EP ? t.bytes.Get() : 0;
        }
        return bytes;
    }

    JobRun run;
    Ptr<SyntheticGate> gate;
    Ptr<DeduplicatingAllToAll> algorithm;
    uint32_t capacity{0};
};

/// @param sent by pair @return sum
uint64_t
Sum(const std::map<std::pair<uint32_t, uint32_t>, uint64_t>& sent)
{
    return std::accumulate(sent.begin(), sent.end(), uint64_t(0), [](uint64_t sum, const auto& s) {
        return sum + s.second;
    });
}

/// Different tokens of all gates, counted gate by gate.
struct Counted
{
    uint64_t copies{0};  //!< delivered to another server
    uint64_t servers{0}; //!< (token, other server)
    uint64_t ranks{0};   //!< (token, rank on another server)
    uint64_t inside{0};  //!< moves inside servers, of dispatches
};

/// @param d a run that is over @return what it should have sent
Counted
Count(const DeduplicatedRun& d)
{
    const TrainingJob& job = d.run.job;
    const std::vector<uint32_t> serverOfRank{0, 0, 0, 0, 1, 1, 1, 1};
    DistinctTokens distinct({32, 6, 4, job.model.groupLimit, job.GetTokens()});
    Counted counted;
    for (uint32_t n = 0; n < 2 * 3 * 2; ++n) // replicas, MoE layers, micro-batches
    {
        const uint32_t layer = n / 2 % 3;
        Matrix<uint32_t> chosen;
        Matrix<uint32_t> tokens;
        d.gate->Route({0, layer, n / 6, n % 2}, tokens, &chosen);
        const ExpertPlacement& placement = d.run.layout->GetPlacement();
        distinct.SetPlacement(placement, layer, serverOfRank, 2);
        for (uint32_t s = 0; s < 8; ++s)
        {
            distinct.Count(&chosen(s, 0), &tokens(s, 0), s);
            for (uint32_t e = 0; e < 32; ++e)
            {
                const SlotRange slots = placement.GetSlots(layer, e);
                for (uint32_t i = 0; i < slots.count; ++i)
                {
                    counted.copies += placement.GetRank(slots.first[i]) / 4 != s / 4
                                          ? slots.GetShare(tokens(s, e), s, i)
                                          : 0;
                }
            }
            counted.servers += distinct.GetByServer()[1 - s / 4];
            for (uint32_t r = 0; r < 8; ++r)
            {
                const bool other = r / 4 != s / 4;
                counted.ranks += other ? distinct.GetByRank()[r] : 0;
                // The rank in the same place gets its tokens from the crossing.
                counted.inside += r == s || (other && r % 4 == s % 4) ? 0 : distinct.GetByRank()[r];
            }
        }
    }
    return counted;
}

// Byte for byte: what crosses is one copy per server, what moves inside one per rank, out in bytes
// of the dispatch, back in those of the combine, forward, recomputed and backward; TP sends all of
// it twice when replicated; placements with redundant or scattered experts, dropped copies, a group
// limit.
TEST(Deduplication, SendsWhatIsDistinct)
{
    std::vector<std::vector<std::vector<uint32_t>>> held(1, {{0}, {}, {}, {}, {}, {}, {}, {}});
    for (uint32_t e = 0; e < 40; ++e)
    {
        held[0][(e * 3 + e / 32) % 8].push_back(e % 32); // experts 0 to 7 twice
    }
    held[0][0].erase(held[0][0].begin());
    const std::optional<ExpertPlacement> placements[] = {{},
                                                         ExpertPlacement::RoundRobin(32, 8),
                                                         ExpertPlacement(held, 32)};
    int n = 0;
    for (const auto& placement : placements)
    {
        for (const Deduplication level :
             {Deduplication::NONE, Deduplication::RANK, Deduplication::SERVER})
        {
            SCOPED_TRACE(std::string(GetName(level)) + ", placement " + std::to_string(n++ / 3));
            TrainingJob job = WideJob();
            job.deduplication = level;
            job.model.bytesPerDispatch = 1;
            job.model.dispatchScale = 32; // 4 scales of 4 B
            job.model.groupLimit = n % 2 ? 2 : 0;
            job.tensorShards = n % 3 ? TensorShards::SHARDED : TensorShards::REPLICATED;
            const uint64_t lanes = n % 3 ? 1 : 2;
            job.recompute = n % 2 ? Recompute::FULL : Recompute::NONE;
            const uint64_t passes = n % 2 ? 3 : 2;
            DeduplicatedRun d(job, placement);
            d.Run(n % 2 ? 1300 : 0);
            const IterationRecord& record = d.run.iterations[0];
            EXPECT_EQ(record.droppedCopies > 0, n % 2 == 1);
            const Counted counted = Count(d);
            const uint64_t bothWays = passes * lanes * (HIDDEN + 16 + 2 * HIDDEN);
            const uint64_t tokens = level == Deduplication::NONE   ? counted.copies
                                    : level == Deduplication::RANK ? counted.ranks
                                                                   : counted.servers;
            EXPECT_EQ(Sum(d.GetCrossing()), tokens * bothWays);
            EXPECT_EQ(record.crossingTokens, tokens);
            EXPECT_EQ(record.crossingCopies, counted.copies);
            EXPECT_LE(counted.servers, counted.ranks);
            EXPECT_LT(counted.ranks, counted.copies);
            if (level == Deduplication::SERVER)
            {
                EXPECT_EQ(d.GetBytes(), (counted.servers + counted.inside) * bothWays);
            }
            // Planners are told what crosses.
            const JobDemand demand = GetAverageDemand(d.run.job, *d.run.layout, *d.gate, 4);
            const auto sent = d.GetCrossing();
            EXPECT_EQ(demand.expert.size(), sent.size());
            for (const ServerPairBytes& p : demand.expert)
            {
                EXPECT_EQ(p.bytes, sent.at({p.source.Get(), p.destination.Get()}));
            }
        }
    }
}

// The demand of a region is what one all-to-all sends between its servers, either way.
TEST(Deduplication, DemandOfARegionIsWhatCrosses)
{
    TrainingJob job = WideJob();
    job.degrees = {1, 2, 1, 8};
    job.deduplication = Deduplication::SERVER;
    job.model.bytesPerCombine = 4;
    const Ptr<FabricGraph> graph = MakeServers(2, 8);
    const ParallelLayout layout(job, *graph, "test");
    Ptr<SyntheticGate> gate = CreateObject<SyntheticGate>();
    gate->Configure(MakeGateShape(job, layout));
    GateTraffic traffic(job, layout, *gate);
    TrafficMatrix matrix;
    const GateCounts counts = traffic.Route({}, 0, matrix);
    EXPECT_LT(counts.crossingTokens, counts.crossingCopies);
    Ptr<DeduplicatingAllToAll> algorithm = CreateObject<DeduplicatingAllToAll>();
    algorithm->SetFabric(graph, nullptr);
    const GroupRegion region{RegionId(0), 3, {2, 2, 2, 2, 0, 0, 0, 0}};
    for (const bool back : {false, true})
    {
        TransferGraph transfers;
        algorithm->Append(transfers,
                          {layout.GetGroups()[0].ranks,
                           2,
                           TrafficClass::EP,
                           matrix.GetBytes(back),
                           back,
                           matrix.GetServerBytes(back)});
        DemandMatrix demand;
        matrix.GetDemand(region, back, demand);
        DemandMatrix sent(3, 3);
        for (const Transfer& t : transfers.GetTransfers())
        {
            const uint32_t from = graph->GetServerOf(t.source).Get() == 0 ? 2 : 0;
            const uint32_t to = graph->GetServerOf(t.destination).Get() == 0 ? 2 : 0;
            sent(from, to) += from == to ? 0 : t.bytes.Get();
        }
        EXPECT_EQ(demand.Data(), sent.Data());
        EXPECT_EQ(demand(2, 0) + demand(0, 2), counts.crossingTokens * HIDDEN * (back ? 4 : 2));
    }
    // The gate's least time: four all-to-alls, each bound by the server that has most to do.
    EXPECT_EQ(matrix.GetCrossing(true).Get(), 2 * matrix.GetCrossing().Get());
}

// DeepSeek-V3 on 8 servers of 8, all experts alike: 8 copies go to 8 (1 - C(224, 8) / C(256, 8)) =
// 5.29 servers without the limit of four, and to 3.90 with it; 7 of 8 are others.
TEST(Deduplication, DeepSeekV3ByHand)
{
    TrainingJob job;
    job.model.name = "v3";
    job.model.layers = 1;
    job.model.moeLayers = 1;
    job.model.hidden = 7168;
    job.model.ffnHidden = 2048;
    job.model.heads = 128;
    job.model.experts = 256;
    job.model.topK = 8;
    job.model.expertGroups = 8;
    job.model.bytesPerDispatch = 1;
    job.model.dispatchScale = 128;
    job.degrees = {1, 1, 1, 64};
    job.sequenceLength = 4096;
    job.deduplication = Deduplication::SERVER;
    const ParallelLayout layout(job, *MakeServers(8, 8), "test");
    const auto crossing = [&layout](const TrainingJob& j) {
        Ptr<UniformGate> gate = CreateObject<UniformGate>();
        gate->Configure(MakeGateShape(j, layout));
        TrafficMatrix matrix;
        const GateCounts counts = GateTraffic(j, layout, *gate).Route({}, 0, matrix);
        EXPECT_EQ(counts.copies, 64 * 4096 * 8U);
        EXPECT_EQ(counts.crossingCopies, 64 * 4096 * 7U);
        EXPECT_EQ(matrix.GetServerBytes()->operator()(0, 1) % (7168 + 4 * 56), 0U);
        EXPECT_EQ(matrix.GetServerBytes(true)->operator()(0, 1) % 14336, 0U);
        return double(counts.crossingTokens) / (64 * 4096) * 8 / 7;
    };
    EXPECT_NEAR(crossing(job), 5.295, 0.002);
    job.model.groupLimit = 4;
    EXPECT_NEAR(crossing(job), 3.903, 0.002);
}

// Copies are drawn under the limit: with one group per token, a group has as many copies as k times
// the tokens that are in it, none of its experts more than these tokens; without a limit that binds
// nothing changes.
TEST(Deduplication, SyntheticGateKeepsToTheLimit)
{
    const auto route = [](uint32_t groups, uint32_t limit) {
        GateShape shape;
        shape.experts = EvenSplit(32, 8);
        shape.topK = 6;
        shape.copies = 6 * 1000;
        shape.groups = groups;
        shape.groupLimit = limit;
        Ptr<SyntheticGate> gate = CreateObject<SyntheticGate>();
        gate->AssignStreams(3);
        gate->Configure(shape);
        Matrix<uint32_t> tokens;
        gate->Route({}, tokens);
        return tokens;
    };
    const Matrix<uint32_t> free = route(4, 0);
    EXPECT_EQ(route(4, 4).Data(), free.Data());
    EXPECT_NE(route(4, 2).Data(), free.Data());
    const Matrix<uint32_t> one = route(4, 1);
    for (uint32_t s = 0; s < 8; ++s)
    {
        for (uint32_t g = 0; g < 4; ++g)
        {
            const uint32_t* first = &one(s, 8 * g);
            const uint32_t tokens = std::accumulate(first, first + 8, 0U) / 6;
            EXPECT_LE(*std::max_element(first, first + 8), tokens + 2);
            EXPECT_GT(*std::min_element(first, first + 8), 0U);
        }
    }
}

TEST(Deduplication, RefusesWhatIsNoGroup)
{
    TrainingJob job = WideJob();
    job.model.expertGroups = 5;
    EXPECT_THROW(job.Validate("test"), InputError);
    job.model.expertGroups = 16;
    job.model.groupLimit = 2; // 4 experts, top-6
    EXPECT_THROW(job.Validate("test"), InputError);
    job.model.groupLimit = 3;
    EXPECT_NO_THROW(job.Validate("test"));
    job.model.groupLimit = 17;
    EXPECT_THROW(job.Validate("test"), InputError);
}

} // namespace
