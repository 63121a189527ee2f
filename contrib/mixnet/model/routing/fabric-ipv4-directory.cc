/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-ipv4-directory.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

void
FabricIpv4Directory::Add(Ipv4Address address, uint32_t nic)
{
    const auto [entry, isNew] = m_nics.emplace(address, nic);
    if (!isNew)
    {
        if (entry->second == nic)
        {
            return;
        }
        std::ostringstream where;
        where << "IPv4 address " << address;
        throw InputError(where.str(),
                         "given to two NICs, number " + std::to_string(entry->second) + " and " +
                             std::to_string(nic) + " of the fabric",
                         "an address for each");
    }
    if (nic >= m_addresses.size())
    {
        m_addresses.resize(nic + 1);
    }
    m_addresses[nic].push_back(address);
}

void
FabricIpv4Directory::Remove(Ipv4Address address)
{
    const auto entry = m_nics.find(address);
    if (entry == m_nics.end())
    {
        return;
    }
    auto& addresses = m_addresses[entry->second];
    addresses.erase(std::find(addresses.begin(), addresses.end(), address));
    m_nics.erase(entry);
}

std::optional<uint32_t>
FabricIpv4Directory::FindNic(Ipv4Address address) const
{
    const auto entry = m_nics.find(address);
    return entry == m_nics.end() ? std::nullopt : std::optional<uint32_t>(entry->second);
}

std::optional<Ipv4Address>
FabricIpv4Directory::FindAddress(uint32_t nic) const
{
    if (nic >= m_addresses.size() || m_addresses[nic].empty())
    {
        return std::nullopt;
    }
    return m_addresses[nic].front();
}

} // namespace ns3
