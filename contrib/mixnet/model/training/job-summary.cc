/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "job-summary.h"

#include "job-demand.h"

#include "ns3/context-exchange.h"
#include "ns3/gate-traffic.h"
#include "ns3/gradient-sync.h"
#include "ns3/job-times.h"
#include "ns3/stage-program.h"
#include "ns3/traffic-matrix.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Least time of a stage's passes.
struct StageBound
{
    Time total;                 //!< all passes
    Time forward{Time::Max()};  //!< shortest forward pass of its first chunk
    Time backward{Time::Max()}; //!< shortest backward pass of its first chunk
};

/// Bounds of one kind for a replica.
using Bounds = std::vector<StageBound>;

/// Works a summary out.
class Summarizer
{
  public:
    /// @param job job @param layout layout @param graph cluster @param gate gate
    /// @param compute compute times @param schedule order of the passes, or null
    Summarizer(const TrainingJob& job,
               const ParallelLayout& layout,
               const FabricGraph& graph,
               const GateModel& gate,
               const ComputeModel& compute,
               const PipelineSchedule* schedule)
        : m_job(job),
          m_layout(layout),
          m_traffic(job, layout, gate),
          m_times(job, layout, compute),
          m_overlaps(schedule && schedule->Overlaps()),
          m_splits(schedule && schedule->SplitsBackward()),
          m_load(graph.GetNServers())
    {
        for (uint32_t s = 0; s < graph.GetNServers(); ++s)
        {
            uint64_t rate = 0;
            for (const EdgeKind kind : {EdgeKind::PACKET, EdgeKind::FIBER})
            {
                for (const uint32_t nic : graph.GetNics(ServerId(s), kind))
                {
                    rate += graph.GetSpec(graph.GetEdge(graph.GetVertex(ServerId(s)), nic))
                                .rate.GetBitRate();
                }
            }
            m_rate.emplace_back(rate);
        }
    }

    /// @param iteration iteration @return the summary
    JobSummary Run(uint32_t iteration);

  private:
    /// Bytes of a server.
    struct Load
    {
        uint64_t out{0}; //!< sent
        uint64_t in{0};  //!< received
    };

    /// @param from server @param to server @param bytes bytes between them
    void AddLoad(ServerId from, ServerId to, uint64_t bytes);
    /// @return least time of the loads added; they are cleared
    Time TakeLoad();
    /// @param traffic routing @param group group @return least time of its dispatch and combine
    Time GetExchangeBound(const TrafficMatrix& traffic, const StageGroup& group);
    /// @param group group @return least time of an exchange of its CP groups
    Time GetContextBound(const StageGroup& group);
    /// @param replica replica @param stage stage @return least time of a hand-over to the next
    Time GetHandOverBound(uint32_t replica, uint32_t stage);
    /// @param stage stage @return least time of its gradients and optimizer after its last pass
    Time GetSyncBound(uint32_t stage);
    /// @param graph transfers @return least time of them
    Time GetGraphBound(const TransferGraph& graph);
    /// One pass pair of a chunk. @param iteration iteration @param replica replica
    /// @param stage stage @param chunk chunk @param microBatch micro-batch
    /// @param compute bound to extend @param network likewise
    void AddMicroBatch(uint32_t iteration,
                       uint32_t replica,
                       uint32_t stage,
                       uint32_t chunk,
                       uint32_t microBatch,
                       StageBound& compute,
                       StageBound& network);
    /// @param traffic routing @param backward direction @param collectives with those of TP
    /// @return time of the slowest EP rank
    Time GetExpertBound(const TrafficMatrix& traffic, bool backward, bool collectives);
    /// @param traffic routing of an all-to-all
    void CountAllToAll(const TrafficMatrix& traffic);

    const TrainingJob& m_job;           //!< job
    const ParallelLayout& m_layout;     //!< layout
    GateTraffic m_traffic;              //!< of the gate
    JobTimes m_times;                   //!< durations
    const bool m_overlaps;              //!< all-to-alls may hide behind compute
    const bool m_splits;                //!< gradients of weights may follow the way back
    std::vector<DataRate> m_rate;       //!< by server: its NICs together
    std::vector<Load> m_load;           //!< by server
    std::vector<ComputeBlock> m_blocks; //!< scratch: by EP rank
    std::vector<ServerId> m_touched;    //!< servers with load
    JobSummary m_summary;               //!< so far
    uint64_t m_dispatches{0};           //!< matrices seen
};

void
Summarizer::AddLoad(ServerId from, ServerId to, uint64_t bytes)
{
    if (from != to && bytes > 0)
    {
        m_load[from.Get()].out += bytes;
        m_load[to.Get()].in += bytes;
        m_touched.push_back(from);
        m_touched.push_back(to);
    }
}

