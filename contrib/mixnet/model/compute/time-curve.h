/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_TIME_CURVE_H
#define MIXNET_TIME_CURVE_H

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What a time curve says beyond its points.
enum class CurveEnds : uint8_t
{
    REFUSE, //!< nothing: asking is a mistake of the input
    EXTEND  //!< before the first point its time, after the last the line of the last two
};

/**
 * @ingroup mixnet
 * Measured time against tokens: linear between its points. A single point holds for any number of
 * tokens; no point means that nothing was measured.
 */
class TimeCurve
{
  public:
    /// A measurement.
    struct Point
    {
        uint64_t tokens{0}; //!< tokens or token copies
        Time time;          //!< how long they take
    };

    TimeCurve() = default;

    /// @param points measurements, tokens rising @param ends what lies beyond
    /// @param where for messages @throws InputError when tokens do not rise or a time is below zero
    TimeCurve(std::vector<Point> points, CurveEnds ends, std::string where);

    /// @param time time whatever the tokens @return the curve
    static TimeCurve Constant(Time time);

    /// @param time time of @param tokens so many tokens, above zero @return a line through no
    /// tokens in no time
    static TimeCurve Proportional(Time time, uint64_t tokens);

    /// @return true when nothing was measured
    bool IsEmpty() const
    {
        return m_points.empty();
    }

    /// @param tokens how many @return their time, to the nearest tick
    /// @throws InputError beyond the points when that is refused
    Time Evaluate(uint64_t tokens) const;

    /// @param factor factor @return the curve with longer times
    TimeCurve Multiply(uint32_t factor) const;

  private:
    std::vector<Point> m_points;         //!< by tokens
    CurveEnds m_ends{CurveEnds::EXTEND}; //!< beyond them
    std::string m_where;                 //!< for messages
};

} // namespace ns3

#endif // MIXNET_TIME_CURVE_H
