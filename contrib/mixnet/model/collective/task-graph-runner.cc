/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "task-graph-runner.h"

#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <functional>

namespace ns3
{

namespace
{

constexpr uint32_t ARRIVED = UINT32_MAX; //!< a message that nobody waits for yet

} // namespace

TaskGraphRunner::TaskGraphRunner(const GraphFile& graph,
                                 std::vector<int64_t> durations,
                                 Ptr<FabricGraph> fabric,
                                 Ptr<Transport> transport)
    : m_graph(graph),
      m_groups(graph),
      m_durations(std::move(durations)),
      m_transport(transport),
      m_builder(*fabric),
      m_collectives(CreateObject<CollectiveRunner>()),
      m_afterEnd(ListFollowers(0)),
      m_afterStart(ListFollowers(1)),
      m_timer(*this, 0),
      m_times(graph.GetNRanks())
{
    MIXNET_CHECK(graph.GetNRanks() <= fabric->GetNGpus(), "a GPU for every rank");
    MIXNET_CHECK(m_durations.size() == graph.GetNTasks(), "durations of all tasks");
    m_collectives->SetTransport(transport);
}

TaskGraphRunner::~TaskGraphRunner()
{
    m_collectives->Dispose();
}

void
TaskGraphRunner::Start(const Callback<void>& finished)
{
    m_finished = finished;
    for (uint32_t r = 0; r < m_graph.GetNRanks(); ++r)
    {
        const uint32_t p = m_graph.rankProgram[r];
        m_total += m_graph.firstTask[p + 1] - m_graph.firstTask[p];
    }
    for (uint32_t r = 0; r < m_graph.GetNRanks(); ++r)
    {
        const uint32_t p = m_graph.rankProgram[r];
        for (uint64_t t = m_graph.firstTask[p]; t < m_graph.firstTask[p + 1]; ++t)
        {
            if (m_graph.firstOn[t] == m_graph.firstOn[t + 1])
            {
                m_ready.push_back({{r, static_cast<uint32_t>(t)}, m_cause});
            }
        }
    }
    if (m_total == 0)
    {
        Simulator::ScheduleNow(&Callback<void>::operator(), &m_finished);
        return;
    }
    Drain();
}

void
TaskGraphRunner::Release(const Job& job, const Followers& followers)
{
    for (uint64_t i = followers.first[job.task]; i < followers.first[job.task + 1]; ++i)
    {
        const Job next{job.rank, followers.task[i]};
        const auto all =
            static_cast<uint32_t>(m_graph.firstOn[next.task + 1] - m_graph.firstOn[next.task]);
        if (all == 1)
        {
            m_ready.emplace_back(next, m_cause);
            continue;
        }
        const auto it = m_waits.emplace(next.Key(), all).first;
        if (--it->second == 0)
        {
            m_waits.erase(it);
            m_ready.emplace_back(next, m_cause);
        }
    }
}

void
TaskGraphRunner::Drain()
{
    for (std::size_t i = 0; i < m_ready.size(); ++i)
    {
        const Job job = m_ready[i].first;
        m_cause = m_ready[i].second;
        StartJob(job);
    }
    m_ready.clear();
    if (!m_batch.empty())
    {
        m_transport->Send(m_batch, *this);
        m_batch.clear();
    }
    if (m_ended == m_total && !m_finished.IsNull())
    {
        const Callback<void> finished = m_finished;
        m_finished.Nullify();
        finished();
    }
}

void
TaskGraphRunner::StartJob(const Job& job)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    const uint8_t kind = m_graph.kind[job.task];
    if (kind == GraphFile::COMPUTE)
    {
        const uint16_t stream = m_graph.stream[job.task];
        if (stream != GraphFile::NO_STREAM)
        {
            Stream& s = m_streams[(uint64_t(job.rank) << 32) | stream];
            if (s.busy)
            {
                s.queue.emplace_back(now, job.task);
                std::push_heap(s.queue.begin(), s.queue.end(), std::greater<>());
                return;
            }
            s.busy = true;
        }
        Compute(job, m_cause);
        return;
    }
    m_active.emplace(job.Key(), Activity{now, m_cause});
    m_times.Begin(job.rank, false, now);
    Release(job, m_afterStart);
    if (kind == GraphFile::SEND)
    {
        SendMessage(job);
    }
    else if (kind == GraphFile::RECV)
    {
        Receive(job);
    }
    else
    {
        Join(job);
    }
}

