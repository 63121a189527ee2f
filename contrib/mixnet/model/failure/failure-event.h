/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FAILURE_EVENT_H
#define FAILURE_EVENT_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What can break.
enum class FailureKind : uint8_t
{
    NIC,        //!< a NIC of a server, with its cable or fiber
    LINK,       //!< a cable or fiber between two named ends
    SWITCH,     //!< an electrical packet switch: all its links
    OCS_PORT,   //!< a port of an optical circuit switch
    OCS,        //!< an optical circuit switch: all its fibers
    CONTROLLER, //!< the controller of a region; circuits stay as they are
    GPU,        //!< a GPU: the rank on it
    SERVER      //!< a server: all its NICs and GPUs
};

constexpr std::size_t N_FAILURE_KINDS = 8; //!< number of kinds

/// @param kind kind @return "nic", "link", "switch", "ocs-port", "ocs", "controller", "gpu",
/// "server"
const char* GetName(FailureKind kind);
/// @return all their names, for messages
std::string ListFailureKinds();
/// @param text name @param where for the message @return the kind @throws InputError for another
FailureKind ParseFailureKind(const std::string& text, const std::string& where);

/// What happens to it.
enum class FailureAction : uint8_t
{
    DOWN,      //!< dead
    UP,        //!< repaired: whatever was wrong with it is over
    SLOW,      //!< a GPU computes slower
    RATE,      //!< links carry less
    BIT_ERRORS //!< links corrupt bits
};

/// @param action action @return "down", "up", "slow", "rate", "ber"
const char* GetName(FailureAction action);

/// Where a training iteration is.
enum class JobPhase : uint8_t
{
    START,    //!< the iteration begins
    DISPATCH, //!< its first all-to-all from tokens to experts
    COMBINE,  //!< its first all-to-all back
    BACKWARD, //!< its first backward pass
    GRADIENTS //!< its first all-reduce of gradients
};

constexpr std::size_t N_JOB_PHASES = 5; //!< number of phases

/// @param phase phase @return "start", "dispatch", "combine", "backward", "gradients"
const char* GetName(JobPhase phase);

/// What breaks, as the user names it; found in a fabric by FindFailureTarget().
struct FailureElement
{
    FailureKind kind{FailureKind::NIC}; //!< kind
    std::string first;                  //!< "0/2" of a NIC, "leaf-3", "7"; one end of a link
    std::string second;                 //!< the other end of a link; empty otherwise

    /// @return e.g. "nic 0/2", "link server-3 leaf-0"
    std::string ToString() const;
};

/// When: at a simulated time, or in a phase of the job.
struct FailureInstant
{
    Time at;                         //!< simulated time, or time since the phase began
    bool inPhase{false};             //!< which of the two
    uint32_t iteration{0};           //!< of the phase
    JobPhase phase{JobPhase::START}; //!< begins for the first time in that iteration

    /// @return "3ms", "1:dispatch", "1:dispatch+2us"
    std::string ToString() const;
};

/**
 * @ingroup mixnet
 * Something breaks, gets worse or is repaired.
 */
struct FailureEvent
{
    FailureInstant when;                       //!< instant
    FailureElement element;                    //!< what
    FailureAction action{FailureAction::DOWN}; //!< what happens to it
    double factor{1};                          //!< SLOW: its times are longer by this
    DataRate rate{0};                          //!< RATE: of each link, per direction
    double bitErrorRate{0};                    //!< BIT_ERRORS: share of bits
    Time duration;                             //!< over by itself after this; 0: by UP only
    std::string origin;                        //!< "file:line" or key, for messages

    /// @return as a line of a script, e.g. "t=3ms nic 0/2 down"
    std::string ToString() const;
};

} // namespace ns3

#endif // FAILURE_EVENT_H
