/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPTICAL_LOSS_BUDGET_H
#define OPTICAL_LOSS_BUDGET_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup mixnet
 * The light of a circuit from transmitter to receiver, as an error rate.
 *
 * margin = launch power - losses - sensitivity, in dB. At margin 0 the receiver has its reference
 * bit error rate B0 = erfc(Q0 / sqrt(2)) / 2. Its noise being thermal, Q is proportional to the
 * optical power: Q = Q0 10^(margin / 10), and the bit error rate is erfc(Q / sqrt(2)) / 2 (Agrawal,
 * Fiber-Optic Communication Systems, section 4.6). Without forward error correction; a link that
 * corrects errors has the pre-correction threshold of its code as reference. The defaults are a
 * 100GBASE-LR-like link over two fibers and a switch of 3 dB; every one is meant to be replaced
 * by a data sheet's.
 */
struct OpticalLossBudget
{
    double launchDbm{-2.0};       //!< transmitter, into the fiber
    double sensitivityDbm{-8.6};  //!< receiver, at the reference error rate
    double referenceRate{1e-12};  //!< bit error rate at the sensitivity, 1e-30 to 0.4
    double switchLossDb{3.0};     //!< insertion loss of the OCS
    double connectorLossDb{0.5};  //!< of each connector
    uint32_t connectors{4};       //!< of both fibers
    double fiberLossDbPerKm{0.4}; //!< attenuation
    double fiberKm{0.4};          //!< both fibers together (1 us each)

    /// @throws InputError when a loss is negative or the reference is out of range
    void Check() const;
    /// @return power left over at the receiver, in dB; negative: the link is out of budget
    double GetMarginDb() const;
    /// @return bit error rate, 0 to 0.5
    double GetBitErrorRate() const;
};

} // namespace ns3

#endif // OPTICAL_LOSS_BUDGET_H
