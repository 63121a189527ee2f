/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FAILURE_LOG_H
#define FAILURE_LOG_H

#include "failure-event.h"

#include "ns3/mixnet-byte-count.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// What became of one failure event.
struct FailureRecord
{
    FailureKind kind{FailureKind::NIC};        //!< of the element
    std::string element;                       //!< as FailureTarget::name
    FailureAction action{FailureAction::DOWN}; //!< what happened
    std::string value;                         //!< of slow, rate, ber
    Time at;                                   //!< when it happened
    std::optional<Time> detected;              //!< when somebody knew
    std::optional<Time> reacted;               //!< when ways, plans or ranks had changed
    std::optional<Time> recovered;             //!< when every transfer had a whole way again (and
                                               //!< the job went on, where it had stopped)
    bool noop{false};                          //!< changed nothing: dead already, or not broken
    std::string note;                          //!< why, in words; empty: nothing special
    uint64_t moves{0};                         //!< transfers that went on by another way
    ByteCount moved;                           //!< payload that these still had to deliver
    uint64_t framesLost{0};                    //!< until the next event; packet fidelity
    ByteCount resent;                          //!< payload, until the next event; packet fidelity
};

/**
 * @ingroup mixnet
 * What became of failures: one record per event, in order of time. The network half and the job
 * half write into the same records.
 */
class FailureLog
{
  public:
    /// @param record a new one @return its index
    std::size_t Add(const FailureRecord& record);
    /// @param index of a record @return it
    FailureRecord& Get(std::size_t index);

    /// @return all records
    const std::vector<FailureRecord>& GetAll() const
    {
        return m_records;
    }

    /// @param record a record @param budget longest switchover @return true for a failure that was
    /// reacted to, and not recovered from within the budget
    static bool IsLate(const FailureRecord& record, Time budget);
    /// @param budget longest switchover @return failures (not repairs) that had an effect, were
    /// reacted to, and took longer from failure to recovery
    std::size_t CountOver(Time budget) const;

    /// @param budget longest switchover @return a line for every record, and a verdict
    std::vector<std::string> Describe(Time budget) const;

  private:
    std::vector<FailureRecord> m_records; //!< in order of time
};

} // namespace ns3

#endif // FAILURE_LOG_H
