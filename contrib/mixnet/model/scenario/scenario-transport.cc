/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mixnet-scenario.h"

#include "ns3/data-rate.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-json.h"
#include "ns3/mixnet-object-text.h"
#include "ns3/mixnet-units.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <cctype>

namespace ns3
{

namespace
{

/// A congestion control by its name in scenarios.
struct CongestionName
{
    const char* name;   //!< in scenarios
    const char* typeId; //!< class
    const char* kmin;   //!< default of ecnKmin, at 25 Gb/s
    const char* kmax;   //!< default of ecnKmax, at 25 Gb/s
    const char* pmax;   //!< default of ecnPmax
};

/// The default first. DCTCP marks from one threshold on: 30 kB per 10 Gb/s.
constexpr CongestionName CONGESTION[] = {
    {"dcqcn", "ns3::DcqcnCongestionControl", "100kB", "400kB", "0.2"},
    {"hpcc", "ns3::HpccCongestionControl", "100kB", "400kB", "0.2"},
    {"swift", "ns3::SwiftCongestionControl", "100kB", "400kB", "0.2"},
    {"timely", "ns3::TimelyCongestionControl", "100kB", "400kB", "0.2"},
    {"dctcp", "ns3::DctcpCongestionControl", "75kB", "75kB", "1"},
    {"none", "ns3::NoCongestionControl", "100kB", "400kB", "0.2"}};

/// @param name one of CONGESTION @return it
const CongestionName&
Find(const std::string& name)
{
    const CongestionName* it = CONGESTION;
    while (it->name != name)
    {
        ++it;
    }
    return *it;
}

/**
 * One attribute; times and rates in our notation, because ns-3's parsers end the program.
 *
 * @param o object that holds it @param key its key @param info the attribute @return its value as
 * ns-3 reads it
 */
std::string
ReadAttribute(const JsonReader& o, const std::string& key, const TypeId::AttributeInformation& info)
{
    const AttributeValue* initial = PeekPointer(info.initialValue);
    const auto* rate = dynamic_cast<const DataRateValue*>(initial);
    std::string value;
    bool parses = true;
    if (const auto* time = dynamic_cast<const TimeValue*>(initial))
    {
        value = FormatTime(o.GetTime(key, FormatTime(time->Get()).c_str()));
    }
    else if (rate != nullptr)
    {
        const std::string def = std::to_string(rate->Get().GetBitRate()) + "bps"; // 0: scaled
        value = o.GetString(key, def.c_str());
        value = value == def ? def
                             : std::to_string(ParseRate(value, o.Where(key)).GetBitRate()) + "bps";
    }
    else
    {
        value = o.GetString(key, info.initialValue->SerializeToString(info.checker).c_str());
        parses = value.find('-') != 0 && IsAttributeText(info, value);
    }
    if (!parses || !info.checker->CreateValidValue(StringValue(value)))
    {
        throw InputError(o.Where(key),
                         "'" + value + "' is not accepted",
                         info.checker->HasUnderlyingTypeInformation()
                             ? info.checker->GetUnderlyingTypeInformation()
                             : info.checker->GetValueTypeName());
    }
    return value;
}

/**
 * Every attribute of a class is a key (first letter in lower case) with the attribute's default.
 *
 * @param o object that holds them @param tid class @param without one that has a key elsewhere
 * @return all of them, effective
 */
std::vector<std::pair<std::string, std::string>>
ReadAttributes(const JsonReader& o, TypeId tid, const std::string& without = "")
{
    std::vector<std::pair<std::string, std::string>> values;
    for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
    {
        const TypeId::AttributeInformation info = tid.GetAttribute(i);
        if (info.name == without)
        {
            continue;
        }
        std::string key = info.name;
        key[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(key[0])));
        values.emplace_back(info.name, ReadAttribute(o, key, info));
    }
    return values;
}

/// @param t the object "transport" @param c gets what it says of loss recovery
void
ReadRecovery(const JsonReader& t, TransportConfig& c)
{
    c.lossRecovery = t.GetChoice("lossRecovery", "go-back-n", {"go-back-n", "selective-repeat"});
    c.recoveryType = c.lossRecovery == "go-back-n" ? "ns3::GoBackN" : "ns3::SelectiveRepeat";
    const JsonReader o = t.GetObject("recovery");
    const TypeId tid = TypeId::LookupByName(c.recoveryType);
    for (const TypeId& level : {tid.GetParent(), tid})
    {
        const auto values = ReadAttributes(o, level, "AckInterval");
        c.recovery.insert(c.recovery.end(), values.begin(), values.end());
    }
}

} // namespace

TransportConfig
ReadTransport(const JsonReader& t)
{
    TransportConfig c;
    c.payload = t.GetBytes("payload", "4096B");
    if (c.payload.Get() < 256 || c.payload.Get() > 9000)
    {
        throw InputError(t.Where("payload"),
                         std::to_string(c.payload.Get()) + "B is not accepted",
                         "256B to 9000B");
    }
    std::vector<std::string> names;
    for (const auto& known : CONGESTION)
    {
        names.emplace_back(known.name);
    }
    c.congestionControl = t.GetChoice("congestionControl", names[0].c_str(), names);
    const CongestionName& chosen = Find(c.congestionControl);
    c.congestionType = chosen.typeId;
    c.congestion = ReadAttributes(t.GetObject("congestion"), TypeId::LookupByName(chosen.typeId));
    ReadRecovery(t, c);
    c.window = t.GetChoice("window", "none", {"none", "bdp", "variable"});
    c.ecnKmin = t.GetBytes("ecnKmin", chosen.kmin);
    c.ecnKmax = t.GetBytes("ecnKmax", chosen.kmax);
    c.ecnPmax = t.GetNumber("ecnPmax", chosen.pmax, 0, 1);
    if (c.ecnKmax < c.ecnKmin || c.ecnKmax.Get() > UINT32_MAX)
    {
        throw InputError(t.Where("ecnKmax"),
                         std::to_string(c.ecnKmax.Get()) + "B is not accepted",
                         "at least ecnKmin, below 4 GiB");
    }
    c.ackInterval = static_cast<uint32_t>(t.GetCount("ackInterval", "4", 1, 65536));
    c.stripePackets = static_cast<uint32_t>(t.GetCount("stripePackets", "1", 1, 65536));
    c.loadBalance =
        t.GetChoice("loadBalance",
                    "default",
                    {"default", "ideal", "per-flow", "flowlet", "spray", "random-spray"});
    if (c.loadBalance == "flowlet")
    {
        c.flowletGap = t.GetTime("flowletGap", "100us");
    }
    return c;
}

} // namespace ns3
