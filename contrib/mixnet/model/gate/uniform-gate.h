/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UNIFORM_GATE_H
#define UNIFORM_GATE_H

#include "gate-model.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * The gate that balances perfectly: every rank sends the same number of copies to every expert.
 * What does not divide goes to experts that differ from rank to rank.
 */
class UniformGate : public GateModel
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

  private:
    void DoConfigure() override;
    void DoRoute(const GateQuery& query, Matrix<uint32_t>& tokens) const override;
};

} // namespace ns3

#endif // UNIFORM_GATE_H
