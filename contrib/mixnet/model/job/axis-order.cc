/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "axis-order.h"

#include "ns3/mixnet-error.h"

#include <sstream>

namespace ns3
{

namespace
{

constexpr const char* ACCEPTED = "tp, cp, ep, dp and pp in any order, tp first, as in "
                                 "tp-cp-ep-pp-dp";

/// @param name name of an axis @return its number, N_LAYOUT_AXES for none
std::size_t
FindAxis(const std::string& name)
{
    std::size_t a = 0;
    while (a < N_LAYOUT_AXES && name != GetName(static_cast<LayoutAxis>(a)))
    {
        ++a;
    }
    return a;
}

} // namespace

const char*
GetName(LayoutAxis a)
{
    static constexpr const char* names[] = {"tp", "cp", "ep", "dp", "pp"};
    return names[static_cast<std::size_t>(a)];
}

AxisOrder
AxisOrder::Parse(const std::string& text, const std::string& where)
{
    AxisOrder order;
    order.m_named.fill(false);
    std::size_t count = 0;
    std::istringstream names(text + "-");
    for (std::string name; std::getline(names, name, '-');)
    {
        const std::size_t a = FindAxis(name);
        if (a == N_LAYOUT_AXES || order.m_named[a])
        {
            throw InputError(where,
                             "'" + text + "' " +
                                 (a == N_LAYOUT_AXES ? "names an axis '" + name + "'"
                                                     : "names " + name + " twice"),
                             ACCEPTED);
        }
        order.m_named[a] = true;
        order.m_axes[count++] = static_cast<LayoutAxis>(a);
    }
    for (std::size_t a = 0; a < N_LAYOUT_AXES; ++a)
    {
        if (!order.m_named[a])
        {
            order.m_axes[count++] = static_cast<LayoutAxis>(a);
        }
    }
    return order;
}

std::string
AxisOrder::GetText() const
{
    std::string text;
    for (const LayoutAxis a : m_axes)
    {
        text += (text.empty() ? "" : "-") + std::string(GetName(a));
    }
    return text;
}

} // namespace ns3
