/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_STRATEGY_NAMES_H
#define MIXNET_STRATEGY_NAMES_H

#include <string>

namespace ns3
{

/// @param name name in a scenario, "per-iteration", or a class, "ns3::X[Name=value]"
/// @param contract what it implements, "ReconfigurationPolicy"
/// @return the class; of a name "ns3::PerIteration" and the contract
std::string GetStrategyType(const std::string& name, const std::string& contract);

/// @param policy "drain", "bounded", "immediate" or "make-before-break" @return TypeId name
const char* GetDrainType(const std::string& policy);

} // namespace ns3

#endif // MIXNET_STRATEGY_NAMES_H
