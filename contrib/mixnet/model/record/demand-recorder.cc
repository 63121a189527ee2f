/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "demand-recorder.h"

#include "result-column.h"

#include <string>

namespace ns3
{

namespace
{

/// Fingerprints of a matrix and of its transpose: sums over the entries, so that their order does
/// not matter.
struct Prints
{
    uint64_t straight{0};   //!< of the matrix
    uint64_t transposed{0}; //!< of its transpose
    uint64_t bytes{0};      //!< sum of the entries
};

/// @param row row @param column column @param bytes entry @return a well mixed 64-bit word (the
/// finalizer of splitmix64, Steele, Lea and Flood 2014)
uint64_t
Mix(uint64_t row, uint64_t column, uint64_t bytes)
{
    uint64_t word = bytes;
    for (const uint64_t part : {row, column, uint64_t(0)})
    {
        word += 0x9e3779b97f4a7c15 * (part + 1);
        word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
        word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
        word ^= word >> 31;
    }
    return word;
}

/// @tparam V visitor @param demand a matrix @param visit told row, column and bytes of every entry
/// between two servers
template <class V>
void
ForEachEntry(const DemandMatrix& demand, const V& visit)
{
    for (std::size_t i = 0; i < demand.Rows(); ++i)
    {
        for (std::size_t j = 0; j < demand.Columns(); ++j)
        {
            if (i != j && demand(i, j) > 0)
            {
                visit(i, j, demand(i, j));
            }
        }
    }
}

/// @param demand a matrix @return its fingerprints
Prints
Fingerprint(const DemandMatrix& demand)
{
    Prints prints;
    ForEachEntry(demand, [&](std::size_t i, std::size_t j, uint64_t bytes) {
        prints.straight += Mix(i, j, bytes);
        prints.transposed += Mix(j, i, bytes);
        prints.bytes += bytes;
    });
    return prints;
}

/// @param basis what a plan is made for @return what its matrix is
const char*
GetMatrixName(PlanBasis basis)
{
    return basis == PlanBasis::PREDICTED   ? "predicted"
           : basis == PlanBasis::ITERATION ? "iteration"
                                           : "seen";
}

} // namespace

DemandRecorder::DemandRecorder(uint32_t run, std::size_t blockRows)
    : m_run(run),
      m_blockRows(blockRows)
{
}

void
DemandRecorder::Listen(const Ptr<RegionalController>& controller,
                       const std::vector<ServerId>& servers)
{
    const RegionId region = controller->GetRegion();
    m_servers[region] = servers;
    Recent none;
    const std::pair<const char*, const DemandMatrix*> initial[] = {
        {"average", controller->GetInitialDemand()},
        {"standing", controller->GetStandingDemand()}};
    for (const auto& [what, demand] : initial)
    {
        if (demand != nullptr)
        {
            m_rows.push_back(
                {region, 0, Time(), AllToAllId(), what, true, Keep(*demand, servers, none)});
        }
    }
    controller->TraceConnectWithoutContext("Decision",
                                           MakeCallback(&DemandRecorder::OnDecision, this));
}

void
DemandRecorder::SetLayout(std::shared_ptr<const ParallelLayout> layout)
{
    m_layout = std::move(layout);
}

void
DemandRecorder::OnDecision(const CircuitDecision& d)
{
    const std::vector<ServerId>& servers = m_servers.at(d.region);
    Recent& recent = m_recent[{d.region, d.id.group}];
    if (recent.iteration != d.id.iteration)
    {
        recent.iteration = d.id.iteration;
        recent.byPrint.clear();
    }
    const auto add = [&](const char* what, bool planned, const DemandMatrix& demand) {
        m_rows.push_back(
            {d.region, d.number, d.time, d.id, what, planned, Keep(demand, servers, recent)});
    };
    if (d.basis != nullptr && d.basis != d.demand)
    {
        add(GetMatrixName(d.basisKind), true, *d.basis);
    }
    add("seen", d.basis != nullptr && d.basis == d.demand, *d.demand);
}

DemandRecorder::Kept
DemandRecorder::Keep(const DemandMatrix& demand,
                     const std::vector<ServerId>& servers,
                     Recent& recent)
{
    const Prints prints = Fingerprint(demand);
    if (const auto it = recent.byPrint.find(prints.straight); it != recent.byPrint.end())
    {
        return it->second;
    }
    const Kept kept{m_matrices, false, prints.bytes};
    ++m_matrices;
    recent.byPrint.emplace(prints.straight, kept);
    recent.byPrint.emplace(prints.transposed, Kept{kept.number, true, kept.bytes});
    Store(kept.number, demand, servers);
    return kept;
}

void
DemandRecorder::Store(uint32_t matrix,
                      const DemandMatrix& demand,
                      const std::vector<ServerId>& servers)
{
    ForEachEntry(demand, [&](std::size_t i, std::size_t j, uint64_t bytes) {
        m_ids[0].push_back(matrix);
        m_ids[1].push_back(servers[i].Get());
        m_ids[2].push_back(servers[j].Get());
        m_bytes.push_back(bytes);
        if (m_bytes.size() >= m_blockRows)
        {
            Flush();
        }
    });
}

void
DemandRecorder::Flush()
{
    if (m_bytes.empty())
    {
        return;
    }
    ResultTable block("/controller_bytes");
    block.Add("run", "1", std::vector<uint32_t>(m_bytes.size(), m_run));
    const char* const names[] = {"matrix", "source", "destination"};
    for (std::size_t k = 0; k < 3; ++k)
    {
        block.Add(names[k], "1", m_ids[k]);
        m_ids[k].clear();
    }
    block.Add("bytes", "B", m_bytes);
    m_bytes.clear();
    m_spill.Append(block);
}

ResultTable
DemandRecorder::MakeTable() const
{
    using R = Row;
    const auto& rows = m_rows;
    ResultTable t("/controller_demand");
    t.Add("run", "1", std::vector<uint32_t>(rows.size(), m_run));
    t.Add("region", "1", Column(rows, [](const R& r) { return uint32_t(r.region.Get()); }));
    t.Add("decision", "1", Column(rows, [](const R& r) { return r.decision; }));
    t.Add("time", "s", Column(rows, [](const R& r) { return r.time.GetSeconds(); }));
    t.Add("iteration", "1", Column(rows, [](const R& r) { return r.id.iteration; }));
    t.Add("layer", "1", Column(rows, [](const R& r) { return r.id.layer; }));
    t.Add("micro_batch", "1", Column(rows, [](const R& r) { return r.id.microBatch; }));
    t.Add("phase", "text", Column(rows, [](const R& r) {
              return std::string(r.decision == 0 ? "before the run" : ns3::GetName(r.id.phase));
          }));
    if (m_layout)
    {
        const uint32_t stages = m_layout->GetDegrees().pipeline;
        t.Add("replica", "1", Column(rows, [=](const R& r) { return r.id.group / stages; }));
        t.Add("stage", "1", Column(rows, [=](const R& r) { return r.id.group % stages; }));
    }
    t.Add("what", "text", Column(rows, [](const R& r) { return std::string(r.what); }));
    t.Add("planned", "1", Column(rows, [](const R& r) { return uint8_t(r.planned); }));
    t.Add("matrix", "1", Column(rows, [](const R& r) { return r.matrix.number; }));
    t.Add("transposed", "1", Column(rows, [](const R& r) { return uint8_t(r.matrix.transposed); }));
    t.Add("bytes", "B", Column(rows, [](const R& r) { return r.matrix.bytes; }));
    return t;
}

void
DemandRecorder::AddTables(std::vector<ResultTable>& tables, TableSpill& spill)
{
    Flush();
    if (!m_rows.empty())
    {
        tables.push_back(MakeTable());
        spill = m_spill;
    }
}

} // namespace ns3
