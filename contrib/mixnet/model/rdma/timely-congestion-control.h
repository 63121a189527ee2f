/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TIMELY_CONGESTION_CONTROL_H
#define TIMELY_CONGESTION_CONTROL_H

#include "congestion-control.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * TIMELY (Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015),
 * Algorithm 1, once per Segment of acknowledged bytes, with the round trip rtt of the last packet
 * acknowledged:
 *
 * - diff = (1 - a) diff + a (rtt - rtt before); gradient = diff / D, D the base round trip.
 * - rtt < T_low: rate += delta. rtt > T_high: rate *= 1 - beta (1 - T_high / rtt).
 * - Else, gradient <= 0: rate += N delta, N = 5 after HaiThreshold such events in a row
 * (hyperactive increase), else 1; gradient > 0: rate *= 1 - beta x gradient.
 *
 * With Patched, the last line is that of Zhu et al. ("ECN or Delay", CoNEXT 2016), which has one
 * fixed point: rate = delta (1 - w) + rate (1 - beta' w (rtt - T_low) / T_low), w rising linearly
 * from 0 at a gradient of -1/4 to 1 at 1/4.
 *
 * The thresholds hold for base round trips up to MinRtt; longer paths shift both by the difference.
 * A queue pair starts at line rate (the paper: line rate / (N + 1) with N others of the sender).
 */
class TimelyCongestionControl : public CongestionControl
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    TimelyCongestionControl();

    void Open(uint32_t slot, const CongestionPath& path, SimTick now) override;
    SimTick OnSent(uint32_t slot, uint32_t wireBytes, SimTick now) override;
    void OnFeedback(uint32_t slot, const CongestionFeedback& feedback, SimTick now) override;
    DataRate GetRate(uint32_t slot, SimTick now) override;

    /// @param slot a queue pair @return gradient, in base round trips
    double GetGradient(uint32_t slot) const;
    /// @param slot a queue pair @return T_low of its path, ticks
    double GetLowThreshold(uint32_t slot) const;

  protected:
    void NotifyConstructionCompleted() override;

  private:
    /// State of a queue pair; times in ticks, rates in bits per second.
    struct State
    {
        double rate{0};         //!< present rate
        double line{0};         //!< line rate
        double before{0};       //!< round trip before; 0: none
        double difference{0};   //!< smoothed difference of round trips
        double base{0};         //!< base round trip; 0: not known
        uint64_t bytes{0};      //!< acknowledged towards a segment, on the wire
        uint32_t frameBytes{0}; //!< a full packet on the wire
        uint32_t falling{0};    //!< events in a row with a gradient of at most 0
        bool measured{false};   //!< base is the shortest round trip seen
    };

    /// @param state a queue pair @return how much longer its path is than MinRtt
    double GetShift(const State& state) const;
    /// @param state a queue pair @param rtt a round trip: one completion event
    void Update(State& state, double rtt) const;

    double m_gain{0};            //!< attribute
    double m_beta{0};            //!< attribute
    double m_patchedBeta{0};     //!< attribute
    bool m_patched{false};       //!< attribute
    Time m_low;                  //!< attribute
    Time m_high;                 //!< attribute
    Time m_minRtt;               //!< attribute
    uint32_t m_haiThreshold{0};  //!< attribute
    uint32_t m_segment{0};       //!< attribute
    DataRate m_additive;         //!< attribute
    DataRate m_minimum;          //!< attribute
    double m_ticksPerSecond{0};  //!< of the clock
    std::vector<State> m_states; //!< by slot
};

} // namespace ns3

#endif // TIMELY_CONGESTION_CONTROL_H
