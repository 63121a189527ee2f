/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/demand-knowledge.h"
#include "ns3/demand-predictors.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @param value bytes from server 0 to 1 @return a demand of two servers
DemandMatrix
Send(uint64_t value)
{
    DemandMatrix demand(2, 2, 0);
    demand(0, 1) = value;
    return demand;
}

AllToAllId
Dispatch(uint32_t iteration, uint32_t layer, uint32_t microBatch = 0, uint32_t group = 0)
{
    return {iteration, layer, microBatch, AllToAllPhase::FORWARD_DISPATCH, group};
}

AllToAllId
Backward(uint32_t iteration, uint32_t layer, uint32_t microBatch = 0, uint32_t group = 0)
{
    return {iteration, layer, microBatch, AllToAllPhase::BACKWARD_COMBINE, group};
}

} // namespace

TEST(DemandPredictors, RememberWhatTheySay)
{
    LastIterationDemandPredictor iteration;
    LastLayerDemandPredictor layer;
    EXPECT_EQ(iteration.Predict(Dispatch(0, 0)), nullptr);
    EXPECT_EQ(layer.Predict(Dispatch(0, 0)), nullptr);
    for (DemandPredictor* p :
         {static_cast<DemandPredictor*>(&iteration), static_cast<DemandPredictor*>(&layer)})
    {
        p->Observe(Dispatch(0, 0), Send(1));
        p->Observe(Dispatch(0, 1), Send(2));
        p->Observe(Dispatch(0, 1, 1), Send(3));
        p->Observe(Dispatch(0, 0, 0, 7), Send(4));
    }
    EXPECT_EQ(*iteration.Predict(Dispatch(1, 0)), Send(1));
    EXPECT_EQ(*iteration.Predict(Dispatch(1, 1)), Send(2));
    EXPECT_EQ(*iteration.Predict(Dispatch(1, 1, 1)), Send(3));
    EXPECT_EQ(*iteration.Predict(Dispatch(1, 0, 0, 7)), Send(4));
    EXPECT_EQ(iteration.Predict(Dispatch(1, 2)), nullptr);
    EXPECT_EQ(*layer.Predict(Dispatch(0, 2)), Send(3));
    EXPECT_EQ(*layer.Predict(Dispatch(0, 1, 0, 7)), Send(4));
}

TEST(DemandKnowledge, AnIterationIsPlannedOncePerPassAndGroup)
{
    DemandKnowledge knowledge;
    knowledge.Configure(PlanBasis::ITERATION, nullptr);
    const auto find = [&](const AllToAllId& id, uint64_t bytes) {
        const DemandMatrix own = Send(bytes);
        const DemandMatrix* basis = knowledge.Find(PlanBasis::ITERATION, id, own);
        return basis == nullptr ? UINT64_MAX : (*basis)(0, 1);
    };
    // First iteration: its own demand, then nobody else; asked again it says the same.
    EXPECT_EQ(find(Dispatch(0, 0), 1), 1U);
    EXPECT_EQ(find(Dispatch(0, 0), 1), 1U);
    knowledge.Learn(Dispatch(0, 0), Send(1));
    EXPECT_EQ(find(Dispatch(0, 1), 2), UINT64_MAX);
    knowledge.Learn(Dispatch(0, 1), Send(2));
    knowledge.Learn(Backward(0, 1), Send(100)); // only dispatches count
    // Another group is on its own.
    EXPECT_EQ(find(Dispatch(0, 0, 0, 1), 9), 9U);
    // Backward: this iteration so far, once, announced and requested.
    EXPECT_EQ(find(Backward(0, 1), 2), 3U);
    EXPECT_EQ(find(Backward(0, 1), 2), 3U);
    EXPECT_EQ(find(Backward(0, 0), 1), UINT64_MAX);
    knowledge.Learn(Dispatch(0, 0, 1), Send(10));
    EXPECT_EQ(find(Backward(0, 1, 1), 2), UINT64_MAX);
    // The recomputed dispatch, where there is one, is the first; the backward combine follows it.
    AllToAllId again = Backward(0, 1, 0, 2);
    again.phase = AllToAllPhase::RECOMPUTED_DISPATCH;
    EXPECT_EQ(find(again, 4), 4U);
    EXPECT_EQ(find(Backward(0, 1, 0, 2), 4), UINT64_MAX);
    // Next iteration: all of the last one.
    EXPECT_EQ(find(Dispatch(1, 0), 5), 13U);
    knowledge.Learn(Dispatch(1, 0), Send(5));
    EXPECT_EQ(find(Backward(1, 0), 5), 5U);
}

TEST(DemandKnowledge, ExactAndPredicted)
{
    DemandKnowledge knowledge;
    const DemandMatrix own = Send(1);
    EXPECT_EQ(knowledge.Find(PlanBasis::EXACT, Dispatch(0, 0), own), &own);
    EXPECT_EQ(knowledge.Find(PlanBasis::PREDICTED, Dispatch(0, 0), own), nullptr);
    const auto predictor = CreateObject<LastLayerDemandPredictor>();
    knowledge.Configure(PlanBasis::PREDICTED, predictor);
    EXPECT_EQ(knowledge.Find(PlanBasis::PREDICTED, Dispatch(0, 0), own), nullptr);
    knowledge.Learn(Dispatch(0, 0), Send(7));
    EXPECT_EQ(*knowledge.Find(PlanBasis::PREDICTED, Dispatch(0, 1), own), Send(7));
    // A policy that does not predict costs nothing: nothing is remembered.
    knowledge.Configure(PlanBasis::EXACT, predictor);
    knowledge.Learn(Dispatch(0, 1), Send(8));
    EXPECT_EQ(*predictor->Predict(Dispatch(0, 2)), Send(7));
}
