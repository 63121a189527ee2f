/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_TABLE_SPILL_H
#define MIXNET_TABLE_SPILL_H

#include "result-table.h"

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>

namespace ns3
{

/**
 * @ingroup mixnet
 * Tables that are too long for memory, in blocks of rows: they are written into a file without a
 * name in the system's folder for temporary files, which ends with the last copy of this. Copies
 * share what they hold.
 */
class TableSpill
{
  public:
    /// Told a block.
    using Visitor = std::function<void(const ResultTable& block)>;

    /// @param block rows behind those so far of the table of this name
    /// @throws InputError when there is no temporary space
    void Append(const ResultTable& block);

    /// @return true when nothing was appended
    bool IsEmpty() const
    {
        return m_blocks == 0;
    }

    /// @param visit told every block, in the order of coming; one is in memory at a time
    void ForEach(const Visitor& visit) const;

    /// @param out where to copy everything @return false when it cannot be written
    bool Save(std::FILE* out) const;
    /// @param in file that another process wrote with Save(), which continues here
    /// @return what it holds, read when it is asked for
    static TableSpill Load(const std::shared_ptr<std::FILE>& in);

  private:
    std::shared_ptr<std::FILE> m_file; //!< null: none yet
    long m_first{0};                   //!< where it begins in the file
    uint64_t m_blocks{0};              //!< number
};

} // namespace ns3

#endif // MIXNET_TABLE_SPILL_H
