/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_RESULT_WRITER_H
#define MIXNET_RESULT_WRITER_H

#include "comparison-table.h"
#include "run-result.h"

#include "ns3/settings-log.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// All that goes into a result folder.
struct ResultContent
{
    std::string scenario;                                    //!< its name
    std::vector<Setting> settings;                           //!< effective settings
    std::vector<std::pair<std::string, std::string>> inputs; //!< file and content hash
    std::vector<RunLabel> labels;                            //!< runs that were asked for
    std::vector<RunResult> results;                          //!< runs that ended, in order
    double wallSeconds{0};                                   //!< volatile
    std::vector<std::string> commandLine;                    //!< volatile
    /// Table of one row per run that makes summary.json; empty: iterations make it, and
    /// iterations.csv.
    std::string summaryTable;
};

/**
 * @ingroup mixnet
 * Writes a result folder (doc/results.rst): result.h5 (same inputs and seed, same bytes),
 * summary.json, iterations.csv (of training jobs), and run-info.json with everything volatile. Each
 * file appears whole or not at all.
 */
class ResultWriter
{
  public:
    /**
     * @param folder folder, made when missing
     * @throws InputError when it cannot be written: before anything is simulated
     */
    explicit ResultWriter(const std::string& folder);

    /// @param content what to write @throws InputError when a file cannot be written
    void Write(const ResultContent& content) const;

    /// @return the folder
    const std::string& GetFolder() const;

  private:
    /// @param content content
    void WriteHdf5(const ResultContent& content) const;
    /// @param content content
    void WriteSummary(const ResultContent& content) const;
    /// @param content content with a summary table
    void WriteTableSummary(const ResultContent& content) const;
    /// @param content content
    void WriteCsv(const ResultContent& content) const;
    /// @param content content
    void WriteRunInfo(const ResultContent& content) const;
    /// @param name file in the folder @param text its content
    void WriteText(const std::string& name, const std::string& text) const;

    std::string m_folder; //!< folder
};

} // namespace ns3

#endif // MIXNET_RESULT_WRITER_H
