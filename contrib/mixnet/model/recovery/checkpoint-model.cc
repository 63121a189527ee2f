/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "checkpoint-model.h"

#include "ns3/gradient-sync.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ns3
{

namespace
{

/// @return time of bytes at a rate; 0 without limit
Time
Divide(ByteCount bytes, DataRate rate)
{
    return rate.GetBitRate() == 0 ? Time() : bytes / rate;
}

/// Parameters that one EP rank of a stage holds, by how many replicas hold them too.
struct HeldParameters
{
    uint64_t shared{0}; //!< on all EP ranks of all replicas
    uint64_t expert{0}; //!< on this EP rank of all replicas
};

/// @return by EP rank of a stage
std::vector<HeldParameters>
CountHeld(const TrainingJob& job, const ParallelLayout& layout, uint32_t stage)
{
    const GradientBytes gradients = GetGradientBytes(job, layout, stage);
    const uint64_t each = job.model.bytesPerGradient;
    std::vector<HeldParameters> held(layout.GetDegrees().expert);
    for (uint32_t rank = 0; rank < held.size(); ++rank)
    {
        held[rank].shared = gradients.shared.Get() / each;
        held[rank].expert = gradients.expert[rank].Get() / each;
    }
    for (const ReplicatedBytes& replicated : gradients.replicated)
    {
        for (const uint32_t rank : replicated.ranks)
        {
            held[rank].expert += replicated.bytes.Get() / each;
        }
    }
    return held;
}

} // namespace

CheckpointModel::CheckpointModel(const CheckpointSpec& spec,
                                 const TrainingJob& job,
                                 const ParallelLayout& layout)
    : m_spec(spec)
{
    const ParallelDegrees& degrees = layout.GetDegrees();
    const uint64_t weight = job.model.bytesPerParameter;
    const uint64_t optimizer = spec.optimizerBytes;
    std::map<ServerId, uint64_t> servers;
    uint64_t loaded = 0;
    uint64_t largest = 0;
    for (uint32_t stage = 0; stage < degrees.pipeline; ++stage)
    {
        const std::vector<HeldParameters> held = CountHeld(job, layout, stage);
        for (uint32_t rank = 0; rank < degrees.expert; ++rank)
        {
            const uint64_t everywhere = spec.sharded ? uint64_t(degrees.data) * held.size() : 1;
            const uint64_t replicas = spec.sharded ? degrees.data : 1;
            const uint64_t bytes = weight * (held[rank].shared + held[rank].expert) +
                                   (optimizer * held[rank].shared + everywhere - 1) / everywhere +
                                   (optimizer * held[rank].expert + replicas - 1) / replicas;
            largest = std::max(largest, bytes);
            for (uint32_t replica = 0; replica < degrees.data; ++replica)
            {
                loaded += bytes;
                servers[layout.GetServer(layout.GetGpu(replica, stage, rank))] += bytes;
            }
        }
    }
    m_servers = static_cast<uint32_t>(servers.size());
    m_state.stored = ByteCount((weight + optimizer) * job.model.GetParameters());
    m_state.loaded = ByteCount(loaded);
    m_state.largestGpu = ByteCount((largest + degrees.tensor - 1) / degrees.tensor);
    for (const auto& [server, bytes] : servers)
    {
        m_state.largestServer = std::max(m_state.largestServer, ByteCount(bytes));
    }
}

Time
CheckpointModel::GetSaveTime() const
{
    const ByteCount share((m_state.stored.Get() + m_servers - 1) / m_servers);
    return std::max(Divide(share, m_spec.serverRate), Divide(m_state.stored, m_spec.totalRate));
}

Time
CheckpointModel::GetBlockingTime() const
{
    return TimeStep(static_cast<uint64_t>(
        std::llround(static_cast<double>(GetSaveTime().GetTimeStep()) * m_spec.blockingShare)));
}

Time
CheckpointModel::GetRestoreTime() const
{
    return std::max(Divide(m_state.largestServer, m_spec.serverRate),
                    Divide(m_state.loaded, m_spec.totalRate));
}

Time
CheckpointModel::GetPeerTime(uint32_t gpus, DataRate rate) const
{
    return Divide(m_state.largestGpu * gpus, rate);
}

uint32_t
CheckpointModel::GetLastCheckpoint(uint32_t iteration) const
{
    return m_spec.interval == 0 ? 0 : iteration - iteration % m_spec.interval;
}

bool
CheckpointModel::IsDue(uint32_t iteration) const
{
    return m_spec.interval != 0 && iteration != 0 && iteration % m_spec.interval == 0;
}

Time
CheckpointModel::GetBestInterval(Time mtbf) const
{
    return Seconds(std::sqrt(2 * GetBlockingTime().GetSeconds() * mtbf.GetSeconds()));
}

} // namespace ns3
