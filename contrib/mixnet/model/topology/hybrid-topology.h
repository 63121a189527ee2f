/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HYBRID_TOPOLOGY_H
#define HYBRID_TOPOLOGY_H

#include "clos-topology.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * MixNet: of the n NICs of each server, alpha (OcsNics) go by fiber to the optical circuit switch
 * of the server's region, the other e = n - alpha to an electrical fat-tree (EPS) over all servers.
 * Regions are runs of ServersPerRegion servers, the last one what is left.
 *
 * NIC i n / e (rounded down), i = 0 .. e - 1, are the EPS NICs: of 8 NICs with alpha 6, NICs 0 and
 * 4, one on each NUMA node and beside GPUs 0 and 4; of 4 NICs with alpha 3, NIC 0.
 *
 * A region may have several optical switches (OcsPerRegion); then the f-th fiber NIC of each server
 * goes to switch f mod OcsPerRegion, and only NICs of one switch can be joined.
 *
 * The last SpareServers servers are spares: SpareHosts of them for each region, on its optical
 * switches like any other, and then servers without fibers, on the EPS only (paper, section 5.4).
 *
 * Law: alpha 0 builds, vertex by vertex and edge by edge, what FatTreeTopology builds with the same
 * settings; there are no regions then.
 *
 * Source: MixNet paper, sections 4 and 7.1 (2 EPS and 6 OCS NICs, 1:1 fat-tree).
 */
class HybridTopology : public ClosTopology
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param nics NICs of a server @param ocsNics how many of them are on the OCS @param nic one
    /// of them @return true when that one is on the EPS
    static bool IsEpsNic(uint32_t nics, uint32_t ocsNics, uint32_t nic);

  protected:
    std::string DoBuild(const ClusterSpec& cluster, FabricGraph& graph) const override;

  private:
    /// @param cluster the servers @throws InputError when alpha or the ports do not fit
    void CheckConfig(const ClusterSpec& cluster) const;
    /// @param cluster the servers @param graph out: regions and their optical switches @return the
    /// latter, by region
    std::vector<std::vector<VertexId>> AddRegions(const ClusterSpec& cluster,
                                                  FabricGraph& graph) const;
    /// @param cluster the servers @param server one of them @return its region; none: UINT32_MAX
    uint32_t FindRegion(const ClusterSpec& cluster, uint32_t server) const;
    /// @param cluster the servers @return number of regions
    uint32_t CountRegions(const ClusterSpec& cluster) const;
    /// @return ports that a full region takes on each of its optical switches
    uint32_t GetPortsNeeded() const;

    uint32_t m_ocsNics;          //!< alpha
    uint32_t m_ocsPorts;         //!< ports of an optical switch; 0: as many as needed
    uint32_t m_serversPerRegion; //!< region size
    uint32_t m_ocsPerRegion;     //!< optical switches of a region
    uint32_t m_spareHosts;       //!< spare servers of a region
    uint32_t m_spareServers;     //!< spare servers of all
};

} // namespace ns3

#endif // HYBRID_TOPOLOGY_H
