/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REFUSAL_H
#define REFUSAL_H

#include "ns3/mixnet-error.h"

#include <string>

/// @ingroup mixnet-test
/// @param act what is tried @param text part of the message
/// @return true when it throws an InputError that says so
template <class Act>
bool
Refuses(Act act, const char* text)
{
    try
    {
        act();
    }
    catch (const ns3::InputError& e)
    {
        return std::string(e.what()).find(text) != std::string::npos;
    }
    return false;
}

#endif // REFUSAL_H
