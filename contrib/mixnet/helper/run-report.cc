/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "run-report.h"

#include "run-pool.h"

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <ostream>
#include <set>

namespace ns3
{

int
GetGraver(int a, int b)
{
    const auto gravity = [](int code) {
        return code == 130 ? 4 : code == 3 ? 3 : code == 1 ? 2 : code == 2 ? 1 : 0;
    };
    return gravity(a) >= gravity(b) ? a : b;
}

int
ReportProblems(std::ostream& err,
               const std::vector<std::string>& names,
               const std::vector<RunResult>& results)
{
    int code = 0;
    std::set<std::string> told;
    for (std::size_t i = 0; i < results.size(); ++i)
    {
        const RunResult& r = results[i];
        if (r.status == RunStatus::DONE)
        {
            continue;
        }
        if (r.status == RunStatus::BAD_INPUT && !told.insert(r.message).second)
        {
            continue;
        }
        code = GetGraver(code, static_cast<int>(r.status));
        err << "mixnet-run: " << names[i] << ": " << r.message << "\n";
        constexpr std::size_t limit = 20;
        for (std::size_t k = 0; k < std::min(limit, r.unfinished.size()); ++k)
        {
            err << "  unfinished: " << r.unfinished[k] << "\n";
        }
        if (r.unfinished.size() > limit)
        {
            err << "  ... " << r.unfinished.size() - limit << " more lines in run-info.json\n";
        }
    }
    return RunPool::IsInterrupted() ? 130 : code;
}

/// @param folder a result folder that is to hold nothing: removed when empty
void
RemoveIfEmpty(const std::string& folder)
{
    std::error_code ignored;
    std::filesystem::remove(folder, ignored);
}

void
PrintSettings(std::ostream& out, const std::vector<Setting>& settings)
{
    out << "effective settings:\n";
    for (const auto& s : settings)
    {
        out << "  " << std::left << std::setw(34) << s.key << " " << std::setw(28) << s.value
            << " (" << s.origin << ")\n";
    }
}

void
PrintNotes(std::ostream& out, const std::vector<RunResult>& results, double wallSeconds)
{
    uint64_t peak = 0;
    std::set<std::string> told;
    for (const auto& r : results)
    {
        peak = std::max(peak, r.peakBytes);
        for (const auto& note : r.notes)
        {
            out << (told.insert(note).second ? "\nnote: " + note : "");
        }
    }
    out << "\n"
        << results.size() << " runs in " << std::fixed << std::setprecision(1) << wallSeconds
        << " s, at most " << peak / 1000000 << " MB per process\n";
}

} // namespace ns3
