/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "job-recovery.h"

#include "ns3/boolean.h"
#include "ns3/mixnet-error.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <map>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(JobRecovery);

namespace
{

/// @return by GPU of the cluster: whether the job runs on it
std::vector<bool>
ListUsed(const ParallelLayout& layout, uint32_t gpus)
{
    std::vector<bool> used(gpus, false);
    for (const GpuId block : layout.GetBlocks())
    {
        for (uint32_t lane = 0; lane < layout.GetDegrees().tensor; ++lane)
        {
            used[layout.GetMap().Find(GpuId(block.Get() + lane)).Get()] = true;
        }
    }
    return used;
}

} // namespace

TypeId
JobRecovery::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::JobRecovery")
            .SetParent<Object>()
            .SetGroupName("Mixnet")
            .AddConstructor<JobRecovery>()
            .AddAttribute("Policy",
                          "What the job does about dead GPUs.",
                          StringValue("ns3::SpareRecoveryPolicy"),
                          MakePointerAccessor(&JobRecovery::m_policy),
                          MakePointerChecker<RecoveryPolicy>())
            .AddAttribute("RestartTime",
                          "From restored state to the next iteration: processes start and connect. "
                          "5 s for 2,048 GPUs in MegaScale (NSDI 2024, section 3.5).",
                          TimeValue(Seconds(5)),
                          MakeTimeAccessor(&JobRecovery::m_restart),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("RestoreFromPeers",
                          "Take state from another replica that has the same, where there is one; "
                          "else always from the last checkpoint.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&JobRecovery::m_usePeers),
                          MakeBooleanChecker())
            .AddTraceSource("Recovery",
                            "The job goes on after a loss of ranks, or has ended.",
                            MakeTraceSourceAccessor(&JobRecovery::m_trace),
                            "ns3::JobRecovery::RecoveryTracedCallback");
    return tid;
}

void
JobRecovery::DoDispose()
{
    ++m_generation;
    m_engine = nullptr;
    m_graph = nullptr;
    m_policy = nullptr;
    m_layout = nullptr;
    Object::DoDispose();
}

void
JobRecovery::SetJob(Ptr<IterationEngine> engine,
                    const TrainingJob& job,
                    std::shared_ptr<const ParallelLayout> layout,
                    Ptr<FabricGraph> graph)
{
    m_engine = engine;
    m_job = job;
    m_layout = std::move(layout);
    m_graph = graph;
    m_engine->SetPauseCallback(MakeCallback(&JobRecovery::Pause, this));
}

void
JobRecovery::SetSpares(const SparePlan& plan)
{
    MIXNET_CHECK(plan.serversPerRegion > 0 && plan.gpusPerServer > 0, "spares of no cluster");
    m_plan = plan;
    m_pool = SparePool(plan);
}

void
JobRecovery::SetCheckpoints(const CheckpointSpec& checkpoints)
{
    m_spec = checkpoints;
}

CheckpointModel
JobRecovery::GetCheckpoints() const
{
    return {m_spec, m_job, *m_layout};
}

Time
JobRecovery::Pause(uint32_t iteration)
{
    const CheckpointModel model = GetCheckpoints();
    return model.IsDue(iteration) ? model.GetBlockingTime() : Time();
}

void
JobRecovery::OnRankFailure(const RankFailure& failure)
{
    MIXNET_CHECK(m_engine && m_plan.serversPerRegion > 0, "recovery without a job or spares");
    if (!failure.detected)
    {
        Happen(failure);
        return;
    }
    const bool concerns = std::any_of(failure.gpus.begin(), failure.gpus.end(), [this](GpuId g) {
        return m_stricken.count(g) > 0;
    });
    if (!concerns)
    {
        return;
    }
    if (!m_recovering)
    {
        m_record = RecoveryRecord();
        m_record.failed = m_since;
        m_record.detected = Simulator::Now();
        m_recovering = true;
    }
    if (std::find(m_record.failures.begin(), m_record.failures.end(), failure.record) ==
        m_record.failures.end())
    {
        m_record.failures.push_back(failure.record);
    }
    Recover();
}

void
JobRecovery::Happen(const RankFailure& failure)
{
    for (const GpuId gpu : failure.gpus)
    {
        const std::optional<GpuPlace> place = m_layout->FindPlace(gpu);
        if (!failure.alive)
        {
            if (!m_dead.insert(gpu).second)
            {
                continue;
            }
            m_pool.RemoveGpu(gpu);
            if (place)
            {
                m_since = m_stricken.empty() ? Simulator::Now() : m_since;
                m_stricken.insert(gpu);
                m_engine->Freeze(place->replica);
            }
            continue;
        }
        if (m_dead.erase(gpu) > 0 && !place)
        {
            MakeSpare(gpu);
        }
        m_engine->SetGpuFactor(gpu, failure.factor);
    }
}

void
JobRecovery::Recover()
{
    const EngineState state = m_engine->GetState();
    if (state == EngineState::FINISHED || state == EngineState::FAILED)
    {
        m_recovering = false;
        return;
    }
    ++m_generation;
    if (state == EngineState::RUNNING)
    {
        m_record.dropped = m_engine->Interrupt();
        m_record.resumedAt = m_record.dropped.iteration;
    }
    // Whoever starts the job again finds all that is dead, not only what was reported.
    std::vector<GpuId> dead;
    for (const GpuId gpu : m_dead)
    {
        if (m_layout->FindPlace(gpu))
        {
            dead.push_back(gpu);
        }
    }
    RecoveryPlan plan;
    if (!dead.empty())
    {
        plan = m_policy->Decide({*m_layout, m_plan, dead, ReadHostHealth(*m_graph)}, m_pool);
    }
    m_record.why += (m_record.why.empty() || plan.why.empty() ? "" : "; ") + plan.why;
    if (plan.stop)
    {
        m_record.stopped = true;
        m_record.resumed = Simulator::Now();
        m_record.action = "no spare for " + DescribeRanks(*m_layout, dead);
        m_recovering = false;
        m_trace(m_record);
        m_engine->Stop(m_record.action);
        return;
    }
    m_blank.insert(m_stricken.begin(), m_stricken.end());
    m_stricken.clear();
    const auto before = m_layout;
    m_layout = MakeLayout(plan);
    ReleaseGpus(*before, *m_layout);
    m_record.action += (m_record.action.empty() ? "" : ", ") + plan.Describe();
    PlanRestore();
    m_record.restart = m_restart;
    Simulator::Schedule(m_record.restore + m_restart, &JobRecovery::Resume, this, m_generation);
}

