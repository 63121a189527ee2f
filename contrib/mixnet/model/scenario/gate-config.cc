/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gate-config.h"

#include "ns3/mixnet-error.h"
#include "ns3/synthetic-gate.h"

namespace ns3
{

GateConfig
ReadGate(const JsonReader& o, const std::string& preset)
{
    GateConfig c;
    const bool named = preset != "none";
    c.type = o.GetChoice("type",
                         o.Has("trace") ? "trace"
                         : named        ? "synthetic"
                                        : "uniform",
                         {"trace", "uniform", "synthetic"});
    if (named)
    {
        if (c.type != "synthetic" || o.Has("trace"))
        {
            throw InputError(o.Where("preset"),
                             "'" + preset + "' with " +
                                 (o.Has("trace") ? "a trace" : "type '" + c.type + "'"),
                             "type synthetic without a trace, or no preset");
        }
        c.preset = preset;
        c.measured = o.GetString("measured", JsonReader::required);
    }
    if (c.type == "trace")
    {
        c.trace = o.GetString("trace", JsonReader::required);
    }
    if (c.type == "synthetic")
    {
        c.gini = o.GetNumber("gini", "0.41", 0, 1);
        c.tail = o.GetNumber("tail", "0.15", 0, 1);
        c.noise = o.GetNumber("noise", "0.28", 0, 1);
        c.drift = static_cast<uint32_t>(o.GetCount("drift", "1000"));
        SyntheticGate::CheckGini(c.gini, c.tail, o.Where("gini"));
    }
    const double factor = o.GetNumber("capacityFactor", "0", 0, 1000);
    c.capacity = static_cast<uint32_t>(factor * 1000 + 0.5);
    if (factor > 0 && c.capacity == 0)
    {
        throw InputError(o.Where("capacityFactor"), "nearly 0", "0 for no limit, or from 0.001 on");
    }
    if (c.capacity > 0)
    {
        c.capacityScope = o.GetChoice("capacityScope", "rank", {"rank", "group"});
    }
    return c;
}

} // namespace ns3