void
TaskGraphRunner::Compute(const Job& job, const TaskPath& path)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    m_active.emplace(job.Key(), Activity{now, path});
    m_times.Begin(job.rank, true, now);
    m_cause = path;
    Release(job, m_afterStart);
    m_computing.push_back({now + m_durations[job.task], job});
    std::push_heap(m_computing.begin(), m_computing.end());
    m_timer.Arm(m_computing.front().tick);
}

void
TaskGraphRunner::OnTimer(uint32_t /* index */)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    while (!m_computing.empty() && m_computing.front().tick <= now)
    {
        const Job job = m_computing.front().job;
        std::pop_heap(m_computing.begin(), m_computing.end());
        m_computing.pop_back();
        const Activity& active = m_active.at(job.Key());
        End(job, Extend(GraphFile::COMPUTE, active.start, active.path));
    }
    Drain();
    if (!m_computing.empty())
    {
        m_timer.Arm(m_computing.front().tick);
    }
}

void
TaskGraphRunner::NextOfStream(const Job& job)
{
    const uint16_t stream = m_graph.stream[job.task];
    if (stream == GraphFile::NO_STREAM)
    {
        return;
    }
    Stream& s = m_streams[(uint64_t(job.rank) << 32) | stream];
    s.busy = !s.queue.empty();
    if (s.busy)
    {
        const Job next{job.rank, s.queue.front().second};
        std::pop_heap(s.queue.begin(), s.queue.end(), std::greater<>());
        s.queue.pop_back();
        Compute(next, m_cause);
    }
}

void
TaskGraphRunner::Join(const Job& job)
{
    const uint32_t set = m_graph.set[job.task];
    const uint32_t group = m_groups.Find(set, job.rank).group;
    const uint32_t number = m_groups.GetNumber(job.task);
    const auto [it, fresh] = m_open.emplace((uint64_t(group) << 32) | number, 0);
    if (fresh)
    {
        if (m_freeOperations.empty())
        {
            m_freeOperations.push_back(static_cast<uint32_t>(m_operations.size()));
            m_operations.emplace_back();
        }
        it->second = m_freeOperations.back();
        m_freeOperations.pop_back();
        m_operations[it->second] = {set, group, number};
    }
    const uint32_t index = it->second;
    Operation& operation = m_operations[index];
    const auto [begin, end] = m_groups.GetMembers(group);
    if (++operation.arrived < end - begin)
    {
        return;
    }
    operation.running = true;
    operation.start = Simulator::Now().GetTimeStep();
    operation.path = m_cause;
    const uint64_t bytes = m_graph.bytes[job.task];
    if (bytes == 0 || end - begin == 1)
    {
        const Operation done = operation;
        m_open.erase(it);
        m_freeOperations.push_back(index);
        EndOperation(done);
        return;
    }
    GroupSpec spec;
    for (const uint32_t* rank = begin; rank != end; ++rank)
    {
        spec.members.emplace_back(*rank);
    }
    spec.kind = m_graph.kind[job.task];
    spec.bytes = ByteCount(bytes);
    spec.root = static_cast<uint32_t>(m_graph.peer[job.task]);
    spec.cells = m_graph.GetCells(m_graph.GetMatrix(job.task));
    spec.trafficClass = static_cast<TrafficClass>(m_graph.trafficClass[job.task]);
    const CollectiveRunner::Run run = m_collectives->Open();
    m_builder.Append(m_collectives->GetGraph(run), spec);
    m_collectives->Start(run, *this, index);
}

void
TaskGraphRunner::OnCollective(const CollectiveResult& result)
{
    const auto index = static_cast<uint32_t>(result.tag);
    const Operation done = m_operations[index];
    m_lost += result.lost;
    AddBytes(result.bytesByPath);
    m_open.erase((uint64_t(done.group) << 32) | done.number);
    m_freeOperations.push_back(index);
    EndOperation(done);
    Drain();
}

