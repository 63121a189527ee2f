/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_LOSS_BUDGET_CONFIG_H
#define MIXNET_LOSS_BUDGET_CONFIG_H

#include "ns3/mixnet-json.h"
#include "ns3/optical-loss-budget.h"

#include <optional>
#include <string>

namespace ns3
{

/**
 * @param text a number and its unit, such as "-2dBm" @param unit the unit
 * @param where file and key, for the message
 * @return the number
 * @throws InputError when it is anything else
 */
double ParseOptical(const std::string& text, const std::string& unit, const std::string& where);

/**
 * The key "lossBudget": "off", or an object of quantities with units. Absent: as in `base`; off
 * without one.
 *
 * @param o object "optical", or a fabric
 * @param base values that a fabric does not give; null for the object "optical", which logs
 * @return the budget; none when it is off
 * @throws InputError when it is not accepted
 */
std::optional<OpticalLossBudget> ReadLossBudget(const JsonReader& o,
                                                const std::optional<OpticalLossBudget>* base);

} // namespace ns3

#endif // MIXNET_LOSS_BUDGET_CONFIG_H
