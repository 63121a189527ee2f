/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "recovery-policy.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <set>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RecoveryPolicy);
NS_OBJECT_ENSURE_REGISTERED(SpareRecoveryPolicy);
NS_OBJECT_ENSURE_REGISTERED(ShrinkRecoveryPolicy);
NS_OBJECT_ENSURE_REGISTERED(SpareOrShrinkRecoveryPolicy);

namespace
{

/// What a server lost.
struct ServerLoss
{
    std::vector<GpuId> homes; //!< GPUs of its TP blocks whose work is lost, ascending
    uint32_t own{0};          //!< of the homes, those that were done in the server itself
    uint32_t inside{0};       //!< GPUs of its TP blocks that were done in the server itself
};

/// @return by server of the TP block
std::map<ServerId, ServerLoss>
GroupByServer(const RecoveryContext& context)
{
    const std::set<GpuId> dead(context.dead.begin(), context.dead.end());
    const ParallelLayout& layout = context.layout;
    std::map<ServerId, ServerLoss> losses;
    for (const GpuId block : layout.GetBlocks())
    {
        ServerLoss& loss = losses[layout.GetServer(block)];
        for (uint32_t lane = 0; lane < layout.GetDegrees().tensor; ++lane)
        {
            const GpuId home(block.Get() + lane);
            const GpuId gpu = layout.GetMap().Find(home);
            const bool isDead = dead.count(gpu) > 0;
            loss.inside += gpu == home ? 1 : 0;
            loss.own += isDead && gpu == home ? 1 : 0;
            if (isDead)
            {
                loss.homes.push_back(home);
            }
        }
    }
    for (auto it = losses.begin(); it != losses.end();)
    {
        std::sort(it->second.homes.begin(), it->second.homes.end());
        it = it->second.homes.empty() ? losses.erase(it) : std::next(it);
    }
    return losses;
}

/// @param why one more reason @param plan has it from now on
void
AddReason(const std::string& why, RecoveryPlan& plan)
{
    plan.why += (plan.why.empty() || why.empty() ? "" : "; ") + why;
}

/// Move what single GPUs did. @return false when the region has too few spares; none is taken then
bool
MoveGpus(const RecoveryContext& context,
         ServerId server,
         const ServerLoss& loss,
         SparePool& pool,
         RecoveryPlan& plan)
{
    if (!(server < context.spares.GetFirstGlobal()))
    {
        return false;
    }
    const uint32_t region = context.spares.GetRegionOf(server);
    if (pool.GetNGpus(region) < loss.homes.size())
    {
        return false;
    }
    const SpareChoice choice(context.hosts, context.spares.gpusPerServer);
    SparePool left = pool;
    std::map<GpuId, GpuId> moves;
    std::string why;
    for (const GpuId home : loss.homes)
    {
        const std::set<GpuId>& ready = left.GetGpus(region);
        const std::optional<GpuId> gpu = choice.FindGpu(ready, server);
        const std::string reason = choice.Explain(ready, server, gpu);
        if (!gpu)
        {
            AddReason(reason, plan);
            return false;
        }
        why += (why.empty() ? "" : "; ") + reason;
        moves[home] = *gpu;
        left.RemoveGpu(*gpu);
    }
    AddReason(why, plan);
    plan.gpus.insert(moves.begin(), moves.end());
    pool = left;
    return true;
}

/// @return DP replicas with a dead GPU
std::set<uint32_t>
FindReplicas(const RecoveryContext& context)
{
    std::set<uint32_t> replicas;
    for (const GpuId gpu : context.dead)
    {
        replicas.insert(context.layout.FindPlace(gpu)->replica);
    }
    return replicas;
}

/// @return the plan of SpareRecoveryPolicy
RecoveryPlan
UseSpares(const RecoveryContext& context, SparePool& pool)
{
    RecoveryPlan plan;
    for (const auto& [server, loss] : GroupByServer(context))
    {
        const bool whole = loss.own == loss.inside && loss.inside > 1;
        if (!whole && MoveGpus(context, server, loss, pool, plan))
        {
            continue;
        }
        const SpareChoice choice(context.hosts, context.spares.gpusPerServer);
        const std::optional<ServerId> spare = choice.FindServer(pool.GetServers());
        AddReason(choice.Explain(pool.GetServers(), spare), plan);
        if (!spare)
        {
            plan.stop = true;
            return plan;
        }
        pool.RemoveServer(*spare);
        plan.servers[server] = *spare;
    }
    return plan;
}

/// @return the plan of ShrinkRecoveryPolicy
RecoveryPlan
Shrink(const RecoveryContext& context)
{
    RecoveryPlan plan;
    const std::set<uint32_t> replicas = FindReplicas(context);
    plan.replicas.assign(replicas.begin(), replicas.end());
    plan.stop = replicas.size() == context.layout.GetDegrees().data;
    return plan;
}

} // namespace

