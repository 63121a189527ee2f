/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SEND_GOVERNOR_H
#define SEND_GOVERNOR_H

#include "congestion-control.h"
#include "loss-recovery.h"
#include "queue-pair.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class MixnetPort;

/// Limits of what a queue pair may have under way, beside its strategy.
struct WindowOptions
{
    bool automatic{false}; //!< base round trip x line rate
    bool variable{false};  //!< shrinks with the rate: window x rate / line rate
    SimTick baseRtt{0};    //!< base round trip in ticks; 0: from the path
};

/**
 * @ingroup mixnet
 * Between the queue pairs of a NIC and their congestion control: finds out about paths, tells the
 * strategy what it wants to hear, and turns windows of bytes into windows of packets.
 *
 * The window of a queue pair is the least of: the packets it was created with; with the automatic
 * limit, base round trip x line rate (and the packets that wait for one acknowledgement); the
 * strategy's window. When a window shrinks below AckInterval and what is under way, one packet more
 * may go, because the receiver may wait for it. A part of a packet counts as a whole one, so one
 * packet may always be under way. The variable limit multiplies the first two by rate / line rate.
 */
class SendGovernor
{
  public:
    /**
     * @param congestion strategy; must outlive this
     * @param recovery strategy that knows when packets are acknowledged; must outlive this
     * @param options limits
     * @param payload largest payload of a packet, bytes
     */
    void Setup(CongestionControl& congestion,
               const LossRecovery& recovery,
               const WindowOptions& options,
               uint32_t payload);

    /// @return true when acknowledgements must be reported
    bool WantsAcks() const
    {
        return m_congestion->WantsAcks() || m_options.variable;
    }

    /// A queue pair starts with send.window as its limit. @param qp it @param rate of its port
    /// @param now the present
    void Open(QpSender& qp, DataRate rate, SimTick now);

    /// It has something to send: look at its path unless that is known. @param qp it @param port
    /// its port @param now the present
    void LookAtPath(QpSender& qp, MixnetPort& port, SimTick now)
    {
        if (m_wantsPath && !m_limits[qp.number & QpTable::SLOT_MASK].known)
        {
            Probe(qp, port, now);
        }
    }

    /// Its path or the rate of its port is another one: start afresh there. @param qp it, changed
    /// @param port its port @param now the present
    void Restart(QpSender& qp, MixnetPort& port, SimTick now);
    /// Its path changed. @param qp it, changed @param from port before @param to port now
    /// @param now the present
    void Move(QpSender& qp, const MixnetPort& from, MixnetPort& to, SimTick now);

    /// @param qp a sender @param frame ACK or NACK it got, already processed
    /// @param before first packet not acknowledged before @param now the present
    void Report(QpSender& qp, const Frame& frame, uint64_t before, SimTick now);
    /// @param qp a sender that ran out of time @param now the present
    void ReportTimeout(QpSender& qp, SimTick now);

    /// Have a data frame collect telemetry. @param frame it @param room hops
    static void StartTelemetry(Frame& frame, uint32_t room);
    /// A data frame with telemetry has become its answer. @param frame it
    static void KeepTelemetry(Frame& frame);

  private:
    /// What is known of a queue pair.
    struct Limit
    {
        uint32_t given{0};    //!< packets it was created with
        uint32_t packets{0};  //!< and with the automatic limit
        uint32_t interval{1}; //!< packets per acknowledgement
        bool known{false};    //!< its path was found
        double line{0};       //!< line rate, bits per second
    };

    /// @param qp a sender @param port its port @param now the present
    void Probe(QpSender& qp, MixnetPort& port, SimTick now);
    /// @param rate line rate @return path of which nothing else is known
    CongestionPath MakePath(DataRate rate) const;
    /// @param qp a sender: set its window @param now the present
    void Refresh(QpSender& qp, SimTick now);

    CongestionControl* m_congestion{nullptr}; //!< strategy
    const LossRecovery* m_recovery{nullptr};  //!< strategy
    WindowOptions m_options;                  //!< limits
    uint16_t m_payload{0};                    //!< largest payload of a packet, bytes
    uint32_t m_frameBytes{0};                 //!< a full packet on the wire
    uint32_t m_answerBytes{0};                //!< an acknowledgement on the wire
    bool m_wantsPath{false};                  //!< somebody needs to know paths
    bool m_active{false};                     //!< windows change
    std::vector<Limit> m_limits;              //!< by slot
};

} // namespace ns3

#endif // SEND_GOVERNOR_H
