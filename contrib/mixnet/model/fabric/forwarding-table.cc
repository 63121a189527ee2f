/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "forwarding-table.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <string>

namespace ns3
{

void
ForwardingTable::SetRoutes(std::vector<RouteRange> ranges, const std::vector<PortGroup>& groups)
{
    std::sort(ranges.begin(), ranges.end(), [](const RouteRange& a, const RouteRange& b) {
        return a.first < b.first;
    });
    std::vector<Span> spans;
    m_ports.clear();
    for (const auto& group : groups)
    {
        spans.push_back(
            {static_cast<uint32_t>(m_ports.size()), static_cast<uint32_t>(group.size())});
        m_ports.insert(m_ports.end(), group.begin(), group.end());
    }
    m_first.clear();
    m_span.clear();
    const auto add = [this](uint32_t first, Span span) {
        if (m_span.empty() || m_span.back().count != span.count ||
            (span.count > 0 && m_span.back().offset != span.offset))
        {
            m_first.push_back(first);
            m_span.push_back(span);
        }
    };
    uint64_t next = 0; // first address not yet covered
    for (const auto& range : ranges)
    {
        const std::string text = std::to_string(range.first) + " to " + std::to_string(range.last);
        if (range.first > range.last || range.group >= groups.size())
        {
            throw InputError("forwarding table", "bad route for NICs " + text);
        }
        if (range.first < next)
        {
            throw InputError("forwarding table", "overlapping routes for NICs " + text);
        }
        if (range.first > next)
        {
            add(static_cast<uint32_t>(next), Span());
        }
        add(range.first, spans[range.group]);
        next = uint64_t{range.last} + 1;
    }
    if (next <= UINT32_MAX)
    {
        add(static_cast<uint32_t>(next), Span());
    }
}

PortGroup
ForwardingTable::Lookup(uint32_t destination) const
{
    const Span span = Find(destination);
    return PortGroup(m_ports.begin() + span.offset, m_ports.begin() + span.offset + span.count);
}

} // namespace ns3
