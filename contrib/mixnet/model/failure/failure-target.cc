/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "failure-target.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <optional>

namespace ns3
{

namespace
{

/// @param text digits @return the number, if it is one
std::optional<uint32_t>
ToNumber(const std::string& text)
{
    if (text.empty() || text.size() > 9 ||
        text.find_first_not_of("0123456789") != std::string::npos)
    {
        return std::nullopt;
    }
    return static_cast<uint32_t>(std::stoul(text));
}

/// @param name of a vertex @return it as a word of a script
std::string
ToWord(std::string name)
{
    std::replace(name.begin(), name.end(), ' ', '-');
    return name;
}

/// Finds elements in a graph.
class Finder
{
  public:
    /// @param graph graph @param element what @param where for messages
    Finder(const FabricGraph& graph, const FailureElement& element, const std::string& where)
        : m_graph(graph),
          m_element(element),
          m_where(where)
    {
    }

    /// @param kind kind of vertex @return all of it, ascending
    std::vector<VertexId> List(VertexKind kind) const
    {
        std::vector<VertexId> found;
        for (uint32_t v = 0; v < m_graph.GetNVertices(); ++v)
        {
            if (m_graph.GetKind(VertexId(v)) == kind)
            {
                found.emplace_back(v);
            }
        }
        return found;
    }

    /// @param text a number @param count how many there are @param what of what @return it
    uint32_t GetNumber(const std::string& text, std::size_t count, const std::string& what) const
    {
        const auto number = ToNumber(text);
        if (!number || *number >= count)
        {
            Refuse("no " + what + " '" + text + "'",
                   count == 0 ? "another fabric, which has one"
                              : "0 to " + std::to_string(count - 1));
        }
        return *number;
    }

    /// @param text "A/B" @return both parts
    std::pair<std::string, std::string> Cut(const std::string& text,
                                            const std::string& accepted) const
    {
        const std::size_t slash = text.find('/');
        if (slash == std::string::npos)
        {
            Refuse("'" + text + "' is no " + GetName(m_element.kind), accepted);
        }
        return {text.substr(0, slash), text.substr(slash + 1)};
    }

    /// @param text name or number @param among these @param what they are @return the vertex
    VertexId GetVertex(const std::string& text,
                       const std::vector<VertexId>& among,
                       const std::string& what) const
    {
        for (const VertexId v : among)
        {
            if (ToWord(m_graph.GetName(v)) == text)
            {
                return v;
            }
        }
        const auto number = ToNumber(text);
        if (!number || *number >= among.size())
        {
            Refuse("no " + what + " '" + text + "'", Name(among));
        }
        return among[*number];
    }

    /// @return the only (or chosen) link between the two ends
    EdgeId GetLink() const
    {
        std::vector<VertexId> all;
        for (uint32_t v = 0; v < m_graph.GetNVertices(); ++v)
        {
            all.emplace_back(v);
        }
        const std::size_t hash = m_element.second.find('#');
        const VertexId a = GetNamed(m_element.first, all);
        const VertexId b = GetNamed(m_element.second.substr(0, hash), all);
        std::vector<EdgeId> links;
        for (uint32_t p = 0; p < m_graph.GetNPorts(a); ++p)
        {
            const EdgeId e = m_graph.GetEdge(a, p);
            if (m_graph.GetEndA(e) == b || m_graph.GetEndB(e) == b)
            {
                links.push_back(e);
            }
        }
        const std::string pair = m_element.first + " and " + m_element.second;
        if (links.empty() || a == b)
        {
            Refuse("no link joins " + pair, "two ends of a link: " + Neighbors(a));
        }
        if (hash == std::string::npos && links.size() > 1)
        {
            Refuse(std::to_string(links.size()) + " links join " + pair,
                   m_element.second + "#0 to " + m_element.second + "#" +
                       std::to_string(links.size() - 1));
        }
        return hash == std::string::npos
                   ? links[0]
                   : links[GetNumber(m_element.second.substr(hash + 1), links.size(), "link")];
    }

