/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_IPV4_DIRECTORY_H
#define FABRIC_IPV4_DIRECTORY_H

#include "ns3/ipv4-address.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Which NIC has which IPv4 address, for all servers of a fabric. Pure: one entry per address.
 */
class FabricIpv4Directory : public SimpleRefCount<FabricIpv4Directory>
{
  public:
    /**
     * @param address an address
     * @param nic address of the NIC that has it, see NicAddressMap
     * @throws InputError when another NIC has it
     */
    void Add(Ipv4Address address, uint32_t nic);

    /// @param address an address that its NIC no longer has
    void Remove(Ipv4Address address);

    /// @param address an address @return address of the NIC that has it, if any
    std::optional<uint32_t> FindNic(Ipv4Address address) const;

    /// @param nic address of a NIC @return the first IPv4 address it was given, if any
    std::optional<Ipv4Address> FindAddress(uint32_t nic) const;

  private:
    std::map<Ipv4Address, uint32_t> m_nics;            //!< by address
    std::vector<std::vector<Ipv4Address>> m_addresses; //!< by NIC, as they came
};

} // namespace ns3

#endif // FABRIC_IPV4_DIRECTORY_H
