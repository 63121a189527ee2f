/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-file.h"

#include "hdf5-table.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

TriggerBook::TriggerBook(const FlowFile& flows)
    : m_flows(flows),
      m_first(flows.triggerKind.size() + 1, 0),
      m_activations(flows.triggerKind.size(), 0)
{
    for (const uint32_t t : flows.trigger)
    {
        if (t != FlowFile::NONE)
        {
            ++m_first[t + 1];
        }
    }
    std::partial_sum(m_first.begin(), m_first.end(), m_first.begin());
    m_row.resize(m_first.back());
    std::vector<uint32_t> next(m_first.begin(), m_first.end() - 1);
    for (std::size_t row = 0; row < flows.GetN(); ++row)
    {
        if (flows.trigger[row] != FlowFile::NONE)
        {
            m_row[next[flows.trigger[row]]++] = static_cast<uint32_t>(row);
        }
    }
}

void
TriggerBook::Activate(uint32_t trigger, std::vector<uint32_t>& started)
{
    const uint64_t number = ++m_activations[trigger];
    const auto first = m_row.begin() + m_first[trigger];
    const auto last = m_row.begin() + m_first[trigger + 1];
    const uint8_t kind = m_flows.triggerKind[trigger];
    if (kind == FlowFile::MULTISHOT)
    {
        if (number <= static_cast<uint64_t>(last - first))
        {
            started.push_back(first[static_cast<std::ptrdiff_t>(number - 1)]);
        }
    }
    else if (number == (kind == FlowFile::BARRIER ? m_flows.count[trigger] : 1))
    {
        started.insert(started.end(), first, last);
    }
}

namespace
{

/// @param flows flow list, triggers read @param table its table
void
CheckRows(const FlowFile& flows, const Hdf5Table& table)
{
    const std::size_t triggers = flows.triggerKind.size();
    for (std::size_t row = 0; row < flows.GetN(); ++row)
    {
        if (flows.source[row] == flows.destination[row])
        {
            table.Refuse(row, "goes from host " + std::to_string(flows.source[row]) + " to itself");
        }
        const uint32_t host = std::max(flows.source[row], flows.destination[row]);
        if (host >= flows.hosts)
        {
            table.Refuse(row,
                         "names host " + std::to_string(host),
                         "0 to " + std::to_string(flows.hosts - 1));
        }
        if (flows.start[row] > static_cast<uint64_t>(INT64_MAX) / 2)
        {
            table.Refuse(row, "starts later than a run can last", "at most 53 days");
        }
        for (const uint32_t t : {flows.trigger[row], flows.sendDone[row], flows.recvDone[row]})
        {
            if (t != FlowFile::NONE && t >= triggers)
            {
                table.Refuse(row,
                             "names trigger " + std::to_string(t),
                             "rows of /triggers, which has " + std::to_string(triggers));
            }
        }
        if (flows.trigger[row] != FlowFile::NONE && flows.start[row] != 0)
        {
            table.Refuse(row, "has a trigger and a start", "start 0");
        }
    }
    std::vector<uint32_t> order(flows.GetN());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        return std::make_pair(flows.id[a], a) < std::make_pair(flows.id[b], b);
    });
    for (std::size_t i = 1; i < order.size(); ++i)
    {
        if (flows.id[order[i]] == flows.id[order[i - 1]])
        {
            table.Refuse(order[i], "id " + std::to_string(flows.id[order[i]]) + " comes twice");
        }
    }
}

/// @param flows flow list, rows checked @param table its table
void
CheckChains(const FlowFile& flows, const Hdf5Table& table)
{
    TriggerBook book(flows);
    std::vector<bool> seen(flows.GetN(), false);
    std::vector<uint32_t> ready;
    for (std::size_t row = 0; row < flows.GetN(); ++row)
    {
        if (flows.trigger[row] == FlowFile::NONE)
        {
            ready.push_back(static_cast<uint32_t>(row));
        }
    }
    for (std::size_t i = 0; i < ready.size(); ++i)
    {
        seen[ready[i]] = true;
        for (const uint32_t t : {flows.sendDone[ready[i]], flows.recvDone[ready[i]]})
        {
            if (t != FlowFile::NONE)
            {
                book.Activate(t, ready);
            }
        }
    }
    const auto never = std::find(seen.begin(), seen.end(), false);
    if (never != seen.end())
    {
        const auto row = static_cast<std::size_t>(never - seen.begin());
        table.Refuse(row,
                     "never starts: trigger " +
                         std::to_string(flows.triggerId[flows.trigger[row]]) +
                         " is not activated often enough",
                     "a chain of triggers in which each flow starts");
    }
}

/// @param reader open file @param flows out: its triggers
void
ReadTriggers(const Hdf5Reader& reader, FlowFile& flows)
{
    Hdf5Table table(reader, "/triggers");
    flows.triggerId = table.Read<uint64_t>("id");
    flows.triggerKind = table.Read<uint8_t>("kind");
    flows.count = table.Read<uint64_t>("count");
    for (std::size_t t = 0; t < flows.triggerKind.size(); ++t)
    {
        if (flows.triggerKind[t] > FlowFile::BARRIER)
        {
            table.Refuse(t,
                         "has the kind " + std::to_string(flows.triggerKind[t]),
                         "0 oneshot, 1 multishot, 2 barrier");
        }
    }
}

} // namespace

FlowFile
ReadFlowFile(const std::string& path)
{
    const Hdf5Reader reader(path);
    CheckImported(reader, "/flows", "mixnet-flows/1", "a flow list of ./mixnet import");
    FlowFile flows;
    flows.path = path;
    flows.hosts = reader.ReadCount("/flows", "hosts");
    Hdf5Table table(reader, "/flows");
    flows.id = table.Read<uint64_t>("id");
    flows.source = table.Read<uint32_t>("source");
    flows.destination = table.Read<uint32_t>("destination");
    flows.bytes = table.Read<uint64_t>("bytes");
    flows.start = table.Read<uint64_t>("start");
    flows.trigger = table.Read<uint32_t>("trigger");
    flows.sendDone = table.Read<uint32_t>("send_done");
    flows.recvDone = table.Read<uint32_t>("recv_done");
    const auto given = [](const std::vector<uint32_t>& values) {
        return std::any_of(values.begin(), values.end(), [](uint32_t v) { return v != 0; });
    };
    flows.priorities = given(table.Read<uint32_t>("priority"));
    flows.ports = reader.Has("/flows/port") && given(reader.ReadUint32("/flows/port"));
    if (flows.GetN() == 0)
    {
        throw InputError(path + ": /flows", "holds no flows");
    }
    if (reader.Has("/triggers"))
    {
        ReadTriggers(reader, flows);
    }
    CheckRows(flows, table);
    CheckChains(flows, table);
    if (reader.Has("/failures"))
    {
        Hdf5Table failures(reader, "/failures");
        const std::vector<uint32_t> tier = failures.Read<uint32_t>("tier");
        const std::vector<uint64_t> number = failures.Read<uint64_t>("switch");
        const std::vector<uint64_t> uplink = failures.Read<uint64_t>("link");
        for (std::size_t i = 0; i < tier.size(); ++i)
        {
            flows.failures.push_back({tier[i], number[i], uplink[i]});
        }
    }
    return flows;
}

} // namespace ns3
