/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GO_BACK_N_H
#define GO_BACK_N_H

#include "loss-recovery.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * Go-back-N as RoCE NICs do it (IBTA volume 1, section 9.7.5): only the expected packet is
 * delivered, others are dropped, and the sender starts again at the first missing one.
 *
 * One NACK per gap: a gap is open from the packet that reveals it until that very packet is
 * delivered. The packet was dropped when it revealed the gap, so it can only be delivered after
 * the sender has heard the NACK (or timed out): at most one NACK per round trip and queue pair,
 * also when a flow moves between a long and a short path and their packets mix.
 */
class GoBackN : public LossRecovery
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    ReceiveVerdict OnData(ReceiveState& state, uint64_t psn, bool last) override;
    bool OnAck(SendState& state, uint64_t psn) override;
    bool OnNack(SendState& state, uint64_t psn, uint64_t sacked) override;

  private:
    void DoTimeout(SendState& state) override;
};

} // namespace ns3

#endif // GO_BACK_N_H
