/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_ECN_MARKER_H
#define MIXNET_ECN_MARKER_H

#include "ns3/data-rate.h"

#include <cstdint>

namespace ns3
{

/// Where an ECN mark is put; unscoped because the EnumValue of old releases holds an int.
enum EcnPoint : uint8_t
{
    ECN_DEQUEUE, //!< when the frame leaves, by the queue behind it (faster feedback)
    ECN_ENQUEUE  //!< when the frame joins, by the queue before it
};

/**
 * @ingroup mixnet
 * RED on the instantaneous queue, as RoCE switches mark for DCQCN (Zhu et al., SIGCOMM 2015):
 * never below Kmin, always from Kmax on, between them with a probability that rises linearly from
 * 0 to Pmax. Pure: the random number comes from the caller.
 */
class EcnMarker
{
  public:
    EcnMarker() = default;

    /**
     * @param kmin bytes
     * @param kmax bytes, at least kmin
     * @param pmax probability just below kmax, 0 to 1
     */
    EcnMarker(uint64_t kmin, uint64_t kmax, double pmax)
        : m_kmin(kmin),
          m_kmax(kmax),
          m_slope(kmax > kmin ? pmax / static_cast<double>(kmax - kmin) : 0)
    {
    }

    /// What a queue asks for.
    enum class Verdict : uint8_t
    {
        NEVER,  //!< no mark
        CHANCE, //!< mark with GetProbability
        ALWAYS  //!< mark
    };

    /// @param bytes length of the queue @return what to do
    Verdict Judge(uint64_t bytes) const
    {
        return bytes < m_kmin    ? Verdict::NEVER
               : bytes >= m_kmax ? Verdict::ALWAYS
                                 : Verdict::CHANCE;
    }

    /// @param bytes length of the queue, from kmin to below kmax @return probability of a mark
    double GetProbability(uint64_t bytes) const
    {
        return m_slope * static_cast<double>(bytes - m_kmin);
    }

    /**
     * Scale a threshold with the rate of a port.
     *
     * @param bytesAt25G value at 25 Gb/s (production values of DCQCN: Kmin 100 kB, Kmax 400 kB)
     * @param rate the port's rate
     * @return bytesAt25G x rate / 25 Gb/s
     */
    static uint64_t Scale(uint64_t bytesAt25G, DataRate rate)
    {
        constexpr uint64_t unit = 1000000; // whole Mb/s keep the product in 64 bits
        return bytesAt25G * (rate.GetBitRate() / unit) / (25000000000ULL / unit);
    }

  private:
    uint64_t m_kmin{UINT64_MAX}; //!< bytes
    uint64_t m_kmax{UINT64_MAX}; //!< bytes
    double m_slope{0};           //!< probability per byte above kmin
};

} // namespace ns3

#endif // MIXNET_ECN_MARKER_H
