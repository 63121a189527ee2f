/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mixnet-units.h"

#include "mixnet-error.h"

#include <array>
#include <utility>

namespace ns3
{

namespace
{

__extension__ using Wide = unsigned __int128;

/// A decimal number as digits x 10^-decimals, so that parsing loses nothing.
struct Decimal
{
    uint64_t digits{0};   //!< all digits, the point left out
    uint32_t decimals{0}; //!< digits behind the point
    std::string unit;     //!< what follows, blanks trimmed
};

/// @param text text @param where place @param accepted accepted form @return its number and unit
Decimal
Split(const std::string& text, const std::string& where, const std::string& accepted)
{
    const auto fail = [&](const std::string& why) {
        return InputError(where, "'" + text + "' " + why, accepted);
    };
    Decimal result;
    std::size_t i = text.find_first_not_of(" \t");
    bool point = false;
    bool any = false;
    for (; i < text.size() &&
           (std::isdigit(static_cast<unsigned char>(text[i])) || (text[i] == '.' && !point));
         ++i)
    {
        if (text[i] == '.')
        {
            point = true;
            continue;
        }
        any = true;
        const uint64_t digit = static_cast<uint64_t>(text[i] - '0');
        if (result.digits > (UINT64_MAX - digit) / 10)
        {
            throw fail("is too large");
        }
        result.digits = result.digits * 10 + digit;
        result.decimals += point ? 1 : 0;
    }
    if (!any || result.decimals > 18)
    {
        throw fail("is not a number with a unit");
    }
    const std::size_t from = text.find_first_not_of(" \t", i);
    if (from == std::string::npos)
    {
        throw fail("has no unit");
    }
    result.unit = text.substr(from, text.find_last_not_of(" \t") - from + 1);
    return result;
}

/// @param number number @param factor scale of its unit @param where place @param text original
/// @param accepted accepted form @return number x factor, which must be a whole number
uint64_t
Scale(const Decimal& number,
      Wide factor,
      const std::string& where,
      const std::string& text,
      const std::string& accepted)
{
    Wide divisor = 1;
    for (uint32_t i = 0; i < number.decimals; ++i)
    {
        divisor *= 10;
    }
    const Wide product = Wide(number.digits) * factor;
    if (product % divisor != 0)
    {
        throw InputError(where, "'" + text + "' is finer than the smallest unit", accepted);
    }
    if (product / divisor > static_cast<Wide>(INT64_MAX))
    {
        throw InputError(where, "'" + text + "' is too large", accepted);
    }
    return static_cast<uint64_t>(product / divisor);
}

} // namespace

Time
ParseTime(const std::string& text, const std::string& where)
{
    static const std::string accepted = "a time such as 25ms, 1us, 500ns (fs ps ns us ms s min h)";
    static constexpr std::array<std::pair<const char*, uint64_t>, 8> units{
        {{"fs", 1},
         {"ps", 1000},
         {"ns", 1000000},
         {"us", 1000000000},
         {"ms", 1000000000000},
         {"s", 1000000000000000},
         {"min", 60000000000000000},
         {"h", 3600000000000000000}}};
    const Decimal number = Split(text, where, accepted);
    const uint64_t femtosecondsPerTick =
        1000000000000000 / static_cast<uint64_t>(Seconds(1).GetTimeStep());
    for (const auto& [unit, femtoseconds] : units)
    {
        if (number.unit != unit)
        {
            continue;
        }
        Decimal ticks = number;
        Wide factor = femtoseconds;
        if (factor % femtosecondsPerTick == 0)
        {
            factor /= femtosecondsPerTick;
        }
        else if (Wide(number.digits) * factor % femtosecondsPerTick == 0 && number.decimals == 0)
        {
            ticks.digits =
                static_cast<uint64_t>(Wide(number.digits) * factor / femtosecondsPerTick);
            factor = 1;
        }
        else
        {
            throw InputError(where, "'" + text + "' is finer than the clock's tick", accepted);
        }
        return TimeStep(Scale(ticks, factor, where, text, accepted));
    }
    throw InputError(where, "'" + text + "' has the unknown unit '" + number.unit + "'", accepted);
}

DataRate
ParseRate(const std::string& text, const std::string& where)
{
    static const std::string accepted = "a rate such as 400Gbps or 450GB/s";
    static constexpr std::array<std::pair<const char*, uint64_t>, 5> prefixes{
        {{"", 1}, {"k", 1000}, {"M", 1000000}, {"G", 1000000000}, {"T", 1000000000000}}};
    const Decimal number = Split(text, where, accepted);
    for (const auto& [prefix, factor] : prefixes)
    {
        const std::string p(prefix);
        const bool bits = number.unit == p + "bps" || number.unit == p + "b/s";
        const bool bytes = number.unit == p + "B/s" || number.unit == p + "Bps";
        if (bits || bytes)
        {
            const uint64_t rate =
                Scale(number, Wide(factor) * (bytes ? 8 : 1), where, text, accepted);
            if (rate == 0)
            {
                throw InputError(where, "'" + text + "' is a rate of zero", accepted);
            }
            return DataRate(rate);
        }
    }
    throw InputError(where, "'" + text + "' has the unknown unit '" + number.unit + "'", accepted);
}

ByteCount
ParseBytes(const std::string& text, const std::string& where)
{
    static const std::string accepted = "a size such as 4096B, 64MiB or 8MB";
    static constexpr std::array<std::pair<const char*, uint64_t>, 9> units{
        {{"B", 1},
         {"kB", 1000},
         {"MB", 1000000},
         {"GB", 1000000000},
         {"TB", 1000000000000},
         {"KiB", 1024},
         {"MiB", 1048576},
         {"GiB", 1073741824},
         {"TiB", 1099511627776}}};
    const Decimal number = Split(text, where, accepted);
    for (const auto& [unit, factor] : units)
    {
        if (number.unit == unit)
        {
            return ByteCount(Scale(number, factor, where, text, accepted));
        }
    }
    throw InputError(where, "'" + text + "' has the unknown unit '" + number.unit + "'", accepted);
}

uint64_t
ParseFlopRate(const std::string& text, const std::string& where)
{
    static const std::string accepted = "a computing rate such as 989TFLOP/s";
    static constexpr std::array<std::pair<const char*, uint64_t>, 3> units{
        {{"GFLOP/s", 1000000000}, {"TFLOP/s", 1000000000000}, {"PFLOP/s", 1000000000000000}}};
    const Decimal number = Split(text, where, accepted);
    for (const auto& [unit, factor] : units)
    {
        if (number.unit == unit && number.digits == 0)
        {
            throw InputError(where, "'" + text + "' is a rate of zero", accepted);
        }
        if (number.unit == unit)
        {
            return Scale(number, factor, where, text, accepted);
        }
    }
    throw InputError(where, "'" + text + "' has the unknown unit '" + number.unit + "'", accepted);
}

std::string
FormatTime(Time time)
{
    static constexpr std::array<std::pair<Time::Unit, const char*>, 6> units{{{Time::S, "s"},
                                                                              {Time::MS, "ms"},
                                                                              {Time::US, "us"},
                                                                              {Time::NS, "ns"},
                                                                              {Time::PS, "ps"},
                                                                              {Time::FS, "fs"}}};
    for (const auto& [unit, name] : units)
    {
        const int64_t value = time.ToInteger(unit);
        if (Time::FromInteger(static_cast<uint64_t>(value < 0 ? -value : value), unit) == Abs(time))
        {
            return std::to_string(value) + name;
        }
        if (unit == Time::GetResolution())
        {
            break;
        }
    }
    return std::to_string(time.GetTimeStep()) + " ticks";
}

std::string
FormatRate(DataRate rate)
{
    static constexpr std::array<std::pair<uint64_t, const char*>, 4> units{
        {{1000000000000, "Tbps"}, {1000000000, "Gbps"}, {1000000, "Mbps"}, {1000, "kbps"}}};
    for (const auto& [factor, name] : units)
    {
        if (rate.GetBitRate() % factor == 0 && rate.GetBitRate() > 0)
        {
            return std::to_string(rate.GetBitRate() / factor) + name;
        }
    }
    return std::to_string(rate.GetBitRate()) + "bps";
}

std::string
FormatBytes(ByteCount size)
{
    static constexpr std::array<std::pair<uint64_t, const char*>, 2> units{
        {{1073741824, "GiB"}, {1048576, "MiB"}}};
    for (const auto& [factor, name] : units)
    {
        if (size.Get() % factor == 0 && size.Get() > 0)
        {
            return std::to_string(size.Get() / factor) + name;
        }
    }
    return std::to_string(size.Get()) + "B";
}

} // namespace ns3
