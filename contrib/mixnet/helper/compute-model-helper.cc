/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "compute-model-helper.h"

#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/measured-compute-model.h"
#include "ns3/pointer.h"

namespace ns3
{

Ptr<ComputeModel>
MakeComputeModel(const Scenario& scenario, const std::string& name)
{
    if (name == "paper")
    {
        return CreateObject<PaperComputeModel>();
    }
    if (name == "measured")
    {
        Ptr<MeasuredComputeModel> model = CreateObject<MeasuredComputeModel>();
        model->SetTimes(scenario.computing.times);
        if (scenario.computing.base != "none")
        {
            model->SetAttribute("Base",
                                PointerValue(MakeComputeModel(scenario, scenario.computing.base)));
        }
        return model;
    }
    const ClusterConfig& c = scenario.cluster;
    Ptr<RooflineComputeModel> model = CreateObject<RooflineComputeModel>();
    model->SetAttribute("PeakTeraflops", DoubleValue(static_cast<double>(c.gpuPeak) * 1e-12));
    model->SetAttribute("Efficiency", DoubleValue(c.gpuEfficiency));
    model->SetAttribute("MemoryBandwidth", DataRateValue(c.gpuMemoryRate));
    return model;
}

} // namespace ns3
