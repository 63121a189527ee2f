/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "all-to-all-helper.h"

#include "ns3/mixnet-object-text.h"

namespace ns3
{

Ptr<AllToAllAlgorithm>
MakeAllToAll(const std::string& text, const MixnetFabric& fabric)
{
    const auto factory = ParseObjectText(text,
                                         AllToAllAlgorithm::GetTypeId(),
                                         "all-to-all",
                                         "MakeAllToAll",
                                         "ns3::DirectAllToAll, ns3::DelegateAllToAll");
    const Ptr<AllToAllAlgorithm> algorithm = factory.Create<AllToAllAlgorithm>();
    algorithm->SetFabric(fabric.GetGraph(), fabric.GetRouter());
    return algorithm;
}

} // namespace ns3
