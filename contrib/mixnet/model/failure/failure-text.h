/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FAILURE_TEXT_H
#define FAILURE_TEXT_H

#include "failure-event.h"

#include <string>
#include <vector>

/**
 * @file
 * @ingroup mixnet
 * Failures as users write them: a script of lines, or a trace of events in CSV.
 *
 * A line: `t=TIME KIND ELEMENT... ACTION [for TIME]`; `#` begins a comment.
 *
 *     t=3ms nic 0/2 down
 *     t=30ms nic 0/2 up
 *     t=5ms gpu 7 slow 2.0
 *     t=8ms server 3 down for 20ms
 *     t=1ms link leaf-0 spine-1 rate 100Gbps
 *     t=1:dispatch+2us ocs-port 0/5 down
 *
 * TIME is simulated time, or ITERATION:PHASE (start, dispatch, combine, backward, gradients), with
 * an optional +TIME. ACTION: down, up, slow FACTOR (GPUs), rate RATE and ber SHARE (NICs, links,
 * switches, OCS ports and units).
 *
 * CSV: a heading that names the columns `time`, `kind`, `element` and, optionally, `unit`,
 * `duration`, `action` (default: down) and `value` (of slow, rate, ber). Times carry their unit, or
 * have that of the column `unit`. Without a duration it lasts.
 */

namespace ns3
{

/// @param text a line without comment @param where file and line, for messages @return the event
/// @throws InputError when it is not accepted
FailureEvent ParseFailureLine(const std::string& text, const std::string& where);

/// @param line a line of a file @return it without line end and comment
std::string StripFailureLine(std::string line);

/// @param text a script @param name what to call it @return its events, in order of lines
/// @throws InputError naming name:line
std::vector<FailureEvent> ParseFailureScript(const std::string& text, const std::string& name);

/// @param text a trace @param name what to call it @return its events, in order of rows
/// @throws InputError naming name:line
std::vector<FailureEvent> ParseFailureTrace(const std::string& text, const std::string& name);

/// @param path a trace when it ends in .csv, else a script @return its events
/// @throws InputError when it cannot be read, is not accepted or names no failure
std::vector<FailureEvent> ReadFailureFile(const std::string& path);

} // namespace ns3

#endif // FAILURE_TEXT_H
