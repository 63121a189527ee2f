/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_TWIN_COMPARISON_H
#define MIXNET_TWIN_COMPARISON_H

#include "run-result.h"

#include <string>

namespace ns3
{

/**
 * @ingroup mixnet
 * Compare a run with its twin: the same run, with the same seed, in which nothing fails. Adds to
 * every row of /failures (and of /recoveries) the column "slowdown": how much longer the iterations
 * that follow it take than the same iterations of the twin, until something else happens; -1 when
 * none followed. Says it in a note, too.
 *
 * Slowdown = sum of durations / sum of the twin's durations - 1, over whole iterations between the
 * instant at which the event was recovered from (reacted to, or happened, if it was not) and the
 * next event that had an effect.
 *
 * @param name of the run, for notes
 * @param twin result of the twin
 * @param result in and out: of the run
 */
void CompareWithTwin(const std::string& name, const RunResult& twin, RunResult& result);

} // namespace ns3

#endif // MIXNET_TWIN_COMPARISON_H
