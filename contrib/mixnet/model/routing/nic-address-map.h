/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NIC_ADDRESS_MAP_H
#define NIC_ADDRESS_MAP_H

#include "ns3/mixnet-ids.h"

#include <cstdint>
#include <vector>

namespace ns3
{

class FabricGraph;

/**
 * @ingroup mixnet
 * Dense addresses of NICs: those of server 0 first, by port, then those of server 1, and so on.
 * NICs of either kind have one.
 */
class NicAddressMap
{
  public:
    NicAddressMap() = default;

    /// @param graph a complete graph
    explicit NicAddressMap(const FabricGraph& graph);

    /// @return number of addresses
    uint32_t GetSize() const
    {
        return static_cast<uint32_t>(m_server.size());
    }

    /// @param server a server @param nic its NIC @return the address
    uint32_t GetAddress(ServerId server, uint32_t nic) const
    {
        return m_first[server.Get()] + nic;
    }

    /// @param address an address @return the server
    ServerId GetServer(uint32_t address) const
    {
        return m_server[address];
    }

    /// @param address an address @return the NIC's index within its server
    uint32_t GetNic(uint32_t address) const
    {
        return address - m_first[m_server[address].Get()];
    }

  private:
    std::vector<uint32_t> m_first;  //!< by server: address of NIC 0
    std::vector<ServerId> m_server; //!< by address
};

} // namespace ns3

#endif // NIC_ADDRESS_MAP_H
