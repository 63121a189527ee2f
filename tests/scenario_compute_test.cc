/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "imported_files.h"
#include "scenario_run_fixture.h"

#include "ns3/compute-model-helper.h"

#include <algorithm>

using namespace ns3;
using testing::HasSubstr;

namespace
{

/// Scenarios with measured compute times.
class ScenarioCompute : public ScenarioRun
{
  protected:
    /// @param times the object computeTimes @return command line that asks for it
    static ScenarioOverrides Measured(const std::string& times)
    {
        return {{"compute", "measured"}, {"computeTimes", times}};
    }

    /// @param overrides command line @param kind kind @return sizes of the first fabric's operation
    OpSize Size(const ScenarioOverrides& overrides, OpKind kind)
    {
        const Scenario s = ReadScenario((m_dir / "small.json").string(), m_dir.string(), overrides);
        const TrainingRun run(s, {0, s.fabrics.at(0), s.compute.at(0)}, nullptr);
        for (const OpSize& size : run.Summarize().ops)
        {
            if (size.kind == kind)
            {
                return size;
            }
        }
        ADD_FAILURE() << "no such operation";
        return {};
    }

    /// A file of measured times: classes alpha (2 ms) and beta (3 ms); ranges run(F) of 10 and 20,
    /// run(B) of 7 ms.
    ImportedFile MakeTimes() const
    {
        constexpr int64_t ms = 1000000000;
        ImportedFile file;
        file.words[{"/times", "schema"}] = "mixnet-times/1";
        file.words[{"/", "kind"}] = "times";
        file.texts["/times/classes/name"] = {"alpha", "beta"};
        file.numbers["/times/classes/mean"] = {2 * ms, 3 * ms};
        file.texts["/times/names/name"] = {"run(F)", "run(B)"};
        file.numbers["/times/layers/annotation"] = {0, 1, 0};
        file.numbers["/times/layers/compute"] = {10 * ms, 7 * ms, 20 * ms};
        return file;
    }
};

constexpr const char* ALL = R"({
  "attention": {"forward": "3ms", "backward": "5ms"},
  "gate": {"forward": "1500us"},
  "expert": {"forward": "2us", "backward": "5us"}})";

// 8 ranks x 512 tokens x 2 copies over 8 experts: 1,024 copies each.
TEST_F(ScenarioCompute, TimesReachTheOperations)
{
    const OpSize gate = Size(Measured(ALL), OpKind::GATE);
    EXPECT_EQ(gate.forward, MicroSeconds(1500));
    EXPECT_EQ(gate.backward, MicroSeconds(3000));
    const OpSize attention = Size(Measured(ALL), OpKind::ATTENTION);
    EXPECT_EQ(attention.backward - attention.forward, MilliSeconds(2));
    EXPECT_GT(attention.forward, MilliSeconds(3)); // and its TP collectives
    const OpSize expert = Size(Measured(ALL), OpKind::EXPERT);
    EXPECT_EQ(expert.backward - expert.forward, MicroSeconds(1024 * 3));
}

// 2 iterations of 2 micro-batches of 3 layers: 1 ms more of a gate's forward and backward pass
// each is 12 ms of every iteration.
TEST_F(ScenarioCompute, TimesMoveTheIteration)
{
    ScenarioOverrides longer = Measured(ALL);
    longer.emplace_back("computeTimes.gate.forward", "2500us");
    longer.emplace_back("computeTimes.gate.backward", "4ms");
    ASSERT_EQ(Run(Measured(ALL), "a"), 0) << m_err.str();
    ASSERT_EQ(Run(longer, "b"), 0) << m_err.str();
    const double a = Summary("a")[0]["iteration_time_s"].get<double>();
    const double b = Summary("b")[0]["iteration_time_s"].get<double>();
    EXPECT_NEAR(b - a, 0.012, 1e-9);
    EXPECT_THAT(Bytes("a", "summary.json"), HasSubstr("measured"));
}

