/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_TASK_GRAPH_RUNNER_H
#define MIXNET_TASK_GRAPH_RUNNER_H

#include "collective-runner.h"
#include "group-collectives.h"
#include "task-times.h"

#include "ns3/callback.h"
#include "ns3/graph-file.h"
#include "ns3/standing-timer.h"
#include "ns3/transport.h"

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Runs a task graph (doc/schemas.rst): rank r on GPU r. Memory grows with what is under way and
 * with what waits for part of its dependencies, not with ranks times tasks.
 *
 * A task starts when all that it depends on has ended (or started); a computation starts when its
 * stream has come to it. A collective starts when its last member is ready, and ends for all
 * members together.
 */
class TaskGraphRunner : private TransferSink, private CollectiveSink, private StandingTimer::Owner
{
  public:
    /**
     * @param graph task graph; must outlive this
     * @param durations by task: ticks of a computation
     * @param fabric who is where; at least as many GPUs as ranks
     * @param transport moves the bytes
     */
    TaskGraphRunner(const GraphFile& graph,
                    std::vector<int64_t> durations,
                    Ptr<FabricGraph> fabric,
                    Ptr<Transport> transport);
    ~TaskGraphRunner() override;

    /// Told rank, task (counted through all programs), ticks of its start and its end.
    using TaskCallback = Callback<void, uint32_t, uint32_t, int64_t, int64_t>;

    /// @param ended told every task that ends
    void SetTaskCallback(const TaskCallback& ended)
    {
        m_taskEnded = ended;
    }

    /// Start all ranks now. @param finished told once all tasks have ended
    void Start(const Callback<void>& finished);

    /// @return tasks of all ranks that have ended
    std::size_t GetNEnded() const
    {
        return m_ended;
    }

    /// @return tasks of all ranks
    std::size_t GetNTasks() const
    {
        return m_total;
    }

    /// @return transfers that the network lost
    uint64_t GetNLost() const
    {
        return m_lost;
    }

    /// @return payload delivered by path, closed forms inside of servers included
    const std::array<ByteCount, N_PATH_CLASSES>& GetBytesByPath() const
    {
        return m_bytesByPath;
    }

    /// @return times by kind and by rank
    const TaskTimes& GetTimes() const
    {
        return m_times;
    }

    /// @return critical path so far: back from the task that ended last, each time to the task
    /// whose end (or start) let it start; adds up to the time of that end
    const TaskPath& GetCriticalPath() const
    {
        return m_cause;
    }

    /// @param limit of lines @return tasks under way or waiting, by rank and task, and for whom
    std::vector<std::string> DescribeWaiting(std::size_t limit) const;

  private:
    /// A task of a rank.
    struct Job
    {
        uint32_t rank; //!< rank
        uint32_t task; //!< task, counted through all programs

        /// @return both in one
        uint64_t Key() const
        {
            return (uint64_t(rank) << 32) | task;
        }
    };

    /// A task that has started.
    struct Activity
    {
        int64_t start; //!< when
        TaskPath path; //!< critical path up to there
    };

    /// A computation's end.
    struct Finish
    {
        int64_t tick; //!< when
        Job job;      //!< what

        /// @param o other @return order of a heap: earliest on top, then by rank and task
        bool operator<(const Finish& o) const
        {
            return std::make_pair(tick, job.Key()) > std::make_pair(o.tick, o.job.Key());
        }
    };

    /// Computations that share a stream.
    struct Stream
    {
        bool busy{false};                                //!< one is running
        std::vector<std::pair<int64_t, uint32_t>> queue; //!< ready at, task; heap, first on top
    };

    /// A collective of which a member is ready.
    struct Operation
    {
        uint32_t set;        //!< set
        uint32_t group;      //!< group
        uint32_t number;     //!< which one of the set
        uint32_t arrived{0}; //!< members that are ready
        bool running{false}; //!< all are
        int64_t start{0};    //!< when the last one was
        TaskPath path{};     //!< its critical path up to there
    };

    /// Names a message at both ends.
    struct Message
    {
        uint32_t from;   //!< rank
        uint32_t to;     //!< rank
        uint64_t tag;    //!< tag
        uint32_t number; //!< which one of the tag

        /// @param o other @return equality
        bool operator==(const Message& o) const
        {
            return from == o.from && to == o.to && tag == o.tag && number == o.number;
        }
    };

