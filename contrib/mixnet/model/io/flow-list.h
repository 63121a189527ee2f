/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_LIST_H
#define FLOW_LIST_H

#include "ns3/mixnet-byte-count.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup mixnet
/// One flow of a flow list.
struct FlowEntry
{
    Time start;              //!< since the start of the application
    uint32_t source{0};      //!< server, counted from 0
    uint32_t destination{0}; //!< server, counted from 0
    ByteCount size;          //!< payload
    uint32_t nic{0};         //!< NIC port at both ends
    uint64_t line{0};        //!< where it stood in the file; 0: none
};

/**
 * @ingroup mixnet
 * A list of flows as text: comma-separated values under a header that names the columns in any
 * order and gives the units, for example
 *
 *     start (us),source,destination,size (B)
 *     0,0,3,1048576
 *     12.5,1,3,65536
 *
 * Columns: start (a unit of time), source and destination (servers, from 0), size (a unit of
 * bytes), and optionally nic (NIC port at both ends, default 0). A column whose header has no unit
 * takes values with their own ("12.5us", "64KiB"). Empty lines and lines that begin with # are
 * skipped; blanks around values and CR LF are accepted. Everything else is an InputError that names
 * file and line.
 */
class FlowList
{
  public:
    FlowList() = default;

    /// @param path file @return its flows, in order of the file @throws InputError as above
    static FlowList ReadCsv(const std::string& path);

    /// @param text content of a file @param name its name, for messages @return its flows
    static FlowList ParseCsv(const std::string& text, const std::string& name);

    /// @param entry appended
    void Add(const FlowEntry& entry)
    {
        m_entries.push_back(entry);
    }

    /// @return the flows
    const std::vector<FlowEntry>& GetEntries() const
    {
        return m_entries;
    }

    /// @param entry one of this list @return file and line, for messages
    std::string Locate(const FlowEntry& entry) const;

  private:
    std::string m_name{"flow list"};  //!< file
    std::vector<FlowEntry> m_entries; //!< flows
};

} // namespace ns3

#endif // FLOW_LIST_H
