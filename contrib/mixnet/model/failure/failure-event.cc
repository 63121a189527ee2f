/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "failure-event.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-units.h"

#include <sstream>

namespace ns3
{

const char*
GetName(FailureKind kind)
{
    static constexpr const char* names[] =
        {"nic", "link", "switch", "ocs-port", "ocs", "controller", "gpu", "server"};
    return names[static_cast<std::size_t>(kind)];
}

std::string
ListFailureKinds()
{
    std::string list;
    for (std::size_t k = 0; k < N_FAILURE_KINDS; ++k)
    {
        list += (k == 0 ? "" : ", ") + std::string(GetName(static_cast<FailureKind>(k)));
    }
    return list;
}

FailureKind
ParseFailureKind(const std::string& text, const std::string& where)
{
    for (std::size_t k = 0; k < N_FAILURE_KINDS; ++k)
    {
        if (text == GetName(static_cast<FailureKind>(k)))
        {
            return static_cast<FailureKind>(k);
        }
    }
    throw InputError(where, "'" + text + "' is nothing that can fail", ListFailureKinds());
}

const char*
GetName(FailureAction action)
{
    static constexpr const char* names[] = {"down", "up", "slow", "rate", "ber"};
    return names[static_cast<std::size_t>(action)];
}

const char*
GetName(JobPhase phase)
{
    static constexpr const char* names[] = {"start",
                                            "dispatch",
                                            "combine",
                                            "backward",
                                            "gradients"};
    return names[static_cast<std::size_t>(phase)];
}

std::string
FailureElement::ToString() const
{
    return std::string(GetName(kind)) + " " + first + (second.empty() ? "" : " " + second);
}

std::string
FailureInstant::ToString() const
{
    if (!inPhase)
    {
        return FormatTime(at);
    }
    return std::to_string(iteration) + ":" + GetName(phase) +
           (at.IsZero() ? "" : "+" + FormatTime(at));
}

std::string
FailureEvent::ToString() const
{
    std::ostringstream text;
    text << "t=" << when.ToString() << " " << element.ToString() << " " << GetName(action);
    switch (action)
    {
    case FailureAction::SLOW:
        text << " " << factor;
        break;
    case FailureAction::RATE:
        text << " " << FormatRate(rate);
        break;
    case FailureAction::BIT_ERRORS:
        text << " " << bitErrorRate;
        break;
    default:
        break;
    }
    if (duration.IsStrictlyPositive())
    {
        text << " for " << FormatTime(duration);
    }
    return text.str();
}

} // namespace ns3
