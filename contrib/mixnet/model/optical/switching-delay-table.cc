/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "switching-delay-table.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-units.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

SwitchingDelayTable
SwitchingDelayTable::Parse(const std::string& text, const std::string& where)
{
    constexpr const char* accepted = "pairs:delay, rising, e.g. 1:41.4ms, 4:42.4ms, or prototype";
    SwitchingDelayTable table;
    std::istringstream points(text == "prototype" ? "1:41.4ms, 4:42.4ms, 16:46.8ms" : text);
    std::string point;
    while (std::getline(points, point, ','))
    {
        const std::size_t first = point.find_first_not_of(' ');
        const std::size_t colon = point.find(':');
        const std::string pairs =
            colon == std::string::npos || first >= colon ? "" : point.substr(first, colon - first);
        if (pairs.empty() || pairs.size() > 9 ||
            pairs.find_first_not_of("0123456789") != std::string::npos)
        {
            throw InputError(where, "'" + point + "' is no measured delay", accepted);
        }
        const auto count = static_cast<uint32_t>(std::stoul(pairs));
        const std::size_t value = point.find_first_not_of(' ', colon + 1);
        const std::size_t last = point.find_last_not_of(' ');
        const std::string delay =
            value == std::string::npos ? "" : point.substr(value, last - value + 1);
        if (count == 0 || (!table.m_points.empty() && count <= table.m_points.back().first))
        {
            throw InputError(where, pairs + " pairs do not rise from above 0", accepted);
        }
        table.m_points.emplace_back(count, CheckOpticalDelay(ParseTime(delay, where), where));
    }
    return table;
}

Time
CheckOpticalDelay(Time delay, const std::string& where)
{
    if (delay > Hours(1))
    {
        throw InputError(where, FormatTime(delay) + " is too long", "up to 1h");
    }
    return delay;
}

bool
SwitchingDelayTable::IsEmpty() const
{
    return m_points.empty();
}

Time
SwitchingDelayTable::Get(uint32_t pairs) const
{
    if (m_points.empty())
    {
        return Time(0);
    }
    const auto above =
        std::lower_bound(m_points.begin(), m_points.end(), pairs, [](const auto& p, uint32_t n) {
            return p.first < n;
        });
    if (above == m_points.end() || above == m_points.begin())
    {
        return above == m_points.end() ? m_points.back().second : above->second;
    }
    const auto below = std::prev(above);
    const int64_t rise = (above->second - below->second).GetTimeStep();
    return below->second + TimeStep(rise / (above->first - below->first) * (pairs - below->first) +
                                    rise % (above->first - below->first) * (pairs - below->first) /
                                        (above->first - below->first));
}

std::string
SwitchingDelayTable::ToString() const
{
    std::string text;
    for (const auto& [pairs, delay] : m_points)
    {
        text += (text.empty() ? "" : ", ") + std::to_string(pairs) + ":" + FormatTime(delay);
    }
    return text;
}

} // namespace ns3
