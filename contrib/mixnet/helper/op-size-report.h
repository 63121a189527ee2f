/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OP_SIZE_REPORT_H
#define OP_SIZE_REPORT_H

#include "ns3/op-sizes.h"
#include "ns3/result-table.h"

#include <cstdint>
#include <ostream>
#include <vector>

namespace ns3
{

/// @ingroup mixnet
/// @param out where to @param model a model: its parameters @param sizes its operations, a line
/// each
void PrintOpSizes(std::ostream& out, const ModelSpec& model, const std::vector<OpSize>& sizes);

/// @ingroup mixnet
/// @param run row of /runs @param sizes operations of its job @return table /op_sizes
ResultTable MakeOpSizeTable(uint32_t run, const std::vector<OpSize>& sizes);

} // namespace ns3

#endif // OP_SIZE_REPORT_H
