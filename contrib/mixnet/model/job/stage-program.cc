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

/// The backward pass of a forward pass over one layer. @param first its first step
void
AppendBackward(std::vector<StageStep>& program,
               std::vector<StageStep>::const_iterator first,
               std::vector<StageStep>::const_iterator last,
               Recompute recompute)
{
    for (auto it = first; it != last; ++it)
    {
        if (IsRecomputed(recompute, it->kind))
        {
            program.push_back(*it);
            program.back().recomputed = true;
            program.back().phase = it->kind == OpKind::COMBINE ? AllToAllPhase::RECOMPUTED_COMBINE
                                                               : AllToAllPhase::RECOMPUTED_DISPATCH;
        }
    }
    while (last != first)
    {
        --last;
        if (last->kind == OpKind::ATTENTION && last != first)
        {
            program.push_back(*(last - 1)); // keys and values again
        }
        program.push_back(*last);
        program.back().scatters = last->kind == OpKind::CONTEXT_EXCHANGE;
        program.back().phase = last->kind == OpKind::COMBINE ? AllToAllPhase::BACKWARD_COMBINE
                                                             : AllToAllPhase::BACKWARD_DISPATCH;
    }
}

} // namespace

bool
IsRecomputed(Recompute recompute, OpKind kind)
{
    switch (recompute)
    {
    case Recompute::SELECTIVE:
        return kind == OpKind::ATTENTION || kind == OpKind::CONTEXT_EXCHANGE;
    case Recompute::EXPERTS:
        return kind == OpKind::EXPERT;
    case Recompute::MOE:
        return kind != OpKind::ATTENTION && kind != OpKind::CONTEXT_EXCHANGE &&
               kind != OpKind::DENSE && kind != OpKind::HEAD;
    case Recompute::FULL:
        return kind != OpKind::HEAD;
    default:
        return false;
    }
}

StageProgram
MakeStageProgram(const ModelSpec& model,
                 const ParallelLayout& layout,
                 uint32_t part,
                 Recompute recompute)
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
    for (auto last = program.forward.cend(); last != program.forward.cbegin();)
    {
        auto begin = last - 1;
        while (begin != program.forward.cbegin() && begin->kind != OpKind::HEAD &&
               (begin - 1)->layer == begin->layer)
        {
            --begin;
        }
        AppendBackward(program.backward, begin, last, recompute);
        last = begin;
    }
    std::copy_if(program.backward.begin(),
                 program.backward.end(),
                 std::back_inserter(program.weight),
                 [](const StageStep& step) {
                     return !IsAllToAll(step.kind) && step.kind != OpKind::CONTEXT_EXCHANGE &&
                            !step.recomputed;
                 });
    return program;
}

} // namespace ns3
