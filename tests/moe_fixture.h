/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MOE_FIXTURE_H
#define MOE_FIXTURE_H

#include "ns3/fabric-graph.h"
#include "ns3/iteration-engine.h"
#include "ns3/ns3-compat.h"
#include "ns3/parallel-layout.h"
#include "ns3/simulator.h"
#include "ns3/training-job.h"
#include "ns3/transport.h"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <vector>

namespace ns3
{

/// A transport without contention: latency + bytes / (rate x lanes); a rate of zero is infinite.
class LineTransport : public Transport
{
  public:
    uint64_t bitsPerSecond{0};  //!< of a lane
    Time latency;               //!< of every transfer
    std::vector<Transfer> sent; //!< everything sent, when recording
    bool recording{false};      //!< fill sent
    std::function<bool(const Transfer&)> loses{[](const Transfer&) { return false; }};

  private:
    void DoSend(TransferId first, const Transfer* batch, std::size_t count) override
    {
        for (std::size_t i = 0; i < count; ++i)
        {
            Time duration = latency;
            if (bitsPerSecond > 0)
            {
                duration += batch[i].bytes / DataRate(bitsPerSecond * batch[i].lanes);
            }
            if (recording)
            {
                sent.push_back(batch[i]);
            }
            Simulator::Schedule(duration,
                                &LineTransport::Arrive,
                                this,
                                TransferId(first.Get() + i),
                                batch[i].bytes,
                                loses(batch[i]));
        }
    }

    void DoAbort(TransferId id) override
    {
        m_aborted.insert(id);
    }

    void DoReroute(TransferId) override
    {
    }

    void Arrive(TransferId id, ByteCount bytes, bool lost)
    {
        if (m_aborted.erase(id) > 0)
        {
            return;
        }
        std::array<ByteCount, N_PATH_CLASSES> paths{};
        if (!lost)
        {
            paths[static_cast<std::size_t>(PathClass::PACKET)] = bytes;
        }
        End(id, lost ? TransferStatus::FAILED : TransferStatus::DELIVERED, paths);
    }

    std::set<TransferId> m_aborted; //!< arrivals to be forgotten
};

/// @param servers servers @param gpus GPUs of each @return a cluster without a network
inline Ptr<FabricGraph>
MakeServers(uint32_t servers, uint32_t gpus)
{
    Ptr<FabricGraph> graph = CreateObject<FabricGraph>();
    ServerSpec spec;
    spec.gpus = gpus;
    for (uint32_t s = 0; s < servers; ++s)
    {
        graph->AddServer(spec);
    }
    return graph;
}

/// @return the main job's model: 56 layers, 6144 hidden, 8 experts of 16384, top-2
inline ModelSpec
Mixtral8x22b()
{
    ModelSpec m;
    m.name = "mixtral-8x22b";
    m.layers = 56;
    m.moeLayers = 56;
    m.hidden = 6144;
    m.ffnHidden = 16384;
    m.heads = 48;
    m.kvHeads = 8;
    m.experts = 8;
    m.topK = 2;
    m.vocabulary = 32768;
    return m;
}

/// @return the main job: 1,024 GPUs, DP 2, TP 8, PP 8, EP 8
inline TrainingJob
MainJob()
{
    TrainingJob job;
    job.model = Mixtral8x22b();
    job.degrees = {2, 8, 8, 8};
    job.iterations = 1;
    job.microBatches = 8;
    job.microBatchSequences = 8;
    job.sequenceLength = 4096;
    return job;
}

/// @return a job of round numbers on 2 EP ranks, without TP, PP, DP and vocabulary
inline TrainingJob
TinyJob()
{
    TrainingJob job;
    job.model.name = "tiny";
    job.model.layers = 2;
    job.model.moeLayers = 2;
    job.model.hidden = 100;
    job.model.ffnHidden = 200;
    job.model.heads = 4;
    job.model.experts = 4;
    job.model.topK = 2;
    job.degrees = {1, 1, 1, 2};
    job.microBatches = 1;
    job.microBatchSequences = 1;
    job.sequenceLength = 64;
    return job;
}

/// Every operation of a kind takes a fixed time; an expert a fixed time per copy.
class FixedComputeModel : public ComputeModel
{
  public:
    Time attention; //!< forward
    Time gate;      //!< forward
    Time perCopy;   //!< forward, of an expert
    Time shared;    //!< forward, of the shared experts
    Time dense;     //!< forward
    Time head;      //!< forward
    Time core;      //!< forward, of attention's scores and values

