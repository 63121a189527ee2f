/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MOE_PASSES_H
#define MOE_PASSES_H

#include "moe_fixture.h"

#include "ns3/pipeline-schedule.h"
#include "ns3/pointer.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Fixed times, whose gradients of weights take a part of the backward time.
class SplitComputeModel : public FixedComputeModel
{
  public:
    int64_t quarters{2}; //!< of the backward time, for weights

    Time GetWeightGradientTime(const OpWork& work) const override
    {
        return GetBackwardTime(work) * quarters / 4;
    }
};

/// @return the times of MakeFixed(), split @param quarters of the backward time, for weights
inline Ptr<SplitComputeModel>
MakeSplit(int64_t quarters)
{
    Ptr<SplitComputeModel> model = CreateObject<SplitComputeModel>();
    model->attention = MilliSeconds(3);
    model->gate = MilliSeconds(1);
    model->perCopy = MicroSeconds(10);
    model->quarters = quarters;
    return model;
}

/// @return "F0 F1|B0 W0 ..."; a bar joins passes beside each other
inline std::string
Spell(const std::vector<PipelinePass>& order)
{
    std::string text;
    for (const PipelinePass& p : order)
    {
        text += text.empty() ? "" : p.beside ? "|" : " ";
        text += !p.backward ? "F" : p.part == BackwardPart::WEIGHT ? "W" : "B";
        text += std::to_string(p.microBatch);
    }
    return text;
}

/// @return a job of one layer per stage without EP @param stages stages
inline TrainingJob
PipelineJob(uint32_t stages, uint32_t microBatches, uint32_t chunks = 1)
{
    TrainingJob job = TinyJob();
    job.model.layers = stages * chunks;
    job.model.moeLayers = job.model.layers;
    job.degrees = {1, 1, stages, 1};
    job.degrees.chunks = chunks;
    job.microBatches = microBatches;
    return job;
}

/// Run a job. @param run its run @param schedule schedule @param compute times
inline void
Play(JobRun& run, Ptr<PipelineSchedule> schedule, Ptr<ComputeModel> compute)
{
    run.engine->SetAttribute("Schedule", PointerValue(schedule));
    run.engine->SetAttribute("Compute", PointerValue(compute));
    run.Run();
    ExpectCompleted(run);
}

/// Compute of a stage is exclusive, and operations start when their predecessors end.
inline void
ExpectInOrder(const JobRun& run)
{
    std::map<std::pair<uint32_t, uint32_t>, std::vector<std::pair<Time, Time>>> busy;
    std::size_t first = 0; // of the iteration; ids begin anew in each
    for (std::size_t i = 0; i < run.ops.size(); ++i)
    {
        const OpRecord& op = run.ops[i];
        first = op.id == 0 ? i : first;
        ASSERT_EQ(op.start,
                  op.predecessor == OpRecord::NONE ? run.iterations.at(op.iteration).start
                                                   : run.ops[first + op.predecessor].end)
            << op.id;
        if (!IsAllToAll(op.kind) && op.kind != OpKind::STAGE_TRANSFER &&
            op.kind != OpKind::GRADIENT_SYNC)
        {
            busy[{op.replica, op.stage}].emplace_back(op.start, op.end);
        }
    }
    for (auto& [stage, times] : busy)
    {
        std::sort(times.begin(), times.end());
        for (std::size_t i = 1; i < times.size(); ++i)
        {
            ASSERT_GE(times[i].first, times[i - 1].second);
        }
    }
}

} // namespace ns3

#endif // MOE_PASSES_H
