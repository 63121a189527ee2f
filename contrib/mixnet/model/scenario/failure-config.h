/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FAILURE_CONFIG_H
#define FAILURE_CONFIG_H

#include "ns3/failure-detection.h"
#include "ns3/failure-event.h"
#include "ns3/failure-rates.h"
#include "ns3/mixnet-json.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/// What fails, and how fast it is noticed.
struct FailureConfig
{
    std::vector<FailureEvent> events;        //!< given ones, in order of reading
    FailureRates rates{};                    //!< of drawn ones
    Time horizon;                            //!< drawn ones begin until then
    FailureDetection detection;              //!< until somebody knows
    Time reactionTime;                       //!< from then until ways and plans have changed
    Time switchoverBudget{MilliSeconds(50)}; //!< longest switchover in time

    /// @return true when nothing ever fails
    bool IsEmpty() const;
};

/// Finds a file that a key names. @param given as written @param where for the message @return path
using FindInput = std::function<std::string(const std::string& given, const std::string& where)>;

/**
 * @param f the object "failures"
 * @param findInput finds files, and notes them as inputs
 * @param iterations of the training job; 0: none, events in its phases are refused
 * @return what it says
 * @throws InputError when it is not accepted
 */
FailureConfig ReadFailures(const JsonReader& f, const FindInput& findInput, uint32_t iterations);

} // namespace ns3

#endif // FAILURE_CONFIG_H
