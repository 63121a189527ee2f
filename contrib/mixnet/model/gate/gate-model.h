/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GATE_MODEL_H
#define GATE_MODEL_H

#include "expert-capacity.h"

#include "ns3/even-split.h"
#include "ns3/mixnet-matrix.h"
#include "ns3/object.h"
#include "ns3/parallel-layout.h"
#include "ns3/training-job.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What a gate has to fill.
struct GateShape
{
    EvenSplit experts;        //!< experts over EP ranks
    uint32_t replicas{1};     //!< DP
    uint32_t microBatches{1}; //!< of a replica
    uint64_t copies{0};       //!< token copies of an EP rank in a micro-batch, below 2^32
    uint32_t groups{1};       //!< groups of consecutive experts
    uint32_t groupLimit{0};   //!< most groups with experts of one token; 0: any
    uint32_t topK{0};         //!< experts of a token; 0: not said

    /// @return number of EP ranks
    uint32_t GetRanks() const
    {
        return experts.GetParts();
    }
};

/// @param job job @param layout its layout @return what a gate has to fill
GateShape MakeGateShape(const TrainingJob& job, const ParallelLayout& layout);

/// One gate at one moment.
struct GateQuery
{
    uint32_t iteration{0};  //!< training iteration
    uint32_t layer{0};      //!< MoE layer, counted among MoE layers
    uint32_t replica{0};    //!< DP replica
    uint32_t microBatch{0}; //!< micro-batch
};

/**
 * @ingroup mixnet
 * Strategy: which experts the tokens choose. Stateless: the same question has the same answer, in
 * any order.
 *
 * Law: every EP rank routes exactly its token copies, or none at all (checked); what an expert's
 * capacity has no place for is dropped and counted.
 */
class GateModel : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @param shape what to fill
     * @throws InputError when the gate cannot serve it
     */
    void Configure(const GateShape& shape);

    /// @return what it fills
    const GateShape& GetShape() const
    {
        return m_shape;
    }

    /**
     * @param query which gate
     * @param tokens out: token copies [source EP rank][expert] that the experts accept
     * @param chosen out, unless null: those that the tokens chose, before any is dropped
     * @return token copies dropped because the capacity was full
     */
    uint64_t Route(const GateQuery& query,
                   Matrix<uint32_t>& tokens,
                   Matrix<uint32_t>* chosen = nullptr) const;

    /**
     * Counts of different tokens, where they are known: a token with several experts on an EP rank
     * counts once there.
     *
     * @param query which gate
     * @param tokens out: different tokens [source EP rank][EP rank], by the gate before any are
     * dropped
     * @return false when the gate knows copies only
     */
    virtual bool FindDistinct(const GateQuery& query, Matrix<uint64_t>& tokens) const;

    /// @param stream first random stream, before Configure() @return number of streams used
    virtual int64_t AssignStreams(int64_t stream);

    /// @param capacity of the experts, before Configure()
    void SetCapacity(const ExpertCapacity& capacity);

    /// @return notes of the gate and of the capacity
    std::vector<std::string> GetAllNotes() const;

    /// @return what a reader of the results should know, one sentence each
    virtual std::vector<std::string> GetNotes() const;

  private:
    /// Check the shape and prepare.
    virtual void DoConfigure() = 0;
    /// @param query which gate @param tokens zeroed, to be filled
    virtual void DoRoute(const GateQuery& query, Matrix<uint32_t>& tokens) const = 0;

    GateShape m_shape;                 //!< what it fills
    mutable ExpertCapacity m_capacity; //!< of the experts; its scratch changes
};

} // namespace ns3

#endif // GATE_MODEL_H
