/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NO_CONGESTION_CONTROL_H
#define NO_CONGESTION_CONTROL_H

#include "congestion-control.h"

#include "ns3/mixnet-byte-count.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * A fixed rate, the port's by default; PFC alone holds senders back.
 */
class NoCongestionControl : public CongestionControl
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    void Open(uint32_t slot, const CongestionPath& path, SimTick now) override;
    SimTick OnSent(uint32_t slot, uint32_t wireBytes, SimTick now) override;
    void OnFeedback(uint32_t slot, const CongestionFeedback& feedback, SimTick now) override;
    DataRate GetRate(uint32_t slot, SimTick now) override;

  private:
    DataRate m_rate;                  //!< fixed rate; zero: the port's
    std::vector<uint64_t> m_bitRates; //!< by slot: rate, bits per second
    std::vector<RateClock> m_clocks;  //!< by slot, with a fixed rate: its gaps, remainders carried
};

} // namespace ns3

#endif // NO_CONGESTION_CONTROL_H
