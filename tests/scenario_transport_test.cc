/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a scenario says of endpoints: names, attributes, refusals, effective settings.

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-json.h"
#include "ns3/mixnet-scenario.h"
#include "ns3/ns3-compat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

using namespace ns3;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace
{

/// What was read, and its log.
struct Outcome
{
    TransportConfig config;                      //!< read
    std::map<std::string, std::string> settings; //!< value by key
};

/// @param text JSON of "transport" @return what it says
Outcome
Read(const std::string& text)
{
    EnsurePicosecondClock();
    SettingsLog log;
    const JsonReader root = JsonReader::FromText(text, "test.json", &log);
    Outcome outcome;
    outcome.config = ReadTransport(root);
    root.Finish();
    for (const auto& setting : log.GetAll())
    {
        outcome.settings[setting.key] = setting.value;
    }
    return outcome;
}

/// @param text JSON of "transport" @return message of the refusal, empty when accepted
std::string
Refusal(const std::string& text)
{
    try
    {
        Read(text);
    }
    catch (const InputError& e)
    {
        return e.what();
    }
    return "";
}

} // namespace

TEST(ScenarioTransport, DefaultsAreThoseOfTheClasses)
{
    const Outcome o = Read("{}");
    EXPECT_EQ(o.config.congestionType, "ns3::DcqcnCongestionControl");
    EXPECT_EQ(o.config.window, "none");
    EXPECT_EQ(o.config.ecnKmin, ByteCount(100000));
    EXPECT_EQ(o.config.ecnKmax, ByteCount(400000));
    EXPECT_EQ(o.settings.at("congestion.fastRecoverySteps"), "5");
    EXPECT_EQ(o.settings.at("congestion.clampTargetRate"), "false");
    EXPECT_EQ(o.settings.at("congestion.byteCounter"), "0");
    EXPECT_EQ(o.settings.at("congestion.timer"), "55us");
    EXPECT_EQ(o.settings.at("congestion.additiveIncrease"), "0bps"); // scaled
    EXPECT_EQ(o.settings.count("congestion.targetUtilization"), 0U); // another class has it
}

TEST(ScenarioTransport, EveryNameHasItsAttributes)
{
    const std::map<std::string, std::string> attributes{{"dcqcn", "gain"},
                                                        {"hpcc", "maxStage"},
                                                        {"swift", "hopTarget"},
                                                        {"timely", "lowThreshold"},
                                                        {"dctcp", "minWindow"},
                                                        {"none", "rate"}};
    for (const auto& [name, key] : attributes)
    {
        const Outcome o = Read(R"({"congestionControl": ")" + name + "\"}");
        EXPECT_EQ(o.settings.count("congestion." + key), 1U) << name;
        EXPECT_EQ(o.config.ecnKmin == o.config.ecnKmax, name == "dctcp"); // one threshold
    }
    const Outcome hpcc = Read(R"({"congestionControl": "hpcc", "window": "bdp",
                                  "congestion": {"targetUtilization": 0.9, "maxHops": "7"}})");
    EXPECT_EQ(hpcc.settings.at("congestion.targetUtilization"), "0.9");
    EXPECT_THAT(hpcc.config.congestion,
                testing::Contains(std::make_pair(std::string("MaxHops"), std::string("7"))));
    EXPECT_EQ(hpcc.config.window, "bdp");
}

TEST(ScenarioTransport, RefusalsNameWhatIsAccepted)
{
    EXPECT_THAT(Refusal(R"({"congestionControl": "hpc"})"),
                AllOf(HasSubstr("congestionControl"),
                      HasSubstr("hpc"),
                      HasSubstr("dcqcn"),
                      HasSubstr("hpcc"),
                      HasSubstr("swift"),
                      HasSubstr("timely"),
                      HasSubstr("dctcp"),
                      HasSubstr("none")));
    EXPECT_THAT(Refusal(R"({"congestionControl": "hpcc", "congestion": {"gain": 0.1}})"),
                AllOf(HasSubstr("gain"), HasSubstr("targetUtilization")));
    EXPECT_THAT(Refusal(R"({"congestion": {"gain": 2}})"),
                AllOf(HasSubstr("congestion.gain"), HasSubstr("2"), HasSubstr("double")));
    EXPECT_THAT(Refusal(R"({"congestion": {"timer": "soon"}})"), HasSubstr("congestion.timer"));
    EXPECT_THAT(Refusal(R"({"congestion": {"timer": "0us"}})"), HasSubstr("congestion.timer"));
    EXPECT_THAT(Refusal(R"({"congestion": {"gain": "soon"}})"), HasSubstr("congestion.gain"));
    EXPECT_THAT(Refusal(R"({"congestionControl": "timely", "congestion": {"segment": "64KiB"}})"),
                HasSubstr("congestion.segment"));
    EXPECT_THAT(Refusal(R"({"congestion": {"hyperIncrease": "fast"}})"),
                HasSubstr("congestion.hyperIncrease"));
    EXPECT_THAT(Refusal(R"({"window": "big"})"), HasSubstr("variable"));
    EXPECT_THAT(Refusal(R"({"ecnKmin": "2MB", "ecnKmax": "1MB"})"), HasSubstr("ecnKmax"));
}
