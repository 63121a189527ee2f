/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_TEST_CASE_H
#define TOPOLOGY_TEST_CASE_H

#include "ns3/fabric-graph.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/topology-generator.h"

#include <string>
#include <utility>
#include <vector>

using namespace ns3;

/// Attributes by name, as text.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// @tparam T generator @param cluster the servers @param settings its attributes @return the fabric
template <class T>
Ptr<FabricGraph>
Build(const ClusterSpec& cluster, const Settings& settings = {})
{
    Ptr<T> generator = CreateObject<T>();
    for (const auto& [name, value] : settings)
    {
        generator->SetAttribute(name, StringValue(value));
    }
    return generator->Build(cluster);
}

/// @param graph a fabric @param tier a tier @return its switches
inline std::vector<VertexId>
Tier(const FabricGraph& graph, uint32_t tier)
{
    std::vector<VertexId> result;
    for (uint32_t v = 0; v < graph.GetNVertices(); ++v)
    {
        if (graph.GetKind(VertexId(v)) == VertexKind::SWITCH && graph.GetTier(VertexId(v)) == tier)
        {
            result.emplace_back(v);
        }
    }
    return result;
}

/// @param graph a fabric @param s server @param nic its NIC @return what the NIC is joined to
inline VertexId
Above(const FabricGraph& graph, uint32_t s, uint32_t nic)
{
    return graph.GetTarget(graph.GetEgress(graph.GetVertex(ServerId(s)), nic));
}

/// @param graph a fabric @param v a vertex @return its links to servers, and to the rest
inline std::pair<uint32_t, uint32_t>
DownUp(const FabricGraph& graph, VertexId v)
{
    std::pair<uint32_t, uint32_t> count{0, 0};
    for (uint32_t p = 0; p < graph.GetNPorts(v); ++p)
    {
        const VertexId far = graph.GetTarget(graph.GetEgress(v, p));
        ++(graph.GetKind(far) == VertexKind::SERVER ? count.first : count.second);
    }
    return count;
}

/// @param f what to do @return message of the InputError it throws; empty when it throws none
template <class F>
std::string
Refusal(F f)
{
    try
    {
        f();
    }
    catch (const InputError& e)
    {
        return e.what();
    }
    return "";
}

#endif // TOPOLOGY_TEST_CASE_H
