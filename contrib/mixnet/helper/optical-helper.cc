/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "optical-helper.h"

#include "ns3/mixnet-object-text.h"
#include "ns3/pointer.h"

namespace ns3
{

namespace
{

/// @tparam Contract what it implements @param text class @param what how messages call it
/// @return a factory of it
template <class Contract>
ObjectFactory
Parse(const std::string& text, const char* what)
{
    return ParseObjectText(text,
                           Contract::GetTypeId(),
                           what,
                           "OpticalHelper",
                           "a registered class, with attributes or without: ns3::X[Name=value]");
}

} // namespace

OpticalHelper::OpticalHelper()
{
    m_planner.SetTypeId("ns3::GreedyCircuitPlanner");
    m_policy.SetTypeId("ns3::PaperReconfigurationPolicy");
    m_controller.SetTypeId(RegionalController::GetTypeId());
}

void
OpticalHelper::SetPlanner(const std::string& typeId)
{
    m_planner = Parse<CircuitPlanner>(typeId, "planner");
}

void
OpticalHelper::SetPlannerAttribute(const std::string& name, const AttributeValue& value)
{
    m_planner.Set(name, value);
}

void
OpticalHelper::SetPolicy(const std::string& typeId)
{
    m_policy = Parse<ReconfigurationPolicy>(typeId, "reconfiguration policy");
}

void
OpticalHelper::SetPolicyAttribute(const std::string& name, const AttributeValue& value)
{
    m_policy.Set(name, value);
}

void
OpticalHelper::SetPredictor(const std::string& typeId)
{
    m_predictor = Parse<DemandPredictor>(typeId, "predictor");
}

void
OpticalHelper::SetControllerAttribute(const std::string& name, const AttributeValue& value)
{
    m_controller.Set(name, value);
}

Ptr<RegionalController>
OpticalHelper::Install(Ptr<FabricControl> control, RegionId region) const
{
    const Ptr<RegionalController> controller = m_controller.Create<RegionalController>();
    controller->SetAttribute("CircuitPlanner", PointerValue(m_planner.Create<CircuitPlanner>()));
    controller->SetAttribute("ReconfigurationPolicy",
                             PointerValue(m_policy.Create<ReconfigurationPolicy>()));
    if (m_predictor.IsTypeIdSet())
    {
        controller->SetAttribute("DemandPredictor",
                                 PointerValue(m_predictor.Create<DemandPredictor>()));
    }
    controller->SetFabric(control, region);
    return controller;
}

std::vector<Ptr<RegionalController>>
OpticalHelper::Install(const MixnetFabric& fabric) const
{
    std::vector<Ptr<RegionalController>> controllers;
    for (uint32_t r = 0; r < fabric.GetGraph()->GetNRegions(); ++r)
    {
        controllers.push_back(Install(fabric.GetControl(), RegionId(r)));
    }
    return controllers;
}

int64_t
OpticalHelper::AssignStreams(const std::vector<Ptr<RegionalController>>& controllers,
                             int64_t stream)
{
    int64_t used = 0;
    for (const auto& controller : controllers)
    {
        used += controller->AssignStreams(stream + used);
    }
    return used;
}

} // namespace ns3
