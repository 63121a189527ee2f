/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "failure-rates.h"

#include "failure-target.h"

#include "ns3/mixnet-error.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <iomanip>
#include <locale>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

constexpr double LAST_TICK = 9e18; //!< ends of failures, below what a Time holds
constexpr double MOST_DRAWN = 1e7; //!< failures of a kind

/// @param elements how many of the kind @param rate theirs @param horizon s @param kind kind
/// @throws InputError when more failures are to be expected than a run could hold
void
CheckNumber(std::size_t elements, const FailureRate& rate, double horizon, FailureKind kind)
{
    const double expected = static_cast<double>(elements) * horizon / (rate.mtbf + rate.mttr);
    if (expected > MOST_DRAWN)
    {
        std::ostringstream number;
        number.imbue(std::locale::classic());
        number << std::fixed << std::setprecision(0) << expected;
        throw InputError(std::string("failures.rates.") + GetName(kind),
                         "of " + std::to_string(elements) + " elements mean about " + number.str() +
                             " failures until failures.horizon",
                         "10 million at most: a longer mtbf, or an earlier horizon");
    }
}

/// @param uniform numbers from 0 to 1 @return exponential variate of mean 1
double
DrawExponential(UniformRandomVariable& uniform)
{
    // Runs down: u1 > u2 > ... > un <= u(n+1). The length n is odd with probability e^-u1 given u1,
    // and a rejected run adds one.
    for (uint32_t whole = 0;; ++whole)
    {
        const double first = uniform.GetValue();
        double last = first;
        bool odd = true;
        for (double next = uniform.GetValue(); next < last; next = uniform.GetValue())
        {
            last = next;
            odd = !odd;
        }
        if (odd)
        {
            return whole + first;
        }
    }
}

} // namespace

std::vector<FailureEvent>
DrawFailures(const FabricGraph& graph, const FailureRates& rates, Time horizon, int64_t stream)
{
    std::vector<FailureEvent> events;
    const double ticks = static_cast<double>(Seconds(1).GetTimeStep());
    const double end = static_cast<double>(horizon.GetTimeStep());
    for (std::size_t k = 0; k < N_FAILURE_KINDS; ++k)
    {
        if (rates[k].mtbf <= 0)
        {
            continue;
        }
        const auto uniform = CreateObject<UniformRandomVariable>();
        uniform->SetStream(stream + static_cast<int64_t>(k));
        const auto kind = static_cast<FailureKind>(k);
        const std::vector<FailureElement> elements = ListFailureElements(graph, kind);
        CheckNumber(elements.size(), rates[k], end / ticks, kind);
        for (const auto& element : elements)
        {
            double now = 0;
            while ((now += DrawExponential(*uniform) * rates[k].mtbf * ticks) <= end)
            {
                FailureEvent event;
                event.when.at = TimeStep(static_cast<uint64_t>(now));
                event.element = element;
                const double repair = DrawExponential(*uniform) * rates[k].mttr * ticks;
                const double longest = std::max(1.0, LAST_TICK - now);
                event.duration =
                    TimeStep(static_cast<uint64_t>(std::min(std::max(1.0, repair), longest)));
                event.origin = std::string("failures.rates.") + GetName(kind) + ", drawn";
                events.push_back(event);
                now += repair;
            }
        }
    }
    std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
        return a.when.at < b.when.at;
    });
    return events;
}

double
ParseLongTime(const std::string& text, const std::string& where)
{
    static const std::vector<std::pair<std::string, double>> units = {{"ns", 1e-9},
                                                                      {"us", 1e-6},
                                                                      {"ms", 1e-3},
                                                                      {"s", 1},
                                                                      {"min", 60},
                                                                      {"h", 3600},
                                                                      {"d", 86400},
                                                                      {"y", 31557600}};
    const std::size_t digits = text.find_first_not_of("0123456789.");
    std::istringstream in(text.substr(0, digits));
    in.imbue(std::locale::classic());
    double value = 0;
    in >> value;
    const std::string unit = digits == std::string::npos ? "" : text.substr(digits);
    for (const auto& [name, seconds] : units)
    {
        if (!in.fail() && in.eof() && name == unit && value > 0)
        {
            return value * seconds;
        }
    }
    throw InputError(where,
                     "'" + text + "' is no time above zero with a unit",
                     "ns, us, ms, s, min, h, d, y, e.g. 50000h");
}

} // namespace ns3
