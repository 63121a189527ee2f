/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "failure-log.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-units.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/// @param r a record @return true when it is a failure that the network switched over from; a job
/// that lost ranks does not switch over, it starts again
bool
IsSwitchover(const FailureRecord& r)
{
    const bool ranks = r.kind == FailureKind::GPU || r.kind == FailureKind::SERVER;
    return r.action == FailureAction::DOWN && !r.noop && r.reacted && !ranks;
}

/// @param time a time @return it in words, to six digits or the nanosecond
std::string
Tell(Time time)
{
    static constexpr std::pair<int64_t, const char*> units[] = {{1000000000, "s"},
                                                                {1000000, "ms"},
                                                                {1000, "us"},
                                                                {1, "ns"}};
    const int64_t ns = time.GetNanoSeconds();
    for (const auto& [unit, name] : units)
    {
        if (ns >= unit)
        {
            std::ostringstream text;
            text << static_cast<double>(ns) / static_cast<double>(unit) << name;
            return text.str();
        }
    }
    return "0s";
}

/// @param what what @param at when, or never @param since since @return ", what after 5us"
std::string
After(const std::string& what, const std::optional<Time>& at, Time since)
{
    return at ? ", " + what + " after " + Tell(*at - since) : "";
}

} // namespace

std::size_t
FailureLog::Add(const FailureRecord& record)
{
    m_records.push_back(record);
    return m_records.size() - 1;
}

FailureRecord&
FailureLog::Get(std::size_t index)
{
    MIXNET_CHECK(index < m_records.size(), "no failure record " << index);
    return m_records[index];
}

std::size_t
FailureLog::CountOver(Time budget) const
{
    return static_cast<std::size_t>(
        std::count_if(m_records.begin(), m_records.end(), [budget](const FailureRecord& r) {
            return IsLate(r, budget);
        }));
}

bool
FailureLog::IsLate(const FailureRecord& r, Time budget)
{
    return IsSwitchover(r) && (!r.recovered || *r.recovered - r.at > budget);
}

std::vector<std::string>
FailureLog::Describe(Time budget) const
{
    std::vector<std::string> lines;
    for (const FailureRecord& r : m_records)
    {
        std::ostringstream line;
        line << "t=" << Tell(r.at) << " " << GetName(r.kind) << " " << r.element << " "
             << GetName(r.action) << (r.value.empty() ? "" : " " + r.value)
             << After("detected", r.detected, r.at) << After("reacted", r.reacted, r.at)
             << After("recovered", r.recovered, r.at);
        if (r.moves > 0)
        {
            line << "; " << r.moves << " transfers moved with " << r.moved.Get() << " B to go";
        }
        if (r.framesLost > 0 || r.resent > ByteCount(0))
        {
            line << "; " << r.framesLost << " frames lost, " << r.resent.Get() << " B sent again";
        }
        line << (r.noop ? "; no effect" : "") << (r.note.empty() ? "" : ": " + r.note);
        lines.push_back(line.str());
    }
    const auto switchovers = std::count_if(m_records.begin(), m_records.end(), IsSwitchover);
    if (switchovers > 0)
    {
        std::ostringstream line;
        line << switchovers - static_cast<std::ptrdiff_t>(CountOver(budget)) << " of "
             << switchovers << " switchovers within " << FormatTime(budget);
        lines.push_back(line.str());
    }
    return lines;
}

} // namespace ns3
