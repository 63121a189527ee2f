/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BYTE_COUNT_VALUE_H
#define BYTE_COUNT_VALUE_H

#include "mixnet-byte-count.h"

#include "ns3/attribute-helper.h"
#include "ns3/attribute.h"

#include <istream>

/**
 * @file
 * @ingroup mixnet
 * ByteCount as an ns-3 attribute: ByteCountValue, MakeByteCountAccessor, MakeByteCountChecker. As
 * text it has a unit ("64MiB", "4096B"); a number without one is refused.
 */

namespace ns3
{

/// @param is text with a unit @param bytes out @return is; failed when the text is no size
std::istream& operator>>(std::istream& is, ByteCount& bytes);

ATTRIBUTE_HELPER_HEADER(ByteCount);

} // namespace ns3

#endif // BYTE_COUNT_VALUE_H
