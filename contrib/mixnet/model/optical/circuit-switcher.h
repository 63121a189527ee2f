/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CIRCUIT_SWITCHER_H
#define CIRCUIT_SWITCHER_H

#include "circuit-map.h"
#include "drain-policy.h"
#include "switching-delay-table.h"

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

#include <string>
#include <vector>

namespace ns3
{

/// What the circuits of a region, or the circuit of a port, are doing.
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

/// One reconfiguration, told when it is lit.
struct CircuitReconfiguration
{
    uint64_t number{0};            //!< of the region, rises; steps of one change share it
    RegionId region;               //!< where
    AllToAllId id;                 //!< the all-to-all that caused it
    Time requested;                //!< decided
    Time held;                     //!< new traffic is held back from here on
    Time drained;                  //!< the last byte has left, or the drain timeout: dark
    Time switched;                 //!< switching is over
    Time lit;                      //!< light again
    bool forced{false};            //!< not drained: timeout, or a policy that does not wait
    std::vector<Circuit> added;    //!< new circuits
    std::vector<Circuit> removed;  //!< old circuits
    uint32_t kept{0};              //!< circuits that stay
    std::vector<EdgeId> darkEdges; //!< fibers concerned
    bool last{true};               //!< false: a step, others follow (make before break)

    /// @return drain, switching and activation (design, section 2)
    Time GetDarkTime() const
    {
        return lit - held;
    }
};

/**
 * @ingroup mixnet
 * The optical switches of one region as a device: carries a change of circuits out, through
 * FabricControl only, and knows what each port is doing. RegionalController is one that decides
 * by itself; alone it does what Turn() says, in the packet world and in the fluid one.
 *
 * Transitions (all of them in Enter()):
 *
 *     STEADY -> COMMANDING    Turn(), or a decision
 *     COMMANDING -> DRAINING  after ControlLatency (always in an event of its own): Quiesce, if the
 *                             DrainPolicy's step asks for it
 *     DRAINING -> SWITCHING   drained, DrainTimeout, or no drain: fibers down, ports rematched
 *
 *     DRAINING -> STEADY      nothing is left to do
 *
 *     SWITCHING -> ACTIVATING after the switching delay
 *
 *     ACTIVATING -> DRAINING  after ActivationTime: fibers up; the next step
 *
 *     ACTIVATING -> STEADY    the same after the last step
 *
 * A step of simplex circuits darkens single directions: the light that a port gets stays when the
 * light that it sends is switched. The state of such a port is that of the direction that changes.
 * Ports that a step does not touch stay STEADY and lit. A port whose fiber is failed takes part in
 * the states, without light.
 */
class CircuitSwitcher : public Object
{
  public:
    /// Which fibers of the region go dark in a step.
    enum DarkScope
    {
        CHANGED, //!< those whose circuit changes
        REGION   //!< all fibers of the region (paper-like), in a single step
    };

    /// What drained traffic does while its circuit is dark.
    enum HeldTraffic
    {
        WAIT, //!< keeps its place until there is light again (MixNet's simulator)
        MOVE  //!< chooses its way anew as soon as it is dark: the EPS, if the router has one
    };

    /// What messages do that start while the circuit they are to use is dark.
    enum NewTraffic
    {
        NEW_LIT, //!< choose among what is lit (MixNet's simulator)
        NEW_WAIT //!< wait for the light, if this change gives their servers a circuit
    };

    /// Told when the wanted circuits are lit.
    using LitCallback = Callback<void>;

    /// @return the TypeId
    static TypeId GetTypeId();

    CircuitSwitcher();
    ~CircuitSwitcher() override;

    /// @param control the door to the network @param region whose circuits to switch
    virtual void SetFabric(Ptr<FabricControl> control, RegionId region);

    /**
     * Light circuits. Those that hold their ports now (simplex: the transmitter of one and the
     * receiver of the other) are taken out, all others stay.
     *
     * @param wanted circuits of the region
     * @param lit told once, from an event of its own, at the end
     * @throws InputError when it is not steady
     */
    void Turn(const std::vector<Circuit>& wanted, const LitCallback& lit);

    /// @return what it is doing
    RegionState GetState() const;
    /// @param ocs an OCS of the region @param port its port, with a fiber @return what that does:
    /// steady, draining, switching or activating
    RegionState GetPortState(VertexId ocs, uint32_t port) const;
    /// @return its region
    RegionId GetRegion() const;
    /// @return reconfigurations that have become lit
    uint64_t GetNReconfigurations() const;
    /// @return decisions to reconfigure that found the circuits as wanted
    uint64_t GetNKept() const;
    /// @param pairs pairs to switch together @return expected switching delay
    Time GetSwitchingDelay(uint32_t pairs) const;

