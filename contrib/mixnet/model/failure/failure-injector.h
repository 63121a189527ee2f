/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FAILURE_INJECTOR_H
#define FAILURE_INJECTOR_H

#include "failure-detection.h"
#include "failure-event.h"
#include "failure-log.h"
#include "failure-state.h"
#include "rank-failure.h"

#include "ns3/event-id.h"
#include "ns3/fabric-control.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/regional-controller.h"
#include "ns3/transport.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Makes failures happen, in either world: network elements through FabricControl, controllers by
 * RegionalController::Fail(), ranks by callbacks.
 *
 * Three instants. *At*: physics. Links carry nothing (FabricControl::SetBroken), GPUs stop;
 * transfers and tables know nothing of it. *Detected*, a detection time of the kind later.
 * *Reacted*, after ReactionTime: the edges of the element are down for the cause FAILURE, as they
 * are then; routing, transfers and planners follow the graph; a dead controller is asked no more;
 * the job hears of its ranks. Repairs are detected and reacted to likewise. A failure that is over
 * before it is detected leaves no trace but what was lost.
 *
 * Use: SetFabric(), SetController() for each, SetRankCallback(), SetSchedule(), Start(); OnPhase()
 * from the job; Finish() at the end; GetLog().
 */
class FailureInjector : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    FailureInjector();
    ~FailureInjector() override;

    /// @param detection times of all kinds
    void SetDetectionTimes(const FailureDetection& detection);
    /// @param control the door to the network @param transport what moves the bytes
    void SetFabric(Ptr<FabricControl> control, Ptr<Transport> transport);
    /// @param controller of its region, which may fail
    void SetController(Ptr<RegionalController> controller);
    /// @param callback hears of GPUs, twice for each event: when it happens and when it is detected
    void SetRankCallback(const RankFailureCallback& callback);

    /**
     * @param events what happens, in any order; may be called again, to add more
     * @throws InputError when an element is not in the fabric, or the world cannot do it
     */
    void SetSchedule(const std::vector<FailureEvent>& events);
    /// @param stream first random stream, of bit errors @return number of streams used
    int64_t AssignStreams(int64_t stream);
    /// The clock runs: wait for the first event.
    void Start();

    /// The job enters a phase, for the first time in this iteration: events that wait for it
    /// happen.
    /// @param iteration iteration @param phase phase
    void OnPhase(uint32_t iteration, JobPhase phase);

    /// The run is over. @return what never happened, a line each
    std::vector<std::string> Finish();

    /// @return what became of the events
    FailureLog& GetLog();
    /// @return what is wrong now
    const FailureState& GetState() const;
    /// @return longest switchover that is allowed
    Time GetBudget() const;
    /// @param kind kind of element @return time from a failure to its detection
    Time GetDetectionTime(FailureKind kind) const;

  protected:
    void DoDispose() override;

  private:
    /// An event and its element.
    struct Planned
    {
        FailureEvent event;     //!< as given
        std::size_t element{0}; //!< number in the state
        bool done{false};       //!< it has happened
    };

    /// Have the next timed event happen in time.
    void Wait();
    /// All timed events of now.
    void FireDue();
    /// @param index a planned event: it happens
    void Fire(std::size_t index);
    /// @param index a planned event whose duration is over
    void Expire(std::size_t index);
    /// @param planned the event @param action what happens @param effect what it changed
    void Act(const Planned& planned, FailureAction action, const FailureEffect& effect);
    /// @param effect links, rates, errors and controllers follow @param element number
    void Impose(const FailureEffect& effect, std::size_t element);
    /// @param record of an event @param element its element: somebody knows
    void Detect(std::size_t record, std::size_t element);
    /// @param record of an event @param element its element: ways, plans and ranks follow
    void React(std::size_t record, std::size_t element);
    /// @param record of an event @param gpus its GPUs @param detected second call
    void TellRanks(std::size_t record, const std::vector<GpuId>& gpus, bool detected);
    /// Ways may have come back by other means: a circuit, an operator. @param change ignored
    void OnChange(const GraphChange& change);
    /// What was given up needs no way. @param completion of a transfer
    void OnCompletion(const Completion& completion);
    /// Records that wait for their transfers to have ways.
    void CheckRecovery();
    /// What was lost and sent again since the last event belongs to it.
    void CloseLosses();

    FailureDetection m_detection;                       //!< until somebody knows
    Time m_reaction;                                    //!< attribute
    Time m_budget;                                      //!< attribute
    Ptr<FabricControl> m_control;                       //!< the door
    Ptr<Transport> m_transport;                         //!< what moves the bytes
    std::vector<Ptr<RegionalController>> m_controllers; //!< by region; may be null
    RankFailureCallback m_ranks;                        //!< hears of GPUs
    std::unique_ptr<FailureState> m_state;              //!< what is wrong
    std::vector<Planned> m_plan;                        //!< by time; those in phases last
    std::size_t m_next{0};                              //!< next timed event
    std::vector<std::vector<GpuId>> m_touched;          //!< by record: GPUs
    std::vector<std::size_t> m_open;                    //!< records not recovered
    std::size_t m_last{SIZE_MAX};                       //!< record that losses belong to
    FabricLosses m_before;                              //!< when it happened
    FailureLog m_log;                                   //!< what became of events
    int64_t m_stream{0};                                //!< first stream
    EventId m_timer;                                    //!< next timed event
    std::vector<EventId> m_events;                      //!< all others
};

} // namespace ns3

#endif // FAILURE_INJECTOR_H
