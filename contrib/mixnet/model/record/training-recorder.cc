/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "training-recorder.h"

#include "result-column.h"
#include "why-tables.h"

#include <algorithm>
#include <string>

namespace ns3
{

TrainingRecorder::TrainingRecorder(uint32_t run, bool demand)
    : m_run(run),
      m_keepDemand(demand)
{
}

void
TrainingRecorder::OnOp(const OpRecord& op)
{
    m_ops.push_back(op);
}

void
TrainingRecorder::OnIteration(const IterationRecord& iteration)
{
    m_iterations.push_back(iteration);
}

void
TrainingRecorder::OnAllToAll(const AllToAllRecord& allToAll)
{
    if (m_keepDemand && allToAll.id.microBatch == 0 &&
        allToAll.id.phase == AllToAllPhase::FORWARD_DISPATCH)
    {
        m_demand.push_back({allToAll.id.iteration,
                            allToAll.id.layer,
                            allToAll.replica,
                            allToAll.stage,
                            *allToAll.matrix});
    }
}

void
TrainingRecorder::OnCompletion(const Completion& completion)
{
    if (completion.status != TransferStatus::DELIVERED)
    {
        return;
    }
    FlowStats& stats = m_flows[static_cast<std::size_t>(completion.trafficClass)];
    const Time fct = completion.finished - completion.posted;
    stats.min = stats.count == 0 ? fct : std::min(stats.min, fct);
    stats.max = std::max(stats.max, fct);
    stats.sum += fct;
    stats.bytes += completion.bytes.Get();
    ++stats.count;
}

const std::vector<IterationRecord>&
TrainingRecorder::GetIterations() const
{
    return m_iterations;
}

ResultTable
TrainingRecorder::MakeOps() const
{
    using O = OpRecord;
    ResultTable t("/ops");
    t.Add("run", "1", std::vector<uint32_t>(m_ops.size(), m_run));
    t.Add("id", "1", Column(m_ops, [](const O& o) { return o.id; }));
    t.Add("predecessor", "1", Column(m_ops, [](const O& o) { return o.predecessor; }));
    t.Add("iteration", "1", Column(m_ops, [](const O& o) { return o.iteration; }));
    t.Add("replica", "1", Column(m_ops, [](const O& o) { return o.replica; }));
    t.Add("stage", "1", Column(m_ops, [](const O& o) { return o.stage; }));
    t.Add("layer", "1", Column(m_ops, [](const O& o) { return o.layer; }));
    t.Add("micro_batch", "1", Column(m_ops, [](const O& o) { return o.microBatch; }));
    t.Add("kind", "text", Column(m_ops, [](const O& o) { return std::string(GetName(o.kind)); }));
    t.Add("backward", "1", Column(m_ops, [](const O& o) { return uint8_t(o.backward); }));
    t.Add("weight_gradient", "1", Column(m_ops, [](const O& o) {
              return uint8_t(o.weightGradient);
          }));
    t.Add("recomputed", "1", Column(m_ops, [](const O& o) { return uint8_t(o.recomputed); }));
    t.Add("critical", "1", Column(m_ops, [](const O& o) { return uint8_t(o.critical); }));
    t.Add("start", "s", Column(m_ops, [](const O& o) { return o.start.GetSeconds(); }));
    t.Add("end", "s", Column(m_ops, [](const O& o) { return o.end.GetSeconds(); }));
    t.Add("waited", "s", Column(m_ops, [](const O& o) { return o.waited.GetSeconds(); }));
    t.Add("slack", "s", Column(m_ops, [](const O& o) { return o.slack.GetSeconds(); }));
    return t;
}

ResultTable
TrainingRecorder::MakeIterations(const CircuitRecorder& circuits) const
{
    using I = IterationRecord;
    const auto& rows = m_iterations;
    std::vector<CircuitSummary> summaries;
    for (const auto& i : rows)
    {
        summaries.push_back(circuits.Summarize(i.start, i.end));
    }
    ResultTable t("/iterations");
    t.Add("run", "1", std::vector<uint32_t>(rows.size(), m_run));
    t.Add("iteration", "1", Column(rows, [](const I& i) { return i.iteration; }));
    t.Add("start", "s", Column(rows, [](const I& i) { return i.start.GetSeconds(); }));
    t.Add("end", "s", Column(rows, [](const I& i) { return i.end.GetSeconds(); }));
    t.Add("compute", "s", Column(rows, [](const I& i) { return i.compute.GetSeconds(); }));
    for (std::size_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        t.Add(std::string("exposed_") + GetName(static_cast<TrafficClass>(c)),
              "s",
              Column(rows, [c](const I& i) { return i.exposed[c].GetSeconds(); }));
    }
    t.Add("waiting_for_circuits", "s", Column(rows, [](const I& i) {
              return i.waitingForCircuits.GetSeconds();
          }));
    t.Add("communication", "s", Column(rows, [](const I& i) {
              return i.communication.GetSeconds();
          }));
    t.Add("hidden_share", "1", Column(rows, [](const I& i) { return i.hiddenShare; }));
    using S = CircuitSummary;
    t.Add("dark_time", "s", Column(summaries, [](const S& s) { return s.dark.GetSeconds(); }));
    t.Add("reconfigurations", "1", Column(summaries, [](const S& s) {
              return s.reconfigurations;
          }));
    t.Add("decisions_kept", "1", Column(summaries, [](const S& s) { return s.kept; }));
    t.Add("distinct_plans", "1", Column(summaries, [](const S& s) { return s.distinctPlans; }));
    for (std::size_t p = 0; p < N_PATH_CLASSES; ++p)
    {
        const char* const names[] = {"bytes_scale_up", "bytes_circuit", "bytes_packet"};
        t.Add(names[p], "B", Column(rows, [p](const I& i) {
                  ByteCount sum;
                  for (const auto& perClass : i.bytes)
                  {
                      sum += perClass[p];
                  }
                  return sum.Get();
              }));
    }
    t.Add("token_copies", "1", Column(rows, [](const I& i) { return i.tokenCopies; }));
    t.Add("dropped_copies", "1", Column(rows, [](const I& i) { return i.droppedCopies; }));
    t.Add("crossing_copies", "1", Column(rows, [](const I& i) { return i.crossingCopies; }));
    t.Add("crossing_tokens", "1", Column(rows, [](const I& i) { return i.crossingTokens; }));
    t.Add("all_to_alls", "1", Column(rows, [](const I& i) { return i.allToAlls; }));
    t.Add("transfers", "1", Column(rows, [](const I& i) { return i.transfers; }));
    t.Add("ops", "1", Column(rows, [](const I& i) { return i.ops; }));
    for (std::size_t k = 0; k < N_OP_KINDS; ++k)
    {
        std::string name = std::string("critical_") + GetName(static_cast<OpKind>(k));
        std::replace(name.begin(), name.end(), '-', '_');
        std::replace(name.begin(), name.end(), ' ', '_');
        t.Add(name, "s", Column(rows, [k](const I& i) { return i.criticalPath[k].GetSeconds(); }));
    }
    return t;
}

ResultTable
TrainingRecorder::MakeDemand() const
{
    std::array<std::vector<uint32_t>, 6> ids;
    std::vector<uint64_t> bytes;
    for (const auto& d : m_demand)
    {
        for (std::size_t i = 0; i < d.matrix.Rows(); ++i)
        {
            for (std::size_t j = 0; j < d.matrix.Columns(); ++j)
            {
                const uint32_t row[] = {d.iteration,
                                        d.layer,
                                        d.replica,
                                        d.stage,
                                        static_cast<uint32_t>(i),
                                        static_cast<uint32_t>(j)};
                for (std::size_t k = 0; k < ids.size(); ++k)
                {
                    ids[k].push_back(row[k]);
                }
                bytes.push_back(d.matrix(i, j));
            }
        }
    }
    ResultTable t("/demand");
    const char* const names[] = {"iteration", "layer", "replica", "stage", "source", "destination"};
    t.Add("run", "1", std::vector<uint32_t>(bytes.size(), m_run));
    for (std::size_t k = 0; k < ids.size(); ++k)
    {
        t.Add(names[k], "1", ids[k]);
    }
    t.Add("bytes", "B", bytes);
    return t;
}

ResultTable
TrainingRecorder::MakeFlowStats() const
{
    std::vector<std::string> classes;
    std::vector<FlowStats> rows;
    for (std::size_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (m_flows[c].count > 0)
        {
            classes.emplace_back(GetName(static_cast<TrafficClass>(c)));
            rows.push_back(m_flows[c]);
        }
    }
    using F = FlowStats;
    ResultTable t("/flow_stats");
    t.Add("run", "1", std::vector<uint32_t>(rows.size(), m_run));
    t.Add("class", "text", classes);
    t.Add("count", "1", Column(rows, [](const F& f) { return f.count; }));
    t.Add("bytes", "B", Column(rows, [](const F& f) { return f.bytes; }));
    t.Add("fct_min", "s", Column(rows, [](const F& f) { return f.min.GetSeconds(); }));
    t.Add("fct_mean", "s", Column(rows, [](const F& f) {
              return f.sum.GetSeconds() / static_cast<double>(f.count);
          }));
    t.Add("fct_max", "s", Column(rows, [](const F& f) { return f.max.GetSeconds(); }));
    return t;
}

void
TrainingRecorder::AddTables(const CircuitRecorder& circuits, std::vector<ResultTable>& tables) const
{
    for (ResultTable table : {MakeIterations(circuits), MakeOps(), MakeDemand(), MakeFlowStats()})
    {
        if (table.GetNRows() > 0)
        {
            tables.push_back(std::move(table));
        }
    }
    circuits.AddTables(tables);
}

void
TrainingRecorder::AddWhyTables(const FabricResources& resources,
                               std::vector<ResultTable>& tables) const
{
    for (ResultTable table : {MakeCriticalPathTable(m_run, m_ops, resources),
                              MakeBottleneckTable(m_run, m_ops, resources),
                              MakeSlackTable(m_run, m_ops)})
    {
        if (table.GetNRows() > 0)
        {
            tables.push_back(std::move(table));
        }
    }
}

} // namespace ns3
