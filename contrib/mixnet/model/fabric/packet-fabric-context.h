/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_PACKET_FABRIC_CONTEXT_H
#define MIXNET_PACKET_FABRIC_CONTEXT_H

#include "frame-pool.h"

#include "ns3/ipv4-address.h"
#include "ns3/mac48-address.h"
#include "ns3/object.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class MixnetPort;

/**
 * @ingroup mixnet
 * What the ports of one packet fabric share: frames, addresses, the meaning of the priority
 * classes, and the count of what was dropped. No globals: two fabrics in one process know nothing
 * of each other.
 *
 * NIC addresses are dense: the NICs of server 0 first, then those of server 1, and so on. The NIC
 * with address a has the MAC address 02:4d followed by a in 32 bits; in captures of RoCE frames it
 * has the IPv4 address 10.0.0.1 + a.
 */
class PacketFabricContext : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    PacketFabricContext();
    ~PacketFabricContext() override;

    /// @return the frames
    FramePool& GetPool()
    {
        return m_pool;
    }

    /// @param address a NIC address not yet in use @param port the NIC's port
    void RegisterNic(uint32_t address, MixnetPort* port);
    /// @param port a port that is gone
    void UnregisterPort(MixnetPort* port);
    /// @param address a NIC address @return its port; null when there is none
    MixnetPort* GetNic(uint32_t address) const;
    /// @return one more than the highest NIC address in use
    uint32_t GetNNics() const;

    /// @param address NIC address @return its MAC address
    static Mac48Address GetMac(uint32_t address);
    /// @param mac a MAC address @return the NIC's address; none when no NIC has it
    static std::optional<uint32_t> GetNicAddress(Mac48Address mac);
    /// @param address NIC address @return IPv4 address of its RoCE frames
    static Ipv4Address GetIpv4(uint32_t address);
    /// @return MAC address for one more port that is no NIC: 02:53 and a running number
    Mac48Address MakePortMac();

    /// @return class of RDMA data
    uint8_t GetRdmaClass() const
    {
        return m_rdmaClass;
    }

    /// @return strict class of ACK, NACK and CNP
    uint8_t GetControlClass() const
    {
        return m_controlClass;
    }

    /// @return class of ordinary packets
    uint8_t GetBestEffortClass() const
    {
        return m_bestEffortClass;
    }

    /// @return bit c: class c is lossless (PFC)
    uint8_t GetLosslessClasses() const
    {
        return m_losslessClasses;
    }

    /// Free a frame that is lost. @param frame the frame @param reason why
    void Drop(Frame* frame, DropReason reason)
    {
        ++m_drops[static_cast<uint8_t>(reason)];
        m_pool.Free(frame);
    }

    /// @param reason why @return frames dropped for it anywhere in the fabric
    uint64_t GetDrops(DropReason reason) const
    {
        return m_drops[static_cast<uint8_t>(reason)];
    }

    /// @return frames dropped anywhere in the fabric
    uint64_t GetTotalDrops() const;

    /// @param note something that the user should check before trusting the results
    void AddNote(const std::string& note)
    {
        m_notes.push_back(note);
    }

    /// @return notes of the switches, in the order of their configuration
    const std::vector<std::string>& GetNotes() const
    {
        return m_notes;
    }

  protected:
    void DoDispose() override;

  private:
    FramePool m_pool;                               //!< frames
    std::vector<MixnetPort*> m_nics;                //!< by NIC address
    std::array<uint64_t, N_DROP_REASONS> m_drops{}; //!< by reason
    std::vector<std::string> m_notes;               //!< for the user
    uint32_t m_nextPort{0};                         //!< running number of MakePortMac
    uint8_t m_rdmaClass{3};                         //!< attribute
    uint8_t m_controlClass{6};                      //!< attribute
    uint8_t m_bestEffortClass{0};                   //!< attribute
    uint8_t m_losslessClasses{0x08};                //!< attribute
};

} // namespace ns3

#endif // MIXNET_PACKET_FABRIC_CONTEXT_H
