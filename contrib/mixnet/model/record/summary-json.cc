/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "summary-json.h"

#include "why-report.h"

namespace ns3
{

namespace
{

/// @param result a run @return "why" of it
nlohmann::ordered_json
MakeWhy(const RunResult& result)
{
    auto why = nlohmann::ordered_json::array();
    for (const WhyLine& line : ListWhy(result))
    {
        why.push_back({{"phase", line.phase},
                       {"share", line.share},
                       {"time_s", line.time},
                       {"ops", line.ops},
                       {"resource_kind", line.kind},
                       {"resource_kind_share", line.kindShare},
                       {"resource_name", line.resource},
                       {"resource_share", line.resourceShare},
                       {"explained", line.explained},
                       {"next", line.next}});
    }
    return why;
}

} // namespace

nlohmann::ordered_json
MakeSummaryRuns(const std::vector<RunLabel>& labels, const std::vector<RunResult>& results)
{
    auto runs = nlohmann::ordered_json::array();
    std::size_t run = 0;
    for (const auto& s : Summarize(labels, results))
    {
        runs.push_back({{"fabric", s.label.fabric},
                        {"type", s.label.type},
                        {"policy", s.label.policy},
                        {"compute", s.label.compute},
                        {"fidelity", s.label.fidelity},
                        {"load_balance", s.label.loadBalance},
                        {"status", GetName(s.status)},
                        {"iterations", s.iterations},
                        {"iteration_time_s", s.mean},
                        {"iteration_spread_s", s.spread},
                        {"relative", s.relative},
                        {"exposed_s", s.exposed},
                        {"waiting_for_circuits_s", s.waiting},
                        {"hidden_share", s.hiddenShare},
                        {"dark_s", s.dark},
                        {"bytes_scale_up", s.scaleUpBytes},
                        {"bytes_circuit", s.circuitBytes},
                        {"bytes_packet", s.packetBytes},
                        {"reconfigurations", s.reconfigurations},
                        {"distinct_plans", s.distinctPlans},
                        {"decisions",
                         {{"changed", s.decisions.changed},
                          {"judged", s.decisions.judged},
                          {"mean_predicted_gain_s", s.decisions.predictedGain},
                          {"mean_actual_gain_s", s.decisions.actualGain},
                          {"mean_dark_s", s.decisions.dark},
                          {"share_gain_above_dark", s.decisions.worthwhile}}},
                        {"why", MakeWhy(results[run])}});
        ++run;
    }
    return runs;
}

} // namespace ns3
