/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PACKET_BITMAP_H
#define PACKET_BITMAP_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Which packets of a sliding range have arrived: a ring of 64-bit words that grows to the widest
 * range it was asked for and keeps that room. Work per operation: one word, or one per 64 packets
 * passed over.
 */
class PacketBitmap
{
  public:
    /// Forget all packets.
    void Clear()
    {
        for (uint64_t& word : m_words)
        {
            word = 0;
        }
    }

    /// @return lowest packet of the range
    uint64_t GetBase() const
    {
        return m_base;
    }

    /// @param psn a packet, not below the base @return true when it was not in yet
    bool Set(uint64_t psn)
    {
        while ((psn >> 6) - (m_base >> 6) >= m_words.size())
        {
            Grow();
        }
        uint64_t& word = Word(psn >> 6);
        const uint64_t bit = Bit(psn);
        const bool fresh = (word & bit) == 0;
        word |= bit;
        return fresh;
    }

    /// @param psn any packet @return true when it is in the range and set
    bool Test(uint64_t psn) const
    {
        return psn >= m_base && (psn >> 6) - (m_base >> 6) < m_words.size() &&
               (m_words[(psn >> 6) & (m_words.size() - 1)] & Bit(psn)) != 0;
    }

    /// Forget the packets below. @param base lowest packet of the range from now on; not below the
    /// present one unless no packet is set
    void Advance(uint64_t base)
    {
        const uint64_t end = base >> 6;
        uint64_t at = m_base >> 6;
        if (end > at && end - at > m_words.size())
        {
            at = end - m_words.size();
        }
        for (; at < end; ++at)
        {
            Word(at) = 0;
        }
        m_base = base;
        if (!m_words.empty())
        {
            Word(end) &= ~uint64_t(0) << (base & 63);
        }
    }

    /// @param from a packet, not below the base @param limit behind the last one @return the first
    /// packet from there on that is not set, or limit
    uint64_t FindClear(uint64_t from, uint64_t limit) const
    {
        while (from < limit && (from >> 6) - (m_base >> 6) < m_words.size())
        {
            const uint64_t holes =
                ~m_words[(from >> 6) & (m_words.size() - 1)] & (~uint64_t(0) << (from & 63));
            if (holes != 0)
            {
                const uint64_t found = (from & ~uint64_t(63)) + CountTrailingZeros(holes);
                return found < limit ? found : limit;
            }
            from = (from & ~uint64_t(63)) + 64;
        }
        return from < limit ? from : limit;
    }

    /// @return bytes of memory it holds
    std::size_t GetBytes() const
    {
        return m_words.size() * sizeof(uint64_t);
    }

  private:
    /// @param psn a packet @return its bit
    static uint64_t Bit(uint64_t psn)
    {
        return uint64_t(1) << (psn & 63);
    }

    /// @param word not zero @return index of the lowest bit
    static uint32_t CountTrailingZeros(uint64_t word)
    {
        return static_cast<uint32_t>(__builtin_ctzll(word));
    }

    /// @param number of a word @return the word
    uint64_t& Word(uint64_t number)
    {
        return m_words[number & (m_words.size() - 1)];
    }

    /// Double the room.
    void Grow()
    {
        std::vector<uint64_t> words(m_words.empty() ? 4 : 2 * m_words.size(), 0);
        for (uint64_t i = 0; i < m_words.size(); ++i)
        {
            const uint64_t number = (m_base >> 6) + i;
            words[number & (words.size() - 1)] = m_words[number & (m_words.size() - 1)];
        }
        m_words.swap(words);
    }

    std::vector<uint64_t> m_words; //!< a power of two
    uint64_t m_base{0};            //!< lowest packet
};

} // namespace ns3

#endif // PACKET_BITMAP_H
