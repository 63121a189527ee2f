/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gate-traffic.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

GateTraffic::GateTraffic(const TrainingJob& job,
                         const ParallelLayout& layout,
                         const GateModel& gate)
    : m_job(job),
      m_layout(layout),
      m_gate(gate)
{
    const ModelSpec& model = job.model;
    if (job.deduplication != Deduplication::NONE && model.moeLayers > 0)
    {
        m_distinct.emplace(TokenShape{model.experts,
                                      model.topK,
                                      model.expertGroups,
                                      model.groupLimit,
                                      job.GetSentTokens()});
    }
}

void
GateTraffic::FindServers(const StageGroup& group)
{
    m_servers.clear();
    m_serverOfRank.clear();
    for (const ServerId server : group.expertServers)
    {
        const auto known = std::find(m_servers.begin(), m_servers.end(), server);
        m_serverOfRank.push_back(static_cast<uint32_t>(known - m_servers.begin()));
        if (known == m_servers.end())
        {
            m_servers.push_back(server);
        }
    }
}

GateCounts
GateTraffic::Route(const GateQuery& query, uint32_t stage, TrafficMatrix& traffic)
{
    GateCounts counts;
    counts.dropped = m_gate.Route(query, m_tokens, m_distinct ? &m_chosen : nullptr);
    traffic.Assign(m_tokens,
                   m_layout.GetPlacement(),
                   CopyBytes(m_job.GetDispatchBytes(), m_job.GetCombineBytes()),
                   query.layer);
    const std::vector<uint64_t>& accepted = traffic.GetExpertCopies();
    counts.copies = std::accumulate(accepted.begin(), accepted.end(), counts.dropped);
    FindServers(m_layout.GetGroups()[m_layout.GetGroupIndex(query.replica, stage)]);
    counts.crossingCopies = traffic.CountCrossingTokens(m_serverOfRank);
    counts.crossingTokens = counts.crossingCopies;
    if (m_distinct && m_gate.FindDistinct(query, m_known))
    {
        MIXNET_CHECK(m_job.deduplication == Deduplication::RANK, "different tokens of servers");
        traffic.Deduplicate(m_known);
        counts.crossingTokens = traffic.CountCrossingTokens(m_serverOfRank);
    }
    else if (m_distinct)
    {
        m_distinct->SetPlacement(m_layout.GetPlacement(),
                                 query.layer,
                                 m_serverOfRank,
                                 static_cast<uint32_t>(m_servers.size()));
        traffic.Deduplicate(*m_distinct,
                            m_chosen,
                            m_tokens,
                            m_job.deduplication == Deduplication::SERVER ? &m_serverOfRank
                                                                         : nullptr);
        counts.crossingTokens = traffic.CountCrossingTokens(m_serverOfRank);
    }
    return counts;
}

} // namespace ns3
