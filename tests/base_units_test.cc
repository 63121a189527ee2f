/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/mixnet-byte-count.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-units.h"
#include "ns3/ns3-compat.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

class Units : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        EnsurePicosecondClock();
    }
};

TEST_F(Units, BytesOverRateAreExactForEthernet)
{
    // 4,096 B x 8 / 800 Gb/s = 40.96 ns; 1 B at 400 Gb/s = 20 ps.
    EXPECT_EQ(ByteCount(4096) / DataRate("800Gbps"), PicoSeconds(40960));
    EXPECT_EQ(ByteCount(1) / DataRate("400Gbps"), PicoSeconds(20));
    // 2^40 B: the product with 8 x 10^12 needs 83 bits.
    EXPECT_EQ(ByteCount(1099511627776) / DataRate(1000000000000), PicoSeconds(8796093022208));
}

TEST_F(Units, SubTickRemainderRoundsUpOnceAndIsCarriedByTheClock)
{
    // One byte at 3,600 Gb/s takes 2.22 ps: alone it takes 3 ticks, 900 of them take 2,000.
    const DataRate nvlink("3600Gbps");
    EXPECT_EQ(ByteCount(1) / nvlink, PicoSeconds(3));
    RateClock clock(nvlink);
    Time sum;
    for (int i = 0; i < 900; ++i)
    {
        sum += clock.Advance(ByteCount(1));
    }
    EXPECT_EQ(sum, PicoSeconds(2000));
}

TEST_F(Units, ParsesWithoutLoss)
{
    EXPECT_EQ(ParseTime("25ms", "t"), MilliSeconds(25));
    EXPECT_EQ(ParseTime("0.5ns", "t"), PicoSeconds(500));
    EXPECT_EQ(ParseTime(" 1 us ", "t"), MicroSeconds(1));
    EXPECT_EQ(ParseTime("2000fs", "t"), PicoSeconds(2));
    EXPECT_EQ(ParseRate("400Gbps", "r").GetBitRate(), 400000000000U);
    EXPECT_EQ(ParseRate("450GB/s", "r").GetBitRate(), 3600000000000U);
    EXPECT_EQ(ParseRate("1.6Tbps", "r").GetBitRate(), 1600000000000U);
    EXPECT_EQ(ParseBytes("64MiB", "b"), ByteCount(67108864));
    EXPECT_EQ(ParseBytes("38654705664B", "b"), ByteCount(38654705664));
    EXPECT_EQ(ParseFlopRate("989TFLOP/s", "f"), 989000000000000U);
}

TEST_F(Units, RefusesWhatHasNoUnitOrLosesDigits)
{
    for (const char* text :
         {"25", "", "ms", "-1ms", "1.5", "1,5ms", "1e3ms", "25 parsecs", "0.5ps"})
    {
        EXPECT_THROW(ParseTime(text, "t"), InputError) << text;
    }
    for (const char* text : {"400", "400Gb", "400GBit", "0Gbps", "0.3bps"})
    {
        EXPECT_THROW(ParseRate(text, "r"), InputError) << text;
    }
    for (const char* text : {"4096", "1.5B", "1mb", "99999999999TiB"})
    {
        EXPECT_THROW(ParseBytes(text, "b"), InputError) << text;
    }
}

TEST_F(Units, MessageNamesPlaceValueAndWhatIsAccepted)
{
    try
    {
        ParseRate("400", "scenario.json: cluster.nicRate");
        FAIL() << "not refused";
    }
    catch (const InputError& e)
    {
        const std::string what = e.what();
        EXPECT_NE(what.find("scenario.json: cluster.nicRate"), std::string::npos) << what;
        EXPECT_NE(what.find("'400'"), std::string::npos) << what;
        EXPECT_NE(what.find("400Gbps"), std::string::npos) << what;
    }
}

TEST_F(Units, FormatsRoundTrip)
{
    for (const char* text : {"25ms", "1us", "500ps", "7s", "0s"})
    {
        EXPECT_EQ(FormatTime(ParseTime(text, "t")), text);
    }
    EXPECT_EQ(FormatRate(DataRate("400Gbps")), "400Gbps");
    EXPECT_EQ(FormatRate(DataRate(1)), "1bps");
    EXPECT_EQ(FormatBytes(ByteCount(67108864)), "64MiB");
    EXPECT_EQ(FormatBytes(ByteCount(4097)), "4097B");
}

} // namespace
