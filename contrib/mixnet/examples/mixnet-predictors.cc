/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup mixnet
 * How well can the dispatches of a recorded trace be foreseen? Every predictor sees the trace's
 * layers and iterations in order and says, before each dispatch, who will receive how much.
 *
 *     ./ns3 run "mixnet-predictors --trace=trace.h5 --ranks=8 --top=2"
 */

#include "ns3/command-line.h"
#include "ns3/demand-predictor.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"
#include "ns3/object-factory.h"
#include "ns3/prediction-score.h"
#include "ns3/token-trace-reader.h"

#include <cstdlib>
#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{

/// @return the dispatch of a gate: sources and destinations in `ranks` contiguous groups
DemandMatrix
MakeDemand(const TokenTrace& trace, uint32_t iteration, uint32_t layer, uint32_t ranks)
{
    DemandMatrix demand(ranks, ranks, 0);
    for (uint32_t r = 0; r < trace.ranks; ++r)
    {
        for (uint32_t d = 0; d < trace.destinations; ++d)
        {
            demand(uint64_t(r) * ranks / trace.ranks, uint64_t(d) * ranks / trace.destinations) +=
                trace.At(iteration, layer, r, d);
        }
    }
    return demand;
}

/// @param trace a trace @param ranks EP ranks @param top K @param predictor a predictor, fresh
/// @return its mean score over the second half of the iterations
PredictionScore
Judge(const TokenTrace& trace, uint32_t ranks, uint32_t top, Ptr<DemandPredictor> predictor)
{
    PredictionScore mean;
    uint32_t count = 0;
    for (uint32_t i = 0; i < trace.iterations; ++i)
    {
        for (uint32_t layer = 0; layer < trace.layers; ++layer)
        {
            const AllToAllId id{i, layer, 0, AllToAllPhase::FORWARD_DISPATCH, 0};
            const DemandMatrix actual = MakeDemand(trace, i, layer, ranks);
            const DemandMatrix* predicted = predictor->Predict(id);
            if (i >= trace.iterations / 2 && predicted && !GetReceiveShares(actual).empty())
            {
                const PredictionScore score = ScorePrediction(*predicted, actual, top);
                mean.top += score.top;
                mean.error += score.error;
                ++count;
            }
            predictor->Observe(id, actual);
        }
    }
    MIXNET_CHECK(count > 0, "the trace has nothing to predict");
    return {mean.top / count, mean.error / count};
}

} // namespace

int
main(int argc, char* argv[])
{
    const char* workloads = std::getenv("MIXNET_WORKLOADS");
    std::string file =
        std::string(workloads ? workloads : "workloads") + "/traces/small-moe-64e-top6.h5";
    uint32_t ranks = 8;
    uint32_t top = 2;
    CommandLine cmd(__FILE__);
    cmd.AddValue("trace", "recorded trace (HDF5)", file);
    cmd.AddValue("ranks", "EP ranks that share its experts", ranks);
    cmd.AddValue("top", "K of the top-K accuracy", top);
    cmd.Parse(argc, argv);
    try
    {
        const TokenTrace trace = ReadTokenTrace(file);
        if (ranks < 2 || ranks > trace.destinations || top == 0 || top > ranks)
        {
            throw InputError("--ranks, --top",
                             std::to_string(ranks) + ", " + std::to_string(top),
                             "2 to " + std::to_string(trace.destinations) + " ranks, 1 to ranks");
        }
        std::cout << trace.model << ", " << trace.iterations << " iterations x " << trace.layers
                  << " layers, " << ranks << " EP ranks\n"
                  << std::fixed << std::setprecision(3) << std::left << std::setw(36) << "predictor"
                  << "top-" << top << " accuracy   misplaced bytes\n";
        for (const char* name : {"Uniform", "LastLayer", "LastIteration", "Average", "Copilot"})
        {
            const std::string type = std::string("ns3::") + name + "DemandPredictor";
            ObjectFactory factory(type);
            const PredictionScore score =
                Judge(trace, ranks, top, factory.Create<DemandPredictor>());
            std::cout << std::left << std::setw(36) << type << std::setw(17) << score.top
                      << score.error << "\n";
        }
    }
    catch (const InputError& e)
    {
        std::cerr << "mixnet-predictors: " << e.what() << "\n";
        return 1;
    }
    return 0;
}
