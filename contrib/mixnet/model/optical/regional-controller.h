/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REGIONAL_CONTROLLER_H
#define REGIONAL_CONTROLLER_H

#include "circuit-map.h"
#include "circuit-planner.h"
#include "demand-book.h"
#include "plan-objective.h"
#include "reconfiguration-policy.h"

#include "ns3/callback.h"
#include "ns3/demand.h"
#include "ns3/event-id.h"
#include "ns3/fabric-control.h"
#include "ns3/mixnet-ids.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <optional>
#include <vector>

namespace ns3
{

/// What a region's controller is doing.
enum class RegionState : uint8_t
{
    STEADY,     //!< nothing: the plan is lit
    COMMANDING, //!< demand and command are on their way (control latency); light as before
    DRAINING,   //!< no new traffic on the fibers concerned; what is under way arrives
    SWITCHING,  //!< dark: mirrors move
    ACTIVATING  //!< dark: transceivers lock
};

/// @param s state @return "steady", "commanding", "draining", "switching", "activating"
const char* GetName(RegionState s);

/// One decision, for the log.
struct CircuitDecision
{
    Time time;                    //!< when
    RegionId region;              //!< where
    AllToAllId id;                //!< the all-to-all it is about
    AllToAllEvent event;          //!< what happened to it
    ReconfigurationAction action; //!< what the policy answered
    const char* why{""};          //!< its reason
    Time predictedCurrent;        //!< finish time with the plan that was there
    Time predictedProposed;       //!< finish time with the proposed plan; equal to the
                                  //!< former when no plan was computed
    uint32_t changed{0};          //!< circuits the proposed plan adds; 0 when kept
    bool kept{true};              //!< true: no circuit is touched
    uint32_t circuits{0};         //!< circuits of the plan in force after the decision
    uint32_t idlePorts{0};        //!< healthy ports that this plan leaves unused
    uint64_t plan{0};             //!< CircuitPlan::GetHash() of this plan
};

/// One reconfiguration, told when it is lit.
struct CircuitReconfiguration
{
    RegionId region;               //!< where
    AllToAllId id;                 //!< the all-to-all that caused it
    Time requested;                //!< decided
    Time held;                     //!< new traffic is held back from here on
    Time drained;                  //!< the last byte has left, or the drain timeout: dark
    Time switched;                 //!< switching is over
    Time lit;                      //!< light again
    bool forced{false};            //!< the drain timeout ended the drain
    std::vector<Circuit> added;    //!< new pairs
    std::vector<Circuit> removed;  //!< old pairs
    uint32_t kept{0};              //!< pairs that stay
    std::vector<EdgeId> darkEdges; //!< fibers concerned

    /// @return drain, switching and activation (design, section 2)
    Time GetDarkTime() const
    {
        return lit - held;
    }
};

/**
 * @ingroup mixnet
 * The controller of one OCS region (paper, section 4.2): hears of the all-to-alls of the region's
 * EP group, asks its ReconfigurationPolicy when and its CircuitPlanner how to set the circuits,
 * and acts through FabricControl only. Controllers of different regions do not know each other.
 *
 * Transitions (all of them in Enter()):
 *
 *     STEADY -> COMMANDING    a plan differs from the circuits there are
 *     COMMANDING -> DRAINING  after ControlLatency (always in an event of its own): Quiesce
 *     DRAINING -> SWITCHING   drained, or DrainTimeout: fibers down, ports matched anew
 *     DRAINING -> STEADY      the plan changed meanwhile and nothing is left to do
 *     SWITCHING -> ACTIVATING after SwitchingDelay
 *     ACTIVATING -> STEADY    after ActivationTime: fibers up, Resume, waiters start
 *
 * A plan that comes while the switch is commanded replaces the one on its way; while it drains,
 * switches or activates it waits, and a later one replaces it. Whoever waited for a replaced plan
 * waits for its successor. An empty difference is no reconfiguration.
 *
 * Use: SetFabric(), attributes, optional demands, Start(); then per all-to-all Announce() (if the
 * operation before it is known), Request(), Finish().
 */
class RegionalController : public Object
{
  public:
    /// Which fibers of the region go dark in a reconfiguration.
    enum DarkScope
    {
        CHANGED, //!< those whose circuit changes
        REGION   //!< all fibers of the region (paper-like)
    };

    /// Told when an all-to-all may start.
    using StartCallback = Callback<void>;

    /// @return the TypeId
    static TypeId GetTypeId();

    RegionalController();

    /// @param control the door to the network @param region whose circuits to control
    void SetFabric(Ptr<FabricControl> control, RegionId region);

    /// @param average average demand of an all-to-all (servers of the region), for static plans
    void SetAverageDemand(const DemandMatrix& average);

    /// @param standing bytes per iteration of DP and PP (servers of the region), for planners of
    /// fabrics without an EPS
    void SetStandingDemand(const DemandMatrix& standing);

    /**
     * Check the configuration and light the initial plan that the policy asks for, without dark
     * time. Before the run.
     *
     * @throws InputError when the planner cannot serve the region
     */
    void Start();

    /**
     * The operation before this all-to-all has started; the controller may begin to reconfigure.
     *
     * @param id the all-to-all
     * @param demand its bytes, known or predicted
     */
    void Announce(const AllToAllId& id, const DemandMatrix& demand);

