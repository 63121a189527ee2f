/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "recovery-helper.h"

#include "strategy-names.h"

#include "ns3/boolean.h"
#include "ns3/mixnet-units.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

RunRecovery::RunRecovery(const Scenario& scenario,
                         const SparePlan& spares,
                         uint32_t run,
                         Ptr<IterationEngine> engine,
                         std::shared_ptr<const ParallelLayout> layout,
                         Ptr<FabricGraph> graph)
    : m_run(run),
      m_spares(spares),
      m_recovery(CreateObject<JobRecovery>()),
      m_recorder(run)
{
    const RecoveryConfig& config = scenario.recovery;
    engine->SetAttribute("TensorChannels", UintegerValue(config.tensorChannels));
    m_recovery->SetAttribute("Policy",
                             StringValue(GetStrategyType(config.policy, "RecoveryPolicy")));
    m_recovery->SetAttribute("RestartTime", TimeValue(config.restartTime));
    m_recovery->SetAttribute("RestoreFromPeers", BooleanValue(config.restoreFromPeers));
    m_recovery->SetJob(engine, scenario.job, std::move(layout), graph);
    m_recovery->SetSpares(spares);
    m_recovery->SetCheckpoints(config.checkpoints);
    m_recovery->TraceConnectWithoutContext("Recovery",
                                           MakeCallback(&RunRecovery::OnRecovery, this));
}

RunRecovery::~RunRecovery()
{
    m_recovery->Dispose();
}

void
RunRecovery::Listen(const Ptr<FailureInjector>& injector)
{
    m_injector = injector;
    if (injector)
    {
        injector->SetRankCallback(MakeCallback(&RunRecovery::OnRank, this));
    }
}

void
RunRecovery::OnRank(const RankFailure& failure)
{
    m_recovery->OnRankFailure(failure);
    FailureRecord& record = m_injector->GetLog().Get(failure.record);
    if (failure.detected && !m_recovery->IsRecovering() && !record.recovered && !HasStopped())
    {
        record.recovered = Simulator::Now(); // it did not hold the job up
    }
}

void
RunRecovery::OnRecovery(const RecoveryRecord& recovery)
{
    m_recorder.OnRecovery(recovery);
    for (const std::size_t failure : recovery.failures)
    {
        FailureRecord& record = m_injector->GetLog().Get(failure);
        record.note += (record.note.empty() ? "" : "; ") + recovery.action;
        if (!recovery.stopped)
        {
            record.recovered = recovery.resumed;
        }
    }
}

bool
RunRecovery::HasStopped() const
{
    return !m_recorder.GetAll().empty() && m_recorder.GetAll().back().stopped;
}

void
RunRecovery::Report(const std::string& name, RunResult& result) const
{
    const CheckpointModel model = m_recovery->GetCheckpoints();
    const StateBytes& state = model.GetState();
    const auto one = [](Time time) { return std::vector<double>{time.GetSeconds()}; };
    const auto bytes = [](ByteCount size) { return std::vector<uint64_t>{size.Get()}; };
    ResultTable t("/checkpoints");
    t.Add("run", "1", std::vector<uint32_t>{m_run});
    t.Add("interval", "1", std::vector<uint32_t>{model.GetSpec().interval});
    t.Add("stored", "B", bytes(state.stored));
    t.Add("loaded", "B", bytes(state.loaded));
    t.Add("largest_server", "B", bytes(state.largestServer));
    t.Add("largest_gpu", "B", bytes(state.largestGpu));
    t.Add("save", "s", one(model.GetSaveTime()));
    t.Add("blocking", "s", one(model.GetBlockingTime()));
    t.Add("restore", "s", one(model.GetRestoreTime()));
    result.tables.push_back(std::move(t));
    m_recorder.AddTables(result.tables);
    for (const auto& line : m_recorder.Describe())
    {
        result.notes.push_back(name + ": " + line);
    }
}

std::vector<std::string>
RunRecovery::Describe() const
{
    const CheckpointModel model = m_recovery->GetCheckpoints();
    const uint32_t hosts = m_spares.GetNRegions() * m_spares.GetHostsPerRegion();
    std::vector<std::string> lines;
    lines.push_back("spares: " + std::to_string(m_spares.gpusPerRegion) + " GPUs in each of " +
                    std::to_string(m_spares.GetNRegions()) + " regions, on " +
                    std::to_string(hosts) + " hosts; " + std::to_string(m_spares.globalServers) +
                    " servers for all");
    lines.push_back("checkpoint: " + FormatBytes(model.GetState().stored) + ", written in " +
                    DescribeTime(model.GetSaveTime()) + " (training stands still for " +
                    DescribeTime(model.GetBlockingTime()) + "), read in " +
                    DescribeTime(model.GetRestoreTime()) + "; a GPU holds " +
                    FormatBytes(model.GetState().largestGpu));
    return lines;
}

} // namespace ns3
