/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "copilot-demand-predictor.h"

#include "prediction-score.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CopilotDemandPredictor);

TypeId
CopilotDemandPredictor::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CopilotDemandPredictor")
            .SetParent<DemandPredictor>()
            .SetGroupName("Mixnet")
            .AddConstructor<CopilotDemandPredictor>()
            .AddAttribute("Window",
                          "Observations of a layer that its fit rests on; the paper's k, which it "
                          "does not give.",
                          UintegerValue(8),
                          MakeUintegerAccessor(&CopilotDemandPredictor::m_window),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Decay",
                          "Weight of an observation relative to the next one; the paper does not "
                          "give its weights.",
                          DoubleValue(0.9),
                          MakeDoubleAccessor(&CopilotDemandPredictor::m_decay),
                          MakeDoubleChecker<double>(0.0, 1.0))
            .AddAttribute("MaxSteps",
                          "Most gradient steps of a fit.",
                          UintegerValue(50),
                          MakeUintegerAccessor(&CopilotDemandPredictor::m_steps),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

const CopilotDemandPredictor::Load*
CopilotDemandPredictor::FindPrevious(const AllToAllId& id) const
{
    const auto it = m_previous.find(id.group);
    if (it == m_previous.end())
    {
        return nullptr;
    }
    const AllToAllId& last = it->second.id;
    const bool before = last.layer + 1 == id.layer && last.microBatch == id.microBatch &&
                        last.iteration == id.iteration;
    return before ? &it->second.load : nullptr;
}

void
CopilotDemandPredictor::Observe(const AllToAllId& id, const DemandMatrix& demand)
{
    const Load load = GetReceiveShares(demand);
    if (load.empty())
    {
        return;
    }
    Layer& layer = m_layers[{id.group, id.layer}];
    if (!layer.own.empty() && layer.own.back().size() != load.size())
    {
        layer = Layer();
    }
    const auto keep = [this](auto& window) {
        while (window.size() > m_window)
        {
            window.pop_front();
        }
    };
    layer.own.push_back(load);
    keep(layer.own);
    const Load* before = FindPrevious(id);
    if (before != nullptr && before->size() == load.size())
    {
        layer.samples.emplace_back(*before, load);
        keep(layer.samples);
        layer.stale = true;
    }
    layer.sent.assign(demand.Rows(), 0);
    for (std::size_t s = 0; s < demand.Rows(); ++s)
    {
        for (std::size_t d = 0; d < demand.Columns(); ++d)
        {
            layer.sent[s] += s == d ? 0 : demand(s, d);
        }
    }
    m_previous[id.group] = {id, load};
}

CopilotDemandPredictor::Load
CopilotDemandPredictor::GetMean(const Layer& layer) const
{
    Load mean(layer.own.back().size(), 0.0);
    double weight = 1;
    double sum = 0;
    for (auto it = layer.own.rbegin(); it != layer.own.rend(); ++it)
    {
        for (std::size_t i = 0; i < mean.size(); ++i)
        {
            mean[i] += weight * (*it)[i];
        }
        sum += weight;
        weight *= m_decay;
    }
    for (double& m : mean)
    {
        m /= sum;
    }
    return mean;
}

void
CopilotDemandPredictor::Fit(Layer& layer) const
{
    if (!layer.stale)
    {
        return;
    }
    const std::size_t n = layer.own.back().size();
    if (layer.p.Rows() != n)
    {
        const Load mean = GetMean(layer);
        layer.p = Matrix<double>(n, n);
        for (std::size_t i = 0; i < n; ++i)
        {
            for (std::size_t j = 0; j < n; ++j)
            {
                layer.p(i, j) = mean[i];
            }
        }
    }
    StochasticRegression regression;
    double weight = 1;
    for (auto it = layer.samples.rbegin(); it != layer.samples.rend(); ++it)
    {
        regression.Add(it->first, it->second, weight);
        weight *= m_decay;
    }
    constexpr double tolerance = 1e-7; // of a sum of squares of shares
    regression.Fit(layer.p, m_steps, tolerance);
    layer.stale = false;
}

const DemandMatrix*
CopilotDemandPredictor::Predict(const AllToAllId& id) const
{
    const auto it = m_layers.find({id.group, id.layer});
    if (it == m_layers.end())
    {
        return nullptr;
    }
    Layer& layer = it->second;
    const std::size_t n = layer.own.back().size();
    Load load;
    const Load* before = FindPrevious(id);
    if (before != nullptr && before->size() == n && !layer.samples.empty())
    {
        Fit(layer);
        load.assign(n, 0.0);
        for (std::size_t i = 0; i < n; ++i)
        {
            for (std::size_t j = 0; j < n; ++j)
            {
                load[i] += layer.p(i, j) * (*before)[j];
            }
        }
    }
    else
    {
        load = GetMean(layer);
    }
    m_predicted = DemandMatrix(n, n, 0);
    for (std::size_t s = 0; s < n; ++s)
    {
        double others = 0;
        for (std::size_t d = 0; d < n; ++d)
        {
            others += s == d ? 0.0 : load[d];
        }
        for (std::size_t d = 0; d < n && others > 0; ++d)
        {
            const double bytes = static_cast<double>(layer.sent[s]) * (load[d] / others);
            m_predicted(s, d) = s == d ? 0 : static_cast<uint64_t>(bytes + 0.5);
        }
    }
    return &m_predicted;
}

} // namespace ns3
