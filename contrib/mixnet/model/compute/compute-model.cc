/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "compute-model.h"

#include "ns3/double.h"
#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ComputeModel);
NS_OBJECT_ENSURE_REGISTERED(RooflineComputeModel);
NS_OBJECT_ENSURE_REGISTERED(PaperComputeModel);

TypeId
ComputeModel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ComputeModel").SetParent<Object>().SetGroupName("Mixnet");
    return tid;
}

Time
ComputeModel::GetBackwardTime(const OpWork& work) const
{
    return GetForwardTime(work) * BACKWARD_FACTOR;
}

Time
ComputeModel::GetWeightGradientTime(const OpWork& work) const
{
    if (work.flops <= 0)
    {
        return Time();
    }
    const auto backward = static_cast<double>(GetBackwardTime(work).GetTimeStep());
    const double share = work.weightFlops / work.flops / 2;
    return TimeStep(static_cast<uint64_t>(std::llround(backward * share)));
}

Time
ComputeModel::Quotient(double amount, double perSecond)
{
    MIXNET_CHECK(perSecond > 0, "work at a rate of " << perSecond);
    const auto ticksPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
    const double ticks = std::ceil(amount / perSecond * ticksPerSecond);
    MIXNET_CHECK(ticks >= 0 && ticks < 9e18, "compute time of " << ticks << " ticks");
    return TimeStep(static_cast<uint64_t>(ticks));
}

TypeId
RooflineComputeModel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RooflineComputeModel")
            .SetParent<ComputeModel>()
            .SetGroupName("Mixnet")
            .AddConstructor<RooflineComputeModel>()
            .AddAttribute("PeakTeraflops",
                          "Peak rate of a GPU, 10^12 floating-point operations per second.",
                          DoubleValue(989),
                          MakeDoubleAccessor(&RooflineComputeModel::m_peak),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("Efficiency",
                          "Share of the peak that is reached.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&RooflineComputeModel::m_efficiency),
                          MakeDoubleChecker<double>(1e-6, 1))
            .AddAttribute("MemoryBandwidth",
                          "Rate of a GPU's memory (26.8 Tb/s = 3.35 TB/s).",
                          DataRateValue(DataRate("26800Gbps")),
                          MakeDataRateAccessor(&RooflineComputeModel::m_memoryBandwidth),
                          MakeDataRateChecker());
    return tid;
}

Time
RooflineComputeModel::GetForwardTime(const OpWork& work) const
{
    return std::max(Quotient(work.flops, m_peak * 1e12 * m_efficiency),
                    Quotient(work.bytes * 8, static_cast<double>(m_memoryBandwidth.GetBitRate())));
}

TypeId
PaperComputeModel::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PaperComputeModel")
            .SetParent<ComputeModel>()
            .SetGroupName("Mixnet")
            .AddConstructor<PaperComputeModel>()
            .AddAttribute("ExpertTime",
                          "Forward time of the experts of one Mixtral 8x7B layer at micro-batch 8, "
                          "sequences of 4096, TP 4 and balanced experts.",
                          TimeValue(MilliSeconds(100)),
                          MakeTimeAccessor(&PaperComputeModel::m_expertTime),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

double
PaperComputeModel::GetAnchorFlops()
{
    constexpr double copies = 8.0 * 4096 * 2;
    constexpr double weights = 3.0 * 4096 * 14336;
    constexpr double tensorParallel = 4;
    return copies * 2 * weights / tensorParallel;
}

Time
PaperComputeModel::GetForwardTime(const OpWork& work) const
{
    const double seconds = static_cast<double>(m_expertTime.GetTimeStep()) /
                           static_cast<double>(Seconds(1).GetTimeStep());
    return Quotient(work.flops, GetAnchorFlops() / seconds);
}

} // namespace ns3
