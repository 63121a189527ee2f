/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DEMAND_PREDICTORS_H
#define DEMAND_PREDICTORS_H

#include "ns3/demand-predictor.h"

#include <map>
#include <tuple>
#include <utility>

namespace ns3
{

/**
 * @ingroup mixnet
 * The same layer and micro-batch will send what it sent last time. Measured routing supports it:
 * the load of the experts of a layer correlates at 0.97 between consecutive iterations.
 */
class LastIterationDemandPredictor : public DemandPredictor
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    void Observe(const AllToAllId& id, const DemandMatrix& demand) override;
    const DemandMatrix* Predict(const AllToAllId& id) const override;

  private:
    using Key = std::tuple<uint32_t, uint32_t, uint32_t>; //!< group, layer, micro-batch

    std::map<Key, DemandMatrix> m_last; //!< what each sent last
};

/**
 * @ingroup mixnet
 * The next layer will send what the last one of its EP group sent: the paper's comparison
 * "unchanged". Measured routing contradicts it (adjacent layers are uncorrelated).
 */
class LastLayerDemandPredictor : public DemandPredictor
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    void Observe(const AllToAllId& id, const DemandMatrix& demand) override;
    const DemandMatrix* Predict(const AllToAllId& id) const override;

  private:
    std::map<uint32_t, DemandMatrix> m_last; //!< by group
};

/**
 * @ingroup mixnet
 * A layer will send the exponential average of what it has sent: each observation counts Weight,
 * all before it 1 - Weight together. Micro-batches of a layer share the average.
 */
class AverageDemandPredictor : public DemandPredictor
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    void Observe(const AllToAllId& id, const DemandMatrix& demand) override;
    const DemandMatrix* Predict(const AllToAllId& id) const override;

  private:
    using Key = std::pair<uint32_t, uint32_t>; //!< group, layer

    double m_weight{0.25};                   //!< attribute
    std::map<Key, Matrix<double>> m_average; //!< by layer
    mutable DemandMatrix m_predicted;        //!< answer
};

/**
 * @ingroup mixnet
 * Every server will send the same to all others: knows nothing, the floor of the comparison (the
 * paper's "random" bandwidth).
 */
class UniformDemandPredictor : public DemandPredictor
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    void Observe(const AllToAllId& id, const DemandMatrix& demand) override;
    const DemandMatrix* Predict(const AllToAllId& id) const override;

  private:
    std::map<uint32_t, DemandMatrix> m_even; //!< by group: the last dispatch's bytes, spread
};

} // namespace ns3

#endif // DEMAND_PREDICTORS_H