    /// @param e an edge @param vertex one end @return "A B", with #N among parallel ones
    std::string NameLink(EdgeId e) const
    {
        const VertexId a = m_graph.GetEndA(e);
        const VertexId b = m_graph.GetEndB(e);
        uint32_t before = 0;
        uint32_t count = 0;
        for (uint32_t p = 0; p < m_graph.GetNPorts(a); ++p)
        {
            const EdgeId other = m_graph.GetEdge(a, p);
            if (m_graph.GetEndA(other) == b || m_graph.GetEndB(other) == b)
            {
                before += other < e ? 1 : 0;
                ++count;
            }
        }
        return ToWord(m_graph.GetName(a)) + " " + ToWord(m_graph.GetName(b)) +
               (count > 1 ? "#" + std::to_string(before) : "");
    }

    /// @param v a vertex @return all its edges, ascending
    std::vector<EdgeId> GetEdges(VertexId v) const
    {
        std::vector<EdgeId> edges;
        for (uint32_t p = 0; p < m_graph.GetNPorts(v); ++p)
        {
            edges.push_back(m_graph.GetEdge(v, p));
        }
        std::sort(edges.begin(), edges.end());
        return edges;
    }

    /// @param problem problem @param accepted accepted
    [[noreturn]] void Refuse(const std::string& problem, const std::string& accepted) const
    {
        throw InputError(m_where, problem + " in this fabric", accepted);
    }

  private:
    /// @param text name @param among these @return the vertex; numbers name nothing here
    VertexId GetNamed(const std::string& text, const std::vector<VertexId>& among) const
    {
        return GetVertex(ToNumber(text) ? "number " + text : text, among, "server or switch");
    }

    /// @param among vertices @return first and last, as words
    std::string Name(const std::vector<VertexId>& among) const
    {
        if (among.empty())
        {
            return "another fabric, which has one";
        }
        return ToWord(m_graph.GetName(among.front())) + " to " +
               ToWord(m_graph.GetName(among.back()));
    }

    /// @param v vertex @return some neighbors, as words
    std::string Neighbors(VertexId v) const
    {
        std::string text;
        for (uint32_t p = 0; p < std::min(m_graph.GetNPorts(v), 3U); ++p)
        {
            const ChannelId out = m_graph.GetEgress(v, p);
            text += (p == 0 ? "" : ", ") + ToWord(m_graph.GetName(v)) + " " +
                    ToWord(m_graph.GetName(m_graph.GetTarget(out)));
        }
        return text;
    }

