/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "spare-choice.h"

#include <algorithm>
#include <sstream>
#include <tuple>

namespace ns3
{

namespace
{

/// @return what works of the NICs of one kind, and all as built
std::pair<uint64_t, uint64_t>
AddRates(const FabricGraph& graph, ServerId server, EdgeKind kind)
{
    uint64_t now = 0;
    uint64_t built = 0;
    for (const uint32_t nic : graph.GetNics(server, kind))
    {
        const EdgeId edge = graph.GetEdge(graph.GetVertex(server), nic);
        const uint64_t rate = graph.GetBuiltRate(edge).GetBitRate();
        built += rate;
        const bool whole = !graph.HasCause(edge, EdgeCause::FAILURE) &&
                           !graph.HasCause(edge, EdgeCause::ADMINISTRATIVE);
        now += whole ? std::min(rate, graph.GetSpec(edge).rate.GetBitRate()) : 0;
    }
    return {now, built};
}

/// @return e.g. "100 of 200 Gb/s of packet NICs work"; all: nothing
std::string
DescribeRates(uint64_t now, uint64_t built, const std::string& name)
{
    constexpr double giga = 1e9;
    if (now == built)
    {
        return "";
    }
    if (now == 0)
    {
        return "no " + name + " works";
    }
    std::ostringstream text;
    text << now / giga << " of " << built / giga << " Gb/s of " << name << "s work";
    return text.str();
}

} // namespace

bool
HostHealth::IsReachable() const
{
    return packetBuilt > 0 ? packet > 0 : fiberBuilt == 0 || fiber > 0;
}

std::string
HostHealth::Describe() const
{
    const std::string packets = DescribeRates(packet, packetBuilt, "packet NIC");
    const std::string fibers = DescribeRates(fiber, fiberBuilt, "optical NIC");
    if (packets.empty() && fibers.empty())
    {
        return "all NICs work";
    }
    return packets + (packets.empty() || fibers.empty() ? "" : ", ") + fibers;
}

HostHealth
ReadHostHealth(const FabricGraph& graph, ServerId server)
{
    HostHealth health;
    std::tie(health.packet, health.packetBuilt) = AddRates(graph, server, EdgeKind::PACKET);
    std::tie(health.fiber, health.fiberBuilt) = AddRates(graph, server, EdgeKind::FIBER);
    return health;
}

std::vector<HostHealth>
ReadHostHealth(const FabricGraph& graph)
{
    std::vector<HostHealth> hosts;
    hosts.reserve(graph.GetNServers());
    for (uint32_t s = 0; s < graph.GetNServers(); ++s)
    {
        hosts.push_back(ReadHostHealth(graph, ServerId(s)));
    }
    return hosts;
}

SpareChoice::SpareChoice(const std::vector<HostHealth>& hosts, uint32_t gpusPerServer)
    : m_hosts(hosts),
      m_gpusPerServer(gpusPerServer)
{
}

HostHealth
SpareChoice::GetHealth(ServerId server) const
{
    return server.Get() < m_hosts.size() ? m_hosts[server.Get()] : HostHealth();
}

bool
SpareChoice::IsBetter(ServerId a, ServerId b) const
{
    const auto lost = [](const HostHealth& h) {
        return std::make_tuple(!h.IsReachable(), h.packetBuilt - h.packet, h.fiberBuilt - h.fiber);
    };
    return lost(GetHealth(a)) < lost(GetHealth(b));
}

std::optional<ServerId>
SpareChoice::FindHost(const std::set<ServerId>& hosts, std::optional<ServerId> home) const
{
    if (home && hosts.count(*home) > 0)
    {
        return home;
    }
    const auto best = std::min_element(hosts.begin(), hosts.end(), [this](ServerId a, ServerId b) {
        return IsBetter(a, b);
    });
    if (best == hosts.end() || !GetHealth(*best).IsReachable())
    {
        return std::nullopt;
    }
    return *best;
}

std::set<ServerId>
SpareChoice::ListHosts(const std::set<GpuId>& ready) const
{
    std::set<ServerId> hosts;
    for (const GpuId gpu : ready)
    {
        hosts.insert(ServerId(gpu.Get() / m_gpusPerServer));
    }
    return hosts;
}

std::optional<GpuId>
SpareChoice::FindGpu(const std::set<GpuId>& ready, ServerId home) const
{
    const std::optional<ServerId> host = FindHost(ListHosts(ready), home);
    return host ? std::optional<GpuId>(*ready.lower_bound(GpuId(host->Get() * m_gpusPerServer)))
                : std::nullopt;
}

std::optional<ServerId>
SpareChoice::FindServer(const std::set<ServerId>& ready) const
{
    return FindHost(ready, std::nullopt);
}

std::string
SpareChoice::ListPassedOver(const std::set<ServerId>& hosts, std::optional<ServerId> chosen) const
{
    constexpr uint32_t most = 4;
    std::string text;
    uint32_t passed = 0;
    for (const ServerId host : hosts)
    {
        const bool worse = chosen ? host < *chosen && IsBetter(*chosen, host) : true;
        passed += worse ? 1 : 0;
        if (worse && passed <= most)
        {
            text += (text.empty() ? "not server " : ", not server ") + std::to_string(host.Get()) +
                    " (" + GetHealth(host).Describe() + ")";
        }
    }
    return passed > most ? text + " and " + std::to_string(passed - most) + " more" : text;
}

std::string
SpareChoice::Explain(const std::set<GpuId>& ready, ServerId home, std::optional<GpuId> chosen) const
{
    const std::set<ServerId> hosts = ListHosts(ready);
    if (!chosen)
    {
        return ListPassedOver(hosts, std::nullopt);
    }
    const ServerId host(chosen->Get() / m_gpusPerServer);
    const std::string text =
        "GPU " + std::to_string(chosen->Get()) + " in server " + std::to_string(host.Get()) + ": ";
    if (host == home)
    {
        return text + "with the rest of its TP block";
    }
    const std::string passed = ListPassedOver(hosts, host);
    return text + GetHealth(host).Describe() + (passed.empty() ? "" : ", " + passed);
}

std::string
SpareChoice::Explain(const std::set<ServerId>& ready, std::optional<ServerId> chosen) const
{
    const std::string passed = ListPassedOver(ready, chosen);
    if (!chosen)
    {
        return passed;
    }
    return "server " + std::to_string(chosen->Get()) + ": " + GetHealth(*chosen).Describe() +
           (passed.empty() ? "" : ", " + passed);
}

} // namespace ns3
