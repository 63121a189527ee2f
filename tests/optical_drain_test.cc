/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "optical_region.h"

#include "ns3/drain-policy.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"
#include "ns3/optical-loss-budget.h"
#include "ns3/switching-delay-table.h"

#include <gmock/gmock.h>

using namespace ns3;
using testing::HasSubstr;

namespace
{

/// @param text table @return why it is refused; empty when it is not
std::string
Refusal(const std::string& text)
{
    try
    {
        SwitchingDelayTable::Parse(text, "here");
    }
    catch (const InputError& e)
    {
        return e.what();
    }
    return "";
}

/// Eight servers with one fiber each on one OCS: ports are servers.
class Drain : public testing::Test
{
  protected:
    Drain()
    {
        EnsurePicosecondClock();
        graph = CreateObject<FabricGraph>();
        ocs = VertexId(8);
        for (int s = 0; s < 8; ++s)
        {
            graph->AddServer(ServerSpec());
        }
        ocs = graph->AddOcs(8, "ocs");
        EdgeSpec fiber;
        fiber.kind = EdgeKind::FIBER;
        for (uint32_t s = 0; s < 8; ++s)
        {
            graph->AddEdge(graph->GetVertex(ServerId(s)), ocs, fiber);
        }
    }

    /// @param a port @param b port @return the circuit
    Circuit At(uint32_t a, uint32_t b) const
    {
        return {ocs, a, b};
    }

    Ptr<FabricGraph> graph; //!< the region
    VertexId ocs;           //!< its switch
};

} // namespace

TEST(SwitchingDelay, MeasuredTableInterpolatesAndDoesNotExtrapolate)
{
    EnsurePicosecondClock();
    // The paper's prototype: 41.4, 42.4 and 46.8 ms for 1, 4 and 16 pairs. Between 1 and 4 the
    // line rises by 1/3 ms per pair, between 4 and 16 by 4.4/12 ms.
    const auto table = SwitchingDelayTable::Parse("prototype", "here");
    EXPECT_EQ(table.Get(1), MicroSeconds(41400));
    EXPECT_EQ(table.Get(2), PicoSeconds(41733333333));
    EXPECT_EQ(table.Get(4), MicroSeconds(42400));
    EXPECT_EQ(table.Get(10), MicroSeconds(44600));
    EXPECT_EQ(table.Get(16), MicroSeconds(46800));
    EXPECT_EQ(table.Get(0), MicroSeconds(41400));
    EXPECT_EQ(table.Get(1000), MicroSeconds(46800));
    EXPECT_EQ(SwitchingDelayTable::Parse(table.ToString(), "here").ToString(), table.ToString());
    EXPECT_TRUE(SwitchingDelayTable::Parse("", "here").IsEmpty());
    EXPECT_EQ(SwitchingDelayTable::Parse("2:5us , 3:1us", "here").Get(3), MicroSeconds(1))
        << "a delay may fall";
}

TEST(SwitchingDelay, TableRefusesWhatItCannotMean)
{
    EnsurePicosecondClock();
    EXPECT_THAT(Refusal("25"), HasSubstr("here: '25'"));
    EXPECT_THAT(Refusal("4:42ms, 1:41ms"), HasSubstr("1 pairs do not rise"));
    EXPECT_THAT(Refusal("0:41ms"), HasSubstr("above 0"));
    EXPECT_THAT(Refusal("1:41"), HasSubstr("41"));
    EXPECT_THAT(Refusal("-1:41ms"), HasSubstr("-1"));
    EXPECT_THAT(Refusal("1:"), HasSubstr("here"));
    EXPECT_THAT(Refusal("1:-4ms"), HasSubstr("-4ms"));
}

TEST(OpticalLossBudget, MarginAndErrorRateOfTextbooks)
{
    OpticalLossBudget budget;
    // -2 - 3 - 4 x 0.5 - 0.4 x 0.4 + 8.6
    EXPECT_NEAR(budget.GetMarginDb(), 1.44, 1e-12);
    budget.launchDbm -= 1.44;
    EXPECT_NEAR(budget.GetBitErrorRate() / 1e-12, 1, 1e-9) << "at the sensitivity";
    // Q of 1e-9 is 5.998 and Q of 1e-12 is 7.034 (Agrawal): their ratio is 0.692 dB of power.
    budget.switchLossDb += 0.692;
    EXPECT_NEAR(budget.GetBitErrorRate() / 1e-9, 1, 0.02);
    budget.switchLossDb = 100;
    EXPECT_NEAR(budget.GetBitErrorRate(), 0.5, 1e-6) << "no light";
    budget.switchLossDb = -1;
    EXPECT_THROW(budget.GetBitErrorRate(), InputError);
    budget.switchLossDb = 1;
    budget.referenceRate = 0.6;
    EXPECT_THROW(budget.GetBitErrorRate(), InputError);
}

TEST_F(Drain, MakeBeforeBreakLightsOnlyFreePortsFirst)
{
    graph->ChangeMatching({At(0, 1), At(2, 3)}, {});
    PlanChange change;
    change.added = {At(0, 2), At(4, 5)};
    change.removed = {At(0, 1), At(2, 3)};
    for (uint32_t port = 0; port < 6; ++port)
    {
        change.fibers.emplace_back(port);
    }
    const auto steps = CreateObject<MakeBeforeBreakDrainPolicy>()->Split(change, *graph);
    ASSERT_EQ(steps.size(), 2U);
    EXPECT_EQ(steps[0].added, std::vector<Circuit>{At(4, 5)});
    EXPECT_TRUE(steps[0].removed.empty());
    EXPECT_EQ(steps[0].fibers, (std::vector<EdgeId>{EdgeId(4), EdgeId(5)}));
    EXPECT_FALSE(steps[0].drain);
    EXPECT_EQ(steps[1].added, std::vector<Circuit>{At(0, 2)});
    EXPECT_EQ(steps[1].removed, change.removed);
    EXPECT_EQ(steps[1].fibers.size(), 4U);
    EXPECT_TRUE(steps[1].drain);

    for (const bool drain : {true, false})
    {
        Ptr<DrainPolicy> policy = CreateObject<FullDrainPolicy>();
        if (!drain)
        {
            policy = CreateObject<ImmediateDrainPolicy>();
        }
        const auto one = policy->Split(change, *graph);
        ASSERT_EQ(one.size(), 1U);
        EXPECT_EQ(one[0].added, change.added);
        EXPECT_EQ(one[0].removed, change.removed);
        EXPECT_EQ(one[0].fibers, change.fibers);
        EXPECT_EQ(one[0].drain, drain);
    }
}

TEST_F(Drain, MakeBeforeBreakWithoutFreePortsIsOneDrain)
{
    graph->ChangeMatching({At(0, 1), At(2, 3)}, {});
    PlanChange change;
    change.added = {At(0, 2)};
    change.removed = {At(0, 1), At(2, 3)};
    change.fibers = {EdgeId(0), EdgeId(1), EdgeId(2), EdgeId(3)};
    const auto policy = CreateObject<MakeBeforeBreakDrainPolicy>();
    ASSERT_EQ(policy->Split(change, *graph).size(), 1U);
    EXPECT_TRUE(policy->Split(change, *graph)[0].drain);

    change.added = {At(6, 7)};
    change.removed.clear();
    change.fibers = {EdgeId(6), EdgeId(7)};
    ASSERT_EQ(policy->Split(change, *graph).size(), 1U);
    EXPECT_FALSE(policy->Split(change, *graph)[0].drain) << "nothing to drain";
}
