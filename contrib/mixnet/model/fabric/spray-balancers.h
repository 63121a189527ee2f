/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_SPRAY_BALANCERS_H
#define MIXNET_SPRAY_BALANCERS_H

#include "port-balancer.h"

#include "ns3/random-variable-stream.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Packet spraying (Dixit et al., INFOCOM 2013): each data frame takes a port of its own, whatever
 * its flow; everything else keeps its flow's way by hash. Frames overtake each other, so endpoints
 * need a recovery that stands this (not go-back-N).
 */
class SprayBalancer : public PortBalancer
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    uint16_t Choose(const Frame& frame, uint32_t hash, const PortChoice& choice, SimTick now) final;

  private:
    /// @param hash of the flow @param choice ports @return the port of a data frame
    virtual uint16_t ChooseForData(uint32_t hash, const PortChoice& choice) = 0;
};

/// @ingroup mixnet
/// The ports of a group in turn, beginning where the hash of the group's first frame says.
class RoundRobinSprayBalancer : public SprayBalancer
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    void ForgetRoutes() override;

  private:
    uint16_t ChooseForData(uint32_t hash, const PortChoice& choice) override;

    std::vector<uint32_t> m_next; //!< by group: next port plus one; 0: none yet
};

/// @ingroup mixnet
/// Any port of the group, each with the same probability.
class RandomSprayBalancer : public SprayBalancer
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RandomSprayBalancer();

    int64_t AssignStreams(int64_t stream) override;

  private:
    uint16_t ChooseForData(uint32_t hash, const PortChoice& choice) override;

    Ptr<UniformRandomVariable> m_random; //!< ports
};

} // namespace ns3

#endif // MIXNET_SPRAY_BALANCERS_H