std::shared_ptr<const ParallelLayout>
JobRecovery::MakeLayout(const RecoveryPlan& plan)
{
    m_job.degrees.data -= static_cast<uint32_t>(plan.replicas.size());
    const auto idle = static_cast<uint32_t>(m_graph->GetNGpus() - m_job.degrees.GetGpus());
    const auto layout =
        std::make_shared<ParallelLayout>(m_job,
                                         *m_graph,
                                         "recovery",
                                         ApplyRecovery(plan, *m_layout, m_plan.gpusPerServer),
                                         idle);
    layout->SetPlacement(m_layout->GetPlacement(), "");
    return layout;
}

void
JobRecovery::ReleaseGpus(const ParallelLayout& before, const ParallelLayout& after)
{
    const std::vector<bool> used = ListUsed(before, m_graph->GetNGpus());
    const std::vector<bool> next = ListUsed(after, m_graph->GetNGpus());
    for (uint32_t g = 0; g < m_graph->GetNGpus(); ++g)
    {
        const GpuId gpu(g);
        const bool was = used[g];
        const bool is = next[g];
        if (is && !was)
        {
            m_blank.insert(gpu);
        }
        if (was && !is)
        {
            m_blank.erase(gpu);
            if (m_dead.count(gpu) == 0)
            {
                MakeSpare(gpu);
            }
        }
    }
}

void
JobRecovery::MakeSpare(GpuId gpu)
{
    const ServerId server = m_graph->GetServerOf(gpu);
    if (server < m_plan.GetFirstGlobal())
    {
        m_pool.AddGpu(m_plan.GetRegionOf(server), gpu);
        return;
    }
    for (uint32_t i = 0; i < m_plan.gpusPerServer; ++i)
    {
        const GpuId other = m_graph->GetGpu(server, i);
        if (m_dead.count(other) > 0 || m_layout->FindPlace(other))
        {
            return;
        }
    }
    m_pool.AddServer(server);
}

bool
JobRecovery::HasPeers() const
{
    if (!m_usePeers || m_spec.sharded)
    {
        return false;
    }
    const ParallelDegrees& degrees = m_layout->GetDegrees();
    for (const GpuId gpu : m_blank)
    {
        const std::optional<GpuPlace> place = m_layout->FindPlace(gpu);
        bool found = !place;
        for (uint32_t replica = 0; replica < degrees.data && !found; ++replica)
        {
            const GpuId peer = m_layout->GetMap().Find(
                m_layout->GetGpu(replica, place->stage, place->rank, place->lane));
            found = m_blank.count(peer) == 0;
        }
        if (!found)
        {
            return false;
        }
    }
    return true;
}

Time
JobRecovery::GetPeerTime() const
{
    std::map<ServerId, uint32_t> lost;
    for (const GpuId gpu : m_blank)
    {
        if (m_layout->FindPlace(gpu))
        {
            ++lost[m_graph->GetServerOf(gpu)];
        }
    }
    const CheckpointModel model = GetCheckpoints();
    Time longest;
    for (const auto& [server, gpus] : lost)
    {
        uint64_t rate = 0;
        uint32_t used = 0;
        for (const uint32_t nic : m_graph->GetNics(server, EdgeKind::PACKET))
        {
            const EdgeId edge = m_graph->GetEdge(m_graph->GetVertex(server), nic);
            if (m_graph->IsUp(edge) && used < gpus)
            {
                rate += m_graph->GetSpec(edge).rate.GetBitRate();
                ++used;
            }
        }
        longest = std::max(longest, model.GetPeerTime(gpus, DataRate(rate)));
    }
    return longest;
}

void
JobRecovery::PlanRestore()
{
    if (HasPeers())
    {
        m_record.fromPeers = true;
        m_record.restore = GetPeerTime();
        m_record.resumedAt = m_record.dropped.iteration; // an earlier decision may have gone back
        return;
    }
    const CheckpointModel model = GetCheckpoints();
    // A checkpoint that was being written is not complete.
    const uint32_t iteration = m_record.dropped.iteration;
    const bool torn = m_record.dropped.between && model.IsDue(iteration);
    m_record.fromPeers = false;
    m_record.restore = model.GetRestoreTime();
    m_record.resumedAt = model.GetLastCheckpoint(torn ? iteration - 1 : iteration);
}

void
JobRecovery::Resume(uint64_t generation)
{
    if (generation != m_generation)
    {
        return;
    }
    m_recovering = false;
    m_blank.clear();
    m_record.resumed = Simulator::Now();
    m_record.lost = m_record.dropped.iteration - m_record.resumedAt;
    m_engine->Resume(m_layout, m_record.resumedAt);
    for (const GpuId gpu : m_stricken)
    {
        if (const auto place = m_layout->FindPlace(gpu))
        {
            m_engine->Freeze(place->replica);
        }
    }
    m_trace(m_record);
}

} // namespace ns3