TEST_F(ScenarioCompute, TableOfAnExpert)
{
    const std::string table = R"({"base": "roofline", "expert": {"table": [
        {"copies": 1000, "forward": "1ms"}, {"copies": 1100, "forward": "3ms"}]}})";
    const OpSize expert = Size(Measured(table), OpKind::EXPERT);
    EXPECT_EQ(expert.backward - expert.forward, MicroSeconds(1480));
    ScenarioOverrides many = Measured(table);
    many.emplace_back("batch.sequenceLength", "1024");
    EXPECT_THROW(Size(many, OpKind::EXPERT), InputError);
    EXPECT_EQ(Run(many, "many"), 1);
    EXPECT_THAT(m_err.str(), HasSubstr("gets 2048 copies"));
    many.emplace_back("computeTimes.expert.outside", "extend");
    const OpSize more = Size(many, OpKind::EXPERT);
    EXPECT_EQ(more.backward - more.forward, MicroSeconds(3000 + 948 * 20));
}

TEST_F(ScenarioCompute, RooflineFillsIn)
{
    const OpSize roofline = Size({}, OpKind::ATTENTION);
    const ScenarioOverrides filled =
        Measured(R"({"base": "roofline", "gate": {"forward": "7us"}})");
    EXPECT_EQ(Size(filled, OpKind::ATTENTION).forward, roofline.forward);
    EXPECT_EQ(Size(filled, OpKind::ATTENTION).backward, roofline.backward);
    EXPECT_EQ(Size(filled, OpKind::GATE).forward, MicroSeconds(7));
}

TEST_F(ScenarioCompute, TimesOfAnImportedFile)
{
    MakeTimes().Write(m_dir / "times.h5");
    ScenarioOverrides given = Measured(R"({"base": "roofline", "file": "times.h5"})");
    given.emplace_back("computeTimes.gate.forward", "range run(F)");
    given.emplace_back("computeTimes.gate.backward", "class alpha + class beta + range run(B)");
    given.emplace_back("computeTimes.expert.forward", "class beta");
    given.emplace_back("computeTimes.expert.copies", "1024");
    const OpSize gate = Size(given, OpKind::GATE);
    EXPECT_EQ(gate.forward, MilliSeconds(15));
    EXPECT_EQ(gate.backward, MilliSeconds(12));
    const OpSize expert = Size(given, OpKind::EXPERT);
    EXPECT_EQ(expert.backward - expert.forward, MilliSeconds(3));
    const Scenario s = ReadScenario((m_dir / "small.json").string(), m_dir.string(), given);
    EXPECT_EQ(s.inputs.back().first, "times.h5");
}

TEST_F(ScenarioCompute, RefusalsNameWhatIsWrong)
{
    EXPECT_THAT(Refusal({{"compute", "fast"}}), HasSubstr("measured"));
    EXPECT_THAT(Refusal({{"computeTimes", ALL}}), HasSubstr("computeTimes"));
    EXPECT_THAT(Refusal(Measured("{}")), HasSubstr("no measured time of attention"));
    EXPECT_THAT(Refusal(Measured(R"({"attention": {"forward": "1ms"}})")),
                HasSubstr("no measured time of gate"));
    const auto gate = [this](const std::string& text) {
        return Refusal(Measured(R"({"base": "roofline", "gate": )" + text + "}"));
    };
    EXPECT_THAT(gate(R"({"forward": 3})"), HasSubstr("gate.forward"));
    EXPECT_THAT(gate(R"({"forward": "-3us"})"), HasSubstr("gate.forward"));
    EXPECT_THAT(gate(R"({"forward": "1us", "sideward": "1us"})"), HasSubstr("sideward"));
    EXPECT_THAT(gate(R"({"forward": "class gemm"})"), HasSubstr("without measurements"));
    const auto expert = [this](const std::string& text) {
        return Refusal(Measured(R"({"base": "roofline", "expert": )" + text + "}"));
    };
    EXPECT_THAT(expert(R"({"table": [{"copies": 1, "forward": "1us"}]})"), HasSubstr("1 rows"));
    EXPECT_THAT(expert(R"({"table": [{"copies": 2, "forward": "1us"},
                                     {"copies": 2, "forward": "2us"}]})"),
                HasSubstr("2 copies follow 2"));
    EXPECT_THAT(Refusal(Measured(R"({"base": "roofline", "dense": {"forward": "1us"}})")),
                HasSubstr("dense"));
    EXPECT_THAT(Refusal(Measured(R"({"base": "roofline", "tokens": 4096})")),
                HasSubstr("1 x 512 = 512"));
}

