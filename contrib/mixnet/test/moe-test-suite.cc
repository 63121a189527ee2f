/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/collective-builders.h"
#include "ns3/collective-cost.h"
#include "ns3/collective-runner.h"
#include "ns3/fabric-graph.h"
#include "ns3/iteration-engine.h"
#include "ns3/ns3-compat.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/token-trace.h"
#include "ns3/trace-gate.h"

#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup mixnet-test
 * A transport without contention: latency + bytes / (rate x lanes); a rate of zero is infinite.
 */
class TestLineTransport : public Transport
{
  public:
    uint64_t m_bitsPerSecond{0}; //!< of a lane
    Time m_latency;              //!< of every transfer

  private:
    void DoSend(TransferId first, const Transfer* batch, std::size_t count) override
    {
        for (std::size_t i = 0; i < count; ++i)
        {
            Time duration = m_latency;
            if (m_bitsPerSecond > 0)
            {
                duration += batch[i].bytes / DataRate(m_bitsPerSecond * batch[i].lanes);
            }
            Simulator::Schedule(duration,
                                &TestLineTransport::Arrive,
                                this,
                                TransferId(first.Get() + i),
                                batch[i].bytes);
        }
    }

    void DoAbort(TransferId /* id */) override
    {
    }

    void DoReroute(TransferId /* id */) override
    {
    }

    /// @param id transfer @param bytes its bytes
    void Arrive(TransferId id, ByteCount bytes)
    {
        std::array<ByteCount, N_PATH_CLASSES> paths{};
        paths[static_cast<std::size_t>(PathClass::PACKET)] = bytes;
        End(id, TransferStatus::DELIVERED, paths);
    }
};

/**
 * @ingroup mixnet-test
 * A job on servers of one GPU each, and what its engine told.
 */
class TestJob
{
  public:
    TestJob()
    {
        m_job.model.name = "small";
        m_job.model.layers = 4;
        m_job.model.moeLayers = 4;
        m_job.model.hidden = 1024;
        m_job.model.ffnHidden = 2048;
        m_job.model.heads = 8;
        m_job.model.experts = 8;
        m_job.model.topK = 2;
        m_job.sequenceLength = 512;
        m_job.microBatches = 8;
    }

    /// @param settings attributes of the engine: name and object
    void Run(const std::vector<std::pair<std::string, Ptr<Object>>>& settings)
    {
        Ptr<FabricGraph> graph = CreateObject<FabricGraph>();
        ServerSpec server;
        server.gpus = 1;
        for (uint64_t s = 0; s < m_job.degrees.GetGpus(); ++s)
        {
            graph->AddServer(server);
        }
        m_job.Validate("test");
        Ptr<TestLineTransport> transport = CreateObject<TestLineTransport>();
        transport->m_bitsPerSecond = m_bitsPerSecond;
        transport->m_latency = m_latency;
        Ptr<IterationEngine> engine = CreateObject<IterationEngine>();
        for (const auto& [name, value] : settings)
        {
            engine->SetAttribute(name, PointerValue(value));
        }
        engine->SetJob(m_job, std::make_shared<ParallelLayout>(m_job, *graph, "test"));
        engine->SetTransport(transport);
        engine->TraceConnectWithoutContext("Iteration", MakeCallback(&TestJob::OnIteration, this));
        engine->TraceConnectWithoutContext("Op", MakeCallback(&TestJob::OnOp, this));
        engine->Start();
        Simulator::Run();
        m_state = engine->GetState();
        engine->Dispose();
        transport->Dispose();
        graph->Dispose();
        Simulator::Destroy();
    }

    TrainingJob m_job;                            //!< job
    uint64_t m_bitsPerSecond{0};                  //!< network, per lane
    Time m_latency;                               //!< network
    EngineState m_state{EngineState::CONFIGURED}; //!< at the end
    std::vector<IterationRecord> m_iterations;    //!< traced
    std::string m_ops;                            //!< traced, one line each

  private:
    /// @param iteration traced
    void OnIteration(const IterationRecord& iteration)
    {
        m_iterations.push_back(iteration);
    }

    /// @param op traced
    void OnOp(const OpRecord& op)
    {
        m_ops += std::string(GetName(op.kind)) + " " + std::to_string(op.start.GetTimeStep()) +
                 " " + std::to_string(op.end.GetTimeStep()) + "\n";
    }
};

/**
 * @ingroup mixnet-test
 * Strategies are found by TypeId name.
 */
class StrategiesByNameTestCase : public TestCase
{
  public:
    StrategiesByNameTestCase()
        : TestCase("Gates, compute models and schedules are chosen by name")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& [name, parent] : std::vector<std::pair<std::string, TypeId>>{
                 {"ns3::SyntheticGate", GateModel::GetTypeId()},
                 {"ns3::TraceGate", GateModel::GetTypeId()},
                 {"ns3::UniformGate", GateModel::GetTypeId()},
                 {"ns3::RooflineComputeModel", ComputeModel::GetTypeId()},
                 {"ns3::PaperComputeModel", ComputeModel::GetTypeId()},
                 {"ns3::MeasuredComputeModel", ComputeModel::GetTypeId()},
                 {"ns3::OneForwardOneBackwardSchedule", PipelineSchedule::GetTypeId()},
                 {"ns3::GpipeSchedule", PipelineSchedule::GetTypeId()}})
        {
            ObjectFactory factory;
            factory.SetTypeId(name);
            Ptr<Object> object = factory.Create();
            NS_TEST_EXPECT_MSG_EQ(object->GetInstanceTypeId().IsChildOf(parent), true, name);
        }
    }
};

/**
 * @ingroup mixnet-test
 * Without a network, p stages and m micro-batches take m + p - 1 slots: the bubble is
 * (p-1)/(m+p-1) under either schedule.
 */
