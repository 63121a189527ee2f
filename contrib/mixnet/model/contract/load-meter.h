/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_LOAD_METER_H
#define MIXNET_LOAD_METER_H

#include "fabric-resources.h"

#include "ns3/mixnet-byte-count.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/// @ingroup mixnet
/// What an operation asked of a resource.
struct ResourceLoad
{
    FabricResource resource; //!< the resource
    ByteCount bytes;         //!< of the operation, over it: wire bytes; payload inside servers
    Time time;               //!< bytes / rate: the operation cannot be shorter
    uint32_t alike{0};       //!< number of resources that have the same load, this one included
};

/// @ingroup mixnet
/// What bounded an operation, as far as its own bytes did.
struct OperationLoad
{
    ResourceLoad most; //!< largest load; of several, the resource with the lowest number
    ResourceLoad next; //!< largest of those that are smaller: the bound if the first were faster
};

/**
 * @ingroup mixnet
 * Adds up what transfers load, by account (an account stands for an operation, e.g. an all-to-all),
 * and tells which resource bounded it: the one with the largest bytes / rate. That is a lower bound
 * of the operation's time in both worlds, and the longest one; what is left of its time is latency,
 * unfairness, congestion control, hashing, and the traffic of others.
 *
 * A world adds bytes by key; a key is one resource, or a class of resources that carry the same. A
 * load within 1e-9 of another counts as the same, for sums that were added in another order.
 *
 * Law: an account's loads of channels are the bytes of its transfers, times the channels that each
 * byte crossed. Allocates nothing once it has seen accounts as large.
 */
class LoadMeter
{
  public:
    static constexpr uint32_t NONE = 0; //!< no account

    /// @param graph a complete graph
    explicit LoadMeter(Ptr<const FabricGraph> graph);
    virtual ~LoadMeter() = default;
    LoadMeter(const LoadMeter&) = delete;
    LoadMeter& operator=(const LoadMeter&) = delete;

    /// @return a new account, above zero
    uint32_t Open();
    /// @param account an open account, closed by this @return what bounded its operation
    OperationLoad Close(uint32_t account);
    /// @param account an open account @return bytes by number of the resource
    std::vector<double> GetBytes(uint32_t account) const;
    /// @return what the numbers stand for
    const FabricResources& GetResources() const;

    /// @param account an open account, or NONE @param key key @param bytes more over each resource
    void Add(uint32_t account, uint32_t key, double bytes);
    /// The resources of a new key were part of an old one. @param from old key @param to new key
    void Split(uint32_t from, uint32_t to);

  protected:
    /// @param key a key @return bit/s of each of its resources; by default a key is a number
    virtual double GetRate(uint32_t key) const;
    /// @param key a key @param members out: its resources; by default a key is a number
    virtual void GetMembers(uint32_t key, std::vector<uint32_t>& members) const;
    /// @param member behind all numbers: a bound of a resource beside its own @return the number of
    /// that resource; by default there are none
    virtual uint32_t GetNumber(uint32_t member) const;

  private:
    /// Bytes of one key.
    struct Entry
    {
        uint32_t key{0}; //!< the key
        double bytes{0}; //!< over each of its resources
    };

    /// An account: entries in order of first use, found by hash.
    struct Account
    {
        std::vector<Entry> entries;  //!< in order of first use
        std::vector<uint32_t> slots; //!< open hash table, a power of two: entry + 1, or 0
        std::vector<uint32_t> used;  //!< by entry: its slot
        bool open{false};            //!< in use
    };

    /// @param account an account @param key a key @return its slot, used or free
    static uint32_t FindSlot(const Account& account, uint32_t key);
    /// @param account an account @param key a key @return its entry, added if new
    static Entry& FindEntry(Account& account, uint32_t key);
    /// @param account double its table
    static void Grow(Account& account);
    /// @param account an account @param below seconds: loads from there on are left out
    /// @return largest load
    ResourceLoad FindMost(const Account& account, double below);
    /// Forget the loads of resources at rates that they no longer have. @param account an account
    /// @param from seconds: loads from there on are at the rate that bounded the operation
    void ForgetLooser(Account& account, double from);
    /// @param key a key @return lowest number of its resources, which are in m_members then
    uint32_t FindLowest(uint32_t key);

    FabricResources m_resources;                      //!< what numbers stand for
    std::vector<std::unique_ptr<Account>> m_accounts; //!< by account - 1
    std::vector<uint32_t> m_free;                     //!< closed ones
    std::vector<uint32_t> m_members;                  //!< scratch
};

} // namespace ns3

#endif // MIXNET_LOAD_METER_H
