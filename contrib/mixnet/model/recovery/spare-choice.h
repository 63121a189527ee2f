/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_SPARE_CHOICE_H
#define MIXNET_SPARE_CHOICE_H

#include "ns3/fabric-graph.h"
#include "ns3/mixnet-ids.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/// What works of the NICs of a server, as far as somebody knows. Rates in bit/s and direction.
struct HostHealth
{
    uint64_t packet{0};      //!< of NICs on the packet fabric that are up, at their rate of now
    uint64_t packetBuilt{0}; //!< of all of them, as built
    uint64_t fiber{0};       //!< of NICs on circuits whose fibers are whole, at their rate of now
    uint64_t fiberBuilt{0};  //!< of all of them, as built

    /// @return false when it has packet NICs and none works; without any, the same of fibers
    bool IsReachable() const;
    /// @return e.g. "all NICs work", "no packet NIC works", "100 of 200 Gb/s of packet NICs work"
    std::string Describe() const;
};

/// @param graph cluster @param server a server @return what works of it: dark fibers do, they are
/// between two circuits
HostHealth ReadHostHealth(const FabricGraph& graph, ServerId server);
/// @param graph cluster @return the same of every server
std::vector<HostHealth> ReadHostHealth(const FabricGraph& graph);

/**
 * @ingroup mixnet
 * Which spare of several is taken: one in the server that has the rest of the work, whatever its
 * NICs, since the others of the TP block depend on these already; else of the hosts that can be
 * reached the one that lost the least of its packet NICs, then of its fibers; then the lowest
 * number. A pure function.
 */
class SpareChoice
{
  public:
    /// @param hosts by server; empty: all are whole @param gpusPerServer of every server
    SpareChoice(const std::vector<HostHealth>& hosts, uint32_t gpusPerServer);

    /// @param ready GPUs @param home server of the TP block @return the one to take, if any can be
    /// reached
    std::optional<GpuId> FindGpu(const std::set<GpuId>& ready, ServerId home) const;
    /// @param ready servers @return the one to take, if any can be reached
    std::optional<ServerId> FindServer(const std::set<ServerId>& ready) const;

    /// @param ready GPUs @param home server of the TP block @param chosen what FindGpu() said
    /// @return why, and which hosts with lower numbers were not taken for their NICs
    std::string Explain(const std::set<GpuId>& ready,
                        ServerId home,
                        std::optional<GpuId> chosen) const;
    /// @param ready servers @param chosen what FindServer() said @return as above
    std::string Explain(const std::set<ServerId>& ready, std::optional<ServerId> chosen) const;

  private:
    /// @param server a server @return its NICs
    HostHealth GetHealth(ServerId server) const;
    /// @param a one server @param b another @return true when more of a works
    bool IsBetter(ServerId a, ServerId b) const;
    /// @param hosts of what is ready @param home that of the TP block, if that counts @return best
    std::optional<ServerId> FindHost(const std::set<ServerId>& hosts,
                                     std::optional<ServerId> home) const;
    /// @param ready GPUs @return their servers
    std::set<ServerId> ListHosts(const std::set<GpuId>& ready) const;
    /// @param hosts of what is ready @param chosen one of them, if any @return those before it that
    /// are worse
    std::string ListPassedOver(const std::set<ServerId>& hosts,
                               std::optional<ServerId> chosen) const;

    const std::vector<HostHealth>& m_hosts; //!< by server
    uint32_t m_gpusPerServer;               //!< of every server
};

} // namespace ns3

#endif // MIXNET_SPARE_CHOICE_H
