/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "optical-loss-budget.h"

#include "ns3/mixnet-error.h"

#include <cmath>

namespace ns3
{

namespace
{

/// @param q Q factor @return bit error rate
double
RateOf(double q)
{
    return std::erfc(q / std::sqrt(2.0)) / 2;
}

/// @param rate bit error rate @return its Q factor, by bisection: the rate falls with Q
double
FactorOf(double rate)
{
    double low = 0;
    double high = 40;
    for (int i = 0; i < 100; ++i)
    {
        const double middle = (low + high) / 2;
        (RateOf(middle) > rate ? low : high) = middle;
    }
    return low;
}

} // namespace

void
OpticalLossBudget::Check() const
{
    if (!(switchLossDb >= 0 && connectorLossDb >= 0 && fiberLossDbPerKm >= 0 && fiberKm >= 0))
    {
        throw InputError("optical loss budget", "a loss is negative", "losses from 0 dB on");
    }
    if (!(referenceRate >= 1e-30 && referenceRate <= 0.4))
    {
        throw InputError("optical loss budget",
                         "reference error rate " + std::to_string(referenceRate),
                         "1e-30 to 0.4");
    }
}

double
OpticalLossBudget::GetMarginDb() const
{
    return launchDbm - switchLossDb - connectors * connectorLossDb - fiberLossDbPerKm * fiberKm -
           sensitivityDbm;
}

double
OpticalLossBudget::GetBitErrorRate() const
{
    Check();
    return RateOf(FactorOf(referenceRate) * std::pow(10.0, GetMarginDb() / 10));
}

} // namespace ns3
