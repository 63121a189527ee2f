/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "loss-budget-config.h"
#include "mixnet-scenario.h"

#include "ns3/circuit-planner.h"
#include "ns3/demand-predictor.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-json.h"
#include "ns3/mixnet-object-text.h"
#include "ns3/mixnet-text.h"
#include "ns3/mixnet-units.h"
#include "ns3/optical-technology.h"
#include "ns3/random-variable-stream.h"
#include "ns3/switching-delay-table.h"
#include "ns3/weighted-matching.h"

namespace ns3
{

namespace
{

/// ns-3's own parser ends the program. @param text a random variable @param where for the message
void
CheckRandomVariable(const std::string& text, const std::string& where)
{
    const std::string example = "e.g. ns3::UniformRandomVariable[Min=0.010|Max=0.025]";
    for (const char* filled : {"ns3::EmpiricalRandomVariable", "ns3::DeterministicRandomVariable"})
    {
        if (text.rfind(filled, 0) == 0)
        {
            throw InputError(where, "'" + text + "' has no values that a text can give", example);
        }
    }
    ParseObjectText(text, RandomVariableStream::GetTypeId(), "random variable", where, example);
}

/// @param planner as scenarios name it @return it plans duplex circuits only
bool
PlansDuplexOnly(const std::string& planner)
{
    const std::string type = planner == "exhaustive"    ? "ns3::ExhaustiveCircuitPlanner"
                             : planner == "finish-time" ? "ns3::FinishTimeCircuitPlanner"
                                                        : planner;
    return type.rfind("ns3::", 0) == 0 &&
           ParseObjectText(type, CircuitPlanner::GetTypeId(), "planner", "planner", "")
                   .Create<CircuitPlanner>()
                   ->GetDuplexReason() != nullptr;
}

/// @param o object with the key "switchingDelay" @param def its default @param c where to put it
void
ReadSwitchingDelay(const JsonReader& o, const std::string& def, OpticalConfig& c)
{
    const std::string where = o.Where("switchingDelay");
    c.switchingVariable.clear();
    c.switchingTable.clear();
    c.switchingDelay = ParseTime(def, where);
    if (!o.IsString("switchingDelay"))
    {
        c.switchingDelay = CheckOpticalDelay(o.GetTime("switchingDelay", def.c_str()), where);
        return;
    }
    const std::string text = o.GetString("switchingDelay", def.c_str());
    if (text.rfind("ns3::", 0) == 0)
    {
        CheckRandomVariable(text, where);
        c.switchingVariable = text;
    }
    else if (text == "prototype" || text.find(':') != std::string::npos)
    {
        c.switchingTable = SwitchingDelayTable::Parse(text, where).ToString();
    }
    else
    {
        c.switchingDelay = CheckOpticalDelay(ParseTime(text, where), where);
    }
}

} // namespace

std::string
ReadStrategy(const JsonReader& o,
             const std::string& key,
             const std::vector<std::string>& names,
             TypeId contract,
             const std::string& what)
{
    const std::string text = o.GetString(key, names[0].c_str());
    if (text.rfind("ns3::", 0) != 0)
    {
        return o.GetChoice(key, names[0].c_str(), names);
    }
    ParseObjectText(text,
                    contract,
                    what,
                    o.Where(key),
                    JoinNames(names) + ", or a class with attributes, ns3::X[Name=value]");
    return text;
}

OpticalConfig
ReadOptical(const JsonReader& o, const OpticalConfig* base)
{
    OpticalConfig c = base == nullptr ? OpticalConfig() : *base;
    // A fabric's own object overrides key by key; the scenario's gives every default.
    const auto wanted = [&](const char* key) { return o.Accepts(key) || base == nullptr; };
    const auto time = [&](const char* key, const char* def, Time& value) {
        value = wanted(key) ? CheckOpticalDelay(o.GetTime(key, def), o.Where(key)) : value;
    };
    const auto choice = [&](const char* key, const std::vector<std::string>& all, std::string& v) {
        v = wanted(key) ? o.GetChoice(key, all[0].c_str(), all) : v;
    };
    const auto count = [&](const char* key, const char* def, uint64_t least, uint32_t& value) {
        value = wanted(key) ? static_cast<uint32_t>(o.GetCount(key, def, least, 1000000)) : value;
    };
    count("alpha", "6", 0, c.alpha);
    count("serversPerRegion", "0", 0, c.serversPerRegion);
    count("switchesPerRegion", "1", 1, c.switchesPerRegion);
    c.technology = wanted("technology") ? o.GetString("technology", "abstract") : c.technology;
    const auto technology = FindOpticalTechnology(c.technology, o.Where("technology"));
    count("switchPorts", "0", 0, c.switchPorts);
    if (c.switchPorts > 0 && technology.ports > 0)
    {
        throw InputError(o.Where("switchPorts"),
                         std::to_string(c.switchPorts) + " ports of a '" + technology.name +
                             "' switch, which has " + std::to_string(technology.ports),
                         "technology abstract with ports of your own");
    }
    const std::string delay =
        technology.switchingDelay ? FormatTime(*technology.switchingDelay) : "25ms";
    if (wanted("switchingDelay") || o.Accepts("technology"))
    {
        ReadSwitchingDelay(o, delay, c);
    }
    time("activationTime", "0ms", c.activationTime);
    time("controlLatency", "0ms", c.controlLatency);
    choice("drainPolicy", {"drain", "immediate", "make-before-break", "bounded"}, c.drainPolicy);
    const bool bounded = c.drainPolicy == "bounded";
    // A fabric with another kind of drain inherits neither "without limit" nor the bound.
    const bool released = base != nullptr && base->drainPolicy == "bounded" && !bounded;
    if (wanted("drainTimeout") || released ||
        (o.Accepts("drainPolicy") && bounded && c.drainTimeout.IsZero()))
    {
        c.drainTimeout = CheckOpticalDelay(o.GetTime("drainTimeout", bounded ? "10ms" : "0ms"),
                                           o.Where("drainTimeout"));
    }
    if (bounded && c.drainTimeout.IsZero())
    {
        throw InputError(o.Where("drainTimeout"), "a bounded drain without a bound", "above 0ms");
    }
    choice("heldTraffic", {"wait", "move"}, c.heldTraffic);
    choice("newTraffic", {"lit", "wait"}, c.newTraffic);
    choice("darkScope", {"changed", "region"}, c.darkScope);
    if (wanted("planner"))
    {
        c.planner = ReadStrategy(
            o,
            "planner",
            {"greedy", "finish-time", "matching", "birkhoff", "exhaustive", "uniform", "rotor"},
            CircuitPlanner::GetTypeId(),
            "planner");
    }
    choice("circuits", {"duplex", "simplex"}, c.circuits);
    if (c.circuits == "simplex" && PlansDuplexOnly(c.planner))
    {
        throw InputError(o.Where("circuits"),
                         "the planner '" + c.planner + "' plans duplex circuits only",
                         "duplex, or another planner");
    }
    if (c.planner == "matching" && !HasLemon())
    {
        throw InputError(o.Where("planner"),
                         "this build has no LEMON, which 'matching' needs",
                         "another planner, or a new build with the Debian package liblemon-dev");
    }
    choice("greedyRule", {"skip", "break", "artifact"}, c.greedyRule);
    c.keepUseful = wanted("keepUseful") ? o.GetBool("keepUseful", "false") : c.keepUseful;
    time("planningTime", "0ms", c.planningTime);
    choice("nicMapping", {"numa", "lowest"}, c.nicMapping);
    c.lossBudget = ReadLossBudget(o, base == nullptr ? nullptr : &base->lossBudget);
    if (wanted("predictor"))
    {
        c.predictor =
            ReadStrategy(o,
                         "predictor",
                         {"last-iteration", "last-layer", "average", "copilot", "uniform"},
                         DemandPredictor::GetTypeId(),
                         "predictor");
    }
    return c;
}

} // namespace ns3
