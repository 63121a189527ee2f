/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "recovery-recorder.h"

#include "ns3/mixnet-units.h"

#include <iomanip>
#include <sstream>

namespace ns3
{

namespace
{

/// @param records records @param get of one record @return a column
template <class F>
auto
Column(const std::vector<RecoveryRecord>& records, F get)
{
    std::vector<decltype(get(records.front()))> values;
    for (const RecoveryRecord& r : records)
    {
        values.push_back(get(r));
    }
    return values;
}

/// @return rows of /failures, "0 2"
std::string
ListFailures(const RecoveryRecord& r)
{
    std::string text;
    for (const std::size_t failure : r.failures)
    {
        text += (text.empty() ? "" : " ") + std::to_string(failure);
    }
    return text;
}

} // namespace

std::string
DescribeTime(Time time)
{
    const double seconds = time.GetSeconds();
    const bool micro = seconds < 1e-3;
    const bool milli = seconds < 1;
    std::ostringstream text;
    text << std::setprecision(4)
         << seconds * (micro   ? 1e6
                       : milli ? 1e3
                               : 1)
         << (micro   ? " us"
             : milli ? " ms"
                     : " s");
    return text.str();
}

RecoveryRecorder::RecoveryRecorder(uint32_t run)
    : m_run(run)
{
}

void
RecoveryRecorder::OnRecovery(const RecoveryRecord& recovery)
{
    m_records.push_back(recovery);
}

void
RecoveryRecorder::AddTables(std::vector<ResultTable>& tables) const
{
    if (m_records.empty())
    {
        return;
    }
    using R = RecoveryRecord;
    const auto& rows = m_records;
    ResultTable t("/recoveries");
    t.Add("run", "1", std::vector<uint32_t>(rows.size(), m_run));
    t.Add("failures", "text", Column(rows, ListFailures));
    t.Add("failed", "s", Column(rows, [](const R& r) { return r.failed.GetSeconds(); }));
    t.Add("detected", "s", Column(rows, [](const R& r) { return r.detected.GetSeconds(); }));
    t.Add("resumed", "s", Column(rows, [](const R& r) { return r.resumed.GetSeconds(); }));
    t.Add("iteration", "1", Column(rows, [](const R& r) { return r.dropped.iteration; }));
    t.Add("resumed_at", "1", Column(rows, [](const R& r) { return r.resumedAt; }));
    t.Add("iterations_lost", "1", Column(rows, [](const R& r) { return r.lost; }));
    t.Add("from_peers", "1", Column(rows, [](const R& r) { return uint8_t(r.fromPeers ? 1 : 0); }));
    t.Add("restore", "s", Column(rows, [](const R& r) { return r.restore.GetSeconds(); }));
    t.Add("restart", "s", Column(rows, [](const R& r) { return r.restart.GetSeconds(); }));
    t.Add("delivered", "B", Column(rows, [](const R& r) { return r.dropped.delivered.Get(); }));
    t.Add("aborted", "B", Column(rows, [](const R& r) { return r.dropped.aborted.Get(); }));
    t.Add("aborted_transfers", "1", Column(rows, [](const R& r) { return r.dropped.transfers; }));
    t.Add("stopped", "1", Column(rows, [](const R& r) { return uint8_t(r.stopped ? 1 : 0); }));
    t.Add("action", "text", Column(rows, [](const R& r) { return r.action; }));
    t.Add("why", "text", Column(rows, [](const R& r) { return r.why; }));
    tables.push_back(std::move(t));
}

std::vector<std::string>
RecoveryRecorder::Describe() const
{
    std::vector<std::string> lines;
    for (const RecoveryRecord& r : m_records)
    {
        std::string line = "ranks lost at " + DescribeTime(r.failed) + ", known at " +
                           DescribeTime(r.detected) + ": " + r.action +
                           (r.why.empty() ? "" : " (" + r.why + ")");
        if (r.stopped)
        {
            lines.push_back(line + "; the job stopped");
            continue;
        }
        line += ", state " +
                std::string(r.restore.IsZero() ? "at hand"
                            : r.fromPeers      ? "from other replicas"
                                               : "from the checkpoint") +
                (r.restore.IsZero() ? "" : " in " + DescribeTime(r.restore)) + ", restart in " +
                DescribeTime(r.restart) + "; went on at " + DescribeTime(r.resumed) +
                " with iteration " + std::to_string(r.resumedAt) + " (" + std::to_string(r.lost) +
                " whole iterations to be done again, " +
                FormatBytes(r.dropped.delivered + r.dropped.aborted) + " to be sent again)";
        lines.push_back(line);
    }
    return lines;
}

} // namespace ns3
