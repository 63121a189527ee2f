/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_RUN_TABLES_H
#define MIXNET_RUN_TABLES_H

#include "mixnet-fabric-helper.h"

#include "ns3/result-table.h"

#include <cstdint>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup mixnet
 * What every run says of its network.
 */

namespace ns3
{

/// @param run its number @param fabric after the run @param tables /laws, /links and, where frames
/// were dropped, /drops are added
void AddWorldTables(uint32_t run, const MixnetFabric& fabric, std::vector<ResultTable>& tables);

/// @param transport after the run @param lines out: transfers that have not ended, a line each, at
/// most 1000
void AddUnfinished(const Transport& transport, std::vector<std::string>& lines);

} // namespace ns3

#endif // MIXNET_RUN_TABLES_H
