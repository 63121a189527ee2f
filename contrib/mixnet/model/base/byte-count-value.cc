/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "byte-count-value.h"

#include "mixnet-error.h"
#include "mixnet-units.h"

#include <string>

namespace ns3
{

std::istream&
operator>>(std::istream& is, ByteCount& bytes)
{
    std::string text;
    is >> text;
    try
    {
        bytes = ParseBytes(text, "attribute");
    }
    catch (const InputError&)
    {
        is.setstate(std::ios::failbit);
    }
    return is;
}

ATTRIBUTE_HELPER_CPP(ByteCount);

} // namespace ns3
