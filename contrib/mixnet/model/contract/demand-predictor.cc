/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "demand-predictor.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DemandPredictor);

TypeId
DemandPredictor::GetTypeId()
{
    static TypeId tid = TypeId("ns3::DemandPredictor").SetParent<Object>().SetGroupName("Mixnet");
    return tid;
}

} // namespace ns3
