/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_GATE_HELPER_H
#define MIXNET_GATE_HELPER_H

#include "ns3/gate-config.h"
#include "ns3/gate-model.h"
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

} // namespace ns3

#endif // MIXNET_GATE_HELPER_H
