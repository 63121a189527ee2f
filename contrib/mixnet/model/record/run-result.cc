/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "run-result.h"

#include <algorithm>
#include <istream>
#include <ostream>

namespace ns3
{

const char*
GetName(RunStatus status)
{
    switch (status)
    {
    case RunStatus::DONE:
        return "done";
    case RunStatus::BAD_INPUT:
        return "bad input";
    case RunStatus::UNFINISHED:
        return "unfinished";
    case RunStatus::INTERRUPTED:
        return "interrupted";
    default:
        return "internal error";
    }
}

const ResultTable*
RunResult::Find(const std::string& name) const
{
    const auto it = std::find_if(tables.begin(), tables.end(), [&](const ResultTable& t) {
        return t.GetName() == name;
    });
    return it == tables.end() ? nullptr : &*it;
}

void
RunResult::Save(std::ostream& out) const
{
    ResultTable head("head");
    head.Add("status", "1", std::vector<uint32_t>{static_cast<uint32_t>(status)});
    head.Add("message", "text", std::vector<std::string>{message});
    head.Add("seconds", "s", std::vector<double>{wallSeconds});
    head.Add("cpu", "s", std::vector<double>{cpuSeconds});
    head.Add("peak", "B", std::vector<uint64_t>{peakBytes});
    head.Add("tables", "1", std::vector<uint64_t>{tables.size()});
    head.Save(out);
    ResultTable lines("unfinished");
    lines.Add("line", "text", unfinished);
    lines.Save(out);
    ResultTable remarks("notes");
    remarks.Add("line", "text", notes);
    remarks.Save(out);
    for (const auto& table : tables)
    {
        table.Save(out);
    }
}

RunResult
RunResult::Load(std::istream& in)
{
    RunResult result;
    const ResultTable head = ResultTable::Load(in);
    const auto& columns = head.GetColumns();
    result.status = static_cast<RunStatus>(std::get<std::vector<uint32_t>>(columns[0].values)[0]);
    result.message = std::get<std::vector<std::string>>(columns[1].values)[0];
    result.wallSeconds = std::get<std::vector<double>>(columns[2].values)[0];
    result.cpuSeconds = std::get<std::vector<double>>(columns[3].values)[0];
    result.peakBytes = std::get<std::vector<uint64_t>>(columns[4].values)[0];
    const uint64_t tables = std::get<std::vector<uint64_t>>(columns[5].values)[0];
    const ResultTable lines = ResultTable::Load(in);
    result.unfinished = std::get<std::vector<std::string>>(lines.GetColumns()[0].values);
    const ResultTable remarks = ResultTable::Load(in);
    result.notes = std::get<std::vector<std::string>>(remarks.GetColumns()[0].values);
    for (uint64_t i = 0; i < tables; ++i)
    {
        result.tables.push_back(ResultTable::Load(in));
    }
    return result;
}

} // namespace ns3