    Time GetForwardTime(const OpWork& work) const override
    {
        switch (work.kind)
        {
        case WorkKind::ATTENTION:
            return attention;
        case WorkKind::GATE:
            return gate;
        case WorkKind::EXPERT:
            return perCopy * static_cast<int64_t>(work.tokens);
        case WorkKind::SHARED:
            return shared;
        case WorkKind::DENSE:
            return dense;
        case WorkKind::HEAD:
            return head;
        case WorkKind::ATTENTION_CORE:
            return core;
        }
        return Time();
    }
};

/// A gate that a test writes.
class ScriptedGate : public GateModel
{
  public:
    /// Fills tokens, which are zero.
    std::function<void(const GateQuery&, Matrix<uint32_t>&)> script;

  private:
    void DoConfigure() override
    {
    }

    void DoRoute(const GateQuery& query, Matrix<uint32_t>& tokens) const override
    {
        script(query, tokens);
    }
};

/// Runs a job on a transport and keeps what it tells.
class JobRun
{
  public:
    /// @param theJob job @param theGraph cluster @param idle its GPUs that the job does not use
    /// @param world moves its bytes; null: `transport`
    JobRun(const TrainingJob& theJob,
           Ptr<FabricGraph> theGraph,
           uint32_t idle = 0,
           Ptr<Transport> world = nullptr)
        : job(theJob),
          graph(theGraph)
    {
        EnsurePicosecondClock();
        job.Validate("test");
        layout = std::make_shared<ParallelLayout>(job, *graph, "test", GpuMap(), idle);
        transport = CreateObject<LineTransport>();
        engine = CreateObject<IterationEngine>();
        engine->SetJob(job, layout);
        engine->SetTransport(world ? world : Ptr<Transport>(transport));
        engine->TraceConnectWithoutContext("Op", MakeCallback(&JobRun::OnOp, this));
        engine->TraceConnectWithoutContext("Iteration", MakeCallback(&JobRun::OnIteration, this));
        engine->TraceConnectWithoutContext("AllToAll", MakeCallback(&JobRun::OnAllToAll, this));
        engine->SetFinishedCallback(MakeCallback(&JobRun::OnFinished, this));
    }

    ~JobRun()
    {
        engine->Dispose();
        transport->Dispose();
        Simulator::Destroy();
    }

    /// Run to the end of the event queue.
    void Run()
    {
        engine->Start();
        Simulator::Run();
    }

    TrainingJob job;                              //!< job
    Ptr<FabricGraph> graph;                       //!< cluster
    std::shared_ptr<const ParallelLayout> layout; //!< layout
    Ptr<LineTransport> transport;                 //!< transport
    Ptr<IterationEngine> engine;                  //!< engine
    std::vector<OpRecord> ops;                    //!< traced
    std::vector<IterationRecord> iterations;      //!< traced
    std::vector<AllToAllRecord> allToAlls;        //!< traced; the matrices are gone
    std::vector<Matrix<uint64_t>> matrices;       //!< of the all-to-alls
    int finished{0};                              //!< calls
    bool completed{false};                        //!< what the last call said

  private:
    void OnOp(const OpRecord& op)
    {
        ops.push_back(op);
    }

    void OnIteration(const IterationRecord& iteration)
    {
        iterations.push_back(iteration);
    }

    void OnAllToAll(const AllToAllRecord& record)
    {
        allToAlls.push_back(record);
        matrices.push_back(*record.matrix);
    }

    void OnFinished(bool done)
    {
        ++finished;
        completed = done;
    }
};

/// @param c class @return index
constexpr std::size_t
At(TrafficClass c)
{
    return static_cast<std::size_t>(c);
}

/// @param k kind @return index
constexpr std::size_t
At(OpKind k)
{
    return static_cast<std::size_t>(k);
}

/// @return attention 3 ms, gate 1 ms, 10 us per copy
inline Ptr<FixedComputeModel>
MakeFixed()
{
    Ptr<FixedComputeModel> model = CreateObject<FixedComputeModel>();
    model->attention = MilliSeconds(3);
    model->gate = MilliSeconds(1);
    model->perCopy = MicroSeconds(10);
    model->dense = MilliSeconds(2);
    model->head = MilliSeconds(4);
    return model;
}

/// The job of a run has ended as it should. @param run the run
inline void
ExpectCompleted(const JobRun& run)
{
    EXPECT_EQ(run.finished, 1);
    EXPECT_TRUE(run.completed);
    EXPECT_EQ(run.engine->GetState(), EngineState::FINISHED);
    EXPECT_EQ(run.engine->GetNIterations(), run.job.iterations);
    EXPECT_EQ(run.iterations.size(), run.job.iterations);
    EXPECT_TRUE(run.engine->DescribeUnfinished().empty());
    EXPECT_EQ(run.transport->GetTotals().unfinished, ByteCount(0));
}

} // namespace ns3

#endif // MOE_FIXTURE_H
