/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_GATE_HELPER_H
#define MIXNET_GATE_HELPER_H

#include "ns3/gate-model.h"
#include "ns3/mixnet-scenario.h"
#include "ns3/parallel-layout.h"
#include "ns3/ptr.h"
#include "ns3/token-trace.h"

#include <memory>

namespace ns3
{

/**
 * @ingroup mixnet
 * @param config what a scenario says
 * @param trace the trace, null when the gate needs none
 * @return the gate, its streams assigned, not yet configured
 */
Ptr<GateModel> MakeGate(const GateConfig& config, std::shared_ptr<const TokenTrace> trace);

/**
 * @ingroup mixnet
 * Tell the layout where a scenario's experts are. Balanced placements know the loads of the first
 * iteration.
 *
 * @param scenario the scenario
 * @param trace its trace or null
 * @param gate its gate, configured
 * @param layout told
 * @throws InputError when the trace recorded ranks, which fixes where the experts are, or different
 * tokens where copies are needed
 */
void PlaceExperts(const Scenario& scenario,
                  const TokenTrace* trace,
                  const GateModel& gate,
                  ParallelLayout& layout);

} // namespace ns3

#endif // MIXNET_GATE_HELPER_H
