/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOKEN_TRACE_READER_H
#define TOKEN_TRACE_READER_H

#include "token-trace.h"

#include <string>

namespace ns3
{

/**
 * @ingroup mixnet
 * Read a measured trace (doc/traces.md: /tokens [iteration, layer, source rank, destination]).
 *
 * Checks the shape, the attributes, and, where /tokens_in is there and neither `dropped` nor
 * `deduplicated` says otherwise, that every row sums to tokens_in x top_k. With `deduplicated` no
 * destination has more than tokens_in, and all together at most tokens_in x top_k.
 *
 * @param path HDF5 file
 * @return the trace
 * @throws InputError naming file, dataset and attribute
 */
TokenTrace ReadTokenTrace(const std::string& path);

/**
 * @param path any file
 * @return hash of its bytes as 16 hexadecimal digits, for provenance (not cryptographic)
 * @throws InputError when it cannot be read
 */
std::string HashFile(const std::string& path);

} // namespace ns3

#endif // TOKEN_TRACE_READER_H
