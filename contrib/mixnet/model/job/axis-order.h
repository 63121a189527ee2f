/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef AXIS_ORDER_H
#define AXIS_ORDER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3
{

/// A direction in which a job is laid out over GPUs.
enum class LayoutAxis : uint8_t
{
    TP,
    CP, //!< place in a CP group
    EP, //!< CP group within an EP group
    DP,
    PP
};

constexpr std::size_t N_LAYOUT_AXES = 5; //!< number of axes

/// @param a axis @return "tp", "cp", "ep", "dp", "pp"
const char* GetName(LayoutAxis a);

/**
 * @ingroup mixnet
 * Which axis steps to the next GPU, which to the next block of these, and so on: Megatron-LM's
 * notation, the fastest first. The default, tp-cp-ep-pp-dp, keeps an EP group on consecutive GPUs
 * and a replica on consecutive EP groups (Megatron-LM's `--use-tp-pp-dp-mapping`; without it,
 * tp-cp-ep-dp-pp).
 */
class AxisOrder
{
  public:
    /// tp-cp-ep-pp-dp
    AxisOrder() = default;

    /**
     * @param text names joined by "-"; those left out come last
     * @param where file and key, for messages
     * @return the order
     * @throws InputError for a name that is unknown or given twice
     */
    static AxisOrder Parse(const std::string& text, const std::string& where);

    /// @return the axes, the fastest first
    const std::array<LayoutAxis, N_LAYOUT_AXES>& GetAxes() const
    {
        return m_axes;
    }

    /// @param a axis @return true when it was named
    bool Names(LayoutAxis a) const
    {
        return m_named[static_cast<std::size_t>(a)];
    }

    /// @return the order in Megatron-LM's notation, all axes
    std::string GetText() const;

  private:
    std::array<LayoutAxis, N_LAYOUT_AXES> m_axes{LayoutAxis::TP,
                                                 LayoutAxis::CP,
                                                 LayoutAxis::EP,
                                                 LayoutAxis::PP,
                                                 LayoutAxis::DP};          //!< the fastest first
    std::array<bool, N_LAYOUT_AXES> m_named{true, true, true, true, true}; //!< by axis
};

} // namespace ns3

#endif // AXIS_ORDER_H
