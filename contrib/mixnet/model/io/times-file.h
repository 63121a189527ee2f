/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_TIMES_FILE_H
#define MIXNET_TIMES_FILE_H

#include "ns3/nstime.h"

#include <map>
#include <string>

namespace ns3
{

/**
 * @ingroup mixnet
 * Mean times of imported measurements, /times (doc/schemas.rst).
 */
struct TimesFile
{
    std::string path;                    //!< file
    std::map<std::string, Time> classes; //!< by class: mean of a measurement
    std::map<std::string, Time> ranges;  //!< by annotated range: mean time of the compute kernels
                                         //!< that were launched inside of it

    /**
     * @param text "class NAME" or "range NAME", or several of them joined by " + "
     * @param where file and key, for the message
     * @return their times, added up
     * @throws InputError for anything else, and for names that the file does not have
     */
    Time Find(const std::string& text, const std::string& where) const;
};

/// @param path file of ./mixnet import @return what it says @throws InputError when it cannot be
/// read or is something else
TimesFile ReadTimesFile(const std::string& path);

} // namespace ns3

#endif // MIXNET_TIMES_FILE_H
