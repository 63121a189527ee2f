/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_CONGESTION_CONTROL_H
#define HPCC_CONGESTION_CONTROL_H

#include "congestion-control.h"

#include <cstddef>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * HPCC (Li et al., "HPCC: High Precision Congestion Control", SIGCOMM 2019), Algorithm 1. Each
 * acknowledgement brings the telemetry of the hops that its packet passed; L is that of the one
 * before, T the base round trip, B the rate of a hop:
 *
 * - u' = min(qlen, L.qlen) / (B T) + (txBytes - L.txBytes) / (ts - L.ts) / B of every hop; u is the
 *   largest, tau the time between its two records, at most T; U = (1 - tau / T) U + tau / T u.
 * - U >= eta or incStage >= maxStage: W = W_c / (U / eta) + W_AI; else W = W_c + W_AI.
 * - Once per round trip (a packet sent after the last time is acknowledged) W_c = W, and incStage
 *   is zero in the first case, one more in the second.
 * - W is at least MinimumRate x T and at most W_init = line rate x T; packets are paced at W / T.
 *
 * A queue pair starts with W = W_init and U = 1. Acknowledgements of a path with other hops than
 * before only replace L. T, when neither path nor attribute tells, is the shortest round trip seen,
 * and nothing is limited before the first one.
 *
 * The header has room for MaxHops hops (42 bytes for the published 5); a longer path is an
 * InputError when a queue pair starts on it, or when its first acknowledgement arrives.
 */
class HpccCongestionControl : public CongestionControl
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    HpccCongestionControl();

    void Open(uint32_t slot, const CongestionPath& path, SimTick now) override;
    SimTick OnSent(uint32_t slot, uint32_t wireBytes, SimTick now) override;
    void OnFeedback(uint32_t slot, const CongestionFeedback& feedback, SimTick now) override;
    DataRate GetRate(uint32_t slot, SimTick now) override;
    uint64_t GetWindow(uint32_t slot) const override;

    /// @param slot a queue pair @return its estimate U of the busiest hop's normalized load
    double GetUtilization(uint32_t slot) const;
    /// @param slot a queue pair @return W_AI, bytes
    double GetAdditive(uint32_t slot) const;

  protected:
    void NotifyConstructionCompleted() override;

  private:
    /// State of a queue pair; windows in bytes on the wire, times in ticks.
    struct State
    {
        double window{0};     //!< W
        double reference{0};  //!< W_c
        double initial{0};    //!< W_init; 0: T is not known
        double additive{0};   //!< W_AI
        double floor{0};      //!< least W
        double load{1};       //!< U
        double rtt{0};        //!< T; 0: not known
        double line{0};       //!< line rate, bytes per tick
        uint64_t updateAt{0}; //!< W_c follows when a packet behind this one is acknowledged
        uint32_t stage{0};    //!< incStage
        uint32_t hops{0};     //!< records in L
        bool measured{false}; //!< T is the shortest round trip seen
    };

    /// @param hops room of the header
    void SetMaxHops(uint32_t hops);
    /// @return room of the header
    uint32_t GetMaxHops() const;
    /// @param hops of a path @throws InputError when the header has no room for them
    void CheckHops(uint32_t hops) const;
    /// @param state a queue pair @param rtt its T, ticks
    void SetRtt(State& state, double rtt) const;
    /// @param state a queue pair @param last its L @param telemetry of a packet @return true when
    /// both are of the same hops
    static bool IsSamePath(const State& state,
                           const TelemetryHop* last,
                           const FrameTelemetry& telemetry);
    /// @param state a queue pair: update U @param last its L @param telemetry of a packet
    void Measure(State& state, const TelemetryHop* last, const FrameTelemetry& telemetry) const;
    /// @param state a queue pair: update W @param commit update W_c
    void ComputeWindow(State& state, bool commit) const;

    double m_eta{0};                     //!< attribute
    uint32_t m_maxStage{0};              //!< attribute
    uint32_t m_maxFlows{0};              //!< attribute
    uint64_t m_additiveBytes{0};         //!< attribute
    DataRate m_minimum;                  //!< attribute
    double m_ticksPerSecond{0};          //!< of the clock
    std::vector<State> m_states;         //!< by slot
    std::vector<TelemetryHop> m_records; //!< L: MaxHops by slot
};

} // namespace ns3

#endif // HPCC_CONGESTION_CONTROL_H
