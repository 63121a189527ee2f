/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPLAY_FIXTURE_H
#define REPLAY_FIXTURE_H

#include "imported_files.h"

#include "ns3/ns3-compat.h"
#include "ns3/replay-runner.h"

#include <fstream>
#include <sstream>

namespace ns3
{

/// Runs imported files in a folder of their own, in this process or as the command line does.
class ReplayTest : public ImportedFileTest
{
  protected:
    void SetUp() override
    {
        EnsurePicosecondClock();
        ImportedFileTest::SetUp();
    }

    /// @param replay what to run @param overrides command line @return its tables, run in this
    /// process on the first fabric
    static RunResult RunHere(const Replay& replay, const ScenarioOverrides& overrides)
    {
        const Scenario s = ReadReplayScenario("", Workloads(), overrides, replay.GetKind());
        SharedProgress progress(1);
        return replay.Run(s, s.fabrics.at(0), 0, progress.At(0), nullptr);
    }

    /// @param replay what to run @param overrides command line @param output folder
    /// @return exit code
    int RunThere(std::unique_ptr<const Replay> replay,
                 const ScenarioOverrides& overrides,
                 const std::string& output)
    {
        RunnerOptions options;
        options.output = (m_dir / output).string();
        options.jobs = 1;
        m_out.str("");
        m_err.str("");
        try
        {
            ReplayRunner runner(std::move(replay), "", Workloads(), overrides, options);
            return runner.Run(m_out, m_err);
        }
        catch (const std::runtime_error& e)
        {
            m_err << e.what();
            return 1;
        }
    }

    /// @return folder of presets
    static std::string Workloads()
    {
        const char* given = std::getenv("MIXNET_WORKLOADS");
        return given != nullptr ? given : "workloads";
    }

    /// @param output folder @param file file in it @return its bytes
    std::string Bytes(const std::string& output, const std::string& file) const
    {
        std::ifstream in(m_dir / output / file, std::ios::binary);
        std::ostringstream out;
        out << in.rdbuf();
        return out.str();
    }

    /// @tparam T of the column @param result result @param table name @param column name
    /// @return its values
    template <class T>
    static std::vector<T> Column(const RunResult& result,
                                 const std::string& table,
                                 const std::string& column)
    {
        const ResultTable* t = result.Find(table);
        if (t == nullptr)
        {
            ADD_FAILURE() << "no table " << table;
            return {};
        }
        for (const auto& c : t->GetColumns())
        {
            if (c.name == column)
            {
                return std::get<std::vector<T>>(c.values);
            }
        }
        ADD_FAILURE() << "no column " << column << " in " << table;
        return {};
    }

    /// @param seconds s @return ps
    static int64_t Ticks(double seconds)
    {
        return static_cast<int64_t>(seconds * 1e12 + 0.5);
    }

    std::ostringstream m_out;
    std::ostringstream m_err;
};

} // namespace ns3

#endif // REPLAY_FIXTURE_H
