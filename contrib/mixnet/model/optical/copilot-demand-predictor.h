/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COPILOT_DEMAND_PREDICTOR_H
#define COPILOT_DEMAND_PREDICTOR_H

#include "stochastic-regression.h"

#include "ns3/demand-predictor.h"

#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * MixNet-Copilot (paper, appendix B.1): the load of a layer follows from that of the layer before
 * by a column-stochastic matrix, fitted over the last observations of the layer
 * (StochasticRegression). The paper fits loads of experts; a controller sees servers, so these are
 * loads of servers: the shares of a dispatch's bytes that they receive.
 *
 * The load Y' of a layer is P X with the load X of the layer before in the same micro-batch; of the
 * first layer of a stage, whose predecessor is elsewhere, it is the weighted mean of its last
 * loads. The paper does not say how a matrix follows from a load. Here every server sends as many
 * bytes as in the layer's last dispatch, in proportion to Y'.
 *
 * The weights of the paper's objective are not published either: they fall by Decay from
 * observation to observation, over a Window of them. A fit starts from the last one; the first
 * starts with the mean load in all columns, so before a window has taught more, the mean is
 * predicted.
 */
class CopilotDemandPredictor : public DemandPredictor
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    void Observe(const AllToAllId& id, const DemandMatrix& demand) override;
    const DemandMatrix* Predict(const AllToAllId& id) const override;

  private:
    /// Shares of the bytes that each server receives; empty: nothing was sent.
    using Load = std::vector<double>;

    /// What was seen of a layer.
    struct Layer
    {
        std::deque<Load> own;                      //!< its loads, latest last
        std::deque<std::pair<Load, Load>> samples; //!< the load before and its own, latest last
        std::vector<uint64_t> sent;                //!< by server: bytes of the last dispatch
        Matrix<double> p;                          //!< last fit
        bool stale{false};                         //!< samples came after the fit
    };

    /// The last dispatch of a group.
    struct Previous
    {
        AllToAllId id; //!< which
        Load load;     //!< its load
    };

    /// @param layer with own loads @return their weighted mean
    Load GetMean(const Layer& layer) const;
    /// Bring the fit up to date. @param layer with samples
    void Fit(Layer& layer) const;
    /// @param id a dispatch @return the load of the layer before it in its micro-batch, or null
    const Load* FindPrevious(const AllToAllId& id) const;

    using Key = std::pair<uint32_t, uint32_t>; //!< group, layer

    uint32_t m_window{8};                    //!< attribute
    double m_decay{0.9};                     //!< attribute
    uint32_t m_steps{50};                    //!< attribute
    mutable std::map<Key, Layer> m_layers;   //!< fits are made when asked for
    std::map<uint32_t, Previous> m_previous; //!< by group
    mutable DemandMatrix m_predicted;        //!< answer
};

} // namespace ns3

#endif // COPILOT_DEMAND_PREDICTOR_H
