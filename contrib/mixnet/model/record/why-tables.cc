/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "why-tables.h"

#include "result-column.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// @param op operation @return its time without waiting for circuits
Time
GetBusy(const OpRecord& op)
{
    return op.end - op.start - op.waited;
}

/// A row of /bottlenecks.
struct Bottleneck
{
    uint32_t iteration{0}; //!< iteration
    std::string phase;     //!< kind of operation, or waiting for circuits
    std::string kind;      //!< of the resource
    std::string resource;  //!< its name
    std::string sample;    //!< name of the next resource, of the longest of the operations
    uint32_t ops{0};       //!< operations
    Time time;             //!< of them, on the critical path
    Time longest;          //!< of one of them
    Time load;             //!< of the resource
    Time next;             //!< of the next one
    uint64_t bytes{0};     //!< over the resource
};

/// Bottlenecks by iteration, phase, kind and name of the resource.
using BottleneckMap =
    std::map<std::tuple<uint32_t, std::string, std::string, std::string>, Bottleneck>;

/// @param op on a critical path @param resources names @param rows added to
void
AddBusy(const OpRecord& op, const FabricResources& resources, BottleneckMap& rows)
{
    const std::string phase = GetName(op.kind);
    const std::string kind = GetName(op.load.most.resource.kind);
    const std::string name = resources.GetName(op.load.most.resource);
    Bottleneck& row = rows[{op.iteration, phase, kind, name}];
    row.iteration = op.iteration;
    row.phase = phase;
    row.kind = kind;
    row.resource = name;
    ++row.ops;
    row.time += GetBusy(op);
    row.load += op.load.most.time;
    row.next += op.load.next.time;
    row.bytes += op.load.most.bytes.Get();
    if (row.ops == 1 || GetBusy(op) > row.longest)
    {
        row.longest = GetBusy(op);
        row.sample = resources.GetName(op.load.next.resource);
    }
}

/// @param op on a critical path, that waited for circuits @param rows added to
void
AddWaiting(const OpRecord& op, BottleneckMap& rows)
{
    const std::string phase = "waiting for circuits";
    Bottleneck& row = rows[{op.iteration, phase, "dark", ""}];
    row.iteration = op.iteration;
    row.phase = phase;
    row.kind = "dark";
    ++row.ops;
    row.time += op.waited;
    row.load += op.waited;
}

/// Slack of operations of one kind.
struct SlackSum
{
    uint32_t ops{0};      //!< number
    uint32_t critical{0}; //!< of these, on the critical path
    Time least;           //!< of one of them
    Time sum;             //!< of all
};

} // namespace

ResultTable
MakeCriticalPathTable(uint32_t run,
                      const std::vector<OpRecord>& all,
                      const FabricResources& resources)
{
    using O = OpRecord;
    std::vector<O> ops;
    std::copy_if(all.begin(), all.end(), std::back_inserter(ops), [](const O& o) {
        return o.critical;
    });
    ResultTable t("/critical_path");
    t.Add("run", "1", std::vector<uint32_t>(ops.size(), run));
    t.Add("iteration", "1", Column(ops, [](const O& o) { return o.iteration; }));
    t.Add("op", "1", Column(ops, [](const O& o) { return o.id; }));
    t.Add("kind", "text", Column(ops, [](const O& o) { return std::string(GetName(o.kind)); }));
    t.Add("backward", "1", Column(ops, [](const O& o) { return uint8_t(o.backward); }));
    t.Add("replica", "1", Column(ops, [](const O& o) { return o.replica; }));
    t.Add("stage", "1", Column(ops, [](const O& o) { return o.stage; }));
    t.Add("layer", "1", Column(ops, [](const O& o) { return o.layer; }));
    t.Add("micro_batch", "1", Column(ops, [](const O& o) { return o.microBatch; }));
    t.Add("start", "s", Column(ops, [](const O& o) { return o.start.GetSeconds(); }));
    t.Add("end", "s", Column(ops, [](const O& o) { return o.end.GetSeconds(); }));
    t.Add("waited", "s", Column(ops, [](const O& o) { return o.waited.GetSeconds(); }));
    const auto add = [&](const std::string& prefix, const auto& get) {
        t.Add(prefix + "kind", "text", Column(ops, [&](const O& o) {
                  return std::string(GetName(get(o).resource.kind));
              }));
        t.Add(prefix + "name", "text", Column(ops, [&](const O& o) {
                  return resources.GetName(get(o).resource);
              }));
        t.Add(prefix + "alike", "1", Column(ops, [&](const O& o) { return get(o).alike; }));
        t.Add(prefix + "bytes", "B", Column(ops, [&](const O& o) { return get(o).bytes.Get(); }));
        t.Add(prefix + "load", "s", Column(ops, [&](const O& o) {
                  return get(o).time.GetSeconds();
              }));
    };
    add("resource_", [](const O& o) { return o.load.most; });
    add("next_", [](const O& o) { return o.load.next; });
    return t;
}

