/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "routing-config.h"

#include "ns3/fabric-router.h"
#include "ns3/mixnet-error.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace ns3
{

namespace
{

/// A policy by its name in scenarios.
struct PolicyName
{
    const char* name;   //!< in scenarios
    const char* typeId; //!< class; empty: by the fabric
};

/// The default first.
constexpr PolicyName POLICIES[] = {{"default", ""},
                                   {"direct-or-eps", "ns3::DirectOrEpsPolicy"},
                                   {"eps", "ns3::EpsOnlyPolicy"},
                                   {"split", "ns3::SplitPolicy"},
                                   {"multi-hop", "ns3::MultiHopPolicy"},
                                   {"relay", "ns3::RelayPolicy"}};

constexpr ByteCount MIN_CHUNK(4096); //!< a packet: smaller chunks are messages in vain

} // namespace

RoutingConfig
ReadRouting(const JsonReader& o, const RoutingConfig* base)
{
    RoutingConfig c = base == nullptr ? RoutingConfig() : *base;
    std::vector<std::string> names;
    for (const auto& policy : POLICIES)
    {
        names.emplace_back(policy.name);
    }
    for (std::size_t i = 0; i < N_TRAFFIC_CLASSES; ++i)
    {
        const std::string key = GetName(static_cast<TrafficClass>(i));
        if (o.Accepts(key) || base == nullptr)
        {
            c.policies[i] = o.GetChoice(key, names[0].c_str(), names);
        }
    }
    const bool split = std::find(c.policies.begin(), c.policies.end(), "split") != c.policies.end();
    if (split && (o.Accepts("epsWeight") || base == nullptr))
    {
        c.epsWeight = o.GetNumber("epsWeight", "1", 0, 1000);
    }
    const bool relay = std::find(c.policies.begin(), c.policies.end(), "relay") != c.policies.end();
    if (relay && (o.Accepts("relayOnward") || base == nullptr))
    {
        c.relayOnward = o.GetChoice("relayOnward", "eps", {"eps", "circuit", "either"});
    }
    if (o.Accepts("circuitSharing") || base == nullptr)
    {
        c.circuitSharing = o.GetChoice("circuitSharing", "flow", {"flow", "packet"});
    }
    if (o.Accepts("withoutEps") || base == nullptr)
    {
        c.withoutEps = o.GetChoice("withoutEps", "relay", {"relay", "wait"});
    }
    if (o.Accepts("allToAll") || base == nullptr)
    {
        c.allToAll = o.GetChoice("allToAll", "direct", {"direct", "delegates"});
    }
    if (c.allToAll == "delegates" && (o.Accepts("chunk") || base == nullptr))
    {
        c.chunk = o.GetBytes("chunk", "0B");
        if (c.chunk > ByteCount(0) && c.chunk < MIN_CHUNK)
        {
            throw InputError(o.Where("chunk"),
                             std::to_string(c.chunk.Get()) + "B",
                             "0B for whole messages, or 4096B and more");
        }
    }
    return c;
}

std::string
GetPolicyAttribute(TrafficClass trafficClass)
{
    static constexpr const char* names[] =
        {"TpPolicy", "EpPolicy", "DpPolicy", "PpPolicy", "OtherPolicy", "CpPolicy"};
    return names[static_cast<std::size_t>(trafficClass)];
}

std::string
GetPolicyType(const RoutingConfig& c, TrafficClass trafficClass)
{
    const std::string& wanted = c.policies[static_cast<std::size_t>(trafficClass)];
    const PolicyName* it = POLICIES;
    while (it->name != wanted)
    {
        ++it;
    }
    std::ostringstream attributes;
    attributes.precision(17);
    if (wanted == "split")
    {
        attributes << "EpsWeight=" << c.epsWeight << "|";
    }
    if (wanted == "relay")
    {
        attributes << "Onward=" << c.relayOnward << "|";
    }
    std::string type = it->typeId;
    const std::string asDefault = FabricRouter::GetHybridPolicyName(trafficClass);
    const bool circuits = asDefault != "ns3::EpsOnlyPolicy";
    if (c.circuitSharing == "packet" && (!type.empty() || circuits))
    {
        type = type.empty() ? asDefault : type; // what the fabric would choose
        attributes << "CircuitSharing=packet|";
    }
    if (c.withoutEps == "wait")
    {
        type = type.empty() ? asDefault : type;
        attributes << "Detour=false|";
    }
    std::string list = attributes.str();
    if (list.empty())
    {
        return type;
    }
    list.back() = ']';
    return type + "[" + list;
}

std::string
GetAllToAllType(const RoutingConfig& c, const TrainingJob& job)
{
    if (job.deduplication == Deduplication::SERVER)
    {
        return "ns3::DeduplicatingAllToAll[ChunkSize=" +
               std::to_string(job.deduplicationChunk.Get()) + "B]";
    }
    return c.allToAll == "direct"
               ? "ns3::DirectAllToAll"
               : "ns3::DelegateAllToAll[ChunkSize=" + std::to_string(c.chunk.Get()) + "B]";
}

} // namespace ns3
