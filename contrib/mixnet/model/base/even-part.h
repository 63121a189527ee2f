/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_EVEN_PART_H
#define MIXNET_EVEN_PART_H

#include "mixnet-byte-count.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup mixnet
 * Cut a whole into parts that differ by one at most: the first total % parts are longer.
 *
 * @param total the whole, e.g. in bytes
 * @param parts number of parts, above 0
 * @param index one of them, from 0
 * @return its length; all lengths add up to the whole
 */
constexpr uint64_t
GetEvenPart(uint64_t total, uint64_t parts, uint64_t index)
{
    return total / parts + (index < total % parts ? 1 : 0);
}

/// @param total the whole @param parts number of parts @param index one of them
/// @return its length
constexpr ByteCount
GetEvenPart(ByteCount total, uint64_t parts, uint64_t index)
{
    return ByteCount(GetEvenPart(total.Get(), parts, index));
}

/// @param total the whole @param parts number of parts @param index one of GetEvenPart()
/// @return where it begins
constexpr uint64_t
GetEvenPartStart(uint64_t total, uint64_t parts, uint64_t index)
{
    const uint64_t longer = total % parts;
    return total / parts * index + (index < longer ? index : longer);
}

} // namespace ns3

#endif // MIXNET_EVEN_PART_H
