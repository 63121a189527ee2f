/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "stage-traffic.h"

#include <algorithm>

namespace ns3
{

StageTraffic::StageTraffic(StageContext& context, uint32_t replica, uint32_t stage, bool split)
    : m_context(context),
      m_replica(replica),
      m_stage(stage),
      m_split(split),
      m_entryOf(std::size_t(context.job->microBatches) * context.job->degrees.chunks)
{
}

std::size_t
StageTraffic::GetIndex(uint32_t chunk, uint32_t microBatch) const
{
    return std::size_t(chunk) * m_context.job->microBatches + microBatch;
}

void
StageTraffic::Open(uint32_t chunk, uint32_t microBatch, uint32_t slots)
{
    if (m_free.empty())
    {
        m_free.push_back(static_cast<uint32_t>(m_pool.size()));
        m_pool.emplace_back();
    }
    const uint32_t entry = m_free.back();
    m_free.pop_back();
    m_entryOf[GetIndex(chunk, microBatch)] = entry;
    m_pool[entry].resize(std::max<std::size_t>(m_pool[entry].size(), slots));
    for (LayerTraffic& traffic : m_pool[entry])
    {
        traffic.known = false;
    }
}

void
StageTraffic::Close(uint32_t chunk, uint32_t microBatch)
{
    m_free.push_back(m_entryOf[GetIndex(chunk, microBatch)]);
}

LayerTraffic&
StageTraffic::Get(uint32_t chunk, uint32_t microBatch, const StageStep& step)
{
    LayerTraffic& traffic = m_pool[m_entryOf[GetIndex(chunk, microBatch)]][step.slot];
    if (!traffic.known)
    {
        Route(traffic, microBatch, step.moeLayer);
        traffic.known = true;
    }
    return traffic;
}

void
StageTraffic::Route(LayerTraffic& traffic, uint32_t microBatch, uint32_t moeLayer)
{
    m_context.ledger.AddTokenCopies(
        m_context.traffic->Route({m_context.iteration, moeLayer, m_replica, microBatch},
                                 m_stage,
                                 traffic.matrix));
    const auto fill = [&](PassKind pass) {
        m_context.times->GetExpertBlocks(traffic.matrix.GetExpertCopies(),
                                         pass,
                                         traffic.experts[static_cast<std::size_t>(pass)]);
    };
    fill(PassKind::FORWARD);
    if (m_split)
    {
        fill(PassKind::INPUT_GRADIENT);
        fill(PassKind::WEIGHT_GRADIENT);
    }
    else
    {
        fill(PassKind::BACKWARD);
    }
}

void
StageTraffic::Reset()
{
    m_free.clear();
    for (uint32_t entry = 0; entry < m_pool.size(); ++entry)
    {
        m_free.push_back(entry);
    }
}

} // namespace ns3
