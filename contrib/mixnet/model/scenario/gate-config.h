/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_GATE_CONFIG_H
#define MIXNET_GATE_CONFIG_H

#include "ns3/mixnet-json.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// Where the tokens go.
struct GateConfig
{
    std::string type;                  //!< "trace", "uniform" or "synthetic"
    std::string trace;                 //!< of "trace": its path
    std::string preset;                //!< of "synthetic": name of measured routing, or empty
    std::string measured;              //!< of a preset: keys that rest on a measurement
    double gini{0.41};                 //!< of "synthetic": Gini coefficient of the popularity
    double tail{0.15};                 //!< of "synthetic": weight of the heavy tail
    double noise{0.28};                //!< of "synthetic": spread between rows
    uint32_t drift{1000};              //!< of "synthetic": iterations; 0: none
    uint32_t capacity{0};              //!< capacity factor in thousandths; 0: without limit
    std::string capacityScope{"rank"}; //!< "rank", "group"
};

/**
 * @param o object "gate" of a scenario, its preset under it
 * @param preset name of the preset, or "none"
 * @return what it says; the trace as given
 * @throws InputError naming key, value and what is accepted
 */
GateConfig ReadGate(const JsonReader& o, const std::string& preset);

} // namespace ns3

#endif // MIXNET_GATE_CONFIG_H
