/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/flowlet-balancer.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/ns3-compat.h"
#include "ns3/packet-simulation-world.h"
#include "ns3/simulator.h"
#include "ns3/spray-balancers.h"
#include "ns3/string.h"

#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ns3;
using testing::HasSubstr;

namespace
{

/// Scenario objects `switch` and `transport` from text.
class ScenarioSwitch : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        EnsurePicosecondClock();
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }

    /// @param text JSON of the whole object
    /// @return configuration of a packet world; everything must have been read
    WorldConfig Read(const std::string& text)
    {
        JsonReader root = JsonReader::FromText(text, "test.json", nullptr);
        WorldConfig config;
        config.fidelity = Fidelity::PACKET;
        config.switches = ReadSwitch(root.GetObject("switch"));
        const TransportConfig transport = ReadTransport(root.GetObject("transport"));
        config.loadBalance = transport.loadBalance;
        config.flowletGap = transport.flowletGap;
        root.Finish();
        return config;
    }

    /// @param text JSON @return message of the refusal
    std::string Refusal(const std::string& text)
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

    /// @param config of a world @return a fat tree of four servers
    static MixnetFabric Build(const WorldConfig& config)
    {
        MixnetFabricHelper helper;
        helper.SetWorld(config);
        return helper.Install(ClusterSpec(4));
    }

    /// @param fabric a packet fabric @return its first switch
    static PacketSwitch& GetSwitch(const MixnetFabric& fabric)
    {
        const auto graph = fabric.GetGraph();
        uint32_t v = 0;
        while (graph->GetKind(VertexId(v)) != VertexKind::SWITCH)
        {
            ++v;
        }
        return dynamic_cast<const PacketSimulationWorld&>(fabric.GetWorld())
            .GetPacketWorld()
            ->GetSwitch(VertexId(v));
    }
};

TEST_F(ScenarioSwitch, EveryKeyReachesTheSwitch)
{
    // Field report 25: a setting that is read and never used is worse than none. Each key, set to
    // what is not its default, must show as the switch's (or port's) attribute.
    const std::vector<std::array<std::string, 4>> keys{
        {"reserved", "\"5000B\"", "Reserved", "5000B"},
        {"alphaLossy", "0.5", "AlphaLossy", "0.5"},
        {"lossyThreshold", "\"70kB\"", "LossyThreshold", "70000B"},
        {"pfc", "false", "Pfc", "false"},
        {"pfcRelease", "\"both\"", "PfcRelease", "Both"},
        {"pfcThreshold", "\"90kB\"", "PfcThreshold", "90000B"},
        {"alphaLossless", "0.25", "AlphaLossless", "0.25"},
        {"pfcXonOffset", "\"9kB\"", "PfcXonOffset", "9000B"},
        {"pfcHeadroom", "\"300kB\"", "PfcHeadroom", "300000B"},
        {"ecn", "false", "Ecn", "false"},
        {"ecnScale", "false", "EcnScale", "false"},
        {"ecnPoint", "\"enqueue\"", "EcnPoint", "Enqueue"},
    };
    for (const auto& [key, value, attribute, shown] : keys)
    {
        const auto fabric = Build(Read("{\"switch\": {\"" + key + "\": " + value + "}}"));
        const auto plain = Build(Read("{}"));
        StringValue set;
        GetSwitch(fabric).GetAttribute(attribute, set);
        EXPECT_EQ(set.Get(), shown) << key;
        StringValue unset;
        GetSwitch(plain).GetAttribute(attribute, unset);
        EXPECT_NE(unset.Get(), shown) << key << " is tested by its default";
    }
    const auto fabric = Build(Read("{\"switch\": {\"pfcRelease\": \"quanta\", \"pfcQuanta\": 999, "
                                   "\"pfcResponse\": \"3us\"}}"));
    StringValue quanta;
    GetSwitch(fabric).GetAttribute("PfcQuanta", quanta);
    EXPECT_EQ(quanta.Get(), "999");
    EXPECT_EQ(GetSwitch(fabric).GetPort(0)->GetPfcResponse(), MicroSeconds(3));
    EXPECT_EQ(GetSwitch(fabric).GetPort(0)->GetPeer()->GetPfcResponse(), MicroSeconds(3));
}

