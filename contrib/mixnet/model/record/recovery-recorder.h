/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_RECOVERY_RECORDER_H
#define MIXNET_RECOVERY_RECORDER_H

#include "ns3/job-recovery.h"
#include "ns3/result-table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// @param time a time @return "5.038 s", "27.6 ms": four digits, for people
std::string DescribeTime(Time time);

/**
 * @ingroup mixnet
 * Keeps what JobRecovery tells, for the table /recoveries and for notes.
 */
class RecoveryRecorder
{
  public:
    /// @param run its number
    explicit RecoveryRecorder(uint32_t run);

    /// @param recovery traced
    void OnRecovery(const RecoveryRecord& recovery);

    /// @return recoveries, in order of time
    const std::vector<RecoveryRecord>& GetAll() const
    {
        return m_records;
    }

    /// @param tables out: /recoveries, when there are any
    void AddTables(std::vector<ResultTable>& tables) const;

    /// @return a sentence for each
    std::vector<std::string> Describe() const;

  private:
    uint32_t m_run;                        //!< its number
    std::vector<RecoveryRecord> m_records; //!< in order of time
};

} // namespace ns3

#endif // MIXNET_RECOVERY_RECORDER_H
