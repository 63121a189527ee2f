/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "loss-budget-config.h"

#include "ns3/mixnet-error.h"

#include <charconv>
#include <cmath>
#include <sstream>

namespace ns3
{

namespace
{

/// @param value a number @param unit its unit @return text that reads back as the same
std::string
Format(double value, const std::string& unit)
{
    std::ostringstream text;
    text.precision(15);
    text << value << unit;
    return text.str();
}

} // namespace

double
ParseOptical(const std::string& text, const std::string& unit, const std::string& where)
{
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || std::string(rest, end) != unit || !std::isfinite(value))
    {
        throw InputError(where, "'" + text + "'", "a number in " + unit + ", e.g. 1.5" + unit);
    }
    return value;
}

std::optional<OpticalLossBudget>
ReadLossBudget(const JsonReader& o, const std::optional<OpticalLossBudget>* base)
{
    const std::string key = "lossBudget";
    if (!o.Accepts(key) && base != nullptr)
    {
        return *base;
    }
    if (!o.Accepts(key) || o.IsString(key))
    {
        o.GetChoice(key, "off", {"off"});
        return std::nullopt;
    }
    const JsonReader b = o.GetObject(key);
    OpticalLossBudget budget;
    if (base != nullptr && base->has_value())
    {
        budget = **base;
    }
    const auto read = [&b](const char* name, const char* unit, double& value) {
        const std::string text = b.GetString(name, Format(value, unit).c_str());
        value = ParseOptical(text, unit, b.Where(name));
    };
    read("launchPower", "dBm", budget.launchDbm);
    read("sensitivity", "dBm", budget.sensitivityDbm);
    read("switchLoss", "dB", budget.switchLossDb);
    read("connectorLoss", "dB", budget.connectorLossDb);
    read("fiberLoss", "dB/km", budget.fiberLossDbPerKm);
    read("fiberLength", "km", budget.fiberKm);
    budget.connectors = static_cast<uint32_t>(
        b.GetCount("connectors", std::to_string(budget.connectors).c_str(), 0, 1000));
    budget.referenceRate =
        b.GetNumber("referenceErrorRate", Format(budget.referenceRate, "").c_str(), 1e-30, 0.4);
    try
    {
        budget.Check();
    }
    catch (const InputError& e)
    {
        throw InputError(b.Where(""), e.what());
    }
    return budget;
}

} // namespace ns3