Time
Summarizer::TakeLoad()
{
    Time bound;
    for (const ServerId s : m_touched)
    {
        Load& load = m_load[s.Get()];
        if (m_rate[s.Get()].GetBitRate() > 0)
        {
            bound = std::max(bound, ByteCount(std::max(load.out, load.in)) / m_rate[s.Get()]);
        }
        load = Load();
    }
    m_touched.clear();
    return bound;
}

Time
Summarizer::GetExchangeBound(const TrafficMatrix& traffic, const StageGroup& group)
{
    Time both;
    for (const bool back : {false, true})
    {
        traffic.ForEachServerPair(
            group.expertServers,
            back,
            [this](ServerId from, ServerId to, uint64_t bytes) { AddLoad(from, to, bytes); });
        both += TakeLoad();
    }
    return both;
}

Time
Summarizer::GetContextBound(const StageGroup& group)
{
    TransferGraph graph;
    AppendContextExchange(graph, m_job, group, ContextPhase::GATHER, 0);
    for (const Transfer& t : graph.GetTransfers())
    {
        AddLoad(m_layout.GetServer(t.source), m_layout.GetServer(t.destination), t.bytes.Get());
    }
    return TakeLoad();
}

Time
Summarizer::GetHandOverBound(uint32_t replica, uint32_t stage)
{
    for (uint32_t rank = 0; rank < m_layout.GetDegrees().expert; ++rank)
    {
        AddLoad(m_layout.GetServer(m_layout.GetGpu(replica, stage, rank)),
                m_layout.GetServer(m_layout.GetGpu(replica, stage + 1, rank)),
                m_job.GetStageBytes());
    }
    return TakeLoad();
}

Time
Summarizer::GetSyncBound(uint32_t stage)
{
    TransferGraph all;
    AppendGradientSync(all, m_job, m_layout, stage, 0);
    m_summary.dataBytes += all.GetTransferBytes();
    // Other buckets may go beside the passes.
    TransferGraph last;
    const GradientBucket bucket = MakeGradientBuckets(m_job, m_layout, stage).back();
    AppendGradientStep(last, m_job, m_layout, bucket, GetGradientStep(m_job), 0);
    Time bound = GetGraphBound(last) + m_job.optimizerTime;
    if (m_job.optimizerSharding == OptimizerSharding::ZERO1)
    {
        last.Clear();
        const GradientBucket whole = GetWholeBucket(m_job, m_layout, stage);
        AppendGradientStep(last, m_job, m_layout, whole, ReduceStep::ALL_GATHER, 0);
        bound += GetGraphBound(last);
    }
    return bound;
}

Time
Summarizer::GetGraphBound(const TransferGraph& graph)
{
    for (const Transfer& t : graph.GetTransfers())
    {
        AddLoad(m_layout.GetServer(t.source), m_layout.GetServer(t.destination), t.bytes.Get());
    }
    return TakeLoad();
}

void
Summarizer::CountAllToAll(const TrafficMatrix& traffic)
{
    const ByteCount out = traffic.GetCrossing();
    const ByteCount back = traffic.GetCrossing(true);
    const ByteCount least = std::min(out, back);
    m_summary.allToAllMin = m_dispatches == 0 ? least : std::min(m_summary.allToAllMin, least);
    m_summary.allToAllMax = std::max({m_summary.allToAllMax, out, back});
    m_summary.allToAllTransfers = std::max(m_summary.allToAllTransfers, traffic.GetNPairs());
    m_summary.expertBytes += (out + back) * (m_job.GetAllToAllsPerLayer() / 2);
    ++m_dispatches;
}

Time
Summarizer::GetExpertBound(const TrafficMatrix& traffic, bool backward, bool collectives)
{
    m_times.GetExpertBlocks(traffic.GetExpertCopies(), GetPassKind(backward), m_blocks);
    Time slowest;
    for (const ComputeBlock& b : m_blocks)
    {
        slowest = std::max(slowest, collectives ? b.GetTotal() : b.compute);
    }
    return slowest;
}

