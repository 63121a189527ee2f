/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "times-file.h"

#include "hdf5-table.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// @param picoseconds a time @param table its table @param row its row @return it
Time
ToTime(uint64_t picoseconds, const Hdf5Table& table, std::size_t row)
{
    if (picoseconds > static_cast<uint64_t>(INT64_MAX) / 2)
    {
        table.Refuse(row, "takes longer than a run can last", "at most 53 days");
    }
    return PicoSeconds(picoseconds);
}

/// @param reader open file @param times out: its ranges
void
ReadRanges(const Hdf5Reader& reader, TimesFile& times)
{
    Hdf5Table nameTable(reader, "/times/names");
    const std::vector<std::string> names = nameTable.ReadTexts("name");
    Hdf5Table table(reader, "/times/layers");
    const auto annotation = table.Read<uint32_t>("annotation");
    const auto compute = table.Read<uint64_t>("compute");
    std::map<std::string, std::pair<Time, int64_t>> sums;
    for (std::size_t row = 0; row < annotation.size(); ++row)
    {
        if (annotation[row] >= names.size())
        {
            table.Refuse(row,
                         "names annotation " + std::to_string(annotation[row]),
                         "rows of /times/names, which has " + std::to_string(names.size()));
        }
        auto& [sum, count] = sums[names[annotation[row]]];
        const Time time = ToTime(compute[row], table, row);
        if (sum > PicoSeconds(INT64_MAX / 2) - time)
        {
            table.Refuse(row, "makes a sum of more than a run can last", "at most 53 days");
        }
        sum += time;
        ++count;
    }
    for (const auto& [name, sum] : sums)
    {
        times.ranges[name] = sum.first / sum.second;
    }
}

/// @param names by name @return the names, for a message
std::string
List(const std::map<std::string, Time>& names)
{
    std::string list;
    for (const auto& entry : names)
    {
        list += (list.empty() ? "" : ", ") + entry.first;
    }
    return list.empty() ? "none" : list;
}

} // namespace

Time
TimesFile::Find(const std::string& text, const std::string& where) const
{
    Time sum;
    for (std::size_t begin = 0; begin <= text.size();)
    {
        const std::size_t end = std::min(text.find(" + ", begin), text.size());
        const std::string term = text.substr(begin, end - begin);
        const std::size_t blank = term.find(' ');
        const std::string kind = term.substr(0, blank);
        if (blank == std::string::npos || (kind != "class" && kind != "range"))
        {
            throw InputError(where, "'" + text + "'", "a time, \"class NAME\" or \"range NAME\"");
        }
        const auto& known = kind == "class" ? classes : ranges;
        const auto it = known.find(term.substr(blank + 1));
        if (it == known.end())
        {
            throw InputError(where,
                             "'" + term + "' is not in " + path,
                             "a " + kind + " of it: " + List(known));
        }
        sum += it->second;
        begin = end + 3;
    }
    return sum;
}

TimesFile
ReadTimesFile(const std::string& path)
{
    const Hdf5Reader reader(path);
    CheckImported(reader, "/times", "mixnet-times/1", "measured times of ./mixnet import");
    TimesFile times;
    times.path = path;
    Hdf5Table table(reader, "/times/classes");
    const std::vector<std::string> names = table.ReadTexts("name");
    const auto mean = table.Read<uint64_t>("mean");
    for (std::size_t row = 0; row < names.size(); ++row)
    {
        times.classes[names[row]] = ToTime(mean[row], table, row);
    }
    if (reader.Has("/times/layers"))
    {
        ReadRanges(reader, times);
    }
    return times;
}

} // namespace ns3
