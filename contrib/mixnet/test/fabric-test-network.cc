/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-test-network.h"

void
FabricTestNetwork::FatTree(uint32_t k,
                           const std::string& rate,
                           const std::string& delay,
                           const std::vector<std::pair<std::string, std::string>>& attributes)
{
    const uint32_t h = k / 2;
    AddHosts(k * h * h);
    const auto last = static_cast<uint32_t>(hosts.size()) - 1;
    std::vector<ns3::PacketSwitch*> edge;
    std::vector<ns3::PacketSwitch*> aggregation;
    std::vector<ns3::PacketSwitch*> core;
    for (uint32_t i = 0; i < k * h; ++i)
    {
        edge.push_back(AddSwitch(k, attributes));
        aggregation.push_back(AddSwitch(k, attributes));
    }
    for (uint32_t i = 0; i < h * h; ++i)
    {
        core.push_back(AddSwitch(k, attributes));
    }
    // Ports 0 to h - 1 go down, h to k - 1 up; `size` addresses lie below each port.
    const auto route = [&](ns3::PacketSwitch* sw, uint32_t first, uint32_t size, uint32_t down) {
        std::vector<ns3::RouteRange> ranges;
        std::vector<ns3::PortGroup> groups;
        for (uint32_t i = 0; i < down; ++i)
        {
            ranges.push_back({first + i * size, first + (i + 1) * size - 1, i});
            groups.push_back({static_cast<uint16_t>(i)});
        }
        ns3::PortGroup up;
        for (uint32_t i = down; i < k; ++i)
        {
            up.push_back(static_cast<uint16_t>(i));
        }
        groups.push_back(up);
        if (first > 0)
        {
            ranges.push_back({0, first - 1, down});
        }
        if (first + down * size <= last)
        {
            ranges.push_back({first + down * size, last, down});
        }
        sw->SetRoutes(ranges, groups);
    };
    for (uint32_t pod = 0; pod < k; ++pod)
    {
        for (uint32_t i = 0; i < h; ++i)
        {
            ns3::PacketSwitch* e = edge[pod * h + i];
            ns3::PacketSwitch* a = aggregation[pod * h + i];
            for (uint32_t j = 0; j < h; ++j)
            {
                Link(e->GetPort(j), hosts[(pod * h + i) * h + j]->port, rate, delay);
                Link(e->GetPort(h + j), aggregation[pod * h + j]->GetPort(i), rate, delay);
                Link(a->GetPort(h + j), core[i * h + j]->GetPort(pod), rate, delay);
            }
            route(e, (pod * h + i) * h, 1, h);
            route(a, pod * h * h, h, h);
        }
    }
    for (ns3::PacketSwitch* c : core)
    {
        route(c, 0, h * h, k);
    }
    for (const auto& sw : switches)
    {
        sw->Configure();
    }
}

void
FabricTestNetwork::LeafSpine(uint32_t n,
                             uint32_t spines,
                             const std::string& rate,
                             const std::string& delay,
                             const std::vector<std::pair<std::string, std::string>>& attributes)
{
    AddHosts(2 * n);
    for (uint32_t leaf = 0; leaf < 2; ++leaf)
    {
        ns3::PacketSwitch* sw = AddSwitch(n + spines, attributes);
        std::vector<ns3::RouteRange> ranges;
        std::vector<ns3::PortGroup> groups;
        for (uint32_t i = 0; i < n; ++i)
        {
            Link(sw->GetPort(i), hosts[leaf * n + i]->port, rate, delay);
            ranges.push_back({leaf * n + i, leaf * n + i, i});
            groups.push_back({static_cast<uint16_t>(i)});
        }
        ranges.push_back({(1 - leaf) * n, (2 - leaf) * n - 1, n});
        groups.emplace_back();
        for (uint32_t i = 0; i < spines; ++i)
        {
            groups.back().push_back(static_cast<uint16_t>(n + i));
        }
        sw->SetRoutes(ranges, groups);
    }
    for (uint32_t i = 0; i < spines; ++i)
    {
        ns3::PacketSwitch* spine = AddSwitch(2, attributes);
        Link(switches[0]->GetPort(n + i), spine->GetPort(0), rate, delay);
        Link(switches[1]->GetPort(n + i), spine->GetPort(1), rate, delay);
        spine->SetRoutes({{0, n - 1, 0}, {n, 2 * n - 1, 1}}, {{0}, {1}});
    }
    for (const auto& sw : switches)
    {
        sw->Configure();
    }
}
