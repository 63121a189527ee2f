/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_RUNNER_H
#define COLLECTIVE_RUNNER_H

#include "transfer-graph.h"

#include "ns3/mixnet-ids.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/traced-callback.h"
#include "ns3/transport.h"

#include <array>
#include <map>
#include <memory>
#include <vector>

namespace ns3
{

/// @ingroup mixnet
/// End of a collective.
struct CollectiveResult
{
    uint64_t tag{0};                                     //!< the caller's
    Time started;                                        //!< when it was started
    Time finished;                                       //!< when its last node ended
    ByteCount bytes;                                     //!< of all its transfers
    uint32_t transfers{0};                               //!< their number
    uint32_t lost{0};                                    //!< of them, aborted or failed
    std::array<ByteCount, N_PATH_CLASSES> bytesByPath{}; //!< delivered, local operations included
    OperationLoad load; //!< what bounded it; time with a local operation counts as a load of
                        //!< all scale-up domains; empty without a load meter
};

/// @ingroup mixnet
/// Who hears of ended collectives.
class CollectiveSink
{
  public:
    virtual ~CollectiveSink() = default;
    /**
     * Never called inside Start.
     *
     * @param result the end of a collective that this sink started
     */
    virtual void OnCollective(const CollectiveResult& result) = 0;
};

/**
 * @ingroup mixnet
 * Runs transfer graphs over a Transport: sends what is ready, in order of nodes, as one batch; a
 * collective ends with its last node. A transfer that is lost ends its node all the same (whoever
 * waits goes on) and is counted: what a loss means is the caller's decision.
 *
 * Runs are pooled: Open() gives an empty graph that keeps its capacity from its last use.
 *
 * GPUs whose work another one does (SetMoved) keep their place in graphs; lanes of transfers that
 * begin or end there are sent from or to the other one, as transfers of their own.
 */
class CollectiveRunner : public Object, private TransferSink
{
  public:
    /// A run between Open() and its end.
    using Run = uint32_t;

    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param transport what moves the bytes
    void SetTransport(Ptr<Transport> transport);

    /// @return a new run with an empty graph
    Run Open();

    /// @param run an opened run @return its graph, to be filled
    TransferGraph& GetGraph(Run run);

    /**
     * Start an opened run; it ends by itself and must not be touched any more.
     *
     * @param run the run
     * @param sink told once, from an event of its own; must outlive the run
     * @param tag comes back in the result
     */
    void Start(Run run, CollectiveSink& sink, uint64_t tag);

    /// @param moved by GPU of a graph: the one that has its work now; none by default
    void SetMoved(std::map<GpuId, GpuId> moved);

    /**
     * Drop all runs: their transfers are aborted, what is local ends unheard, sinks are not told.
     *
     * @return transfers aborted
     */
    std::size_t AbortAll();

    /// @return runs started and not ended
    uint32_t GetNActive() const
    {
        return m_active;
    }

    /// TracedCallback signature for ended collectives.
    typedef void (*CollectiveTracedCallback)(const CollectiveResult& result);

  protected:
    void DoDispose() override;

  private:
    /// A run.
    struct State
    {
        uint32_t account{0};           //!< of the load meter; 0: none
        uint32_t local{0};             //!< local operations in progress
        Time localBegin;               //!< when the first of them began
        Time localTime;                //!< time with some in progress, so far
        TransferGraph graph;           //!< what to do
        CollectiveSink* sink{nullptr}; //!< whom to tell
        CollectiveResult result;       //!< so far
        uint32_t open{0};              //!< nodes not ended
        uint32_t pending{0};           //!< transfers and local operations under way
        bool dropped{false};           //!< AbortAll was called: forget it once nothing is pending
        std::vector<uint32_t> waits;   //!< by node: predecessors not ended; empty when flat
        std::vector<uint32_t> parts;   //!< by node: transfers not ended; empty without moved GPUs
    };

    void OnCompletion(const Completion& completion) override;
    /// @param run run @param node local operation that is over
    void OnLocal(Run run, TransferGraph::Node node);
    /// @param state run whose nodes have all ended @return what bounded it
    OperationLoad CloseLoad(State& state);
    /// Send and schedule what is in m_ready. @param run run
    void Release(Run run);
    /// Send m_batch. @param run run
    void Send(Run run);
    /// Cut what is in m_batch where GPUs have moved. @param run run
    void CutMoved(Run run);
    /// @param run run, one of whose transfers or local operations ended
    /// @return true when it was dropped: nothing else happens
    bool EndPending(Run run);
    /// @param run run @param node node that ended
    void EndNode(Run run, TransferGraph::Node node);
    /// @param run run without nodes
    void FinishEmpty(Run run);
    /// @param run run whose nodes have all ended
    void Finish(Run run);

    Ptr<Transport> m_transport;                                //!< what moves the bytes
    std::vector<std::unique_ptr<State>> m_runs;                //!< all, in use or free
    std::vector<Run> m_free;                                   //!< free ones
    uint32_t m_active{0};                                      //!< started and not ended
    std::vector<TransferGraph::Node> m_ready;                  //!< scratch: nodes to start
    std::vector<Transfer> m_batch;                             //!< scratch: transfers to send
    std::vector<Transfer> m_cut;                               //!< scratch: of CutMoved
    std::map<GpuId, GpuId> m_moved;                            //!< GPUs that have moved
    TracedCallback<const CollectiveResult&> m_collectiveTrace; //!< every end
};

} // namespace ns3

#endif // COLLECTIVE_RUNNER_H
