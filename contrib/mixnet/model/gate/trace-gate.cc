/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "trace-gate.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TraceGate);

TypeId
TraceGate::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TraceGate")
                            .SetParent<GateModel>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<TraceGate>();
    return tid;
}

void
TraceGate::SetTrace(std::shared_ptr<const TokenTrace> trace)
{
    m_trace = std::move(trace);
}

std::string
TraceGate::GetWhere() const
{
    return !m_trace->path.empty()    ? m_trace->path
           : m_trace->source.empty() ? std::string("trace")
                                     : "trace of " + m_trace->source;
}

void
TraceGate::CheckTrace() const
{
    const TokenTrace& t = *m_trace;
    if (t.iterations == 0 || t.layers == 0 || t.ranks == 0 || t.destinations == 0)
    {
        throw InputError(GetWhere() + ": /tokens",
                         "shape [" + std::to_string(t.iterations) + ", " +
                             std::to_string(t.layers) + ", " + std::to_string(t.ranks) + ", " +
                             std::to_string(t.destinations) + "]",
                         "four numbers above zero");
    }
    MIXNET_CHECK(t.tokens.size() == std::size_t(t.iterations) * t.layers * t.ranks * t.destinations,
                 "a trace with " << t.tokens.size() << " counts");
}

void
TraceGate::CheckShape() const
{
    const TokenTrace& t = *m_trace;
    const uint32_t wanted = m_fold.GetParts();
    if (t.destinations < wanted)
    {
        throw InputError(GetWhere(),
                         t.destinationIsExpert
                             ? std::to_string(t.destinations) + " experts for a model of " +
                                   std::to_string(wanted)
                             : std::to_string(t.destinations) + " destination ranks for EP " +
                                   std::to_string(wanted),
                         "a trace with at least as many, or gate ns3::UniformGate");
    }
    // Ranks r and r + k R read moments k s apart: they must not meet again.
    const uint32_t moments = (GetShape().GetRanks() + t.ranks - 1) / t.ranks;
    const uint64_t distinct = t.iterations / std::gcd<uint64_t>(t.iterations, MOMENT_STRIDE);
    if (moments > distinct)
    {
        throw InputError(GetWhere(),
                         "EP " + std::to_string(GetShape().GetRanks()) + " on " +
                             std::to_string(t.ranks) + " recorded ranks takes " +
                             std::to_string(moments) + " moments, the trace has " +
                             std::to_string(distinct),
                         "a trace with more iterations or ranks, or a smaller EP");
    }
}

void
TraceGate::DoConfigure()
{
    MIXNET_CHECK(m_trace, "a TraceGate without a trace");
    CheckTrace();
    const TokenTrace& t = *m_trace;
    m_fold =
        EvenSplit(t.destinations,
                  t.destinationIsExpert ? GetShape().experts.GetTotal() : GetShape().GetRanks());
    CheckShape();
    m_emptyRows = 0;
    for (uint32_t layer = 0; layer < t.layers; ++layer)
    {
        uint64_t rows = 0;
        for (uint32_t i = 0; i < t.iterations; ++i)
        {
            for (uint32_t rank = 0; rank < t.ranks; ++rank)
            {
                const uint32_t* row = t.Row(i, layer, rank);
                const bool empty = std::accumulate(row, row + t.destinations, uint64_t(0)) == 0;
                m_emptyRows += empty;
                rows += !empty;
            }
        }
        if (rows == 0)
        {
            throw InputError(GetWhere() + ": /tokens",
                             "layer " + std::to_string(layer) + " has no tokens at all",
                             "MoE layers only");
        }
    }
}

TraceRow
TraceGate::GetRow(const GateQuery& query, uint32_t rank) const
{
    const TokenTrace& t = *m_trace;
    const uint64_t batches = GetShape().microBatches;
    const uint64_t moment = query.iteration * batches * GetShape().replicas +
                            query.replica * batches + query.microBatch +
                            (rank / t.ranks) * MOMENT_STRIDE;
    TraceRow row;
    row.iteration = static_cast<uint32_t>(moment % t.iterations);
    row.layer = query.layer % t.layers;
    row.rank = rank % t.ranks;
    return row;
}

