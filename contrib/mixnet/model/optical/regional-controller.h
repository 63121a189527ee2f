/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REGIONAL_CONTROLLER_H
#define REGIONAL_CONTROLLER_H

#include "circuit-planner.h"
#include "circuit-switcher.h"
#include "decision-log.h"
#include "demand-book.h"
#include "demand-knowledge.h"
#include "demand-prediction.h"
#include "plan-objective.h"
#include "reconfiguration-policy.h"

#include "ns3/callback.h"
#include "ns3/demand.h"
#include "ns3/mixnet-ids.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/traced-callback.h"

#include <optional>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * The controller of one OCS region (paper, section 4.2): hears of the all-to-alls of the region's
 * EP group, asks its ReconfigurationPolicy when and its CircuitPlanner how to set the circuits,
 * and acts through FabricControl only. Controllers of different regions do not know each other.
 *
 * A plan that comes while the switch is commanded replaces the one on its way; while it drains,
 * switches or activates it waits, and a later one replaces it. Whoever waited for a replaced plan
 * waits for its successor. An empty difference is no reconfiguration.
 *
 * Use: SetFabric(), attributes, optional demands, Start(); then per all-to-all Announce() (if the
 * operation before it is known), Request(), Finish().
 */
class RegionalController : public CircuitSwitcher
{
  public:
    /// Kind of circuits, as CircuitKind.
    enum Circuits
    {
        DUPLEX, //!< both ways
        SIMPLEX //!< one way
    };

    /// Told when an all-to-all may start.
    using StartCallback = Callback<void>;

    /// @return the TypeId
    static TypeId GetTypeId();

    RegionalController();

    /// It decides by itself.
    void Turn(const std::vector<Circuit>& wanted, const LitCallback& lit) = delete;
    /// @param control the door to the network @param region whose circuits to control
    void SetFabric(Ptr<FabricControl> control, RegionId region) override;

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

    /**
     * Only for the decision log: the first byte leaves now. Without this call an all-to-all begins
     * when it is told that it may; one that spans regions waits for all of them.
     *
     * @param id a requested all-to-all
     */
    void Begin(const AllToAllId& id);

    /// @param id a requested all-to-all whose last byte has arrived
    void Finish(const AllToAllId& id);

    /// @name Failure of the controller itself; circuits stay as they are
    /// @{

    /// It is dead, and nobody knows: all-to-alls that are ready wait for its answer. A command on
    /// its way never arrives; what the switch has begun it ends by itself.
    void Fail();
    /// It is known to be dead: all-to-alls begin at once with what is lit, those that wait as well.
    void GiveUp();
    /// It plans again, from what is lit then. Those that wait begin with that.
    void Recover();
    /// @return true unless it is dead
    bool IsAlive() const;
    /// @}

    /// The job was interrupted: no all-to-all that was requested is awaited any more. What the
    /// switch does goes on.
    void ForgetRequests();

    /// @return what the plan lit before the run is made for; null: for no demand
    const DemandMatrix* GetInitialDemand() const;
    /// @return bytes of other traffic that planners look at, or null
    const DemandMatrix* GetStandingDemand() const;

    /// @return circuits lit, or to be lit by what is under way
    const CircuitPlan& GetPlan() const;

    /// @param stream first stream to use @return number of streams used
    int64_t AssignStreams(int64_t stream) override;

    /// TracedCallback signature for decisions.
    typedef void (*DecisionTracedCallback)(const CircuitDecision& decision);
    /// TracedCallback signature for outcomes.
    typedef void (*OutcomeTracedCallback)(const CircuitOutcome& outcome);
    /// TracedCallback signature for predictions.
    typedef void (*PredictionTracedCallback)(const DemandPrediction& prediction);

  protected:
    void DoDispose() override;
    PlanChange FindChange() override;
    Time GetCommandTime() const override;
    void Lit(const CircuitReconfiguration& reconfiguration) override;
    void Settle() override;

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
        AllToAllId id;       //!< which
        StartCallback start; //!< whom to tell
    };

    /// Whether it works.
    enum class Health : uint8_t
    {
        ALIVE,   //!< it does
        DEAD,    //!< it does not answer
        GIVEN_UP //!< nobody asks it
    };

    /// Generation that never comes: of those who wait for a dead controller.
    static constexpr uint64_t UNANSWERED = UINT64_MAX;

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
    /// @param id an all-to-all @param event event @param basis demand to plan for @param demand its
    /// bytes @param healthy ports @return what to light
    CircuitPlan Propose(const AllToAllId& id,
                        AllToAllEvent event,
                        const DemandMatrix& basis,
                        const DemandMatrix& demand,
                        const PortTable& healthy);
    /// Tell listeners how well a dispatch was predicted. @param id a requested all-to-all
    /// @param demand its bytes
    void JudgePrediction(const AllToAllId& id, const DemandMatrix& demand);
    /// Those who wait for a dead controller begin.
    void ReleaseUnanswered();
    /// @param id who asked @param plan what to light @param change its difference to what is lit
    /// @return generation that has it; 0 when it is lit
    uint64_t Retarget(const AllToAllId& id, const CircuitPlan& plan, const PlanChange& change);
    /// @param decision filled but for the plan
    void Log(CircuitDecision& decision);
    /// @return true when somebody listens to decisions or outcomes
    bool IsLogging() const;
    /// @param outcomes to be told
    void TellOutcomes(const std::vector<CircuitOutcome>& outcomes);
    /// @return true when nothing is under way and nothing waits
    bool IsIdle() const;
    /// @param pairs pairs to switch @return expected control, switching and activation time
    Time GetExpectedDarkTime(uint32_t pairs) const;
    /// @param name what it is @param demand a matrix whose shape to check
    void CheckShape(const char* name, const DemandMatrix& demand) const;
    /// @param plan a plan @return what to change for it
    PlanChange Map(const CircuitPlan& plan) const;
    /// @return kind of the circuits to plan
    CircuitKind GetKind() const;
    /// @return the plan to light before the run
    CircuitPlan MakeInitialPlan();
    /// @}

    RegionRates m_rates;                 //!< its rates
    Ptr<ReconfigurationPolicy> m_policy; //!< when
    Ptr<CircuitPlanner> m_planner;       //!< how
    DemandMatrix m_average;              //!< may be empty
    DemandBook m_book;                   //!< demand and proposals
    Ptr<DemandPredictor> m_predictor;    //!< may be null
    DemandKnowledge m_knowledge;         //!< what plans are made for

    Circuits m_circuits{DUPLEX};                          //!< attribute
    RegionPorts::NicMapping m_mapping{RegionPorts::NUMA}; //!< attribute

    Health m_health{Health::ALIVE};  //!< whether it works
    CircuitPlan m_plan;              //!< lit, or to be lit
    uint64_t m_generation{0};        //!< of the last target
    std::optional<Target> m_waiting; //!< waits for its turn
    Target m_target;                 //!< being lit
    std::vector<Active> m_active;    //!< requested, not finished
    std::vector<Waiter> m_waiters;   //!< in order of arrival
    DecisionLog m_log;               //!< what decisions led to, while somebody listens

    TracedCallback<const CircuitDecision&> m_decisionTrace;    //!< decisions
    TracedCallback<const CircuitOutcome&> m_outcomeTrace;      //!< what they led to
    TracedCallback<const DemandPrediction&> m_predictionTrace; //!< of dispatches
};

} // namespace ns3

#endif // REGIONAL_CONTROLLER_H
