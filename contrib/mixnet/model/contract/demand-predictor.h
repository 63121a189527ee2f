/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DEMAND_PREDICTOR_H
#define DEMAND_PREDICTOR_H

#include "demand.h"

#include "ns3/object.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * Strategy: what a dispatch will send, told before its tokens are routed (paper, section 5.1). Of a
 * region: it sees the region's dispatches only.
 */
class DemandPredictor : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param id a forward dispatch @param demand what it really sends
    virtual void Observe(const AllToAllId& id, const DemandMatrix& demand) = 0;

    /// @param id a forward dispatch to come @return its demand, valid until the next Observe();
    /// null when there is nothing to go by
    virtual const DemandMatrix* Predict(const AllToAllId& id) const = 0;
};

} // namespace ns3

#endif // DEMAND_PREDICTOR_H
