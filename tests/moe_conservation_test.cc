/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Token copies from a trace to delivered bytes, for every shipped model.
//
// The oracle is counted here, from the trace's numbers and the models' sizes alone. A rank with T
// tokens sends T x top-k copies to the experts of a layer, in proportion to what its row of the
// trace says; an expert is on the EP rank that its number falls to when E experts are dealt to R
// ranks in contiguous groups, the first E mod R of which have one more, and the same rule puts
// layers on stages. A copy is hidden x 2 bytes (x TP where every TP rank sends all of them), it
// goes out twice (dispatch, gradient of the combine) and comes back twice.

#include "moe_fixture.h"
#include "moe_preset.h"

#include "ns3/pointer.h"
#include "ns3/trace-gate.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace ns3;

namespace
{

constexpr uint32_t TOKENS = 48;       //!< of a rank in a micro-batch
constexpr uint32_t MICRO_BATCHES = 2; //!< of an iteration

/// A model, a layout of it, and what that layout has to report.
struct Case
{
    const char* model;
    ParallelDegrees degrees; //!< DP, TP, PP, EP
    TensorShards shards;
    std::vector<std::string> notes;
};

constexpr TensorShards SHARDED = TensorShards::SHARDED;
constexpr TensorShards REPLICATED = TensorShards::REPLICATED;

/// @return every shipped model, with the paper's layouts where it has one, and uneven ones
std::vector<Case>
ListCases()
{
    return {
        {"mixtral-8x7b", {1, 4, 4, 8}, SHARDED, {}},
        {"mixtral-8x7b", {2, 4, 2, 4}, REPLICATED, {}},
        {"mixtral-8x22b", {1, 8, 8, 8}, SHARDED, {}},
        {"llama-moe", {1, 1, 4, 16}, SHARDED, {}},
        {"qwen-moe-64", {1, 1, 4, 16}, SHARDED, {}},
        {"qwen-moe-32", {1, 1, 4, 32}, SHARDED, {}},
        {"qwen1.5-moe-a2.7b",
         {1, 2, 4, 16},
         REPLICATED,
         {"60 experts over 16 EP ranks: 12 of 4, 4 of 3"}},
        {"deepseek-v2-lite", {2, 1, 4, 8}, SHARDED, {"27 layers over 4 stages: 3 of 7, 1 of 6"}},
        {"deepseek-v3", {1, 1, 16, 16}, SHARDED, {"61 layers over 16 stages: 13 of 4, 3 of 3"}},
        {"deepseek-v3",
         {1, 1, 16, 24},
         SHARDED,
         {"61 layers over 16 stages: 13 of 4, 3 of 3",
          "256 experts over 24 EP ranks: 16 of 11, 8 of 10"}},
        {"qwen3-235b-a22b", {1, 4, 8, 16}, SHARDED, {"94 layers over 8 stages: 6 of 12, 2 of 11"}},
        {"olmoe-1b-7b", {1, 1, 4, 8}, SHARDED, {}}};
}

/// @param items number @param parts number @param item which @return part that it is in
uint32_t
PartOf(uint32_t items, uint32_t parts, uint32_t item)
{
    for (uint32_t part = 0, end = 0; part < parts; ++part)
    {
        end += items / parts + (part < items % parts ? 1 : 0);
        if (item < end)
        {
            return part;
        }
    }
    return parts;
}

/// @param experts recorded @param ranks recorded @return 5 moments of 3 layers, with experts that
/// nobody chose
std::shared_ptr<TokenTrace>
RecordedTrace(uint32_t experts, uint32_t ranks)
{
    auto trace = std::make_shared<TokenTrace>();
    trace->iterations = 5;
    trace->layers = 3;
    trace->ranks = ranks;
    trace->destinations = trace->experts = experts;
    std::mt19937_64 rng(experts);
    for (uint32_t i = 0; i < 5 * 3 * ranks * experts; ++i)
    {
        trace->tokens.push_back(static_cast<uint32_t>(rng() % 7 == 0 ? 0 : 1 + rng() % 1000));
    }
    return trace;
}

/// What has to arrive, by GPU pair.
struct Expected
{
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> bytes; //!< by first GPU of either TP block
    uint64_t copies{0};                                      //!< routed
    uint64_t local{0};                                       //!< of these, to one's own experts
    uint64_t crossing{0};                                    //!< bytes
};

/// A run of a case beside its trace.
class Conservation
{
  public:
    /// @param theCase what to run
    explicit Conservation(const Case& theCase)
        : run(MakeJob(theCase), MakeServers(theCase.degrees.GetGpus() / 8, 8)),
          trace(RecordedTrace(run.job.model.experts, run.job.degrees.expert)),
          gate(CreateObject<TraceGate>())
    {
        gate->SetTrace(trace);
        run.engine->SetAttribute("Gate", PointerValue(gate));
        run.transport->recording = true;
        run.transport->bitsPerSecond = 400000000000ULL;
        run.Run();
    }

    /// @return what has to arrive, having checked the gate against the trace
    Expected Count()
    {
        const ParallelDegrees& d = run.job.degrees;
        Expected expected;
        for (uint32_t replica = 0; replica < d.data; ++replica)
        {
            for (uint32_t moe = 0; moe < run.job.model.moeLayers; ++moe)
            {
                for (uint32_t m = 0; m < MICRO_BATCHES; ++m)
                {
                    Add({0, moe, replica, m}, expected);
                }
            }
        }
        return expected;
    }

    JobRun run;
    std::shared_ptr<TokenTrace> trace;
    Ptr<TraceGate> gate;

