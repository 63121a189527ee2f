/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-json.h"
#include "ns3/ns3-compat.h"

#include <functional>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @param action what must fail @return its message
std::string
MessageOf(const std::function<void()>& action)
{
    try
    {
        action();
    }
    catch (const InputError& e)
    {
        return e.what();
    }
    return "";
}

class Json : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        EnsurePicosecondClock();
    }

    SettingsLog m_log;
};

TEST_F(Json, TypedValuesDefaultsAndOrigins)
{
    JsonReader r =
        JsonReader::FromText(R"({"delay": "25ms", "count": 3, "deep": {"rate": "400Gbps"}})",
                             "s.json",
                             &m_log);
    r.Override("deep.rate", "100Gbps");
    EXPECT_EQ(r.GetTime("delay", "1ms"), MilliSeconds(25));
    EXPECT_EQ(r.GetCount("count", "1", 1, 10), 3U);
    EXPECT_EQ(r.GetObject("deep").GetRate("rate", "1Gbps").GetBitRate(), 100000000000U);
    EXPECT_EQ(r.GetBytes("size", "4096B"), ByteCount(4096));
    r.Finish();
    ASSERT_EQ(m_log.GetAll().size(), 4U);
    EXPECT_EQ(m_log.GetAll()[0].origin, "file");
    EXPECT_EQ(m_log.GetAll()[2].key, "deep.rate");
    EXPECT_EQ(m_log.GetAll()[2].origin, "command line");
    EXPECT_EQ(m_log.GetAll()[3].origin, "default");
}

TEST_F(Json, UnknownKeysAreRefusedWithTheirPath)
{
    JsonReader r = JsonReader::FromText(R"({"deep": {"known": 1, "typo": 2}})", "s.json", nullptr);
    r.GetObject("deep").GetCount("known", "1");
    const std::string message = MessageOf([&] { r.Finish(); });
    EXPECT_NE(message.find("s.json: deep.typo"), std::string::npos) << message;
    EXPECT_NE(message.find("known"), std::string::npos) << message;
}

TEST_F(Json, UnreadOverridesAreRefused)
{
    JsonReader r = JsonReader::FromText("{}", "s.json", nullptr);
    r.Override("no.such.key", "1");
    const std::string message = MessageOf([&] { r.Finish(); });
    EXPECT_NE(message.find("no"), std::string::npos) << message;
    EXPECT_FALSE(message.empty());
}

TEST_F(Json, NumbersWithoutUnitWrongTypesAndSyntax)
{
    JsonReader r = JsonReader::FromText(R"({"delay": 25, "count": -1, "list": [1], "half": 0.5})",
                                        "s",
                                        nullptr);
    EXPECT_NE(MessageOf([&] { r.GetTime("delay", "1ms"); }).find("no unit"), std::string::npos);
    EXPECT_FALSE(MessageOf([&] { r.GetCount("count", "1"); }).empty());
    EXPECT_FALSE(MessageOf([&] { r.GetCount("half", "1"); }).empty());
    EXPECT_FALSE(MessageOf([&] { r.GetString("list", ""); }).empty());
    EXPECT_FALSE(MessageOf([&] { r.GetString("absent", JsonReader::required); }).empty());
    EXPECT_FALSE(MessageOf([&] { JsonReader::FromText("[1]", "s", nullptr); }).empty());
    const std::string twice = MessageOf(
        [&] { JsonReader::FromText(R"({"a": {"b": 1, "c": 2, "b": 3}})", "s", nullptr); });
    EXPECT_NE(twice.find("'b' twice"), std::string::npos) << twice;
    const std::string syntax =
        MessageOf([&] { JsonReader::FromText("{\n\"a\": 1,\n}", "s", nullptr); });
    EXPECT_NE(syntax.find("line 3"), std::string::npos) << syntax;
    EXPECT_FALSE(MessageOf([&] { JsonReader::FromFile("/nonexistent/s.json", nullptr); }).empty());
}

TEST_F(Json, PresetsLieUnderTheObject)
{
    JsonReader r = JsonReader::FromText(R"({"a": 1})", "own.json", &m_log);
    r.Underlay(JsonReader::FromText(R"({"a": 2, "b": 3})", "preset.json", &m_log));
    EXPECT_EQ(r.GetCount("a", "0"), 1U);
    EXPECT_EQ(r.GetCount("b", "0"), 3U);
    EXPECT_EQ(m_log.GetAll()[1].origin, "preset");
    EXPECT_NE(r.Where("b").find("preset.json"), std::string::npos);
}

TEST_F(Json, ListsOfNamesAndObjects)
{
    JsonReader r = JsonReader::FromText(R"({"f": ["x", {"type": "y", "z": 1}], "one": "paper"})",
                                        "s.json",
                                        nullptr);
    r.Override("f.1.z", "7");
    const auto objects = r.GetObjects("f", "type");
    ASSERT_EQ(objects.size(), 2U);
    EXPECT_EQ(objects[0].GetString("type", ""), "x");
    EXPECT_EQ(objects[1].GetCount("z", "0"), 7U);
    EXPECT_EQ(r.GetStrings("one"), std::vector<std::string>{"paper"});
    EXPECT_FALSE(MessageOf([&] { r.Override("f.9.z", "1"); }).empty());
}

} // namespace
