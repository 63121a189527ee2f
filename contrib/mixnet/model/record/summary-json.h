/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_SUMMARY_JSON_H
#define MIXNET_SUMMARY_JSON_H

#include "comparison-table.h"
#include "run-result.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace ns3
{

/// @param labels runs @param results their results, as many or fewer @return "runs" of summary.json
nlohmann::ordered_json MakeSummaryRuns(const std::vector<RunLabel>& labels,
                                       const std::vector<RunResult>& results);

} // namespace ns3

#endif // MIXNET_SUMMARY_JSON_H
