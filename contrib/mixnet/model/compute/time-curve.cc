/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "time-curve.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

TimeCurve::TimeCurve(std::vector<Point> points, CurveEnds ends, std::string where)
    : m_points(std::move(points)),
      m_ends(ends),
      m_where(std::move(where))
{
    for (std::size_t i = 0; i < m_points.size(); ++i)
    {
        if (m_points[i].time.IsStrictlyNegative())
        {
            throw InputError(m_where, "a time is below zero", "times from 0 on");
        }
        if (i > 0 && m_points[i].tokens <= m_points[i - 1].tokens)
        {
            throw InputError(m_where,
                             std::to_string(m_points[i].tokens) + " copies follow " +
                                 std::to_string(m_points[i - 1].tokens),
                             "rows by rising copies");
        }
    }
}

TimeCurve
TimeCurve::Constant(Time time)
{
    return TimeCurve({{0, time}}, CurveEnds::EXTEND, "");
}

TimeCurve
TimeCurve::Proportional(Time time, uint64_t tokens)
{
    return TimeCurve({{0, Time()}, {tokens, time}}, CurveEnds::EXTEND, "");
}

Time
TimeCurve::Evaluate(uint64_t tokens) const
{
    MIXNET_CHECK(!m_points.empty(), "a curve without points");
    if (m_points.size() == 1)
    {
        return m_points[0].time;
    }
    const Point& first = m_points.front();
    const Point& last = m_points.back();
    if (m_ends == CurveEnds::REFUSE && (tokens < first.tokens || tokens > last.tokens))
    {
        throw InputError(m_where,
                         "an expert gets " + std::to_string(tokens) +
                             " copies, the table reaches from " + std::to_string(first.tokens) +
                             " to " + std::to_string(last.tokens),
                         "more rows, or \"outside\": \"extend\"");
    }
    if (tokens <= first.tokens)
    {
        return first.time;
    }
    auto right =
        std::lower_bound(m_points.begin(), m_points.end(), tokens, [](const Point& p, uint64_t t) {
            return p.tokens < t;
        });
    if (right == m_points.end())
    {
        --right;
    }
    const Point& a = *(right - 1);
    const Point& b = *right;
    const auto rise = static_cast<double>((b.time - a.time).GetTimeStep());
    const double share =
        static_cast<double>(tokens - a.tokens) / static_cast<double>(b.tokens - a.tokens);
    const int64_t ticks = a.time.GetTimeStep() + std::llround(rise * share);
    return TimeStep(static_cast<uint64_t>(std::max<int64_t>(ticks, 0)));
}

TimeCurve
TimeCurve::Multiply(uint32_t factor) const
{
    TimeCurve curve = *this;
    for (Point& p : curve.m_points)
    {
        p.time = p.time * static_cast<int64_t>(factor);
    }
    return curve;
}

} // namespace ns3
