/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gate-helper.h"

#include "ns3/double.h"
#include "ns3/synthetic-gate.h"
#include "ns3/trace-gate.h"
#include "ns3/uinteger.h"
#include "ns3/uniform-gate.h"

namespace ns3
{

namespace
{

constexpr int64_t FIRST_STREAM = 100; //!< the fabric's begin at 1000

} // namespace

Ptr<GateModel>
MakeGate(const GateConfig& config, std::shared_ptr<const TokenTrace> trace)
{
    Ptr<GateModel> gate;
    if (config.type == "trace")
    {
        const Ptr<TraceGate> recorded = CreateObject<TraceGate>();
        recorded->SetTrace(std::move(trace));
        gate = recorded;
    }
    else if (config.type == "synthetic")
    {
        gate = CreateObject<SyntheticGate>();
        gate->SetAttribute("Gini", DoubleValue(config.gini));
        gate->SetAttribute("Tail", DoubleValue(config.tail));
        gate->SetAttribute("Noise", DoubleValue(config.noise));
        gate->SetAttribute("Drift", UintegerValue(config.drift));
    }
    else
    {
        gate = CreateObject<UniformGate>();
    }
    gate->AssignStreams(FIRST_STREAM);
    return gate;
}

} // namespace ns3
