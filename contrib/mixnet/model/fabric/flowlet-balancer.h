/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_FLOWLET_BALANCER_H
#define MIXNET_FLOWLET_BALANCER_H

#include "port-balancer.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Flowlets: a flow that has been silent for the gap takes a new port at random, else the one of its
 * last frame (LetFlow: Vanini et al., NSDI 2017). Order is kept as long as the ways differ by less
 * than the gap.
 *
 * Memory is bounded: flows hash into a table, and those that share an entry share their flowlet, as
 * in the switches that the paper describes.
 */
class FlowletBalancer : public PortBalancer
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    FlowletBalancer();

    uint16_t Choose(const Frame& frame,
                    uint32_t hash,
                    const PortChoice& choice,
                    SimTick now) override;
    void ForgetRoutes() override;
    int64_t AssignStreams(int64_t stream) override;

    /// @return flowlets begun
    uint64_t GetNFlowlets() const;

  private:
    /// The last frame of the flows of an entry.
    struct Entry
    {
        SimTick last{0};            //!< when
        uint32_t group{UINT32_MAX}; //!< its PortChoice
        uint16_t port{0};           //!< its port
    };

    Time m_gap;                          //!< attribute
    uint32_t m_size;                     //!< attribute
    std::vector<Entry> m_table;          //!< by hash; filled at the first frame
    Ptr<UniformRandomVariable> m_random; //!< ports
    uint64_t m_flowlets{0};              //!< begun
};

} // namespace ns3

#endif // MIXNET_FLOWLET_BALANCER_H