void
TaskGraphRunner::AddBytes(const std::array<ByteCount, N_PATH_CLASSES>& bytesByPath)
{
    for (std::size_t p = 0; p < N_PATH_CLASSES; ++p)
    {
        m_bytesByPath[p] += bytesByPath[p];
    }
}

void
TaskGraphRunner::EndOperation(const Operation& operation)
{
    const auto [begin, end] = m_groups.GetMembers(operation.group);
    for (const uint32_t* rank = begin; rank != end; ++rank)
    {
        const auto& tasks = m_groups.GetCollectives(m_graph.rankProgram[*rank], operation.set);
        const uint32_t task = tasks[operation.number];
        End({*rank, task}, Extend(m_graph.kind[task], operation.start, operation.path));
    }
}

TaskGraphRunner::Message
TaskGraphRunner::GetMessage(const Job& job) const
{
    const uint32_t peer = m_groups.GetPeer(job.rank, job.task);
    const bool send = m_graph.kind[job.task] == GraphFile::SEND;
    return {send ? job.rank : peer,
            send ? peer : job.rank,
            m_graph.tag[job.task],
            m_groups.GetNumber(job.task)};
}

void
TaskGraphRunner::SendMessage(const Job& job)
{
    if (m_freeSends.empty())
    {
        m_freeSends.push_back(static_cast<uint32_t>(m_sends.size()));
        m_sends.push_back(job);
    }
    const uint32_t slot = m_freeSends.back();
    m_freeSends.pop_back();
    m_sends[slot] = job;
    Transfer t;
    t.source = GpuId(job.rank);
    t.destination = GpuId(m_groups.GetPeer(job.rank, job.task));
    t.bytes = ByteCount(m_graph.bytes[job.task]);
    t.trafficClass = static_cast<TrafficClass>(m_graph.trafficClass[job.task]);
    t.tag = slot;
    m_batch.push_back(t);
}

void
TaskGraphRunner::OnCompletion(const Completion& completion)
{
    const Job job = m_sends[completion.tag];
    m_freeSends.push_back(static_cast<uint32_t>(completion.tag));
    m_lost += completion.status == TransferStatus::DELIVERED ? 0 : 1;
    AddBytes(completion.bytesByPath);
    const Message message = GetMessage(job);
    const Activity& active = m_active.at(job.Key());
    const TaskPath path = Extend(GraphFile::SEND, active.start, active.path);
    End(job, path);
    const auto [it, early] = m_mail.emplace(message, ARRIVED);
    if (!early)
    {
        const Job receiver{message.to, it->second};
        m_mail.erase(it);
        End(receiver, path);
    }
    Drain();
}

void
TaskGraphRunner::Receive(const Job& job)
{
    const auto [it, early] = m_mail.emplace(GetMessage(job), job.task);
    if (!early)
    {
        m_mail.erase(it);
        End(job, m_cause);
    }
}

TaskPath
TaskGraphRunner::Extend(uint8_t kind, int64_t start, TaskPath path)
{
    path[kind] += Simulator::Now().GetTimeStep() - start;
    return path;
}

void
TaskGraphRunner::End(const Job& job, const TaskPath& path)
{
    const auto it = m_active.find(job.Key());
    MIXNET_CHECK(it != m_active.end(), "a task that ends without a start");
    m_times.End(job.rank,
                m_graph.kind[job.task],
                m_graph.bytes[job.task],
                it->second.start,
                Simulator::Now().GetTimeStep());
    if (!m_taskEnded.IsNull())
    {
        m_taskEnded(job.rank, job.task, it->second.start, Simulator::Now().GetTimeStep());
    }
    m_active.erase(it);
    ++m_ended;
    m_cause = path;
    Release(job, m_afterEnd);
    if (m_graph.kind[job.task] == GraphFile::COMPUTE)
    {
        NextOfStream(job);
    }
}

} // namespace ns3
