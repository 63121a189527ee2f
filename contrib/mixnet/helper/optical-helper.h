/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_OPTICAL_HELPER_H
#define MIXNET_OPTICAL_HELPER_H

#include "mixnet-fabric-helper.h"

#include "ns3/object-factory.h"
#include "ns3/regional-controller.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Puts a RegionalController on every region of a fabric.
 */
class OpticalHelper
{
  public:
    OpticalHelper();

    // Classes may have attributes, "ns3::GreedyCircuitPlanner[Rule=break]"; an InputError says what
    // is not known. A new class forgets the attributes set before.

    /// @param typeId a CircuitPlanner, e.g. "ns3::GreedyCircuitPlanner" (the default)
    void SetPlanner(const std::string& typeId);
    /// @param name attribute of the planner @param value its value
    void SetPlannerAttribute(const std::string& name, const AttributeValue& value);
    /// @param typeId a ReconfigurationPolicy, e.g. "ns3::PaperReconfigurationPolicy" (the default)
    void SetPolicy(const std::string& typeId);
    /// @param name attribute of the policy @param value its value
    void SetPolicyAttribute(const std::string& name, const AttributeValue& value);
    /// @param typeId a DemandPredictor, one for each region; without this only policies that need
    /// one have one, "ns3::LastIterationDemandPredictor"
    void SetPredictor(const std::string& typeId);
    /// @param name attribute of the controller @param value its value
    void SetControllerAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param control door to the network
     * @param region a region
     * @return its controller, not yet started: give it demands if it shall plan for them, then
     * Start() it
     */
    Ptr<RegionalController> Install(Ptr<FabricControl> control, RegionId region) const;

    /// @param fabric a fabric @return a controller per region, by region, not yet started
    std::vector<Ptr<RegionalController>> Install(const MixnetFabric& fabric) const;

    /**
     * @param controllers controllers
     * @param stream first stream
     * @return number of streams used
     */
    static int64_t AssignStreams(const std::vector<Ptr<RegionalController>>& controllers,
                                 int64_t stream);

  private:
    ObjectFactory m_planner;    //!< planner
    ObjectFactory m_policy;     //!< policy
    ObjectFactory m_predictor;  //!< predictor; without a type: none
    ObjectFactory m_controller; //!< controller
};

} // namespace ns3

#endif // MIXNET_OPTICAL_HELPER_H