class PipelineBubbleTestCase : public TestCase
{
  public:
    PipelineBubbleTestCase()
        : TestCase("The pipeline bubble is the closed form")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* schedule : {"ns3::OneForwardOneBackwardSchedule", "ns3::GpipeSchedule"})
        {
            ObjectFactory factory;
            factory.SetTypeId(schedule);
            TestJob test;
            test.m_job.degrees.pipeline = 4;
            test.Run({{"Schedule", factory.Create()}});
            NS_TEST_ASSERT_MSG_EQ(test.m_iterations.size(), 1, schedule);
            const IterationRecord& it = test.m_iterations[0];
            NS_TEST_EXPECT_MSG_EQ(it.GetDuration() * 8, it.compute * 11, schedule);
            NS_TEST_EXPECT_MSG_EQ_TOL(1 - it.compute.GetSeconds() / it.GetDuration().GetSeconds(),
                                      PipelineSchedule::GetBubbleFraction(4, 8),
                                      1e-12,
                                      schedule);
        }
    }
};

/**
 * @ingroup mixnet-test
 * An iteration on a slow network: compute, exposed communication and idle time fill it; the
 * critical path has no gap; a second run tells the same.
 */
class IterationLawsTestCase : public TestCase
{
  public:
    IterationLawsTestCase()
        : TestCase("An iteration keeps its laws and repeats itself")
    {
    }

  private:
    /// @param test filled
    static void RunOnce(TestJob& test)
    {
        auto trace = std::make_shared<TokenTrace>();
        trace->iterations = 50;
        trace->layers = 1;
        trace->ranks = 4;
        trace->destinations = 16;
        for (uint32_t i = 0; i < 50 * 4 * 16; ++i)
        {
            trace->tokens.push_back((i * 2654435761U >> 16) % 1000 + 1);
        }
        Ptr<TraceGate> gate = CreateObject<TraceGate>();
        gate->SetTrace(trace);
        test.m_job.degrees = {2, 1, 2, 4};
        test.m_job.iterations = 2;
        test.m_bitsPerSecond = 100000000000ULL;
        test.m_latency = MicroSeconds(5);
        test.Run({{"Gate", gate}});
    }

    void DoRun() override
    {
        TestJob test;
        RunOnce(test);
        NS_TEST_EXPECT_MSG_EQ((test.m_state == EngineState::FINISHED), true, "finished");
        NS_TEST_ASSERT_MSG_EQ(test.m_iterations.size(), 2, "two iterations");
        for (const IterationRecord& it : test.m_iterations)
        {
            NS_TEST_EXPECT_MSG_EQ(it.allToAlls, 4U * 4 * 2 * 8, "4 per layer and micro-batch");
            NS_TEST_EXPECT_MSG_LT(it.compute + it.GetExposed(), it.GetDuration(), "idle time");
            NS_TEST_EXPECT_MSG_GT(it.GetExposed(), Time(), "exposed");
            NS_TEST_EXPECT_MSG_EQ((it.hiddenShare > 0 && it.hiddenShare < 1), true, "hidden");
            Time path;
            for (const Time& t : it.criticalPath)
            {
                path += t;
            }
            NS_TEST_EXPECT_MSG_EQ(path, it.GetDuration(), "critical path");
        }
        NS_TEST_EXPECT_MSG_EQ(
            (test.m_iterations[0].GetDuration() == test.m_iterations[1].GetDuration()),
            false,
            "routing differs from iteration to iteration");
        TestJob again;
        RunOnce(again);
        NS_TEST_EXPECT_MSG_EQ((test.m_ops.size() > 1000 && test.m_ops == again.m_ops),
                              true,
                              "the same job tells the same");
    }
};

/**
 * @ingroup mixnet-test
 * A ring all-reduce of n members takes 2(n-1)/n x bytes / rate in either form.
 */
class RingTestCase : public TestCase, private CollectiveSink
{
  public:
    RingTestCase()
        : TestCase("Ring all-reduces take the closed form")
    {
    }

  private:
    void OnCollective(const CollectiveResult& result) override
    {
        m_duration = result.finished - result.started;
    }

    void DoRun() override
    {
        Ptr<TestLineTransport> transport = CreateObject<TestLineTransport>();
        transport->m_bitsPerSecond = 8000000000ULL;
        Ptr<CollectiveRunner> runner = CreateObject<CollectiveRunner>();
        runner->SetTransport(transport);
        for (const uint32_t limit : {0U, 8U})
        {
            RingSpec ring;
            for (uint32_t i = 0; i < 8; ++i)
            {
                ring.members.emplace_back(8 * i);
            }
            ring.lanes = 8;
            ring.bytes = ByteCount(64000000);
            ring.steppedUpTo = limit;
            const CollectiveRunner::Run run = runner->Open();
            AppendRingAllReduce(runner->GetGraph(run), ring);
            runner->Start(run, *this, 0);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(m_duration,
                                  AllReduceTime(8, ring.bytes, DataRate("64Gbps")),
                                  "steps up to " << limit);
        }
        runner->Dispose();
        transport->Dispose();
        Simulator::Destroy();
    }

    Time m_duration; //!< of the last collective
};

/**
 * @ingroup mixnet-test
 * The training job and its collectives.
 */
class MoeTestSuite : public TestSuite
{
  public:
    MoeTestSuite()
        : TestSuite("mixnet-moe", TestSuite::Type::UNIT)
    {
        AddTestCase(new StrategiesByNameTestCase);
        AddTestCase(new PipelineBubbleTestCase);
        AddTestCase(new IterationLawsTestCase);
        AddTestCase(new RingTestCase);
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

} // namespace

static MoeTestSuite g_moeTestSuite; //!< registers itself
