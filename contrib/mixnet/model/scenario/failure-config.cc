/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "failure-config.h"

#include "ns3/failure-text.h"
#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @param f object "failures" @param findInput finds files @return events given
std::vector<FailureEvent>
ReadEvents(const JsonReader& f, const FindInput& findInput)
{
    std::vector<FailureEvent> events;
    const std::vector<std::string> lines = f.GetStrings("events");
    for (std::size_t i = 0; i < lines.size(); ++i)
    {
        events.push_back(ParseFailureLine(lines[i], f.Where("events." + std::to_string(i))));
    }
    if (f.Accepts("file"))
    {
        const std::string given = f.GetString("file", JsonReader::required);
        const std::vector<FailureEvent> more = ReadFailureFile(findInput(given, f.Where("file")));
        events.insert(events.end(), more.begin(), more.end());
    }
    return events;
}

/// @param f object "failures" @param config out: rates and horizon of drawn failures
void
ReadRates(const JsonReader& f, FailureConfig& config)
{
    if (!f.Accepts("rates"))
    {
        return;
    }
    const JsonReader rates = f.GetObject("rates");
    bool any = false;
    for (std::size_t k = 0; k < N_FAILURE_KINDS; ++k)
    {
        const char* kind = GetName(static_cast<FailureKind>(k));
        if (!rates.Accepts(kind))
        {
            continue;
        }
        const JsonReader r = rates.GetObject(kind);
        config.rates[k].mtbf =
            ParseLongTime(r.GetString("mtbf", JsonReader::required), r.Where("mtbf"));
        config.rates[k].mttr =
            ParseLongTime(r.GetString("mttr", JsonReader::required), r.Where("mttr"));
        any = true;
    }
    if (!any)
    {
        throw InputError(f.Where("rates"), "names nothing that fails", ListFailureKinds());
    }
    config.horizon = f.GetTime("horizon", JsonReader::required);
}

} // namespace

bool
FailureConfig::IsEmpty() const
{
    return events.empty() && std::all_of(rates.begin(), rates.end(), [](const FailureRate& r) {
               return r.mtbf <= 0;
           });
}

FailureConfig
ReadFailures(const JsonReader& f, const FindInput& findInput, uint32_t iterations)
{
    FailureConfig config;
    config.events = ReadEvents(f, findInput);
    ReadRates(f, config);
    for (const FailureEvent& e : config.events)
    {
        if (e.when.inPhase && e.when.iteration >= iterations)
        {
            throw InputError(e.origin,
                             "there is no iteration " + std::to_string(e.when.iteration),
                             iterations == 0 ? "a simulated time, e.g. t=3ms: nothing is trained"
                                             : "iterations 0 to " + std::to_string(iterations - 1));
        }
    }
    if (config.IsEmpty())
    {
        return config;
    }
    const JsonReader d = f.GetObject("detection");
    for (std::size_t k = 0; k < N_FAILURE_KINDS; ++k)
    {
        const auto kind = static_cast<FailureKind>(k);
        const bool light = config.detection.Get(kind) < MilliSeconds(1);
        config.detection.At(kind) = d.GetTime(GetName(kind), light ? "10us" : "10ms");
    }
    config.reactionTime = f.GetTime("reactionTime", "0s");
    config.switchoverBudget = f.GetTime("switchoverBudget", "50ms");
    return config;
}

} // namespace ns3
