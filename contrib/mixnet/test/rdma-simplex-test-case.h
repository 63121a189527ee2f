/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SIMPLEX_TEST_CASE_H
#define RDMA_SIMPLEX_TEST_CASE_H

#include "rdma-transport-test-case.h"

#include <algorithm>

/// @ingroup mixnet-test
/// A packet world with circuits that lead one way.
class RdmaSimplexCase : public RdmaTransportCase
{
  public:
    using RdmaTransportCase::RdmaTransportCase;

  protected:
    /// @param a server @param fiberA its fiber @param b server @param fiberB its fiber
    /// @return the circuit that brings a's light to b
    ns3::Circuit OneWay(uint32_t a, uint32_t fiberA, uint32_t b, uint32_t fiberB) const
    {
        return {m_ocs, a * m_fibers + fiberA, b * m_fibers + fiberB, ns3::CircuitKind::SIMPLEX};
    }

    /// @param server a server @param fiber one of its fibers @return what left its transmitter
    uint64_t Sent(uint32_t server, uint32_t fiber) const
    {
        const ns3::ChannelId out = m_graph->GetEgress(m_ocs, server * m_fibers + fiber);
        return m_world->GetWireBytes(ns3::FabricGraph::GetReverse(out));
    }

    /// @param server a server @param fiber one of its fibers @return what reached its receiver
    uint64_t Heard(uint32_t server, uint32_t fiber) const
    {
        return m_world->GetWireBytes(m_graph->GetEgress(m_ocs, server * m_fibers + fiber));
    }

    /// @param tag of a transfer @return its completion
    const ns3::Completion& Find(uint64_t tag) const
    {
        const auto it = std::find_if(m_done.begin(), m_done.end(), [tag](const ns3::Completion& c) {
            return c.tag == tag;
        });
        NS_ABORT_MSG_IF(it == m_done.end(), "no completion of " << tag);
        return *it;
    }

    /// @param packets number of full packets @return wire bytes of their message
    static uint64_t Wire(uint64_t packets)
    {
        return packets * (4096 + 82) + 16;
    }
};

#endif // RDMA_SIMPLEX_TEST_CASE_H
