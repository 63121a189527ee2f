/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_FLOW_REPLAY_H
#define MIXNET_FLOW_REPLAY_H

#include "ns3/callback.h"
#include "ns3/flow-file.h"
#include "ns3/mixnet-ids.h"
#include "ns3/standing-timer.h"
#include "ns3/transport.h"

#include <utility>
#include <vector>

namespace ns3
{

/// @ingroup mixnet
/// What became of one flow of a list.
struct FlowOutcome
{
    /// How far it came.
    enum State : uint8_t
    {
        WAITING,   //!< has not started
        STARTED,   //!< under way
        DELIVERED, //!< its last byte has arrived
        LOST       //!< the network gave it up
    };

    int64_t start{0};     //!< ticks
    int64_t end{0};       //!< ticks
    int64_t ideal{0};     //!< ticks that it would take alone; 0: unknown
    State state{WAITING}; //!< how far it came
};

/**
 * @ingroup mixnet
 * Sends the flows of a list at their times and as their triggers say. A flow that is lost activates
 * no trigger.
 *
 * A sender knows of a delivery when the acknowledgement has come back: the propagation of the way
 * later.
 */
class FlowReplay : private TransferSink, private StandingTimer::Owner
{
  public:
    /// Where a flow begins and ends.
    using Ends = std::pair<GpuId, GpuId>;
    /// What a flow would take alone, and the propagation of its way, in ticks; both 0: no way now
    using Judge = Callback<std::pair<int64_t, int64_t>, const Transfer&, TransferId>;

    /**
     * @param flows flow list; must outlive this
     * @param ends by flow: GPUs
     * @param transport moves the bytes
     * @param judge asked once per flow, when it starts
     */
    FlowReplay(const FlowFile& flows,
               std::vector<Ends> ends,
               Ptr<Transport> transport,
               const Judge& judge);
    ~FlowReplay() override;

    /// Start the list now. @param finished told once all flows have ended
    void Start(const Callback<void>& finished);

    /// @return what became of every flow, by row
    const std::vector<FlowOutcome>& GetOutcomes() const
    {
        return m_outcomes;
    }

    /// @param row a flow @return its GPUs
    const Ends& GetEnds(std::size_t row) const
    {
        return m_ends[row];
    }

    /// @return flows that have ended, delivered or lost
    std::size_t GetNEnded() const
    {
        return m_ended;
    }

  private:
    void OnCompletion(const Completion& completion) override;
    void OnTimer(uint32_t index) override;
    /// Send flows as one batch. @param rows which
    void Send(const std::vector<uint32_t>& rows);
    /// @param trigger activated once
    void Activate(uint32_t trigger);

    const FlowFile& m_flows;             //!< flow list
    std::vector<Ends> m_ends;            //!< by flow
    Ptr<Transport> m_transport;          //!< moves the bytes
    Judge m_judge;                       //!< ideal times
    TriggerBook m_triggers;              //!< what is still to start
    std::vector<uint32_t> m_order;       //!< flows that start by themselves, by time
    std::size_t m_next{0};               //!< next one of m_order
    int64_t m_begin{0};                  //!< tick of Start()
    StandingTimer m_timer;               //!< next start
    std::vector<FlowOutcome> m_outcomes; //!< by flow
    std::vector<int64_t> m_return;       //!< by flow: propagation of its way; kept for send_done
    std::size_t m_ended{0};              //!< flows that have ended
    std::vector<uint32_t> m_rows;        //!< scratch: flows to send
    std::vector<Transfer> m_batch;       //!< scratch: their transfers
    Callback<void> m_finished;           //!< told once
};

} // namespace ns3

#endif // MIXNET_FLOW_REPLAY_H