ResultTable
MakeBottleneckTable(uint32_t run,
                    const std::vector<OpRecord>& ops,
                    const FabricResources& resources)
{
    BottleneckMap sums;
    std::map<uint32_t, Time> length;
    for (const OpRecord& op : ops)
    {
        if (op.critical)
        {
            AddBusy(op, resources, sums);
            if (op.waited > Time())
            {
                AddWaiting(op, sums);
            }
            length[op.iteration] += op.end - op.start;
        }
    }
    using B = Bottleneck;
    std::vector<B> rows;
    for (const auto& [key, row] : sums)
    {
        rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const B& a, const B& b) {
        return std::make_pair(a.iteration, -a.time.GetTimeStep()) <
               std::make_pair(b.iteration, -b.time.GetTimeStep());
    });
    ResultTable t("/bottlenecks");
    t.Add("run", "1", std::vector<uint32_t>(rows.size(), run));
    t.Add("iteration", "1", Column(rows, [](const B& b) { return b.iteration; }));
    t.Add("phase", "text", Column(rows, [](const B& b) { return b.phase; }));
    t.Add("resource_kind", "text", Column(rows, [](const B& b) { return b.kind; }));
    t.Add("resource_name", "text", Column(rows, [](const B& b) { return b.resource; }));
    t.Add("ops", "1", Column(rows, [](const B& b) { return b.ops; }));
    t.Add("time", "s", Column(rows, [](const B& b) { return b.time.GetSeconds(); }));
    t.Add("share", "1", Column(rows, [&](const B& b) {
              return b.time.GetSeconds() / length[b.iteration].GetSeconds();
          }));
    t.Add("bytes", "B", Column(rows, [](const B& b) { return b.bytes; }));
    t.Add("load", "s", Column(rows, [](const B& b) { return b.load.GetSeconds(); }));
    t.Add("next_load", "s", Column(rows, [](const B& b) { return b.next.GetSeconds(); }));
    t.Add("next_name", "text", Column(rows, [](const B& b) { return b.sample; }));
    return t;
}

ResultTable
MakeSlackTable(uint32_t run, const std::vector<OpRecord>& ops)
{
    using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint8_t>;
    std::map<Key, SlackSum> sums;
    for (const OpRecord& op : ops)
    {
        SlackSum& s = sums[{op.iteration,
                            op.replica,
                            op.stage,
                            static_cast<uint32_t>(op.kind),
                            uint8_t(op.backward)}];
        s.least = s.ops == 0 ? op.slack : Min(s.least, op.slack);
        s.sum += op.slack;
        ++s.ops;
        s.critical += op.critical ? 1 : 0;
    }
    using Row = std::pair<Key, SlackSum>;
    const std::vector<Row> rows(sums.begin(), sums.end());
    ResultTable t("/slack");
    t.Add("run", "1", std::vector<uint32_t>(rows.size(), run));
    t.Add("iteration", "1", Column(rows, [](const Row& r) { return std::get<0>(r.first); }));
    t.Add("replica", "1", Column(rows, [](const Row& r) { return std::get<1>(r.first); }));
    t.Add("stage", "1", Column(rows, [](const Row& r) { return std::get<2>(r.first); }));
    t.Add("kind", "text", Column(rows, [](const Row& r) {
              return std::string(GetName(static_cast<OpKind>(std::get<3>(r.first))));
          }));
    t.Add("backward", "1", Column(rows, [](const Row& r) { return std::get<4>(r.first); }));
    t.Add("ops", "1", Column(rows, [](const Row& r) { return r.second.ops; }));
    t.Add("critical", "1", Column(rows, [](const Row& r) { return r.second.critical; }));
    t.Add("least", "s", Column(rows, [](const Row& r) { return r.second.least.GetSeconds(); }));
    t.Add("mean", "s", Column(rows, [](const Row& r) {
              return r.second.sum.GetSeconds() / static_cast<double>(r.second.ops);
          }));
    return t;
}

} // namespace ns3