TEST_F(ScenarioSwitch, DefaultsAreThoseOfTheSwitch)
{
    const auto fabric = Build(Read("{}"));
    const auto fresh = CreateObject<PacketSwitch>();
    for (std::size_t i = 0; i < PacketSwitch::GetTypeId().GetAttributeN(); ++i)
    {
        const std::string name = PacketSwitch::GetTypeId().GetAttribute(i).name;
        StringValue a;
        StringValue b;
        GetSwitch(fabric).GetAttribute(name, a);
        fresh->GetAttribute(name, b);
        EXPECT_EQ(a.Get(), b.Get()) << name;
    }
}

TEST_F(ScenarioSwitch, UnknownAndIdleKeysAreRefused)
{
    EXPECT_EQ(Refusal("{}"), "");
    EXPECT_THAT(Refusal("{\"switch\": {\"pfcHeadrom\": \"1kB\"}}"), HasSubstr("pfcHeadroom"));
    EXPECT_THAT(Refusal("{\"switch\": {\"pfcRelease\": \"maybe\"}}"), HasSubstr("quanta"));
    EXPECT_THAT(Refusal("{\"switch\": {\"pfcThreshold\": 1000}}"), HasSubstr("pfcThreshold"));
    EXPECT_THAT(Refusal("{\"switch\": {\"reserved\": \"8GiB\"}}"), HasSubstr("4GiB"));
    // Nothing would read these.
    EXPECT_THAT(Refusal("{\"switch\": {\"pfcQuanta\": 10}}"), HasSubstr("pfcQuanta"));
    EXPECT_THAT(Refusal("{\"switch\": {\"pfc\": false, \"pfcHeadroom\": \"1kB\"}}"),
                HasSubstr("pfcHeadroom"));
    EXPECT_THAT(Refusal("{\"switch\": {\"pfcThreshold\": \"9kB\", \"alphaLossless\": 1}}"),
                HasSubstr("alphaLossless"));
    EXPECT_THAT(Refusal("{\"switch\": {\"ecn\": false, \"ecnScale\": false}}"),
                HasSubstr("ecnScale"));
    EXPECT_THAT(Refusal("{\"transport\": {\"flowletGap\": \"1us\"}}"), HasSubstr("flowletGap"));
    Scenario flow;
    flow.transport.loadBalance = "spray";
    EXPECT_THROW(CheckLoadBalance(flow, "loadBalance"), InputError); // fluid world
    flow.fidelity = Fidelity::PACKET;
    EXPECT_NO_THROW(CheckLoadBalance(flow, "loadBalance"));
}

TEST_F(ScenarioSwitch, LoadBalanceChoosesTheBalancer)
{
    const auto get = [this](const std::string& name) {
        return GetSwitch(Build(Read("{\"transport\": {\"loadBalance\": \"" + name + "\"}}")))
            .GetBalancer();
    };
    EXPECT_FALSE(get("default"));
    EXPECT_FALSE(get("per-flow"));
    EXPECT_TRUE(DynamicCast<RoundRobinSprayBalancer>(get("spray")));
    EXPECT_TRUE(DynamicCast<RandomSprayBalancer>(get("random-spray")));
    const auto fabric =
        Build(Read("{\"transport\": {\"loadBalance\": \"flowlet\", \"flowletGap\": \"1.5us\"}}"));
    const auto flowlet = DynamicCast<FlowletBalancer>(GetSwitch(fabric).GetBalancer());
    ASSERT_TRUE(flowlet);
    TimeValue gap;
    flowlet->GetAttribute("Gap", gap);
    EXPECT_EQ(gap.Get(), NanoSeconds(1500));
}

TEST_F(ScenarioSwitch, TooLittleHeadroomAndTooSmallABufferAreTold)
{
    const auto fabric = Build(Read("{\"switch\": {\"pfcHeadroom\": \"1kB\"}}"));
    EXPECT_THAT(fabric.GetWorld().GetNotes()[0], HasSubstr("PfcHeadroom of 1000B may lose frames"));
    EXPECT_THAT(fabric.GetWorld().GetNotes()[0], HasSubstr(GetSwitch(fabric).GetName()));
    WorldConfig config = Read("{}");
    config.switchBuffer = ByteCount(1000000);
    try
    {
        Build(config);
        FAIL() << "accepted";
    }
    catch (const InputError& e)
    {
        EXPECT_THAT(e.what(), HasSubstr("PFC headroom"));
        EXPECT_THAT(e.what(), HasSubstr("accepted: at least"));
    }
}

} // namespace