bool
TraceGate::ShareOut(const uint32_t* counts) const
{
    m_weights.assign(m_fold.GetParts(), 0);
    for (uint32_t part = 0, next = 0; part < m_fold.GetParts(); ++part)
    {
        for (const uint32_t end = next + m_fold.GetCount(part); next < end; ++next)
        {
            m_weights[part] += counts[next];
        }
    }
    return m_scale.Share(m_weights, GetShape().copies, m_shares);
}

bool
TraceGate::FindDistinct(const GateQuery& query, Matrix<uint64_t>& tokens) const
{
    const TokenTrace& t = *m_trace;
    const uint32_t ranks = GetShape().GetRanks();
    if (!t.deduplicated || t.destinationIsExpert || t.tokensIn.empty() || t.destinations != ranks)
    {
        return false;
    }
    const uint64_t all = GetShape().copies / GetShape().topK;
    tokens = Matrix<uint64_t>(ranks, ranks);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        const TraceRow from = GetRow(query, rank);
        const uint64_t recorded =
            t.tokensIn[(std::size_t(from.iteration) * t.layers + from.layer) * t.ranks + from.rank];
        const uint32_t* counts = t.Row(from.iteration, from.layer, from.rank);
        const bool any = ShareOut(counts);
        for (uint32_t to = 0; any && to < ranks; ++to)
        {
            const uint64_t copies = m_shares[to];
            const uint64_t held = std::min(GetShape().topK, GetShape().experts.GetCount(to));
            const uint64_t most = std::min(copies, all);
            const uint64_t scaled = (2 * counts[to] * all + recorded) / (2 * recorded);
            tokens(rank, to) = std::clamp(scaled, std::min((copies + held - 1) / held, most), most);
        }
    }
    return true;
}

void
TraceGate::DoRoute(const GateQuery& query, Matrix<uint32_t>& tokens) const
{
    const EvenSplit& experts = GetShape().experts;
    for (uint32_t rank = 0; rank < GetShape().GetRanks(); ++rank)
    {
        const TraceRow from = GetRow(query, rank);
        ShareOut(m_trace->Row(from.iteration, from.layer, from.rank));
        for (uint32_t part = 0; part < m_fold.GetParts(); ++part)
        {
            if (m_trace->destinationIsExpert)
            {
                tokens(rank, part) = m_shares[part];
                continue;
            }
            const uint32_t local = experts.GetCount(part);
            for (uint32_t i = 0; i < local; ++i)
            {
                tokens(rank, experts.GetFirst(part) + i) =
                    m_shares[part] / local + (i < m_shares[part] % local ? 1 : 0);
            }
        }
    }
}

std::vector<std::string>
TraceGate::GetNotes() const
{
    std::vector<std::string> notes;
    const TokenTrace& t = *m_trace;
    if (m_fold.GetParts() != t.destinations)
    {
        notes.push_back(std::to_string(t.destinations) +
                        (t.destinationIsExpert ? " recorded experts" : " recorded ranks") +
                        " folded to " + std::to_string(m_fold.GetParts()) +
                        (m_fold.IsEven() ? "" : ", unevenly"));
    }
    const uint32_t topK = GetShape().topK;
    if (topK > 0 && t.topK != topK)
    {
        notes.push_back((t.topK == 0 ? "the trace does not say its top-k"
                                     : "recorded at top-" + std::to_string(t.topK)) +
                        std::string(", the model takes top-") + std::to_string(topK) +
                        ": rows are scaled to its copies");
    }
    if (GetShape().GetRanks() > t.ranks)
    {
        notes.push_back("EP ranks from " + std::to_string(t.ranks) +
                        " on read other moments of the trace");
    }
    if (t.deduplicated && !t.destinationIsExpert)
    {
        notes.emplace_back("the trace counts different tokens; they are scaled up to all copies");
    }
    if (m_emptyRows > 0)
    {
        notes.push_back(std::to_string(m_emptyRows) + " recorded rows have no tokens");
    }
    return notes;
}

} // namespace ns3
