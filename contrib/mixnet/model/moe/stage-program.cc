/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "stage-program.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

namespace
{

/// Steps of a forward pass over one layer. @param step its layer and slot
void
AppendLayer(std::vector<StageStep>& program,
            StageStep step,
            const ModelSpec& model,
            const ParallelDegrees& degrees)
{
    const bool crossing = degrees.GetExpertRanks() > 1;
    const auto add = [&program, &step](OpKind kind, AllToAllPhase phase) {
        step.kind = kind;
        step.phase = phase;
        program.push_back(step);
    };
    if (degrees.context > 1)
    {
        add(OpKind::CONTEXT_EXCHANGE, AllToAllPhase::FORWARD_DISPATCH);
    }
    add(OpKind::ATTENTION, AllToAllPhase::FORWARD_DISPATCH);
    if (!model.IsMoe(step.layer))
    {
        add(OpKind::DENSE, AllToAllPhase::FORWARD_DISPATCH);
        return;
    }
    add(OpKind::GATE, AllToAllPhase::FORWARD_DISPATCH);
    if (crossing)
    {
        add(OpKind::DISPATCH, AllToAllPhase::FORWARD_DISPATCH);
    }
    add(OpKind::EXPERT, AllToAllPhase::FORWARD_DISPATCH);
    if (crossing)
    {
        add(OpKind::COMBINE, AllToAllPhase::FORWARD_COMBINE);
    }
    if (model.sharedFfnHidden > 0)
    {
        add(OpKind::SHARED, AllToAllPhase::FORWARD_DISPATCH);
    }
}

} // namespace

StageProgram
MakeStageProgram(const ModelSpec& model, const ParallelLayout& layout, uint32_t part)
{
    StageProgram program;
    const uint32_t first = layout.GetLayers().GetFirst(part);
    for (uint32_t layer = first; layer < first + layout.GetLayers().GetCount(part); ++layer)
    {
        StageStep step;
        step.layer = layer;
        if (model.IsMoe(layer))
        {
            step.moeLayer = layer - model.GetDenseLayers();
            step.slot = program.slots++;
        }
        AppendLayer(program.forward, step, model, layout.GetDegrees());
    }
    if (part + 1 == layout.GetDegrees().GetParts() && model.vocabulary > 0)
    {
        StageStep head;
        head.kind = OpKind::HEAD;
        program.forward.push_back(head);
    }
    for (auto it = program.forward.rbegin(); it != program.forward.rend(); ++it)
    {
        StageStep step = *it;
        if (step.kind == OpKind::ATTENTION && layout.GetDegrees().context > 1)
        {
            program.backward.push_back(*(it + 1)); // keys and values again
        }
        step.scatters = step.kind == OpKind::CONTEXT_EXCHANGE;
        program.backward.push_back(step);
    }
    for (StageStep& step : program.backward)
    {
        step.phase = step.kind == OpKind::COMBINE ? AllToAllPhase::BACKWARD_COMBINE
                                                  : AllToAllPhase::BACKWARD_DISPATCH;
    }
    std::copy_if(program.backward.begin(),
                 program.backward.end(),
                 std::back_inserter(program.weight),
                 [](const StageStep& step) {
                     return !IsAllToAll(step.kind) && step.kind != OpKind::CONTEXT_EXCHANGE;
                 });
    return program;
}

} // namespace ns3
