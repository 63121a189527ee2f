/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Degrees that do not fit each other, the model or the sequences.

#include "moe_fixture.h"

#include "ns3/mixnet-error.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @param text order @return it
AxisOrder
Order(const std::string& text)
{
    return AxisOrder::Parse(text, "s.json: parallel.order");
}

/// @param change what to do to a valid job @return message of the refusal
template <class F>
std::string
Refusal(F change)
{
    TrainingJob job = MainJob();
    change(job);
    try
    {
        job.Validate("s.json");
    }
    catch (const InputError& e)
    {
        return e.what();
    }
    return "accepted";
}

TEST(LayoutRefusals, ShowTheArithmetic)
{
    using J = TrainingJob&;
    const std::vector<std::pair<std::function<void(J)>, std::string>> table{
        {[](J) {}, "accepted"},
        {[](J j) { j.degrees.tensor = 0; }, "parallel.tp: 0"},
        {[](J j) { j.degrees.context = 0; }, "parallel.cp: 0"},
        {[](J j) { j.degrees.context = 3; }, "parallel.cp: EP 8 / CP 3 is no whole number"},
        {[](J j) { j.degrees.context = 16; }, "EP 8 / CP 16 is no whole number"},
        {[](J j) {
             j.degrees.context = 8;
             j.sequenceLength = 4088;
         },
         "parallel.cp: sequenceLength 4088 / (2 x CP 8) is no whole number"},
        {[](J j) {
             j.degrees.context = 2;
             j.sequenceLength = 4092;
         },
         "parallel.tp: sequenceLength 4092 / CP 2 / TP 8 is no whole number"},
        {[](J j) { j.sequenceLength = 4100; }, "sequenceLength 4100 / TP 8 is no whole number"},
        {[](J j) {
             j.sequenceLength = 4100;
             j.sequenceParallel = false;
         },
         "accepted"},
        {[](J j) { j.degrees.tensor = 7; }, "heads 48 / TP 7 is no whole number"},
        {[](J j) { j.model.ffnHidden = 1001; }, "ffnHiddenSize 1001 / TP 8 is no whole number"},
        {[](J j) { j.model.sharedFfnHidden = 4; }, "sharedFfnHiddenSize 4 / TP 8"},
        {[](J j) {
             j.model.moeLayers = 55;
             j.model.denseFfnHidden = 12;
         },
         "denseFfnHiddenSize 12 / TP 8"},
        {[](J j) { j.degrees.tensor = 16; }, "accepted"}, // 2 TP ranks per key and value head
        {[](J j) { j.model.kvHeads = 6; }, "kvHeads 6 and TP 8: neither divides the other"},
        {[](J j) { j.degrees.data = 1U << 31; },
         "DP 2147483648 x TP 8 x PP 8 x EP 8 = 1099511627776 GPUs"},
        {[](J j) { j.degrees.data = j.degrees.pipeline = j.degrees.tensor = 1U << 31; },
         "= more than 18446744073709551615 GPUs"},
        {[](J j) { j.degrees.order = Order("tp-cp-ep-dp"); },
         "parallel.order: has no pp, which has 8 steps"},
        {[](J j) { j.degrees.order = Order("ep-tp-dp-pp"); },
         "'ep-tp-dp-pp-cp' puts the GPUs of TP 8 8 apart"},
        {[](J j) {
             j.degrees.order = Order("ep-tp-dp-pp");
             j.degrees.tensor = 1;
         },
         "accepted"}};
    for (const auto& [change, message] : table)
    {
        EXPECT_THAT(Refusal(change), ::testing::HasSubstr(message));
    }
    for (const auto& [text, message] :
         {std::make_pair("tp-cp-xp", "'tp-cp-xp' names an axis 'xp'; accepted: tp, cp, ep"),
          std::make_pair("tp-ep-tp", "'tp-ep-tp' names tp twice"),
          std::make_pair("", "names an axis ''")})
    {
        try
        {
            Order(text);
            ADD_FAILURE() << text;
        }
        catch (const InputError& e)
        {
            EXPECT_THAT(e.what(), ::testing::HasSubstr(message));
        }
    }
}

} // namespace
