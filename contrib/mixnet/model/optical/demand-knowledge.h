/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DEMAND_KNOWLEDGE_H
#define DEMAND_KNOWLEDGE_H

#include "reconfiguration-policy.h"

#include "ns3/demand-predictor.h"
#include "ns3/ptr.h"

#include <map>
#include <optional>

namespace ns3
{

/**
 * @ingroup mixnet
 * What a controller may plan from: the demand itself, a prediction, or what an iteration's
 * dispatches sum to. Remembers only what its policy asks for.
 */
class DemandKnowledge
{
  public:
    /// @param basis what the policy plans from before a dispatch @param predictor for
    /// PlanBasis::PREDICTED
    void Configure(PlanBasis basis, Ptr<DemandPredictor> predictor);

    /// @param id a requested all-to-all, after its decision @param demand its bytes
    void Learn(const AllToAllId& id, const DemandMatrix& demand);

    /**
     * @param basis what to plan from
     * @param id an all-to-all
     * @param demand its bytes
     * @return the demand to plan for, valid until the next call; null: there is nothing to plan.
     * PREDICTED: the prediction, if there is one. ITERATION: only for the first all-to-all of its
     * group, iteration and pass; forward the sum of the last iteration's dispatches (the first
     * iteration has only this demand), backward that of this iteration so far.
     */
    const DemandMatrix* Find(PlanBasis basis, const AllToAllId& id, const DemandMatrix& demand);

  private:
    /// Dispatches of an EP group.
    struct History
    {
        std::optional<AllToAllId> first[2]; //!< of the latest forward, backward pass
        uint32_t iteration{0};              //!< of `sum`
        DemandMatrix sum;                   //!< of the latest iteration; empty: none yet
    };

    PlanBasis m_basis{PlanBasis::EXACT};     //!< what the policy asks for
    Ptr<DemandPredictor> m_predictor;        //!< may be null
    std::map<uint32_t, History> m_histories; //!< by group
};

} // namespace ns3

#endif // DEMAND_KNOWLEDGE_H