    /// @param stream first stream to use @return number of streams used
    virtual int64_t AssignStreams(int64_t stream);

    /// TracedCallback signature for reconfigurations.
    typedef void (*ReconfigurationTracedCallback)(const CircuitReconfiguration& reconfiguration);
    /// TracedCallback signature for states.
    typedef void (*StateTracedCallback)(RegionState from, RegionState to);
    /// TracedCallback signature for ports: OCS, port, before, now.
    typedef void (*PortStateTracedCallback)(VertexId ocs,
                                            uint32_t port,
                                            RegionState from,
                                            RegionState to);

  protected:
    void DoDispose() override;

    /// @return time from the wish to the command's arrival: ControlLatency
    virtual Time GetCommandTime() const;
    /// @return what to change for the target, asked when the command has arrived
    virtual PlanChange FindChange();
    /// The target is in force, or nothing was left to do.
    virtual void Settle();

    /// A step is lit. @param reconfiguration the step
    virtual void Lit(const CircuitReconfiguration& reconfiguration);

    /// Have the target lit. @param id who asked @param requested when @param number of the change
    void Command(const AllToAllId& id, Time requested, uint64_t number);
    /// A command that has not arrived never does.
    void Cancel();
    /// @param start whom to tell, from an event of its own
    static void Tell(LitCallback start);

    Ptr<FabricControl> m_control;             //!< the door
    RegionId m_region;                        //!< the region
    RegionPorts m_ports;                      //!< its ports
    Time m_controlLatency;                    //!< demand and command
    Time m_activationTime;                    //!< transceivers
    RegionState m_state{RegionState::STEADY}; //!< what it is doing
    uint64_t m_kept{0};                       //!< empty differences

  private:
    /// @name Transitions
    /// @{

    /// The only place that changes the state. @param next new state
    void Enter(RegionState next);
    /// Split the change into steps, or be steady if there is nothing to do.
    void Drain();
    /// Take the next step: hold its fibers back.
    void BeginStep();
    /// @return circuits that are dark in this step and lit at its end
    std::vector<Circuit> FindPromised() const;
    /// @param empty false: the timeout came first
    void OnDrained(bool empty);
    /// Fibers down, ports matched anew.
    void Switch();
    /// Fibers up, traffic on; tell.
    void Light();
    /// Activation is over: next step, or steady.
    void EndStep();
    /// @return directions of fibers that this step takes or gives
    std::vector<ChannelId> ListDirections() const;
    /// @param to new state of the ports of this step
    void MovePorts(RegionState to);
    /// @return switching delay of this step
    Time DrawSwitchingDelay();
    /// @}

    /// @param text measured delays
    void SetTable(std::string text);
    /// @return measured delays
    std::string GetTable() const;

    Time m_switchingDelay;                         //!< constant, or expected
    Ptr<RandomVariableStream> m_switchingVariable; //!< seconds; null: constant
    SwitchingDelayTable m_switchingTable;          //!< by pairs; empty: constant
    Ptr<DrainPolicy> m_drainPolicy;                //!< how
    Time m_drainTimeout;                           //!< zero: no limit
    DarkScope m_scope{CHANGED};                    //!< which fibers go dark
    HeldTraffic m_held{WAIT};                      //!< what drained traffic does in the dark
    NewTraffic m_new{NEW_LIT};                     //!< what new traffic does in the dark

    std::vector<Circuit> m_wanted;         //!< of Turn()
    LitCallback m_lit;                     //!< of Turn()
    AllToAllId m_id;                       //!< who asked
    Time m_requested;                      //!< when
    uint64_t m_number{0};                  //!< of the change
    PlanChange m_change;                   //!< of the target
    std::vector<SwitchingStep> m_steps;    //!< of the change
    std::size_t m_step{0};                 //!< which is next
    CircuitReconfiguration m_record;       //!< of the step under way
    bool m_byDirection{false};             //!< its circuits are simplex: single directions go dark
    FabricControl::Token m_token{0};       //!< its Quiesce; 0: none
    FabricControl::Token m_promise{0};     //!< its Promise; 0: none
    EventId m_event;                       //!< next transition
    std::vector<RegionState> m_portStates; //!< by fiber, as RegionPorts::GetFibers()

    uint64_t m_reconfigurations{0}; //!< lit

    TracedCallback<const CircuitReconfiguration&> m_reconfigurationTrace;     //!< reconfigurations
    TracedCallback<RegionState, RegionState> m_stateTrace;                    //!< states
    TracedCallback<VertexId, uint32_t, RegionState, RegionState> m_portTrace; //!< ports
};

} // namespace ns3

#endif // CIRCUIT_SWITCHER_H
