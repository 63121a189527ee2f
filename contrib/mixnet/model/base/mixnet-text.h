/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_TEXT_H
#define MIXNET_TEXT_H

#include <string>

namespace ns3
{

/**
 * @ingroup mixnet
 * @tparam Names container of strings
 * @param names names
 * @return them with commas, for messages that list what is accepted
 */
template <class Names>
std::string
JoinNames(const Names& names)
{
    std::string text;
    for (const auto& name : names)
    {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

} // namespace ns3

#endif // MIXNET_TEXT_H
