/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "moe_fixture.h"

#include "ns3/measured-compute-model.h"
#include "ns3/mixnet-error.h"
#include "ns3/op-sizes.h"
#include "ns3/pointer.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @param us microseconds @return a time
Time
Us(int64_t us)
{
    return MicroSeconds(us);
}

class MeasuredTimes : public testing::Test
{
  protected:
    MeasuredTimes()
    {
        EnsurePicosecondClock();
        times.At(WorkKind::ATTENTION) = {TimeCurve::Constant(Us(3000)),
                                         TimeCurve::Constant(Us(5000))};
        times.At(WorkKind::GATE) = {TimeCurve::Constant(Us(1000)), TimeCurve()};
        times.At(WorkKind::EXPERT) = {
            TimeCurve({{100, Us(1000)}, {200, Us(3000)}}, CurveEnds::REFUSE, "table"),
            TimeCurve({{100, Us(2000)}, {200, Us(4000)}}, CurveEnds::REFUSE, "table")};
    }

    ComputeTimes times; //!< of attention, gate and expert
};

// Linear between points, the points themselves exact, 1/3 ns to the nearest tick.
TEST_F(MeasuredTimes, CurveInterpolates)
{
    const TimeCurve curve({{10, Us(5)}, {20, Us(7)}, {50, Us(8)}}, CurveEnds::EXTEND, "t");
    EXPECT_EQ(curve.Evaluate(10), Us(5));
    EXPECT_EQ(curve.Evaluate(15), Us(6));
    EXPECT_EQ(curve.Evaluate(20), Us(7));
    EXPECT_EQ(curve.Evaluate(50), Us(8));
    EXPECT_EQ(curve.Evaluate(40), PicoSeconds(7666667));
    // Beyond: the first time below, the last slope above.
    EXPECT_EQ(curve.Evaluate(3), Us(5));
    EXPECT_EQ(curve.Evaluate(80), Us(9));
    EXPECT_EQ(TimeCurve::Constant(Us(4)).Evaluate(123456), Us(4));
    EXPECT_EQ(TimeCurve::Proportional(Us(4), 8).Evaluate(2000000), MilliSeconds(1000));
    EXPECT_EQ(TimeCurve::Proportional(Us(4), 8).Evaluate(0), Time());
    EXPECT_TRUE(TimeCurve().IsEmpty());
}

TEST_F(MeasuredTimes, CurveRefuses)
{
    EXPECT_THROW(TimeCurve({{10, Us(5)}, {10, Us(7)}}, CurveEnds::REFUSE, "t"), InputError);
    EXPECT_THROW(TimeCurve({{10, Us(-5)}}, CurveEnds::REFUSE, "t"), InputError);
    const TimeCurve& expert = times.At(WorkKind::EXPERT).forward;
    EXPECT_EQ(expert.Evaluate(200), Us(3000));
    EXPECT_THROW(expert.Evaluate(99), InputError);
    EXPECT_THROW(expert.Evaluate(201), InputError);
}

TEST_F(MeasuredTimes, KindsThatWereNotMeasuredNeedABase)
{
    Ptr<MeasuredComputeModel> model = CreateObject<MeasuredComputeModel>();
    model->SetTimes(times);
    TrainingJob job = MainJob();
    EXPECT_EQ(model->GetForwardTime(MakeAttentionWork(job)), Us(3000));
    EXPECT_EQ(model->GetBackwardTime(MakeAttentionWork(job)), Us(5000));
    EXPECT_EQ(model->GetBackwardTime(MakeGateWork(job)), Us(2000));
    EXPECT_EQ(model->GetForwardTime(MakeExpertWork(job, 0)), Time());
    EXPECT_EQ(model->GetBackwardTime(MakeExpertWork(job, 0)), Time());
    try
    {
        model->GetForwardTime(MakeHeadWork(job));
        FAIL() << "there is no time of the head";
    }
    catch (const InputError& e)
    {
        EXPECT_NE(std::string(e.what()).find("head"), std::string::npos) << e.what();
    }
    Ptr<RooflineComputeModel> base = CreateObject<RooflineComputeModel>();
    model->SetAttribute("Base", PointerValue(base));
    EXPECT_EQ(model->GetForwardTime(MakeHeadWork(job)), base->GetForwardTime(MakeHeadWork(job)));
    EXPECT_EQ(model->GetBackwardTime(MakeHeadWork(job)),
              base->GetForwardTime(MakeHeadWork(job)) * 2);
}

// 2 EP ranks x 64 tokens x top-2; experts 0 and 1 (both on rank 0) get 128 copies each: 1.56 ms
// forward, 2.56 ms backward, twice on rank 0. Without a network, two layers take
// 2 x (3 + 1 + 3.12 + 5 + 2 + 5.12) ms; rank 1 computes 2 x (3 + 1 + 5 + 2) ms of it.
TEST_F(MeasuredTimes, DirectionsAreOfTheirOwnInAnIteration)
{
    JobRun run(TinyJob(), MakeServers(2, 1));
    Ptr<MeasuredComputeModel> model = CreateObject<MeasuredComputeModel>();
    model->SetTimes(times);
    Ptr<ScriptedGate> gate = CreateObject<ScriptedGate>();
    gate->script = [](const GateQuery&, Matrix<uint32_t>& tokens) {
        for (std::size_t rank = 0; rank < 2; ++rank)
        {
            tokens(rank, 0) = 64;
            tokens(rank, 1) = 64;
        }
    };
    run.engine->SetAttribute("Compute", PointerValue(model));
    run.engine->SetAttribute("Gate", PointerValue(gate));
    run.Run();
    ExpectCompleted(run);
    EXPECT_EQ(run.iterations[0].GetDuration(), Us(2 * 19240));
    EXPECT_EQ(run.iterations[0].compute, Us(19240 + 11000));
}

// Sizes in reports say the same as the run.
TEST_F(MeasuredTimes, OpSizesShowBothDirections)
{
    const TrainingJob job = TinyJob();
    const ParallelLayout layout(job, *MakeServers(2, 1), "test");
    Ptr<MeasuredComputeModel> model = CreateObject<MeasuredComputeModel>();
    times.At(WorkKind::EXPERT) = {TimeCurve::Proportional(Us(2), 1),
                                  TimeCurve::Proportional(Us(5), 1)};
    model->SetTimes(times);
    const std::vector<OpSize> sizes = ListOpSizes(job, layout, *model);
    ASSERT_EQ(sizes.size(), 3U);
    EXPECT_EQ(sizes[0].forward, Us(3000));
    EXPECT_EQ(sizes[0].backward, Us(5000));
    EXPECT_EQ(sizes[1].backward, Us(2000));
    // 256 copies over 4 experts, 2 of them on a rank.
    EXPECT_EQ(sizes[2].forward, Us(2 * 64 * 2));
    EXPECT_EQ(sizes[2].backward, Us(2 * 64 * 5));
}

} // namespace
