/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "strategy-names.h"

#include <cctype>

namespace ns3
{

std::string
GetStrategyType(const std::string& name, const std::string& contract)
{
    std::string id = "ns3::";
    if (name.rfind(id, 0) == 0)
    {
        return name;
    }
    bool head = true;
    for (const char c : name)
    {
        if (c != '-')
        {
            id += head ? static_cast<char>(std::toupper(c)) : c;
        }
        head = c == '-';
    }
    return id + contract;
}

const char*
GetDrainType(const std::string& policy)
{
    return policy == "immediate"           ? "ns3::ImmediateDrainPolicy"
           : policy == "make-before-break" ? "ns3::MakeBeforeBreakDrainPolicy"
                                           : "ns3::FullDrainPolicy";
}

} // namespace ns3
