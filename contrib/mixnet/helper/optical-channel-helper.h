/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPTICAL_CHANNEL_HELPER_H
#define OPTICAL_CHANNEL_HELPER_H

#include "ns3/circuit-switcher.h"
#include "ns3/data-rate.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/optical-loss-budget.h"
#include "ns3/optical-switch.h"
#include "ns3/packet-fabric-control.h"
#include "ns3/packet-world.h"

#include <string>

namespace ns3
{

/**
 * @ingroup mixnet
 * Nodes on one optical circuit switch. Movable; destroy it before Simulator::Destroy().
 */
class OpticalChannel
{
  public:
    OpticalChannel() = default;
    /// @param other left empty
    OpticalChannel(OpticalChannel&& other) noexcept;
    OpticalChannel& operator=(OpticalChannel&&) = delete;
    ~OpticalChannel();

    /// @return the devices, by node; what is above them is the user's
    NetDeviceContainer GetDevices() const;
    /// @param a a node's index @param b another's @return the circuit that joins them
    Circuit Join(uint32_t a, uint32_t b) const;
    /// @param from a node's index @param to another's @return the simplex circuit that brings light
    /// from one to the other
    Circuit JoinOneWay(uint32_t from, uint32_t to) const;
    /// Light a simplex circuit at once, as before a run. @param from a node's index @param to
    /// another's
    void LightOneWay(uint32_t from, uint32_t to);
    /// Light a circuit at once, as before a run. @param a a node's index @param b another's
    void Light(uint32_t a, uint32_t b);
    /// @return turns circuits, with all the delays of a switch
    Ptr<CircuitSwitcher> GetSwitcher() const;
    /// @return the switch: what it forwarded and lost
    Ptr<OpticalSwitch> GetSwitch() const;
    /// @return fails and repairs ports
    Ptr<FabricControl> GetControl() const;
    /// @param node a node's index @return its fiber
    EdgeId GetFiber(uint32_t node) const;
    /// @param node a node's index @return the link of its fiber
    MixnetLink& GetLink(uint32_t node) const;
    /**
     * Corrupt frames as the light of a circuit allows; each is asked about once, where it arrives.
     *
     * @param budget of every circuit
     * @param stream first random stream
     * @return streams used, one per node
     */
    int64_t SetLossBudget(const OpticalLossBudget& budget, int64_t stream);

  private:
    friend class OpticalChannelHelper;

    VertexId m_ocs;                     //!< the switch
    Ptr<FabricGraph> m_graph;           //!< what is joined to what
    Ptr<PacketWorld> m_world;           //!< ports and fibers
    Ptr<PacketFabricControl> m_control; //!< the door
    Ptr<CircuitSwitcher> m_switcher;    //!< turns
};

/**
 * @ingroup mixnet
 * Joins ordinary ns-3 nodes by an optical circuit switch, one fiber each, for any user of a
 * NetDevice: sockets, applications, stacks.
 *
 *     OpticalChannelHelper helper;
 *     helper.SetSwitcherAttribute("SwitchingDelay", TimeValue(MilliSeconds(10)));
 *     OpticalChannel channel = helper.Install(nodes);
 *     channel.Light(0, 1);
 *     InternetStackHelper().Install(nodes);
 *     Ipv4AddressHelper("10.0.0.0", "255.0.0.0").Assign(channel.GetDevices());
 */
class OpticalChannelHelper
{
  public:
    OpticalChannelHelper();

    /// @param rate of each direction of a fiber (default 400 Gb/s)
    void SetRate(DataRate rate);
    /// @param delay of a fiber, one way (default 1 us); a circuit has two
    void SetDelay(Time delay);
    /// @param name attribute of CircuitSwitcher @param value its value
    void SetSwitcherAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Set the clock to picoseconds if it is not yet, and build.
     *
     * @param nodes the nodes, two at least; each gets a device
     * @return the channel, dark
     * @throws InputError when there are fewer
     */
    OpticalChannel Install(const NodeContainer& nodes) const;

  private:
    DataRate m_rate;          //!< of a fiber
    Time m_delay;             //!< of a fiber
    ObjectFactory m_switcher; //!< turns
};

} // namespace ns3

#endif // OPTICAL_CHANNEL_HELPER_H
