/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRACE_GATE_H
#define TRACE_GATE_H

#include "gate-model.h"
#include "largest-remainder.h"

#include "ns3/token-trace.h"

#include <memory>

namespace ns3
{

/// A row of a trace.
struct TraceRow
{
    uint32_t iteration{0}; //!< recorded iteration
    uint32_t layer{0};     //!< recorded layer
    uint32_t rank{0};      //!< recorded source rank
};

/**
 * @ingroup mixnet
 * The gate of a recorded job (design, section 9). With L layers, I iterations and R ranks in the
 * trace, D replicas and M micro-batches in the job,
 *
 *     (iteration i, layer l, replica d, micro-batch m, EP rank r) reads
 *         layer      l mod L
 *         iteration  (i M D + d M + m + (r div R) s) mod I      with s = 7919, a prime
 *         rank       r mod R
 *
 * so that EP ranks beyond those recorded take other moments. The row's counts are folded to the
 * model's experts (contiguous groups of recorded experts, the first ones one larger when they do
 * not divide), then scaled to the copies of a micro-batch by largest remainder. Where the trace
 * recorded destination ranks instead of experts, they are folded to EP ranks the same way, and a
 * rank's copies are spread evenly over its experts. A recorded row without tokens sends nothing.
 *
 * Where it recorded different tokens by destination rank, and the tokens of every row, both are
 * scaled to the tokens of a micro-batch, to the nearest whole token, within what any tokens obey:
 *
 *     copies / min(top-k, experts of the rank) <= tokens <= min(copies, tokens of the source)
 */
class TraceGate : public GateModel
{
  public:
    static constexpr uint64_t MOMENT_STRIDE = 7919; //!< s

    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param trace the trace; before Configure()
    void SetTrace(std::shared_ptr<const TokenTrace> trace);

    /// @param query which gate @param rank EP rank @return the row it reads
    TraceRow GetRow(const GateQuery& query, uint32_t rank) const;

    bool FindDistinct(const GateQuery& query, Matrix<uint64_t>& tokens) const override;
    std::vector<std::string> GetNotes() const override;

  private:
    void DoConfigure() override;
    void DoRoute(const GateQuery& query, Matrix<uint32_t>& tokens) const override;
    /// Fill m_shares. @param counts a row @return false when it has no tokens
    bool ShareOut(const uint32_t* counts) const;
    /// @throws InputError when the trace is malformed
    void CheckTrace() const;
    /// @throws InputError when the trace cannot serve the shape
    void CheckShape() const;
    /// @return name of the trace for messages
    std::string GetWhere() const;

    std::shared_ptr<const TokenTrace> m_trace; //!< the trace
    EvenSplit m_fold;                          //!< recorded destinations over experts or ranks
    uint64_t m_emptyRows{0};                   //!< recorded rows without tokens
    mutable LargestRemainder m_scale;          //!< scratch
    mutable std::vector<uint64_t> m_weights;   //!< scratch: folded counts
    mutable std::vector<uint32_t> m_shares;    //!< scratch: scaled counts
};

} // namespace ns3

#endif // TRACE_GATE_H
