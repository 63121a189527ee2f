/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DCQCN_CONGESTION_CONTROL_H
#define DCQCN_CONGESTION_CONTROL_H

#include "congestion-control.h"

#include <vector>

namespace ns3
{

/// Parameters of DCQCN that scale with the line rate, effective values.
struct DcqcnLimits
{
    double line{0};          //!< line rate, bits per second
    double floor{0};         //!< minimum rate, bits per second
    double additive{0};      //!< R_AI, bits per second
    double hyper{0};         //!< R_HAI, bits per second
    uint32_t byteCounter{0}; //!< B, bytes
};

/**
 * @ingroup mixnet
 * DCQCN's reaction point (Zhu et al., "Congestion Control for Large-Scale RDMA Deployments",
 * SIGCOMM 2015, section 3.1), with R_C the current, R_T the target rate:
 *
 * - CNP, at most one per DecreaseInterval: R_T = R_C, R_C = R_C (1 - alpha / 2), alpha = (1 - g)
 *   alpha + g; timers and counters start again.
 * - Every AlphaInterval without a CNP: alpha = (1 - g) alpha.
 * - Every Timer (event count T) and every ByteCounter bytes (event count BC), with the counts
 *   before the event: max(T, BC) < F: fast recovery, R_T stays; min(T, BC) > F: hyper increase,
 *   R_T += R_HAI; else additive increase, R_T += R_AI; then R_C = (R_T + R_C) / 2. R_T never
 *   exceeds the line rate.
 *
 * Without ClampTargetRate, as ConnectX NICs do it (clamp_tgt_rate off,
 * clamp_tgt_rate_after_time_inc on), a CNP sets R_T only if a timer event came since the last
 * decrease: a train of CNPs for one full queue leaves R_T where it was before the train, so that
 * the rate comes back.
 *
 * A queue pair starts at line rate with alpha = 1, and is unlimited again when R_C comes within a
 * millionth of the line rate. Timer events are worked out when the queue pair next sends or hears;
 * the gap behind a packet is its wire time at the R_C of its start.
 *
 * Defaults: decreases are those of ConnectX NICs (AlphaInterval 1 us, dce_tcp_rtt; DecreaseInterval
 * 4 us, rate_reduce_monitor_period; target kept), increases the paper's (section 5.2: Timer 55 us,
 * F = 5). Rates and bytes grow with the line rate C when their attribute is zero: R_AI = C / 1000
 * and B = 10 MB x C / 40G (the paper's 40 Mb/s and 10 MB at 40G), R_HAI = 10 R_AI (ratio of the
 * firmware's defaults). The minimum rate is C / 1000, not the firmware's 1 Mb/s, at which a packet
 * of 4,096 B would take 33 ms. The firmware's increases (300 us, F = 1, 32,767 B) favor whoever is
 * fast: its byte counter ticks for them first.
 */
class DcqcnCongestionControl : public CongestionControl
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    DcqcnCongestionControl();

    void Open(uint32_t slot, const CongestionPath& path, SimTick now) override;
    SimTick OnSent(uint32_t slot, uint32_t wireBytes, SimTick now) override;
    void OnFeedback(uint32_t slot, const CongestionFeedback& feedback, SimTick now) override;
    DataRate GetRate(uint32_t slot, SimTick now) override;
    void FetchState(uint32_t slot) const override;

    /// @param slot a queue pair @param now the present @return its target rate, bits per second
    double GetTarget(uint32_t slot, SimTick now);
    /// @param slot a queue pair @param now the present @return its congestion estimate, 0 to 1
    double GetAlpha(uint32_t slot, SimTick now);
    /// @param lineRate a line rate @return effective parameters there
    DcqcnLimits GetLimits(DataRate lineRate) const;

  protected:
    void NotifyConstructionCompleted() override;

  private:
    /// State of a queue pair; times in ticks.
    struct State
    {
        double current{0};      //!< R_C
        double target{0};       //!< R_T
        double alpha{1};        //!< congestion estimate
        SimTick increasedAt{0}; //!< reference of the rate timer
        SimTick alphaAt{0};     //!< reference of the alpha timer
        SimTick reducedAt{0};   //!< last decrease
        uint64_t bytes{0};      //!< sent towards the byte counter
        uint16_t timerSteps{0}; //!< T
        uint16_t byteSteps{0};  //!< BC
        uint16_t limits{0};     //!< index into m_limits
        bool limited{false};    //!< below line rate
        bool reduced{false};    //!< a CNP has come
    };

    /// @param state a queue pair @param now the present; work off the rate timer
    void AdvanceRate(State& state, SimTick now) const;
    /// @param state a queue pair @param now the present; work off the alpha timer
    void AdvanceAlpha(State& state, SimTick now) const;
    /// @param state a queue pair; one increase event
    void Increase(State& state) const;
    /// @param state a queue pair @param now the present
    void Decrease(State& state, SimTick now) const;

    double m_gain{0};                  //!< g
    bool m_clampTarget{false};         //!< every decrease sets R_T
    uint32_t m_fastSteps{0};           //!< F
    Time m_alphaInterval;              //!< alpha timer
    Time m_timer;                      //!< rate timer
    Time m_decreaseInterval;           //!< least time between decreases
    uint32_t m_byteCounterBytes{0};    //!< B, 0: scaled
    DataRate m_additive;               //!< R_AI, 0: scaled
    DataRate m_hyper;                  //!< R_HAI, 0: scaled
    DataRate m_floor;                  //!< minimum, 0: scaled
    std::vector<DcqcnLimits> m_limits; //!< one per line rate met
    std::vector<State> m_states;       //!< by slot
    double m_ticksPerSecond{0};        //!< of the clock
};

} // namespace ns3

#endif // DCQCN_CONGESTION_CONTROL_H