void
Summarizer::AddMicroBatch(uint32_t iteration,
                          uint32_t replica,
                          uint32_t stage,
                          uint32_t chunk,
                          uint32_t microBatch,
                          StageBound& compute,
                          StageBound& network)
{
    const StageGroup& group = m_layout.GetGroups()[m_layout.GetGroupIndex(replica, stage)];
    Time pass[2];
    Time exchange;
    Time gathers; // as long as the scatters
    TrafficMatrix traffic;
    const uint32_t part = m_layout.GetPart(stage, chunk);
    for (const StageStep& step : MakeStageProgram(m_job.model, m_layout, part).forward)
    {
        if (step.kind == OpKind::EXPERT)
        {
            m_traffic.Route({iteration, step.moeLayer, replica, microBatch}, stage, traffic);
            pass[0] += GetExpertBound(traffic, false, true);
            pass[1] += GetExpertBound(traffic, true, true);
            if (IsRecomputed(m_job.recompute, step.kind))
            {
                pass[1] += GetExpertBound(traffic, false, m_times.RepeatsCollectives());
            }
            if (m_layout.GetDegrees().GetExpertRanks() > 1)
            {
                CountAllToAll(traffic);
                exchange += GetExchangeBound(traffic, group);
            }
        }
        else if (step.kind == OpKind::CONTEXT_EXCHANGE)
        {
            gathers += GetContextBound(group);
        }
        else if (!IsAllToAll(step.kind))
        {
            pass[0] += m_times.GetBlock(step.kind, PassKind::FORWARD).GetTotal();
            pass[1] += m_times.GetBlock(step.kind, PassKind::BACKWARD).GetTotal();
            if (IsRecomputed(m_job.recompute, step.kind))
            {
                pass[1] += m_times.GetRecomputedBlock(step.kind).GetTotal();
            }
        }
    }
    const Time back = exchange * (m_job.GetAllToAllsPerLayer() / 2 - 1);
    compute.total += pass[0] + pass[1];
    const bool again = IsRecomputed(m_job.recompute, OpKind::CONTEXT_EXCHANGE);
    const Time gathersBack = gathers * (again ? 3 : 2);
    network.total +=
        pass[0] + pass[1] + (m_overlaps ? Time() : exchange + back + gathers + gathersBack);
    if (chunk > 0)
    {
        return;
    }
    compute.forward = std::min(compute.forward, pass[0]);
    compute.backward = std::min(compute.backward, pass[1]);
    network.forward = std::min(network.forward, pass[0] + exchange + gathers);
    network.backward = std::min(network.backward, pass[1] + back + gathersBack);
}

JobSummary
Summarizer::Run(uint32_t iteration)
{
    const ParallelDegrees& degrees = m_layout.GetDegrees();
    std::vector<Time> sync;
    for (uint32_t stage = 0; stage < degrees.pipeline; ++stage)
    {
        sync.push_back(GetSyncBound(stage));
    }
    for (uint32_t replica = 0; replica < degrees.data; ++replica)
    {
        Time computeFill;
        Time networkFill;
        Time networkFirst;
        for (uint32_t stage = 0; stage < degrees.pipeline; ++stage)
        {
            StageBound compute;
            StageBound network;
            for (uint32_t m = 0; m < m_job.microBatches * degrees.chunks; ++m)
            {
                const uint32_t chunk = m / m_job.microBatches;
                const uint32_t microBatch = m % m_job.microBatches;
                AddMicroBatch(iteration, replica, stage, chunk, microBatch, compute, network);
            }
            m_summary.computeBound = std::max(m_summary.computeBound, computeFill + compute.total);
            // The stage's own gradients follow its last pass; stage 0's follow the way back.
            m_summary.lowerBound =
                std::max(m_summary.lowerBound, networkFirst + network.total + sync[stage]);
            if (!m_splits)
            {
                m_summary.lowerBound =
                    std::max(m_summary.lowerBound, networkFill + network.total + sync[0]);
            }
            computeFill += compute.forward + (m_splits ? Time() : compute.backward);
            networkFill += network.forward + network.backward;
            networkFirst += network.forward;
            if (stage + 1 < degrees.pipeline)
            {
                const Time over = GetHandOverBound(replica, stage);
                networkFill += over * 2;
                networkFirst += over;
            }
        }
    }
    m_summary.allToAlls = CountAllToAlls(m_job, m_layout);
    if (m_dispatches > 0)
    {
        m_summary.allToAllMean =
            ByteCount(m_summary.expertBytes.Get() / m_job.GetAllToAllsPerLayer() / m_dispatches);
    }
    m_summary.contextBytes = GetContextBytes(m_job);
    const uint32_t hops = degrees.pipeline > 1 ? degrees.GetParts() - 1 : 0; // else on one GPU
    m_summary.pipelineBytes =
        ByteCount(m_job.GetStageBytes()) *
        (2 * uint64_t(hops) * degrees.data * degrees.expert * m_job.microBatches);
    return m_summary;
}

} // namespace

JobSummary
SummarizeJob(const TrainingJob& job,
             const ParallelLayout& layout,
             const FabricGraph& graph,
             const GateModel& gate,
             const ComputeModel& compute,
             uint32_t iteration,
             const PipelineSchedule* schedule)
{
    JobSummary summary = Summarizer(job, layout, graph, gate, compute, schedule).Run(iteration);
    summary.gpus = graph.GetNGpus();
    summary.servers = graph.GetNServers();
    summary.regions = layout.GetNRegions();
    summary.groups = static_cast<uint32_t>(layout.GetGroups().size());
    summary.ops = ListOpSizes(job, layout, compute);
    summary.notes = layout.GetNotes();
    if (job.model.moeLayers > 0)
    {
        const std::vector<std::string> notes = gate.GetAllNotes();
        summary.notes.insert(summary.notes.end(), notes.begin(), notes.end());
    }
    return summary;
}

} // namespace ns3
