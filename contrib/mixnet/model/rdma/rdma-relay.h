/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RELAY_H
#define RDMA_RELAY_H

#include "ns3/mixnet-port.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * A server that forwards frames of others from NIC to NIC (host forwarding over several circuits):
 * one rule per queue pair that passes, set by whoever chose the way.
 *
 * Lossless: frames wait in host memory, as many as come. What holds senders back is, by attribute,
 * marking (a frame that finds more than EcnThreshold bytes waiting is marked CE), the window of
 * the queue pair (PacketTransport caps it for relayed ways), and, off by default, PFC towards the
 * port it came in by: circuits form rings easily, and in a ring PFC can deadlock.
 *
 * Law: bytes waiting for an ingress port = sum over frames that came in by it and still wait.
 */
class RdmaRelay : public EgressObserver
{
  public:
    /// @param port a port of the server, in order of their numbers
    void AddPort(MixnetPort* port);

    /**
     * @param ecnThreshold bytes waiting above which frames are marked; 0: never
     * @param pauseThreshold bytes of one ingress port waiting above which it pauses its sender
     * (resumed below half of it); 0: never
     */
    void SetThresholds(uint64_t ecnThreshold, uint64_t pauseThreshold);

    /// @param destination NIC address @param qp queue pair there @param port port that leads there
    void AddRule(uint32_t destination, uint32_t qp, uint32_t port);
    /**
     * Frames to a NIC of this server that are meant for another one: the packet fabric knows no way
     * to the NIC at the end of a circuit. They are readdressed and sent on.
     *
     * @param own address of the NIC here @param destination NIC address @param qp queue pair there
     * @param port port that leads there
     * @return queue-pair number to send them to, which no queue pair of this server has; with `own`
     * for RemoveRule()
     */
    uint32_t AddTranslation(uint32_t own, uint32_t destination, uint32_t qp, uint32_t port);
    /// @param destination NIC address @param qp queue pair there
    void RemoveRule(uint32_t destination, uint32_t qp);
    /// @return number of rules
    std::size_t GetNRules() const;

    /**
     * @param frame a frame for another server @param ingress port it came in by @param now the
     * present
     * @return true when it was forwarded; false: no rule, the caller keeps it
     */
    bool Forward(Frame* frame, uint32_t ingress, SimTick now);

    /// @param frame a frame for another server @return port that a rule sends it by; null: none
    MixnetPort* FindPort(const Frame& frame) const;

    /// The far end of a port is another one, or gone, and not paused. @param port number of the
    /// port
    void ForgetPause(uint32_t port);

    /// A pause would reach another one than who sends to a port: it sends none. @param port number
    /// of the port @param oneWay whether it is so
    void SetOneWay(uint32_t port, bool oneWay);

    /// @return PFC pauses sent
    uint64_t GetPauses() const;

    void FrameLeaves(Frame& frame, MixnetPort& port, SimTick now) override;

  private:
    /// What to do with frames.
    struct Rule
    {
        uint32_t port{0};                            //!< sent by
        uint32_t destination{KEEP};                  //!< new NIC address, or KEEP
        uint32_t qp{0};                              //!< new queue pair
        static constexpr uint32_t KEEP = UINT32_MAX; //!< addressed as it came
    };

    /// What waits of a port.
    struct Ingress
    {
        uint64_t bytes{0}; //!< waiting
        uint8_t paused{0}; //!< bit c: its sender was told to pause class c
        bool deaf{false};  //!< its sender would not hear
    };

    /// @param destination NIC address @param qp queue pair there @return key of a rule
    static uint64_t GetKey(uint32_t destination, uint32_t qp);

    std::vector<MixnetPort*> m_ports;           //!< by number
    std::vector<Ingress> m_ingress;             //!< by number
    std::unordered_map<uint64_t, Rule> m_rules; //!< by key
    uint32_t m_number{1};                       //!< last one that AddTranslation gave
    uint64_t m_ecnThreshold{0};                 //!< bytes, 0: never
    uint64_t m_pauseThreshold{0};               //!< bytes, 0: never
    uint64_t m_pauses{0};                       //!< sent
};

} // namespace ns3

#endif // RDMA_RELAY_H
