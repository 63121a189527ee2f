/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gate-helper.h"

#include "ns3/double.h"
#include "ns3/expert-balance.h"
#include "ns3/mixnet-error.h"
#include "ns3/string.h"
#include "ns3/synthetic-gate.h"
#include "ns3/trace-gate.h"
#include "ns3/uinteger.h"
#include "ns3/uniform-gate.h"

namespace ns3
{

namespace
{

constexpr int64_t FIRST_STREAM = 100; //!< the fabric's begin at 1000

/// What a trace of different tokens by rank can say. @param scenario a scenario that de-duplicates
/// @param trace the trace @param ranks EP ranks of the job
/// @throws InputError for what it cannot
void
CheckDifferentTokens(const Scenario& scenario, const TokenTrace& trace, uint32_t ranks)
{
    const TrainingJob& job = scenario.job;
    const std::string levels = job.deduplication == Deduplication::SERVER ? "none or rank" : "none";
    const auto refuse = [&](const std::string& why) {
        throw InputError(scenario.file + ": deduplication",
                         std::string(GetName(job.deduplication)) + ", but " + trace.path +
                             " counts different tokens of every rank already: " + why,
                         levels + ", or a trace of experts (copies)");
    };
    if (job.deduplication == Deduplication::SERVER)
    {
        refuse("which tokens are on several ranks of a server is not recorded");
    }
    if (trace.tokensIn.empty())
    {
        refuse("it has no /tokens_in, of how many tokens they are is not recorded");
    }
    if (trace.destinations != ranks)
    {
        refuse("folded from " + std::to_string(trace.destinations) + " ranks to EP " +
               std::to_string(ranks) + ", a token on two of them would be sent twice");
    }
    if (trace.topK != job.model.topK)
    {
        refuse("of top-" + std::to_string(trace.topK) + ", the model's is top-" +
               std::to_string(job.model.topK));
    }
    if (scenario.gate.capacity > 0)
    {
        refuse("which of them gate.capacityFactor drops is not recorded");
    }
}

/// GPUs of a TP block reduce gradients of their experts in lanes of one ring. @param scenario a
/// scenario @throws InputError where EP ranks of a TP block have different experts in number
void
CheckEvenRanks(const Scenario& scenario)
{
    const ParallelDegrees& d = scenario.job.degrees;
    const ExpertConfig& config = scenario.experts;
    const bool even =
        config.placement != "given" || ExpertPlacement(config.ranks, d.GetExpertRanks()).IsEven();
    if (d.ranksPerBlock > 1 && (!even || config.redundant > 0))
    {
        throw InputError(scenario.file + ": experts." + (even ? "redundant" : "ranks"),
                         (even ? std::to_string(config.redundant) + " redundant experts"
                               : std::string("EP ranks with different numbers of experts")) +
                             " with ETP " + std::to_string(d.GetExpertTensor()) + " below TP " +
                             std::to_string(d.tensor),
                         "as many experts on every EP rank, each once, or etp " +
                             std::to_string(d.tensor));
    }
}

} // namespace

Ptr<GateModel>
MakeGate(const GateConfig& config, std::shared_ptr<const TokenTrace> trace)
{
    Ptr<GateModel> gate;
    if (config.type == "trace")
    {
        const Ptr<TraceGate> recorded = CreateObject<TraceGate>();
        recorded->SetTrace(std::move(trace));
        gate = recorded;
    }
    else if (config.type == "synthetic")
    {
        gate = CreateObject<SyntheticGate>();
        gate->SetAttribute("Gini", DoubleValue(config.gini));
        gate->SetAttribute("Tail", DoubleValue(config.tail));
        gate->SetAttribute("Noise", DoubleValue(config.noise));
        gate->SetAttribute("Drift", UintegerValue(config.drift));
        if (!config.preset.empty())
        {
            gate->SetAttribute("Basis",
                               StringValue("preset " + config.preset + ", which measured " +
                                           config.measured + "; what else is set is assumed"));
        }
    }
    else
    {
        gate = CreateObject<UniformGate>();
    }
    gate->AssignStreams(FIRST_STREAM);
    gate->SetCapacity(ExpertCapacity(config.capacity,
                                     config.capacityScope == "rank" ? CapacityScope::RANK
                                                                    : CapacityScope::GROUP));
    return gate;
}

void
PlaceExperts(const Scenario& scenario,
             const TokenTrace* trace,
             const GateModel& gate,
             ParallelLayout& layout)
{
    const ExpertConfig& config = scenario.experts;
    const TrainingJob& job = scenario.job;
    const uint32_t ranks = job.degrees.GetExpertRanks();
    if (trace != nullptr && trace->deduplicated && !trace->destinationIsExpert &&
        job.deduplication != Deduplication::NONE)
    {
        CheckDifferentTokens(scenario, *trace, ranks);
    }
    if (config.placement == "contiguous" || job.model.moeLayers == 0)
    {
        return;
    }
    if (trace != nullptr && !trace->destinationIsExpert)
    {
        throw InputError(scenario.file + ": experts.placement",
                         config.placement + ", but " + trace->path +
                             " recorded EP ranks, not experts",
                         "contiguous, or a trace of experts");
    }
    CheckEvenRanks(scenario);
    const std::string experts = std::to_string(job.model.experts) + " experts ";
    if (config.placement == "round-robin")
    {
        layout.SetPlacement(ExpertPlacement::RoundRobin(job.model.experts, ranks),
                            experts + "placed round-robin");
    }
    else if (config.placement == "given")
    {
        layout.SetPlacement(ExpertPlacement(config.ranks, ranks), experts + "placed as given");
    }
    else
    {
        layout.SetPlacement(
            BalanceExperts(CountExpertLoads(job, gate, 0), ranks, config.redundant),
            experts + "and " + std::to_string(config.redundant) +
                " redundant ones placed by the loads of iteration 0, layer by layer");
    }
}

} // namespace ns3
