/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SWITCHING_DELAY_TABLE_H
#define SWITCHING_DELAY_TABLE_H

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Measured switching delays by the number of port pairs that are switched together. Between two
 * measurements the delay is interpolated linearly; below the first and above the last it is
 * theirs: what was not measured is not extrapolated.
 */
class SwitchingDelayTable
{
  public:
    /// An empty table.
    SwitchingDelayTable() = default;

    /**
     * @param text "1:41.4ms, 4:42.4ms, 16:46.8ms" (pairs, rising, and their delay), "prototype"
     * for just these (the paper's Polatis switch), or "" for an empty table
     * @param where file and key, for the message
     * @return the table
     * @throws InputError when it is none of these
     */
    static SwitchingDelayTable Parse(const std::string& text, const std::string& where);

    /// @return true without measurements
    bool IsEmpty() const;
    /// @param pairs pairs switched together @return the delay; zero when the table is empty
    Time Get(uint32_t pairs) const;
    /// @return as Parse() takes it
    std::string ToString() const;

  private:
    std::vector<std::pair<uint32_t, Time>> m_points; //!< pairs, rising, and delay
};

/**
 * @ingroup mixnet
 * The clock of picoseconds ends after 2562 hours, which longer delays would soon pass.
 *
 * @param delay of a switch or its controller
 * @param where place, for messages
 * @return the delay
 * @throws InputError when it is above one hour
 */
Time CheckOpticalDelay(Time delay, const std::string& where);

} // namespace ns3

#endif // SWITCHING_DELAY_TABLE_H