std::string
RecoveryPlan::Describe() const
{
    std::string text;
    const auto add = [&text](const std::string& part) {
        text += (text.empty() ? "" : ", ") + part;
    };
    for (const auto& [from, to] : gpus)
    {
        add("GPU " + std::to_string(from.Get()) + " to spare GPU " + std::to_string(to.Get()));
    }
    for (const auto& [from, to] : servers)
    {
        add("server " + std::to_string(from.Get()) + " to spare server " +
            std::to_string(to.Get()));
    }
    for (const uint32_t replica : replicas)
    {
        add("without replica " + std::to_string(replica));
    }
    return text.empty() ? "in place" : text;
}

std::string
DescribeRanks(const ParallelLayout& layout, const std::vector<GpuId>& dead)
{
    constexpr std::size_t most = 8;
    std::string text;
    for (std::size_t i = 0; i < std::min(most, dead.size()); ++i)
    {
        const GpuPlace place = layout.FindPlace(dead[i]).value_or(GpuPlace());
        text += (i > 0 ? ", " : "") + std::string("GPU ") + std::to_string(dead[i].Get()) +
                " (replica " + std::to_string(place.replica) + ", stage " +
                std::to_string(place.stage) + ", EP rank " + std::to_string(place.rank) +
                ", TP rank " + std::to_string(place.lane) + ")";
    }
    return dead.size() > most ? text + " and " + std::to_string(dead.size() - most) + " more"
                              : text;
}

GpuMap
ApplyRecovery(const RecoveryPlan& plan, const ParallelLayout& layout, uint32_t gpusPerServer)
{
    MIXNET_CHECK(!plan.stop, "a job that stops runs nowhere");
    const ParallelDegrees& degrees = layout.GetDegrees();
    const std::vector<GpuId> blocks = layout.GetBlocks();
    const std::size_t perReplica = blocks.size() / degrees.data;
    GpuMap map;
    for (std::size_t i = 0; i < blocks.size(); ++i)
    {
        const auto replica = static_cast<uint32_t>(i / perReplica);
        if (std::binary_search(plan.replicas.begin(), plan.replicas.end(), replica))
        {
            continue;
        }
        const GpuId old = blocks[i];
        const auto server = plan.servers.find(layout.GetServer(old));
        map.blocks.push_back(
            server == plan.servers.end()
                ? old
                : GpuId(server->second.Get() * gpusPerServer + old.Get() % gpusPerServer));
        for (uint32_t lane = 0; server == plan.servers.end() && lane < degrees.tensor; ++lane)
        {
            const GpuId home(old.Get() + lane);
            const auto moved = plan.gpus.find(home);
            const GpuId gpu = moved == plan.gpus.end() ? layout.GetMap().Find(home) : moved->second;
            if (gpu != home)
            {
                map.moved[home] = gpu;
            }
        }
    }
    return map;
}

TypeId
RecoveryPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RecoveryPolicy").SetParent<Object>().SetGroupName("Mixnet");
    return tid;
}

TypeId
SpareRecoveryPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::SpareRecoveryPolicy")
                            .SetParent<RecoveryPolicy>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<SpareRecoveryPolicy>();
    return tid;
}

RecoveryPlan
SpareRecoveryPolicy::Decide(const RecoveryContext& context, SparePool& pool) const
{
    return UseSpares(context, pool);
}

TypeId
ShrinkRecoveryPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ShrinkRecoveryPolicy")
                            .SetParent<RecoveryPolicy>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<ShrinkRecoveryPolicy>();
    return tid;
}

RecoveryPlan
ShrinkRecoveryPolicy::Decide(const RecoveryContext& context, SparePool& /* pool */) const
{
    return Shrink(context);
}

TypeId
SpareOrShrinkRecoveryPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::SpareOrShrinkRecoveryPolicy")
                            .SetParent<RecoveryPolicy>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<SpareOrShrinkRecoveryPolicy>();
    return tid;
}

RecoveryPlan
SpareOrShrinkRecoveryPolicy::Decide(const RecoveryContext& context, SparePool& pool) const
{
    SparePool tried = pool;
    const RecoveryPlan plan = UseSpares(context, tried);
    if (plan.stop)
    {
        RecoveryPlan smaller = Shrink(context);
        smaller.why = plan.why;
        return smaller;
    }
    pool = tried;
    return plan;
}

} // namespace ns3
