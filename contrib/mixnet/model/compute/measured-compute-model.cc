/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "measured-compute-model.h"

#include "ns3/mixnet-error.h"
#include "ns3/pointer.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MeasuredComputeModel);

TypeId
MeasuredComputeModel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MeasuredComputeModel")
                            .SetParent<ComputeModel>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<MeasuredComputeModel>()
                            .AddAttribute("Base",
                                          "Times of what was not measured; null: it is refused.",
                                          PointerValue(),
                                          MakePointerAccessor(&MeasuredComputeModel::m_base),
                                          MakePointerChecker<ComputeModel>());
    return tid;
}

void
MeasuredComputeModel::DoDispose()
{
    m_base = nullptr;
    ComputeModel::DoDispose();
}

void
MeasuredComputeModel::SetTimes(const ComputeTimes& times)
{
    m_times = times;
}

bool
MeasuredComputeModel::IsMeasured(const OpWork& work) const
{
    if (!m_times.At(work.kind).forward.IsEmpty())
    {
        return true;
    }
    if (!m_base)
    {
        throw InputError("measured compute times",
                         std::string("have none of ") + GetName(work.kind),
                         "a time of everything that the model computes, or a base");
    }
    return false;
}

Time
MeasuredComputeModel::GetForwardTime(const OpWork& work) const
{
    if (work.kind == WorkKind::EXPERT && work.tokens == 0)
    {
        return Time();
    }
    return IsMeasured(work) ? m_times.At(work.kind).forward.Evaluate(work.tokens)
                            : m_base->GetForwardTime(work);
}

Time
MeasuredComputeModel::GetBackwardTime(const OpWork& work) const
{
    if (work.kind == WorkKind::EXPERT && work.tokens == 0)
    {
        return Time();
    }
    if (!IsMeasured(work))
    {
        return m_base->GetBackwardTime(work);
    }
    const TimeCurve& backward = m_times.At(work.kind).backward;
    return backward.IsEmpty() ? ComputeModel::GetBackwardTime(work)
                              : backward.Evaluate(work.tokens);
}

Time
MeasuredComputeModel::GetWeightGradientTime(const OpWork& work) const
{
    if (work.kind == WorkKind::EXPERT && work.tokens == 0)
    {
        return Time();
    }
    if (!IsMeasured(work))
    {
        return m_base->GetWeightGradientTime(work);
    }
    const TimeCurve& weight = m_times.At(work.kind).weight;
    if (weight.IsEmpty())
    {
        return ComputeModel::GetWeightGradientTime(work);
    }
    const Time time = weight.Evaluate(work.tokens);
    if (time > GetBackwardTime(work))
    {
        throw InputError(std::string("measured compute times of ") + GetName(work.kind),
                         "give the gradient of the weights more than the whole backward pass",
                         "a part of it");
    }
    return time;
}

} // namespace ns3
