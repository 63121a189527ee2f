/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SWIFT_CONGESTION_CONTROL_H
#define SWIFT_CONGESTION_CONTROL_H

#include "congestion-control.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Swift (Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
 * Datacenter", SIGCOMM 2020), Algorithm 1 and section 3.5, on the fabric delay. cwnd counts
 * packets, rtt is the last round trip:
 *
 * - target = base + hops x h + max(0, min(a / sqrt(cwnd) + b, fs_range)), with a = fs_range / (1 /
 *   sqrt(fs_min) - 1 / sqrt(fs_max)), b = -a / sqrt(fs_max).
 * - Acknowledgement, rtt < target: cwnd += ai x acked / cwnd (cwnd >= 1) or ai x acked.
 * - Otherwise, and if the last decrease is an rtt ago: cwnd *= max(1 - beta (rtt - target) / rtt, 1
 *   - max_mdf).
 * - NACK, and timeout below the limit, if the last decrease is an rtt ago: cwnd *= 1 - max_mdf;
 *   timeout from RetransmitLimit in a row on: cwnd = MinWindow.
 * - cwnd < 1: one packet per rtt / cwnd.
 *
 * The time of a decrease is noted when cwnd shrinks; the paper's "cwnd <= cwnd_prev" would also
 * note it when a decrease was held back, and so hold all of them back for ever.
 *
 * The round trip is that of the echoed time stamp. NICs of this model answer at once, so it is the
 * fabric delay; the second window for endpoint delay is left out.
 */
class SwiftCongestionControl : public CongestionControl
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    SwiftCongestionControl();

    void Open(uint32_t slot, const CongestionPath& path, SimTick now) override;
    SimTick OnSent(uint32_t slot, uint32_t wireBytes, SimTick now) override;
    void OnFeedback(uint32_t slot, const CongestionFeedback& feedback, SimTick now) override;
    DataRate GetRate(uint32_t slot, SimTick now) override;
    uint64_t GetWindow(uint32_t slot) const override;

    /// @param slot a queue pair @return cwnd, packets
    double GetCwnd(uint32_t slot) const;
    /// @param slot a queue pair @return present target delay, ticks
    double GetTarget(uint32_t slot) const;

  protected:
    void NotifyConstructionCompleted() override;

  private:
    /// State of a queue pair; times in ticks.
    struct State
    {
        double cwnd{0};          //!< packets; 0: nothing is known yet
        double most{0};          //!< largest cwnd
        double fixed{0};         //!< target without flow scaling
        double rtt{0};           //!< last round trip
        double line{0};          //!< line rate, bytes per tick
        double base{0};          //!< base round trip
        SimTick decreasedAt{0};  //!< last decrease
        uint32_t hops{0};        //!< of the path
        uint32_t frameBytes{0};  //!< a full packet on the wire
        uint32_t retransmits{0}; //!< timeouts in a row
        bool measured{false};    //!< base is the shortest round trip seen
        bool decreased{false};   //!< decreasedAt means something
    };

    /// @param state a queue pair @param base its base round trip
    void SetBase(State& state, double base) const;
    /// @param state a queue pair @param factor cwnd shrinks to @param now the present
    static void Shrink(State& state, double factor, SimTick now);
    /// @param state a queue pair @return target delay
    double GetTarget(const State& state) const;

    double m_ai{0};                //!< attribute
    double m_beta{0};              //!< attribute
    double m_maxDecrease{0};       //!< attribute
    Time m_baseTarget;             //!< attribute
    Time m_hopTarget;              //!< attribute
    double m_flowRange{0};         //!< attribute
    double m_flowMin{0};           //!< attribute
    double m_flowMax{0};           //!< attribute
    double m_minWindow{0};         //!< attribute
    double m_maxWindow{0};         //!< attribute
    uint32_t m_retransmitLimit{0}; //!< attribute
    double m_ticksPerSecond{0};    //!< of the clock
    std::vector<State> m_states;   //!< by slot
};

} // namespace ns3

#endif // SWIFT_CONGESTION_CONTROL_H