    /// Hash of a message.
    struct MessageHash
    {
        /// @param m message @return its hash
        std::size_t operator()(const Message& m) const
        {
            const uint64_t ends = (uint64_t(m.from) << 32) | m.to;
            return static_cast<std::size_t>((ends * 0x9e3779b97f4a7c15ULL) ^ (m.tag << 20) ^
                                            m.number);
        }
    };

    /// Tasks that wait, by task waited for.
    struct Followers
    {
        std::vector<uint64_t> first; //!< by task; one more at the end
        std::vector<uint32_t> task;  //!< that waits
    };

    void OnCompletion(const Completion& completion) override;
    void OnCollective(const CollectiveResult& result) override;
    void OnTimer(uint32_t index) override;
    /// @param start 1: those that wait for the start @return them
    Followers ListFollowers(uint8_t start) const;
    /// @param job whose followers @param followers of its end or start: one wait less
    void Release(const Job& job, const Followers& followers);
    /// Start what is ready, until nothing is; then send.
    void Drain();
    /// @param job it is ready
    void StartJob(const Job& job);
    /// @param job a computation whose turn it is @param path critical path up to now
    void Compute(const Job& job, const TaskPath& path);
    /// @param job a collective: one more member
    void Join(const Job& job);
    /// @param job send
    void SendMessage(const Job& job);
    /// @param job recv
    void Receive(const Job& job);
    /// @param bytesByPath of something that has ended
    void AddBytes(const std::array<ByteCount, N_PATH_CLASSES>& bytesByPath);
    /// @param operation all of its members are done
    void EndOperation(const Operation& operation);
    /// @param job it is over @param path critical path of its end
    void End(const Job& job, const TaskPath& path);
    /// @param kind of a task @param start when it started @param path critical path up to there
    /// @return critical path of its end, now
    static TaskPath Extend(uint8_t kind, int64_t start, TaskPath path);
    /// @param job computation that is over: the next one of its stream
    void NextOfStream(const Job& job);
    /// @param job send or recv @return its message
    Message GetMessage(const Job& job) const;
    /// @param job under way @return what it waits for
    std::string DescribeWait(const Job& job) const;

    const GraphFile& m_graph;                                  //!< what to do
    GraphGroups m_groups;                                      //!< who is with whom
    std::vector<int64_t> m_durations;                          //!< by task
    Ptr<Transport> m_transport;                                //!< moves the bytes
    GroupCollectives m_builder;                                //!< collectives
    Ptr<CollectiveRunner> m_collectives;                       //!< runs them
    Followers m_afterEnd;                                      //!< who waits for ends
    Followers m_afterStart;                                    //!< who waits for starts
    StandingTimer m_timer;                                     //!< next end of a computation
    std::vector<Finish> m_computing;                           //!< heap
    std::unordered_map<uint64_t, Stream> m_streams;            //!< by rank and stream
    std::unordered_map<uint64_t, uint32_t> m_waits;            //!< by job: dependencies left
    std::unordered_map<uint64_t, Activity> m_active;           //!< by job
    std::unordered_map<uint64_t, uint32_t> m_open;             //!< by group and number: operation
    std::vector<Operation> m_operations;                       //!< all, in use or free
    std::vector<uint32_t> m_freeOperations;                    //!< free ones
    std::unordered_map<Message, uint32_t, MessageHash> m_mail; //!< recv that waits, or ARRIVED
    std::vector<Job> m_sends;                                  //!< by tag of the transfer
    std::vector<uint32_t> m_freeSends;                         //!< free ones
    std::vector<std::pair<Job, TaskPath>> m_ready; //!< to be started, critical path up to there
    TaskPath m_cause{};                            //!< of what has just ended or started
    std::vector<Transfer> m_batch;                 //!< to be sent
    TaskTimes m_times;                             //!< what it took
    std::size_t m_total{0};                        //!< tasks of all ranks
    std::size_t m_ended{0};                        //!< of them
    std::array<ByteCount, N_PATH_CLASSES> m_bytesByPath{}; //!< of ended ones
    uint64_t m_lost{0};                                    //!< transfers
    TaskCallback m_taskEnded;                              //!< or null
    Callback<void> m_finished;                             //!< told once
};

} // namespace ns3

#endif // MIXNET_TASK_GRAPH_RUNNER_H