    const FabricGraph& m_graph;      //!< graph
    const FailureElement& m_element; //!< what
    const std::string& m_where;      //!< for messages
};

/// @param graph graph @param s server @param target out: it
void
TakeServer(const FabricGraph& graph, ServerId s, FailureTarget& target)
{
    target.server = s;
    for (uint32_t g = 0; g < graph.GetServerSpec(s).gpus; ++g)
    {
        target.gpus.push_back(graph.GetGpu(s, g));
    }
    for (uint32_t p = 0; p < graph.GetNPorts(graph.GetVertex(s)); ++p)
    {
        target.edges.push_back(graph.GetEdge(graph.GetVertex(s), p));
    }
    std::sort(target.edges.begin(), target.edges.end());
    target.name = std::to_string(s.Get());
}

} // namespace

FailureTarget
FindFailureTarget(const FabricGraph& graph, const FailureElement& element, const std::string& where)
{
    const Finder finder(graph, element, where);
    FailureTarget target;
    target.kind = element.kind;
    const bool optical = element.kind == FailureKind::OCS || element.kind == FailureKind::OCS_PORT;
    const auto vertices = finder.List(optical ? VertexKind::OCS : VertexKind::SWITCH);
    target.absent = (optical && vertices.empty()) ||
                    (element.kind == FailureKind::SWITCH && vertices.empty()) ||
                    (element.kind == FailureKind::CONTROLLER && graph.GetNRegions() == 0);
    target.name = element.first + (element.second.empty() ? "" : " " + element.second);
    if (target.absent)
    {
        return target;
    }
    switch (element.kind)
    {
    case FailureKind::NIC: {
        const auto [server, nic] = finder.Cut(element.first, "SERVER/NIC, e.g. 0/2");
        target.server = ServerId(finder.GetNumber(server, graph.GetNServers(), "server"));
        const VertexId v = graph.GetVertex(target.server);
        const uint32_t port = finder.GetNumber(nic, graph.GetNPorts(v), "NIC");
        target.edges = {graph.GetEdge(v, port)};
        target.name = std::to_string(target.server.Get()) + "/" + std::to_string(port);
        break;
    }
    case FailureKind::LINK:
        target.edges = {finder.GetLink()};
        target.name = finder.NameLink(target.edges[0]);
        break;
    case FailureKind::SWITCH:
    case FailureKind::OCS: {
        const VertexId v = finder.GetVertex(element.first, vertices, GetName(element.kind));
        target.edges = finder.GetEdges(v);
        target.name = ToWord(graph.GetName(v));
        break;
    }
    case FailureKind::OCS_PORT: {
        const auto [ocs, port] = finder.Cut(element.first, "OCS/PORT, e.g. 0/5");
        const VertexId v = finder.GetVertex(ocs, vertices, "ocs");
        const uint32_t p = finder.GetNumber(port, graph.GetNPorts(v), "port");
        target.edges = {graph.GetEdge(v, p)};
        target.name = ToWord(graph.GetName(v)) + "/" + std::to_string(p);
        break;
    }
    case FailureKind::CONTROLLER:
        target.region = RegionId(finder.GetNumber(element.first, graph.GetNRegions(), "region"));
        target.name = std::to_string(target.region.Get());
        break;
    case FailureKind::GPU: {
        const GpuId gpu(finder.GetNumber(element.first, graph.GetNGpus(), "GPU"));
        target.gpus = {gpu};
        target.server = graph.GetServerOf(gpu);
        target.name = std::to_string(gpu.Get());
        break;
    }
    case FailureKind::SERVER:
        TakeServer(graph,
                   ServerId(finder.GetNumber(element.first, graph.GetNServers(), "server")),
                   target);
        break;
    }
    return target;
}

std::vector<FailureElement>
ListFailureElements(const FabricGraph& graph, FailureKind kind)
{
    std::vector<FailureElement> all;
    const Finder finder(graph, FailureElement(), "");
    const auto count = [&](uint32_t n) {
        for (uint32_t i = 0; i < n; ++i)
        {
            all.push_back({kind, std::to_string(i), ""});
        }
    };
    const auto ports = [&](const std::vector<VertexId>& vertices) {
        for (uint32_t i = 0; i < vertices.size(); ++i)
        {
            for (uint32_t p = 0; p < graph.GetNPorts(vertices[i]); ++p)
            {
                all.push_back({kind, std::to_string(i) + "/" + std::to_string(p), ""});
            }
        }
    };
    switch (kind)
    {
    case FailureKind::NIC:
        ports(finder.List(VertexKind::SERVER));
        break;
    case FailureKind::LINK:
        for (uint32_t e = 0; e < graph.GetNEdges(); ++e)
        {
            const std::string name = finder.NameLink(EdgeId(e));
            const std::size_t blank = name.find(' ');
            all.push_back({kind, name.substr(0, blank), name.substr(blank + 1)});
        }
        break;
    case FailureKind::SWITCH:
        count(static_cast<uint32_t>(finder.List(VertexKind::SWITCH).size()));
        break;
    case FailureKind::OCS_PORT:
        ports(finder.List(VertexKind::OCS));
        break;
    case FailureKind::OCS:
        count(static_cast<uint32_t>(finder.List(VertexKind::OCS).size()));
        break;
    case FailureKind::CONTROLLER:
        count(graph.GetNRegions());
        break;
    case FailureKind::GPU:
        count(graph.GetNGpus());
        break;
    case FailureKind::SERVER:
        count(graph.GetNServers());
        break;
    }
    return all;
}

} // namespace ns3