TEST_F(ScenarioCompute, FilesWithoutTheTimesAreRefused)
{
    ScenarioOverrides given = Measured(R"({"base": "roofline", "file": "times.h5"})");
    given.emplace_back("computeTimes.gate.forward", "range walk(F)");
    EXPECT_THAT(Refusal(given), HasSubstr("does not exist"));
    MakeTimes().Write(m_dir / "times.h5");
    EXPECT_THAT(Refusal(given), HasSubstr("run(B), run(F)"));
    ImportedFile other = MakeTimes();
    other.words[{"/times", "schema"}] = "mixnet-times/9";
    other.Write(m_dir / "times.h5");
    EXPECT_THAT(Refusal(given), HasSubstr("mixnet-times/9"));
    other = MakeTimes();
    other.numbers["/times/layers/annotation"][1] = 2;
    other.Write(m_dir / "times.h5");
    EXPECT_THAT(Refusal(given), HasSubstr("annotation 2"));
}

// Everything but TP collectives and all-to-alls takes twice as long, once GPU 9 does.
TEST_F(ScenarioCompute, SlowGpusAndJitterMoveTheIteration)
{
    const ScenarioOverrides slow{{"computeVariation.slowGpus.9", "2"}};
    const ScenarioOverrides jitter{
        {"computeVariation.jitter", "ns3::UniformRandomVariable[Min=0.5|Max=1.5]"}};
    ASSERT_EQ(Run({}, "even"), 0) << m_err.str();
    ASSERT_EQ(Run(slow, "slow"), 0) << m_err.str();
    ASSERT_EQ(Run(jitter, "a"), 0) << m_err.str();
    ASSERT_EQ(Run(jitter, "b"), 0) << m_err.str();
    const auto time = [this](const std::string& output) {
        return Summary(output)[0]["iteration_time_s"].get<double>();
    };
    EXPECT_GT(time("slow"), 1.1 * time("even"));
    EXPECT_LT(time("slow"), 2 * time("even"));
    EXPECT_GT(time("a"), time("even"));
    EXPECT_EQ(Bytes("a", "result.h5"), Bytes("b", "result.h5"));
    ScenarioOverrides seed = jitter;
    seed.emplace_back("seed", "2");
    ASSERT_EQ(Run(seed, "c"), 0) << m_err.str();
    EXPECT_NE(time("c"), time("a"));
    EXPECT_THAT(Bytes("slow", "run-info.json"), HasSubstr("GPU 9 computes 2 times as long"));
}

TEST_F(ScenarioCompute, VariationsAreRefused)
{
    EXPECT_THAT(Refusal({{"computeVariation.slowGpus.64", "2"}}), HasSubstr("slowGpus.64"));
    EXPECT_THAT(Refusal({{"computeVariation.slowGpus.07", "2"}}), HasSubstr("slowGpus.07"));
    EXPECT_THAT(Refusal({{"computeVariation.slowGpus.7", "0.5"}}), HasSubstr("slowGpus.7"));
    EXPECT_THAT(Refusal({{"computeVariation.jitter", "ns3::UniformRandomVariable[Min=1|Max=2]"}}),
                HasSubstr("computeVariation.jitter"));
}

} // namespace
