/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "result-writer.h"

#include "summary-json.h"

#include "ns3/hdf5-writer.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

namespace ns3
{

namespace fs = std::filesystem;

namespace
{

/// @tparam G getter @param labels runs @param get text of a label @return the column
template <class G>
std::vector<std::string>
Texts(const std::vector<RunLabel>& labels, const G& get)
{
    std::vector<std::string> values;
    for (const auto& l : labels)
    {
        values.push_back(get(l));
    }
    return values;
}

/// @param content content @return /runs
ResultTable
MakeRuns(const ResultContent& content)
{
    std::vector<RunLabel> labels(content.labels.begin(),
                                 content.labels.begin() +
                                     static_cast<std::ptrdiff_t>(content.results.size()));
    std::vector<uint32_t> numbers;
    std::vector<std::string> statuses;
    for (const auto& r : content.results)
    {
        numbers.push_back(static_cast<uint32_t>(numbers.size()));
        statuses.emplace_back(GetName(r.status));
    }
    using L = RunLabel;
    ResultTable t("/runs");
    t.Add("run", "1", numbers);
    t.Add("fabric", "text", Texts(labels, [](const L& l) { return l.fabric; }));
    t.Add("type", "text", Texts(labels, [](const L& l) { return l.type; }));
    t.Add("policy", "text", Texts(labels, [](const L& l) { return l.policy; }));
    t.Add("compute", "text", Texts(labels, [](const L& l) { return l.compute; }));
    t.Add("fidelity", "text", Texts(labels, [](const L& l) { return l.fidelity; }));
    t.Add("load_balance", "text", Texts(labels, [](const L& l) { return l.loadBalance; }));
    t.Add("status", "text", statuses);
    return t;
}

/// @param settings settings @return /settings
ResultTable
MakeSettings(const std::vector<Setting>& settings)
{
    std::array<std::vector<std::string>, 4> columns;
    for (const auto& s : settings)
    {
        columns[0].push_back(s.key);
        columns[1].push_back(s.value);
        columns[2].push_back(s.unit);
        columns[3].push_back(s.origin);
    }
    ResultTable t("/settings");
    t.Add("name", "text", columns[0]);
    t.Add("value", "text", columns[1]);
    t.Add("unit", "text", columns[2]);
    t.Add("origin", "text", columns[3]);
    return t;
}

/// @param inputs files and hashes @return /inputs
ResultTable
MakeInputs(const std::vector<std::pair<std::string, std::string>>& inputs)
{
    std::vector<std::string> names;
    std::vector<std::string> hashes;
    for (const auto& [name, hash] : inputs)
    {
        names.push_back(name);
        hashes.push_back(hash);
    }
    ResultTable t("/inputs");
    t.Add("file", "text", names);
    t.Add("hash", "text", hashes);
    return t;
}

/// @param json a document @return its text; bytes that are not UTF-8, as names of files may have,
/// are replaced
std::string
Dump(const nlohmann::ordered_json& json)
{
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// @param value text of a CSV cell @return quoted where needed (RFC 4180)
std::string
Quote(const std::string& value)
{
    if (value.find_first_of(",\"\n") == std::string::npos)
    {
        return value;
    }
    std::string quoted = "\"";
    for (const char c : value)
    {
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    return quoted + "\"";
}

} // namespace

ResultWriter::ResultWriter(const std::string& folder)
    : m_folder(folder)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (error || !fs::is_directory(folder))
    {
        throw InputError("output folder " + folder,
                         "cannot be made: " + (error ? error.message() : "it is a file"),
                         "a folder that can be written");
    }
    const fs::path probe = fs::path(folder) / (".mixnet-probe-" + std::to_string(getpid()));
    errno = 0;
    std::ofstream out(probe);
    const bool good = static_cast<bool>(out << "probe" << std::flush);
    const std::string why = strerror(errno);
    out.close();
    fs::remove(probe, error);
    if (!good)
    {
        throw InputError("output folder " + folder,
                         "cannot be written: " + why,
                         "a folder that can be written");
    }
}

const std::string&
ResultWriter::GetFolder() const
{
    return m_folder;
}

void
ResultWriter::WriteText(const std::string& name, const std::string& text) const
{
    const fs::path path = fs::path(m_folder) / name;
    const fs::path part = path.string() + ".part";
    errno = 0;
    std::ofstream out(part, std::ios::binary);
    out << text << std::flush;
    if (!out)
    {
        const std::string why = strerror(errno);
        std::error_code ignored;
        fs::remove(part, ignored);
        throw InputError(path.string(), "cannot be written: " + why);
    }
    out.close();
    fs::rename(part, path);
}

void
ResultWriter::Write(const ResultContent& content) const
{
    WriteHdf5(content);
    for (const char* earlier : {"iterations.csv", "iterations.png"})
    {
        std::error_code ignored; // of another run, which may have had what this one has not
        fs::remove(fs::path(m_folder) / earlier, ignored);
    }
    if (content.summaryTable.empty())
    {
        WriteSummary(content);
        WriteCsv(content);
    }
    else
    {
        WriteTableSummary(content);
    }
    WriteRunInfo(content);
}

void
ResultWriter::WriteHdf5(const ResultContent& content) const
{
    Hdf5Writer writer((fs::path(m_folder) / "result.h5").string());
    writer.WriteAttribute("schema", "mixnet-result/1");
    writer.WriteAttribute("scenario", content.scenario);
    writer.Write(MakeSettings(content.settings));
    writer.Write(MakeInputs(content.inputs));
    writer.Write(MakeRuns(content));
    std::map<std::string, ResultTable> merged;
    for (const auto& result : content.results)
    {
        for (const auto& table : result.tables)
        {
            const auto it = merged.find(table.GetName());
            if (it == merged.end())
            {
                merged.emplace(table.GetName(), table);
            }
            else
            {
                it->second.Append(table);
            }
        }
    }
    for (const auto& [name, table] : merged)
    {
        writer.Write(table);
    }
    for (const auto& result : content.results)
    {
        result.spill.ForEach([&](const ResultTable& block) { writer.Append(block); });
    }
    writer.Commit();
}

void
ResultWriter::WriteSummary(const ResultContent& content) const
{
    nlohmann::ordered_json summary;
    summary["schema"] = "mixnet-summary/1";
    summary["scenario"] = content.scenario;
    summary["runs"] = MakeSummaryRuns(content.labels, content.results);
    WriteText("summary.json", Dump(summary));
}

void
ResultWriter::WriteTableSummary(const ResultContent& content) const
{
    nlohmann::ordered_json summary;
    summary["schema"] = "mixnet-summary/1";
    summary["scenario"] = content.scenario;
    auto& runs = summary["runs"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < content.results.size(); ++i)
    {
        const RunResult& r = content.results[i];
        const RunLabel& l = content.labels[i];
        nlohmann::ordered_json run{{"fabric", l.fabric},
                                   {"type", l.type},
                                   {"fidelity", l.fidelity},
                                   {"load_balance", l.loadBalance},
                                   {"status", GetName(r.status)}};
        if (const ResultTable* table = r.Find(content.summaryTable); table != nullptr)
        {
            for (const auto& c : table->GetColumns())
            {
                std::visit([&](const auto& values) { run[c.name] = values.at(0); }, c.values);
            }
        }
        runs.push_back(run);
    }
    WriteText("summary.json", Dump(summary));
}

void
ResultWriter::WriteCsv(const ResultContent& content) const
{
    std::ostringstream out;
    out << std::setprecision(17);
    bool headed = false;
    for (std::size_t run = 0; run < content.results.size(); ++run)
    {
        const ResultTable* table = content.results[run].Find("/iterations");
        if (table == nullptr)
        {
            continue;
        }
        const auto& columns = table->GetColumns();
        if (!headed)
        {
            out << "fabric,compute";
            for (const auto& c : columns)
            {
                out << "," << c.name << (c.unit == "1" ? "" : " [" + c.unit + "]");
            }
            out << "\n";
            headed = true;
        }
        for (std::size_t row = 0; row < table->GetNRows(); ++row)
        {
            out << Quote(content.labels[run].fabric) << "," << content.labels[run].compute;
            for (const auto& c : columns)
            {
                out << ",";
                std::visit([&](const auto& values) { out << values[row]; }, c.values);
            }
            out << "\n";
        }
    }
    WriteText("iterations.csv", out.str());
}

void
ResultWriter::WriteRunInfo(const ResultContent& content) const
{
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    std::array<char, 64> when{};
    const std::time_t now = std::time(nullptr);
    std::tm utc = {};
    gmtime_r(&now, &utc);
    std::strftime(when.data(), when.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    nlohmann::ordered_json info;
    info["schema"] = "mixnet-run-info/1";
    info["finished"] = when.data();
    info["host"] = host.data();
    info["command_line"] = content.commandLine;
    info["ns3_minor_release"] = MIXNET_NS3_MINOR;
    info["compiler"] = __VERSION__;
    const char* revision = std::getenv("MIXNET_REVISION");
    info["revision"] = revision == nullptr ? "unknown" : revision;
    info["wall_s"] = content.wallSeconds;
    uint64_t peak = 0;
    auto& runs = info["runs"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < content.results.size(); ++i)
    {
        const RunResult& r = content.results[i];
        peak = std::max(peak, r.peakBytes);
        runs.push_back({{"fabric", content.labels[i].fabric},
                        {"compute", content.labels[i].compute},
                        {"status", GetName(r.status)},
                        {"message", r.message},
                        {"unfinished", r.unfinished},
                        {"notes", r.notes},
                        {"wall_s", r.wallSeconds},
                        {"cpu_s", r.cpuSeconds},
                        {"peak_rss_bytes", r.peakBytes}});
    }
    info["peak_rss_bytes_of_a_run"] = peak;
    WriteText("run-info.json", Dump(info));
}

} // namespace ns3
