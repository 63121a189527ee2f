/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_UNITS_H
#define MIXNET_UNITS_H

#include "mixnet-byte-count.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>

/**
 * @file
 * @ingroup mixnet
 * Units are parsed once, at the edge. A value without a unit, with an unknown unit, negative, or
 * lossy in the clock's resolution is an InputError that names where it stood.
 */

namespace ns3
{

/**
 * @param text a time such as "25ms", "1us", "0.5ns" (fs ps ns us ms s min h)
 * @param where file and key, for the message
 * @return the time
 */
Time ParseTime(const std::string& text, const std::string& where);

/**
 * @param text a rate such as "400Gbps" (bits) or "450GB/s" (bytes), decimal prefixes k M G T
 * @param where file and key, for the message
 * @return the rate, above zero
 */
DataRate ParseRate(const std::string& text, const std::string& where);

/**
 * @param text a size such as "4096B", "64MiB", "8MB" (Ki Mi Gi Ti binary, k M G T decimal)
 * @param where file and key, for the message
 * @return the size
 */
ByteCount ParseBytes(const std::string& text, const std::string& where);

/**
 * @param text a computing rate such as "989TFLOP/s" (G T P prefixes)
 * @param where file and key, for the message
 * @return floating-point operations per second, above zero
 */
uint64_t ParseFlopRate(const std::string& text, const std::string& where);

/// @param time a time @return it with the largest unit that keeps it exact, e.g. "25ms"
std::string FormatTime(Time time);

/// @param rate a rate @return e.g. "400Gbps"
std::string FormatRate(DataRate rate);

/// @param size a size @return e.g. "64MiB", "4096B"
std::string FormatBytes(ByteCount size);

} // namespace ns3

#endif // MIXNET_UNITS_H