  private:
    /// @param c case @return its job
    static TrainingJob MakeJob(const Case& c)
    {
        TrainingJob job;
        job.model = ReadPreset(c.model);
        job.degrees = c.degrees;
        job.tensorShards = c.shards;
        job.sequenceLength = TOKENS;
        job.microBatches = MICRO_BATCHES;
        return job;
    }

    /// @param query a gate @param expected to be added to
    void Add(const GateQuery& query, Expected& expected)
    {
        const ParallelDegrees& d = run.job.degrees;
        const ModelSpec& model = run.job.model;
        const uint64_t lanes = run.job.tensorShards == REPLICATED ? d.tensor : 1;
        const bool fp8 = model.name == "deepseek-v3"; // and a 4-byte scale per 128 elements
        const uint64_t out = lanes * (fp8 ? model.hidden * 33 / 32 : model.hidden * 2);
        const uint64_t back = lanes * model.hidden * 2;
        const uint32_t layer = model.layers - model.moeLayers + query.layer;
        const uint32_t stage = PartOf(model.layers, d.pipeline, layer);
        const uint32_t first = (query.replica * d.pipeline + stage) * d.expert * d.tensor;
        Matrix<uint32_t> copies;
        EXPECT_EQ(gate->Route(query, copies), 0U);
        for (uint32_t source = 0; source < d.expert; ++source)
        {
            CheckRow(query, copies, source);
            for (uint32_t expert = 0; expert < model.experts; ++expert)
            {
                const uint64_t n = copies(source, expert);
                const uint32_t owner = PartOf(model.experts, d.expert, expert);
                expected.copies += n;
                expected.local += owner == source ? n : 0;
                if (owner != source && n > 0)
                {
                    const uint32_t here = first + source * d.tensor;
                    const uint32_t there = first + owner * d.tensor;
                    expected.bytes[{here, there}] += 2 * n * out;
                    expected.bytes[{there, here}] += 2 * n * back;
                    expected.crossing += 2 * n * (out + back);
                }
            }
        }
    }

    /// A rank's copies: all of them, each expert's share within one of its exact quota.
    void CheckRow(const GateQuery& query, const Matrix<uint32_t>& copies, uint32_t source)
    {
        const uint64_t all = uint64_t(TOKENS) * run.job.model.topK;
        const uint32_t* row = trace->Row((query.replica * MICRO_BATCHES + query.microBatch) % 5,
                                         query.layer % 3,
                                         source);
        uint64_t recorded = 0;
        uint64_t routed = 0;
        for (uint32_t expert = 0; expert < trace->experts; ++expert)
        {
            recorded += row[expert];
            routed += copies(source, expert);
        }
        ASSERT_EQ(routed, all);
        for (uint32_t expert = 0; expert < trace->experts; ++expert)
        {
            const uint64_t quota = all * row[expert];
            ASSERT_LT(copies(source, expert) * recorded, quota + recorded);
            ASSERT_GT((copies(source, expert) + 1) * recorded, quota);
        }
    }
};

/// @param c case: its copies, from the trace to delivered bytes
void
ExpectConserved(const Case& c)
{
    SCOPED_TRACE(c.model);
    Conservation conservation(c);
    JobRun& run = conservation.run;
    ASSERT_TRUE(run.completed);
    EXPECT_EQ(run.layout->GetNotes(), c.notes);

    const Expected expected = conservation.Count();
    const TrainingJob& job = run.job;
    const ParallelDegrees& d = job.degrees;
    const uint64_t gates = uint64_t(d.data) * job.model.moeLayers * MICRO_BATCHES;
    EXPECT_EQ(expected.copies, gates * d.expert * TOKENS * job.model.topK);
    EXPECT_GT(expected.local, 0U);
    EXPECT_EQ(run.iterations[0].tokenCopies, expected.copies);
    EXPECT_EQ(run.iterations[0].droppedCopies, 0U);

    // Matrices: all copies, those that stay included.
    const uint64_t bothWays = job.GetDispatchBytes() + job.GetCombineBytes();
    uint64_t inMatrices = 0;
    for (const Matrix<uint64_t>& matrix : run.matrices)
    {
        for (const uint64_t bytes : matrix.Data())
        {
            inMatrices += bytes;
        }
    }
    EXPECT_EQ(run.matrices.size(), 4 * gates);
    EXPECT_EQ(inMatrices, 2 * expected.copies * bothWays);

    // Transfers, by pair of GPUs.
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> sent;
    uint64_t total = 0;
    for (const Transfer& t : run.transport->sent)
    {
        if (t.trafficClass == TrafficClass::EP)
        {
            EXPECT_EQ(t.lanes, d.tensor);
            sent[{t.source.Get(), t.destination.Get()}] += t.bytes.Get();
            total += t.bytes.Get();
        }
    }
    EXPECT_EQ(sent, expected.bytes);

    // Delivered, as the transport and the iteration's record count them.
    const uint64_t crossing = expected.crossing;
    EXPECT_EQ(crossing, 2 * (expected.copies - expected.local) * bothWays);
    EXPECT_EQ(total, crossing);
    EXPECT_EQ(run.transport->GetTotals().byTraffic[At(TrafficClass::EP)], ByteCount(crossing));
    ByteCount recorded;
    for (const ByteCount& bytes : run.iterations[0].bytes[At(TrafficClass::EP)])
    {
        recorded += bytes;
    }
    EXPECT_EQ(recorded, ByteCount(crossing));
}

TEST(TokenConservation, FromTraceToBytesForEveryPreset)
{
    std::set<std::string> seen;
    for (const Case& c : ListCases())
    {
        seen.insert(c.model);
        ExpectConserved(c);
    }
    EXPECT_EQ(seen, ListPresets());
}

} // namespace
