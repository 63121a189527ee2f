/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mixnet-json.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-text.h"
#include "ns3/mixnet-units.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <locale>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace ns3
{

void
JsonReader::RefuseRepeatedKeys(const std::string& text, const std::string& name)
{
    using Json = nlohmann::json;
    std::vector<std::set<std::string>> keys; // of the objects that are open
    const auto look = [&](int, Json::parse_event_t event, Json& value) {
        if (event == Json::parse_event_t::object_start)
        {
            keys.emplace_back();
        }
        else if (event == Json::parse_event_t::object_end)
        {
            keys.pop_back();
        }
        else if (event == Json::parse_event_t::key &&
                 !keys.back().insert(value.get<std::string>()).second)
        {
            throw InputError(name,
                             "has the key '" + value.get<std::string>() + "' twice",
                             "each key once in an object");
        }
        return true;
    };
    const Json parsed = Json::parse(text, look);
}

void
JsonReader::Override(const std::vector<std::pair<std::string, std::string>>& all)
{
    for (const auto& [dotted, value] : all)
    {
        Override(dotted, value);
    }
}

std::vector<std::string>
JsonReader::GetStrings(const std::string& key) const
{
    return ReadList(key, false);
}

std::vector<uint64_t>
JsonReader::GetCounts(const std::string& key) const
{
    std::vector<uint64_t> counts;
    for (const std::string& text : ReadList(key, true))
    {
        counts.push_back(std::stoull(text));
    }
    return counts;
}

std::string
JsonReader::GetString(const std::string& key, const char* def) const
{
    return Read(key, def, "text");
}

std::string
JsonReader::GetChoice(const std::string& key,
                      const char* def,
                      const std::vector<std::string>& choices) const
{
    const std::string value = Read(key, def, "choice");
    if (std::find(choices.begin(), choices.end(), value) == choices.end())
    {
        throw InputError(Where(key), "'" + value + "' is unknown", JoinNames(choices));
    }
    return value;
}

Time
JsonReader::GetTime(const std::string& key, const char* def) const
{
    return ParseTime(Read(key, def, "time"), Where(key));
}

DataRate
JsonReader::GetRate(const std::string& key, const char* def) const
{
    return ParseRate(Read(key, def, "rate"), Where(key));
}

ByteCount
JsonReader::GetBytes(const std::string& key, const char* def) const
{
    return ParseBytes(Read(key, def, "bytes"), Where(key));
}

uint64_t
JsonReader::GetFlopRate(const std::string& key, const char* def) const
{
    return ParseFlopRate(Read(key, def, "FLOP/s"), Where(key));
}

uint64_t
JsonReader::GetCount(const std::string& key, const char* def, uint64_t min, uint64_t max) const
{
    const std::string text = Read(key, def, "count");
    const std::string accepted =
        "a whole number from " + std::to_string(min) + " to " + std::to_string(max);
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    errno = 0;
    const uint64_t value = digits ? std::strtoull(text.c_str(), nullptr, 10) : 0;
    if (!digits || errno == ERANGE || value < min || value > max)
    {
        throw InputError(Where(key), "'" + text + "' is not accepted", accepted);
    }
    return value;
}

double
JsonReader::GetNumber(const std::string& key, const char* def, double min, double max) const
{
    const std::string text = Read(key, def, "number");
    std::istringstream in(text);
    in.imbue(std::locale::classic());
    double value = 0;
    in >> value;
    if (in.fail() || !in.eof() || !(value >= min && value <= max))
    {
        std::ostringstream accepted;
        accepted << "a number from " << min << " to " << max;
        throw InputError(Where(key), "'" + text + "' is not accepted", accepted.str());
    }
    return value;
}

bool
JsonReader::GetBool(const std::string& key, const char* def) const
{
    const std::string text = Read(key, def, "boolean");
    if (text != "true" && text != "false")
    {
        throw InputError(Where(key), "'" + text + "' is not accepted", "true or false");
    }
    return text == "true";
}

} // namespace ns3
