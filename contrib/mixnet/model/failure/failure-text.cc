/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "failure-text.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-text.h"
#include "ns3/mixnet-units.h"

#include <filesystem>
#include <fstream>
#include <locale>
#include <sstream>

namespace ns3
{

namespace
{

constexpr const char* LINE = "t=TIME KIND ELEMENT ACTION, e.g. t=3ms nic 0/2 down";

/// @param text text @return its words
std::vector<std::string>
Split(const std::string& text)
{
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;)
    {
        words.push_back(word);
    }
    return words;
}

/// @param text a number @param where for the message @param least smallest accepted @param most
/// largest accepted @param what accepted, for the message @return it
double
ParseNumber(const std::string& text,
            const std::string& where,
            double least,
            double most,
            const std::string& what)
{
    std::istringstream in(text);
    in.imbue(std::locale::classic());
    double value = 0;
    in >> value;
    if (in.fail() || !in.eof() || !(value >= least && value <= most))
    {
        throw InputError(where, "'" + text + "' is not accepted", what);
    }
    return value;
}

/// @param text digits @param where for the message @return the number
uint32_t
ParseIteration(const std::string& text, const std::string& where)
{
    if (text.empty() || text.size() > 9 ||
        text.find_first_not_of("0123456789") != std::string::npos)
    {
        throw InputError(where, "'" + text + "' is no iteration", "a number from 0");
    }
    return static_cast<uint32_t>(std::stoul(text));
}

/// @param text "3ms" or "1:dispatch+2us" @param where for the message @return it
FailureInstant
ParseInstant(const std::string& text, const std::string& where)
{
    FailureInstant when;
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos)
    {
        when.at = ParseTime(text, where);
        return when;
    }
    when.inPhase = true;
    when.iteration = ParseIteration(text.substr(0, colon), where);
    const std::size_t plus = text.find('+', colon);
    const std::string name =
        text.substr(colon + 1, plus == std::string::npos ? std::string::npos : plus - colon - 1);
    std::size_t p = 0;
    while (p < N_JOB_PHASES && name != GetName(static_cast<JobPhase>(p)))
    {
        ++p;
    }
    if (p == N_JOB_PHASES)
    {
        throw InputError(where,
                         "'" + name + "' is no phase of an iteration",
                         "start, dispatch, combine, backward, gradients");
    }
    when.phase = static_cast<JobPhase>(p);
    if (plus != std::string::npos)
    {
        when.at = ParseTime(text.substr(plus + 1), where);
    }
    return when;
}

/// @param kind kind @return true when it is made of links
bool
HasLinks(FailureKind kind)
{
    return kind != FailureKind::GPU && kind != FailureKind::CONTROLLER &&
           kind != FailureKind::SERVER;
}

/// @param event its kind is known; out: action and its value @param action word @param value word
/// behind it, empty: none @param where for the message @return true when the value was used
bool
ParseAction(FailureEvent& event,
            const std::string& action,
            const std::string& value,
            const std::string& where)
{
    const std::string kind = GetName(event.element.kind);
    const auto refuse = [&](const std::string& problem, const std::string& accepted) {
        throw InputError(where, problem, accepted);
    };
    if (action == "down" || action == "up")
    {
        event.action = action == "down" ? FailureAction::DOWN : FailureAction::UP;
        return false;
    }
    if (action == "slow")
    {
        event.action = FailureAction::SLOW;
        if (event.element.kind != FailureKind::GPU)
        {
            refuse("a " + kind + " cannot be slow", "slow of a gpu; rate of links");
        }
        event.factor = ParseNumber(value, where, 1, 1e6, "a factor of 1 or more, e.g. slow 2.0");
        return true;
    }
    if ((action == "rate" || action == "ber") && !HasLinks(event.element.kind))
    {
        refuse("a " + kind + " has no " + (action == "ber" ? "bit errors" : "rate"),
               "nic, link, switch, ocs-port, ocs");
    }
    if (action == "rate")
    {
        event.action = FailureAction::RATE;
        event.rate = ParseRate(value, where);
        return true;
    }
    if (action != "ber")
    {
        refuse("'" + action + "' is no action", "down, up, slow FACTOR, rate RATE, ber SHARE");
    }
    event.action = FailureAction::BIT_ERRORS;
    event.bitErrorRate =
        ParseNumber(value, where, 0, 0.01, "a share of the bits, 0 to 0.01, e.g. ber 1e-6");
    return true;
}

} // namespace

FailureEvent
ParseFailureLine(const std::string& text, const std::string& where)
{
    const std::vector<std::string> words = Split(text);
    if (words.size() < 4 || words[0].rfind("t=", 0) != 0)
    {
        throw InputError(where, "'" + text + "' is no failure", LINE);
    }
    FailureEvent event;
    event.origin = where;
    event.when = ParseInstant(words[0].substr(2), where);
    event.element.kind = ParseFailureKind(words[1], where);
    std::size_t w = 2;
    event.element.first = words[w++];
    if (event.element.kind == FailureKind::LINK)
    {
        event.element.second = words[w++];
    }
    const auto word = [&words](std::size_t i) { return i < words.size() ? words[i] : ""; };
    if (w >= words.size())
    {
        throw InputError(where, "'" + text + "' does not say what happens", LINE);
    }
    w += ParseAction(event, words[w], word(w + 1), where) ? 2 : 1;
    if (word(w) == "for")
    {
        event.duration = ParseTime(word(w + 1), where);
        if (event.duration.IsZero() || event.action == FailureAction::UP)
        {
            throw InputError(where,
                             "'for " + word(w + 1) + "' is not accepted",
                             "a time above zero, of what breaks");
        }
        w += 2;
    }
    if (w < words.size())
    {
        throw InputError(where, "'" + words[w] + "' is too much", LINE);
    }
    return event;
}

std::string
StripFailureLine(std::string line)
{
    // not of "leaf-0#1", a link
    for (std::size_t hash = line.find('#'); hash != std::string::npos;
         hash = line.find('#', hash + 1))
    {
        if (hash == 0 || line[hash - 1] == ' ' || line[hash - 1] == '\t')
        {
            line.resize(hash);
            break;
        }
    }
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t'))
    {
        line.pop_back();
    }
    return line;
}

std::vector<FailureEvent>
ParseFailureScript(const std::string& text, const std::string& name)
{
    std::vector<FailureEvent> events;
    std::istringstream in(text);
    uint32_t number = 0;
    for (std::string line; std::getline(in, line);)
    {
        ++number;
        line = StripFailureLine(line);
        if (!Split(line).empty())
        {
            events.push_back(ParseFailureLine(line, name + ":" + std::to_string(number)));
        }
    }
    return events;
}

std::vector<FailureEvent>
ReadFailureFile(const std::string& path)
{
    const std::string accepted = "a script of failures, or a trace (.csv)";
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
    {
        throw InputError(path, "is a folder", accepted);
    }
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in.is_open() || in.bad())
    {
        throw InputError(path, "cannot be read", accepted);
    }
    const bool trace = path.size() > 4 && path.compare(path.size() - 4, 4, ".csv") == 0;
    std::vector<FailureEvent> events =
        trace ? ParseFailureTrace(text.str(), path) : ParseFailureScript(text.str(), path);
    if (events.empty())
    {
        throw InputError(path, "names no failure", accepted);
    }
    return events;
}

} // namespace ns3
