/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "cluster-spec.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <string>

namespace ns3
{

ClusterSpec::ClusterSpec(uint32_t servers, uint32_t nics, const ServerSpec& spec)
    : ClusterSpec(std::vector<ServerGroup>{{servers, nics, spec}})
{
}

ClusterSpec::ClusterSpec(const std::vector<ServerGroup>& groups)
{
    uint32_t end = 0;
    for (const auto& group : groups)
    {
        if (group.count > 0)
        {
            end += group.count;
            m_groups.push_back(group);
            m_end.push_back(end);
        }
    }
}

uint32_t
ClusterSpec::GetNServers() const
{
    return m_end.empty() ? 0 : m_end.back();
}

uint32_t
ClusterSpec::GetNNics() const
{
    uint32_t nics = 0;
    for (const auto& group : m_groups)
    {
        nics += group.count * group.nics;
    }
    return nics;
}

uint32_t
ClusterSpec::GetNics(uint32_t server) const
{
    return Find(server).nics;
}

const ServerSpec&
ClusterSpec::GetSpec(uint32_t server) const
{
    return Find(server).spec;
}

uint32_t
ClusterSpec::GetMaxNics() const
{
    uint32_t most = 0;
    for (const auto& group : m_groups)
    {
        most = std::max(most, group.nics);
    }
    return most;
}

void
ClusterSpec::Check() const
{
    if (m_groups.empty())
    {
        throw InputError("cluster", "it has no servers", "at least one server");
    }
    for (std::size_t g = 0; g < m_groups.size(); ++g)
    {
        if (m_groups[g].nics == 0)
        {
            throw InputError("cluster, server " + std::to_string(m_end[g] - m_groups[g].count),
                             "it has no NICs",
                             "at least one NIC per server");
        }
    }
}

const ServerGroup&
ClusterSpec::Find(uint32_t server) const
{
    const auto it = std::upper_bound(m_end.begin(), m_end.end(), server);
    MIXNET_CHECK(it != m_end.end(), "no server " << server);
    return m_groups[static_cast<std::size_t>(it - m_end.begin())];
}

} // namespace ns3
