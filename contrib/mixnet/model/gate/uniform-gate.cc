/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "uniform-gate.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(UniformGate);

TypeId
UniformGate::GetTypeId()
{
    static TypeId tid = TypeId("ns3::UniformGate")
                            .SetParent<GateModel>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<UniformGate>();
    return tid;
}

void
UniformGate::DoConfigure()
{
}

void
UniformGate::DoRoute(const GateQuery& /* query */, Matrix<uint32_t>& tokens) const
{
    const uint32_t experts = GetShape().experts.GetTotal();
    const auto share = static_cast<uint32_t>(GetShape().copies / experts);
    const auto left = static_cast<uint32_t>(GetShape().copies % experts);
    for (uint32_t rank = 0; rank < GetShape().GetRanks(); ++rank)
    {
        for (uint32_t i = 0; i < experts; ++i)
        {
            // The ranks' left-over copies follow each other around the experts.
            const uint64_t expert = (uint64_t(rank) * left + i) % experts;
            tokens(rank, expert) = share + (i < left ? 1 : 0);
        }
    }
}

} // namespace ns3
