/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "load-meter.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{

constexpr double SAME = 1e-9;          //!< relative difference of loads that are the same
constexpr std::size_t FIRST_SIZE = 64; //!< of a table

} // namespace

LoadMeter::LoadMeter(Ptr<const FabricGraph> graph)
    : m_resources(graph)
{
}

const FabricResources&
LoadMeter::GetResources() const
{
    return m_resources;
}

uint32_t
LoadMeter::Open()
{
    if (m_free.empty())
    {
        m_accounts.push_back(std::make_unique<Account>());
        m_accounts.back()->slots.assign(FIRST_SIZE, 0);
        m_free.push_back(static_cast<uint32_t>(m_accounts.size()));
    }
    const uint32_t account = m_free.back();
    m_free.pop_back();
    m_accounts[account - 1]->open = true;
    return account;
}

uint32_t
LoadMeter::FindSlot(const Account& account, uint32_t key)
{
    const auto mask = static_cast<uint32_t>(account.slots.size() - 1);
    // Fibonacci hashing (Knuth, TAOCP 3, section 6.4)
    uint32_t slot = ((key * 0x9e3779b9U) >> 7) & mask;
    while (account.slots[slot] != 0 && account.entries[account.slots[slot] - 1].key != key)
    {
        slot = (slot + 1) & mask;
    }
    return slot;
}

void
LoadMeter::Grow(Account& account)
{
    account.slots.assign(2 * account.slots.size(), 0);
    for (uint32_t e = 0; e < account.entries.size(); ++e)
    {
        account.used[e] = FindSlot(account, account.entries[e].key);
        account.slots[account.used[e]] = e + 1;
    }
}

LoadMeter::Entry&
LoadMeter::FindEntry(Account& account, uint32_t key)
{
    uint32_t slot = FindSlot(account, key);
    if (account.slots[slot] == 0)
    {
        if (4 * (account.entries.size() + 1) > 3 * account.slots.size())
        {
            Grow(account);
            slot = FindSlot(account, key);
        }
        account.entries.push_back({key, 0});
        account.used.push_back(slot);
        account.slots[slot] = static_cast<uint32_t>(account.entries.size());
    }
    return account.entries[account.slots[slot] - 1];
}

void
LoadMeter::Add(uint32_t id, uint32_t key, double bytes)
{
    if (id != NONE)
    {
        FindEntry(*m_accounts[id - 1], key).bytes += bytes;
    }
}

void
LoadMeter::Split(uint32_t from, uint32_t to)
{
    for (const auto& account : m_accounts)
    {
        const uint32_t at = account->open ? account->slots[FindSlot(*account, from)] : 0;
        if (at != 0)
        {
            const double bytes = account->entries[at - 1].bytes;
            FindEntry(*account, to).bytes = bytes;
        }
    }
}

double
LoadMeter::GetRate(uint32_t key) const
{
    return static_cast<double>(m_resources.GetRate(key).GetBitRate());
}

void
LoadMeter::GetMembers(uint32_t key, std::vector<uint32_t>& members) const
{
    members.assign(1, key);
}

uint32_t
LoadMeter::GetNumber(uint32_t member) const
{
    return member;
}

uint32_t
LoadMeter::FindLowest(uint32_t key)
{
    GetMembers(key, m_members);
    uint32_t lowest = UINT32_MAX;
    for (const uint32_t member : m_members)
    {
        lowest = std::min(lowest, GetNumber(member));
    }
    return lowest;
}

ResourceLoad
LoadMeter::FindMost(const Account& account, double below)
{
    const auto seconds = [this](const Entry& e) { return 8 * e.bytes / GetRate(e.key); };
    double most = 0;
    for (const Entry& e : account.entries)
    {
        const double s = seconds(e);
        most = s < below ? std::max(most, s) : most;
    }
    ResourceLoad load;
    uint32_t lowest = UINT32_MAX;
    for (const Entry& e : account.entries)
    {
        const double s = seconds(e);
        if (s <= 0 || s >= below || s < most * (1 - SAME))
        {
            continue;
        }
        const uint32_t first = FindLowest(e.key);
        load.alike += static_cast<uint32_t>(m_members.size());
        if (first < lowest)
        {
            lowest = first;
            load.bytes = ByteCount(static_cast<uint64_t>(e.bytes + 0.5));
            load.time = load.bytes / DataRate(static_cast<uint64_t>(GetRate(e.key) + 0.5));
        }
    }
    load.resource = lowest == UINT32_MAX ? FabricResource() : m_resources.Describe(lowest);
    return load;
}

void
LoadMeter::ForgetLooser(Account& account, double from)
{
    std::vector<uint32_t> bound; // numbers of resources with a rate beside their own
    for (const Entry& e : account.entries)
    {
        if (8 * e.bytes / GetRate(e.key) >= from)
        {
            GetMembers(e.key, m_members);
            for (const uint32_t member : m_members)
            {
                if (member >= m_resources.GetN())
                {
                    bound.push_back(GetNumber(member));
                }
            }
        }
    }
    for (Entry& e : account.entries)
    {
        if (!bound.empty() && 8 * e.bytes / GetRate(e.key) < from)
        {
            GetMembers(e.key, m_members);
            const bool looser =
                std::all_of(m_members.begin(), m_members.end(), [&](uint32_t member) {
                    return std::find(bound.begin(), bound.end(), GetNumber(member)) != bound.end();
                });
            e.bytes = looser ? 0 : e.bytes;
        }
    }
}

OperationLoad
LoadMeter::Close(uint32_t id)
{
    MIXNET_CHECK(id != NONE && m_accounts[id - 1]->open, "account " << id << " is not open");
    Account& account = *m_accounts[id - 1];
    OperationLoad load;
    load.most = FindMost(account, std::numeric_limits<double>::infinity());
    if (load.most.alike > 0)
    {
        double most = 0;
        for (const Entry& e : account.entries)
        {
            most = std::max(most, 8 * e.bytes / GetRate(e.key));
        }
        ForgetLooser(account, most * (1 - SAME));
        load.next = FindMost(account, most * (1 - SAME));
    }
    for (const uint32_t slot : account.used)
    {
        account.slots[slot] = 0;
    }
    account.entries.clear();
    account.used.clear();
    account.open = false;
    m_free.push_back(id);
    return load;
}

std::vector<double>
LoadMeter::GetBytes(uint32_t id) const
{
    std::vector<double> bytes(m_resources.GetN());
    std::vector<uint32_t> members;
    for (const Entry& e : m_accounts[id - 1]->entries)
    {
        GetMembers(e.key, members);
        for (const uint32_t m : members)
        {
            if (m < bytes.size())
            {
                bytes[m] += e.bytes;
            }
        }
    }
    return bytes;
}

} // namespace ns3
