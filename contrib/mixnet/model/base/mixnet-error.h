/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_ERROR_H
#define MIXNET_ERROR_H

#include <sstream>
#include <stdexcept>
#include <string>

/**
 * @defgroup mixnet MixNet: MoE training on hybrid optical/electrical fabrics
 *
 * Errors come in three kinds that are never mixed: wrong user input (InputError, exit code 1),
 * a broken invariant (InvariantError, exit code 3) and a simulated fault (a value and a trace).
 */

namespace ns3
{

/**
 * @ingroup mixnet
 * Wrong user input. The message names the file, the key or line, the value and what is accepted.
 */
class InputError : public std::runtime_error
{
  public:
    /**
     * @param where file and key, line or dataset, e.g. "scenario.json: fabric.nicRate"
     * @param problem what is wrong with which value, e.g. "'400' has no unit"
     * @param accepted what would be accepted, e.g. "a rate such as 400Gbps"; may be empty
     */
    InputError(const std::string& where,
               const std::string& problem,
               const std::string& accepted = std::string())
        : std::runtime_error(where + ": " + problem +
                             (accepted.empty() ? std::string() : "; accepted: " + accepted))
    {
    }
};

/**
 * @ingroup mixnet
 * A broken invariant: a bug of ours, never the user's fault.
 */
class InvariantError : public std::logic_error
{
  public:
    using std::logic_error::logic_error;
};

} // namespace ns3

/**
 * @ingroup mixnet
 * Always-on check of an invariant; optimized builds drop NS_ASSERT, this one stays.
 *
 * @param condition what must hold
 * @param message streamed into the exception, e.g. "queue " << i << " is negative"
 */
#define MIXNET_CHECK(condition, message)                                                           \
    do                                                                                             \
    {                                                                                              \
        if (!(condition))                                                                          \
        {                                                                                          \
            std::ostringstream mixnetCheckText;                                                    \
            mixnetCheckText << __FILE__ << ":" << __LINE__ << ": " << #condition << ": "           \
                            << message;                                                            \
            throw ns3::InvariantError(mixnetCheckText.str());                                      \
        }                                                                                          \
    } while (false)

#endif // MIXNET_ERROR_H