    /**
     * The all-to-all is ready.
     *
     * @param id the all-to-all
     * @param demand its bytes
     * @param start called once, from an event of its own, as soon as it may begin: in the next
     * event of the same instant if nothing is awaited
     */
    void Request(const AllToAllId& id, const DemandMatrix& demand, const StartCallback& start);

    /// @param id a requested all-to-all whose last byte has arrived
    void Finish(const AllToAllId& id);

    /// @return what it is doing
    RegionState GetState() const;
    /// @return its region
    RegionId GetRegion() const;
    /// @return circuits lit, or to be lit by what is under way
    const CircuitPlan& GetPlan() const;
    /// @return reconfigurations that have become lit
    uint64_t GetNReconfigurations() const;
    /// @return decisions to reconfigure that found the circuits as wanted
    uint64_t GetNKept() const;

    /// @param stream first stream to use @return number of streams used
    int64_t AssignStreams(int64_t stream);

    /// TracedCallback signature for decisions.
    typedef void (*DecisionTracedCallback)(const CircuitDecision& decision);
    /// TracedCallback signature for reconfigurations.
    typedef void (*ReconfigurationTracedCallback)(const CircuitReconfiguration& reconfiguration);
    /// TracedCallback signature for states.
    typedef void (*StateTracedCallback)(RegionState from, RegionState to);

  protected:
    void DoDispose() override;

  private:
    /// An all-to-all that is asked about again when it is over.
    struct Active
    {
        AllToAllId id;       //!< which
        DemandMatrix demand; //!< its bytes
    };

    /// An all-to-all that waits for light.
    struct Waiter
    {
        uint64_t generation; //!< of the plan it waits for
        StartCallback start; //!< whom to tell
    };

    /// A plan on its way into the switch.
    struct Target
    {
        uint64_t generation{0}; //!< rises with every plan
        AllToAllId id;          //!< who asked
        Time requested;         //!< when
        CircuitPlan plan;       //!< what to light
    };

    /// @name Decisions
    /// @{

    /// @param id all-to-all @param event event @param demand its bytes
    /// @return generation of the plan to wait for; 0 to start at once
    uint64_t Consult(const AllToAllId& id, AllToAllEvent event, const DemandMatrix& demand);
    /// @param id who asked @param plan what to light @param change its difference to what is lit
    /// @return generation that has it; 0 when it is lit
    uint64_t Retarget(const AllToAllId& id, const CircuitPlan& plan, const PlanChange& change);
    /// @param decision filled but for the plan
    void Log(CircuitDecision& decision);
    /// @return true when nothing is under way and nothing waits
    bool IsIdle() const;
    /// @return expected control, switching and activation time
    Time GetExpectedDarkTime() const;
    /// @param name what it is @param demand a matrix whose shape to check
    void CheckShape(const char* name, const DemandMatrix& demand) const;
    /// @return the plan to light before the run
    CircuitPlan MakeInitialPlan();
    /// @}

    /// @name Transitions
    /// @{

    /// The only place that changes the state. @param next new state
    void Enter(RegionState next);
    /// Hold the fibers of the target back, or be steady if there is nothing to do.
    void Drain();
    /// @param empty false: the timeout came first
    void OnDrained(bool empty);
    /// Fibers down, ports matched anew.
    void Switch();
    /// Fibers up, traffic on; tell.
    void Light();
    /// The target is in force: start who waits, take up what waits.
    void Settle();
    /// @param start whom to tell, from an event of its own
    static void Tell(StartCallback start);
    /// @}

    Ptr<FabricControl> m_control;                  //!< the door
    RegionId m_region;                             //!< the region
    RegionPorts m_ports;                           //!< its ports
    RegionRates m_rates;                           //!< its rates
    Ptr<ReconfigurationPolicy> m_policy;           //!< when
    Ptr<CircuitPlanner> m_planner;                 //!< how
    Time m_switchingDelay;                         //!< constant, or expected
    Ptr<RandomVariableStream> m_switchingVariable; //!< seconds; null: constant
    Time m_controlLatency;                         //!< demand and command
    Time m_activationTime;                         //!< transceivers
    Time m_drainTimeout;                           //!< zero: no limit
    DarkScope m_scope{CHANGED};                    //!< which fibers go dark
    DemandMatrix m_average;                        //!< may be empty
    DemandBook m_book;                             //!< demand and proposals

    RegionState m_state{RegionState::STEADY}; //!< what it is doing
    CircuitPlan m_plan;                       //!< lit, or to be lit
    uint64_t m_generation{0};                 //!< of the last target
    std::optional<Target> m_waiting;          //!< waits for its turn
    Target m_target;                          //!< being lit
    PlanChange m_change;                      //!< its difference
    CircuitReconfiguration m_record;          //!< its record
    FabricControl::Token m_token{0};          //!< its Quiesce
    EventId m_event;                          //!< next transition
    std::vector<Active> m_active;             //!< requested, not finished
    std::vector<Waiter> m_waiters;            //!< in order of arrival

    uint64_t m_reconfigurations{0}; //!< lit
    uint64_t m_kept{0};             //!< empty differences

    TracedCallback<const CircuitDecision&> m_decisionTrace;               //!< decisions
    TracedCallback<const CircuitReconfiguration&> m_reconfigurationTrace; //!< reconfigurations
    TracedCallback<RegionState, RegionState> m_stateTrace;                //!< states
};

} // namespace ns3

#endif // REGIONAL_CONTROLLER_H
