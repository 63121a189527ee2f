/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DCTCP_CONGESTION_CONTROL_H
#define DCTCP_CONGESTION_CONTROL_H

#include "congestion-control.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * DCTCP (Alizadeh et al., SIGCOMM 2010; RFC 8257) for RoCE. The window counts packets; marks come
 * back with acknowledgements (one sample per acknowledgement):
 *
 * - Acknowledgement: window += acked below the slow-start threshold, else += acked / window.
 * - Once per window of data, F being the marked share of its packets: alpha = (1 - g) alpha + g F;
 *   with any mark: window *= 1 - alpha / 2, which becomes the threshold.
 * - NACK, once per window of data: window /= 2; timeout: threshold = window / 2, window =
 *   MinWindow.
 *
 * A queue pair starts with line rate x base round trip and in congestion avoidance, as RoCE does,
 * instead of slow start; alpha starts at 1 (RFC 8257). Nothing is paced. Switches should mark from
 * one threshold K on (EcnKmin = EcnKmax = K): see the manual.
 */
class DctcpCongestionControl : public CongestionControl
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    DctcpCongestionControl();

    void Open(uint32_t slot, const CongestionPath& path, SimTick now) override;
    SimTick OnSent(uint32_t slot, uint32_t wireBytes, SimTick now) override;
    void OnFeedback(uint32_t slot, const CongestionFeedback& feedback, SimTick now) override;
    DataRate GetRate(uint32_t slot, SimTick now) override;
    uint64_t GetWindow(uint32_t slot) const override;

    /// @param slot a queue pair @return window, packets
    double GetCwnd(uint32_t slot) const;
    /// @param slot a queue pair @return estimate of the marked share
    double GetAlpha(uint32_t slot) const;

  protected:
    void NotifyConstructionCompleted() override;

  private:
    /// State of a queue pair.
    struct State
    {
        double window{0};       //!< packets; 0: base round trip is not known yet
        double threshold{0};    //!< of slow start
        double alpha{1};        //!< estimate of the marked share
        double line{0};         //!< line rate, bytes per tick
        double rtt{0};          //!< last round trip, ticks
        uint64_t end{0};        //!< the window of data ends before this packet
        uint32_t acked{0};      //!< packets of this window of data
        uint32_t marked{0};     //!< of these, marked
        uint32_t frameBytes{0}; //!< a full packet on the wire
        bool halved{false};     //!< a NACK came in this window of data
    };

    /// @param state a queue pair @param feedback packets were acknowledged
    void OnAcked(State& state, const CongestionFeedback& feedback) const;

    double m_gain{0};            //!< attribute
    double m_minWindow{0};       //!< attribute
    double m_ticksPerSecond{0};  //!< of the clock
    std::vector<State> m_states; //!< by slot
};

} // namespace ns3

#endif // DCTCP_CONGESTION_CONTROL_H
