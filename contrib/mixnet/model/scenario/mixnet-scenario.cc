/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mixnet-scenario.h"

#include "gradient-config.h"
#include "parallel-config.h"
#include "scenario-reader.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-json.h"
#include "ns3/mixnet-text.h"
#include "ns3/mixnet-units.h"
#include "ns3/optical-technology.h"
#include "ns3/reconfiguration-policy.h"
#include "ns3/token-trace-reader.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace ns3
{

void
ScenarioReader::AddInput(const std::string& path)
{
    m_scenario.inputs.emplace_back(std::filesystem::path(path).filename().string(), HashFile(path));
}

std::string
ScenarioReader::FindFile(const std::string& given, const std::string& where) const
{
    namespace fs = std::filesystem;
    const std::vector<fs::path> tries{fs::path(given),
                                      fs::path(m_path).parent_path() / given,
                                      fs::path(m_workloads) / given};
    std::string tried;
    for (const auto& candidate : tries)
    {
        std::error_code ignored;
        if (fs::exists(candidate, ignored) && !fs::is_directory(candidate, ignored))
        {
            return candidate.string();
        }
        tried += (tried.empty() ? "" : ", ") + candidate.string();
    }
    throw InputError(where, "'" + given + "' does not exist", "a file; tried " + tried);
}

JsonReader
ScenarioReader::GetWithPreset(const std::string& key, const std::string& folder, std::string* name)
{
    JsonReader object(m_path, &m_scenario.settings);
    std::string preset;
    if (m_root.IsString(key))
    {
        preset = m_root.GetString(key, JsonReader::required);
        object = m_root.GetEmpty(key);
    }
    else
    {
        object = m_root.GetObject(key);
        preset = object.GetString("preset", "none");
    }
    if (preset != "none")
    {
        namespace fs = std::filesystem;
        const fs::path file = fs::path(m_workloads) / folder / (preset + ".json");
        std::error_code ignored;
        if (!fs::exists(file, ignored))
        {
            std::set<std::string> names;
            for (const auto& entry :
                 fs::directory_iterator(fs::path(m_workloads) / folder, ignored))
            {
                names.insert(entry.path().stem().string());
            }
            throw InputError(m_root.Where(key), "'" + preset + "' is no preset", JoinNames(names));
        }
        object.Underlay(JsonReader::FromFile(file.string(), &m_scenario.settings));
        object.GetString("source", "none");
        AddInput(file.string());
    }
    if (name != nullptr)
    {
        *name = preset;
    }
    return object;
}

void
ScenarioReader::ReadModel()
{
    const JsonReader m = GetWithPreset("model", "models");
    m_scenario.job.model = ReadModelSpec(m);
    m_scenario.job.degrees = ReadParallel(m_root.GetObject("parallel"), m_path);
}

void
ScenarioReader::ReadBatch()
{
    const JsonReader b = m_root.GetObject("batch");
    const auto count = [&](const char* key, const char* def) {
        return static_cast<uint32_t>(b.GetCount(key, def, 1, 10000000));
    };
    TrainingJob& job = m_scenario.job;
    job.sequenceLength = count("sequenceLength", "4096");
    job.microBatchSequences = count("microBatchSize", "8");
    job.microBatches = count("microBatches", "8");
    job.iterations = static_cast<uint32_t>(m_root.GetCount("iterations", "1", 1, 1000000));
    job.sequenceParallel = m_root.GetBool("sequenceParallel", "true");
    job.recompute = ParseRecompute(
        m_root.GetChoice("recompute", "none", {"none", "selective", "experts", "moe", "full"}),
        m_root.Where("recompute"));
    m_scenario.schedule =
        m_root.GetChoice("schedule",
                         "1f1b",
                         {"1f1b", "gpipe", "interleaved", "1f1b-overlap", "zb-h1"});
    CheckSchedule(m_scenario, m_root.Where("schedule"));
    ReadCompute();
}

void
ScenarioReader::ReadCompute()
{
    std::vector<std::string>& compute = m_scenario.compute;
    compute = m_root.GetStrings("compute");
    if (compute.empty())
    {
        compute = {"roofline"};
    }
    for (const auto& c : compute)
    {
        if (std::count(compute.begin(), compute.end(), c) > 1)
        {
            throw InputError(m_root.Where("compute"), "'" + c + "' twice", "each once");
        }
        if (c != "roofline" && c != "paper" && c != "measured")
        {
            throw InputError(m_root.Where("compute"),
                             "'" + c + "' is unknown",
                             "roofline, paper, measured");
        }
    }
    m_scenario.computing.variation = ReadComputeVariation(m_root.GetObject("computeVariation"),
                                                          m_scenario.job.degrees.GetGpus());
    if (std::find(compute.begin(), compute.end(), "measured") == compute.end())
    {
        return;
    }
    const JsonReader t = m_root.GetObject("computeTimes");
    std::string file;
    if (t.Accepts("file"))
    {
        file = FindFile(t.GetString("file", JsonReader::required), t.Where("file"));
        AddInput(file);
    }
    ReadComputeTimes(t, m_scenario.job, file, m_scenario.computing);
}

void
ScenarioReader::ReadCluster()
{
    const JsonReader c = GetWithPreset("cluster", "clusters");
    const auto count = [&](const char* key, const char* def, uint64_t least = 1) {
        return static_cast<uint32_t>(c.GetCount(key, def, least, 10000000));
    };
    ClusterConfig& cluster = m_scenario.cluster;
    cluster.gpusPerServer = count("gpusPerServer", "8");
    cluster.servers = count("servers", "0", 0);
    cluster.nicsPerServer = count("nicsPerServer", "8");
    cluster.nicRate = c.GetRate("nicRate", "400Gbps");
    cluster.linkDelay = c.GetTime("linkDelay", "1us");
    ReadServers(c, cluster);
    cluster.switchRadix = static_cast<uint32_t>(c.GetCount("switchRadix", "16", 2, 65535));
    cluster.switchBuffer = c.GetBytes("switchBuffer", "64MiB");
    cluster.gpuPeak = c.GetFlopRate("gpuPeak", "989TFLOP/s");
    cluster.gpuEfficiency = c.GetNumber("gpuEfficiency", "0.5", 0.001, 1.0);
    cluster.gpuMemoryRate = c.GetRate("gpuMemoryRate", "3350GB/s");
    if (!m_replay)
    {
        CheckServers(m_scenario.job.degrees,
                     cluster.servers,
                     cluster.gpusPerServer,
                     m_root.Where("cluster"));
    }
    CheckCluster(cluster, c.Where(""));
    m_scenario.optical = ReadOptical(m_root.GetObject("optical"), nullptr);
    m_scenario.routing = ReadRouting(m_root.GetObject("routing"), nullptr);
}

void
ScenarioReader::ReadTraffic()
{
    m_scenario.job.tensorShards =
        ParseTensorShards(m_root.GetChoice("epTraffic", "sharded", {"sharded", "replicated"}),
                          m_root.Where("epTraffic"));
    ReadDeduplication(m_root, m_scenario.job);
    ReadGradients(m_root, m_scenario.job);
    std::string preset;
    const JsonReader g = GetWithPreset("gate", "gates", &preset);
    auto& gate = m_scenario.gate;
    gate = ReadGate(g, preset);
    if (gate.type == "trace")
    {
        gate.trace = FindFile(gate.trace, g.Where("trace"));
        AddInput(gate.trace);
    }
    m_scenario.experts = ReadExperts(m_root.GetObject("experts"), m_scenario.job);
}

void
ScenarioReader::ReadEndpoints()
{
    m_scenario.transport = ReadTransport(m_root.GetObject("transport"));
    CheckLoadBalance(m_scenario, m_root.Where("transport.loadBalance"));
    m_scenario.switches = ReadSwitch(m_root.GetObject("switch"));
}

void
ScenarioReader::ReadFaults(uint32_t iterations)
{
    const auto find = [this](const std::string& given, const std::string& where) {
        const std::string file = FindFile(given, where);
        AddInput(file);
        return file;
    };
    m_scenario.failures = ReadFailures(m_root.GetObject("failures"), find, iterations);
    if (!m_replay)
    {
        m_scenario.availability = ReadAvailability(m_root.GetObject("availability"));
        m_scenario.recovery = ReadRecovery(m_root.GetObject("recovery"),
                                           m_scenario.failures,
                                           m_scenario.availability,
                                           m_scenario.job);
        m_scenario.twin = !m_scenario.failures.IsEmpty() && m_root.GetBool("twin", "true");
    }
}

FabricConfig
ScenarioReader::ReadFabric(const JsonReader& o) const
{
    FabricConfig f;
    f.type = o.GetChoice("type", JsonReader::required, GetFabricTypes());
    f.oversubscription = "1:1";
    if (f.type == "fat-tree")
    {
        f.oversubscription = o.GetString("oversubscription", "1:1");
    }
    if (f.type == "topoopt")
    {
        f.panelPorts = static_cast<uint32_t>(o.GetCount("panelPorts", "0", 0, 1000000));
    }
    std::string name = f.type;
    if (f.type == "mixnet")
    {
        f.policy = m_replay ? o.GetChoice("policy", "never", {"never"})
                            : ReadStrategy(o,
                                           "policy",
                                           GetPolicies(),
                                           ReconfigurationPolicy::GetTypeId(),
                                           "policy");
        name += "/" + f.policy;
    }
    f.name = o.GetString("name", name.c_str());
    f.optical = f.type == "mixnet" ? ReadOptical(o, &m_scenario.optical) : m_scenario.optical;
    f.routing = f.type == "mixnet" ? ReadRouting(o.GetObject("routing"), &m_scenario.routing)
                                   : RoutingConfig();
    CheckFabric(f, m_scenario.cluster, o.Where(""));
    if (f.type == "mixnet" && f.optical.alpha > 0)
    {
        OpticalTechnology technology =
            FindOpticalTechnology(f.optical.technology, o.Where("technology"));
        technology.ports = std::max(technology.ports, f.optical.switchPorts);
        technology.CheckFit(GetServersPerRegion(m_scenario, f),
                            f.optical.alpha,
                            f.optical.switchesPerRegion,
                            o.Where(""));
    }
    return f;
}

void
ScenarioReader::ReadFabrics()
{
    for (const auto& o : m_root.GetObjects("fabrics", "type"))
    {
        m_scenario.fabrics.push_back(ReadFabric(o));
    }
    if (m_scenario.fabrics.empty())
    {
        throw InputError(m_root.Where("fabrics"),
                         "names no fabric",
                         "a list of fat-tree, rail-optimized, topoopt, mixnet");
    }
    std::set<std::string> names;
    for (const auto& f : m_scenario.fabrics)
    {
        if (!names.insert(f.name).second)
        {
            throw InputError(m_root.Where("fabrics"),
                             "two fabrics are called '" + f.name + "'",
                             "a \"name\" of its own for each");
        }
    }
}

void
ScenarioReader::ReadHead(const std::string& name)
{
    m_scenario.file = m_path;
    m_root.GetChoice("schema", "mixnet-scenario/1", {"mixnet-scenario/1"});
    m_scenario.name = m_root.GetString("name", name.c_str());
    CheckName(m_scenario.name, m_root.Where("name"));
    m_scenario.fidelity =
        ParseFidelity(m_root.GetString("fidelity", "flow"), m_root.Where("fidelity"));
    m_scenario.seed = m_root.GetCount("seed", "1", 1, UINT32_MAX);
    m_scenario.stopTime = m_root.GetTime("stopTime", "0s");
    const JsonReader record = m_root.GetObject("record");
    m_scenario.record.controllerDemand = record.GetBool("controllerDemand", "true");
    if (m_replay)
    {
        m_scenario.record.tasks = record.GetChoice("tasks", "auto", {"auto", "all", "none"});
    }
}

Scenario
ScenarioReader::Read()
{
    ReadHead("unnamed");
    ReadModel();
    ReadBatch();
    ReadCluster();
    ReadTraffic();
    ReadEndpoints();
    ReadFaults(m_scenario.job.iterations);
    ReadFabrics();
    CheckDeduplication(m_scenario, m_root.Where("deduplication"));
    CheckLossBudget(m_scenario, m_root.Where("fidelity"));
    CheckRecovery(m_scenario, m_root.Where("recovery"));
    m_root.Finish();
    m_scenario.job.Validate(m_path);
    m_scenario.cluster.servers =
        static_cast<uint32_t>(m_scenario.job.degrees.GetGpus() / m_scenario.cluster.gpusPerServer);
    return m_scenario;
}

Scenario
ReadScenario(const std::string& path,
             const std::string& workloads,
             const ScenarioOverrides& overrides)
{
    return ScenarioReader(path, workloads, overrides).Read();
}

} // namespace ns3
