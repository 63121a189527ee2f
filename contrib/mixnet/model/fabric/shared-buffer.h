/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_SHARED_BUFFER_H
#define MIXNET_SHARED_BUFFER_H

#include "frame.h"

#include "ns3/data-rate.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// How the memory of a switch is divided.
struct BufferConfig
{
    uint64_t total{64ULL << 20};    //!< bytes of the switch
    uint64_t reserved{9216};        //!< bytes kept for each ingress port and class
    double alphaLossless{0.125};    //!< threshold of a lossless ingress queue / free shared bytes
    double alphaLossy{1.0};         //!< threshold of a lossy egress queue / free shared bytes
    uint64_t staticLossless{0};     //!< bytes, instead of alphaLossless; 0: dynamic
    uint64_t staticLossy{0};        //!< bytes, instead of alphaLossy; 0: dynamic
    uint64_t xonOffset{18432};      //!< hysteresis: resume this far below the threshold
    uint8_t lossless{0};            //!< bit c: class c is lossless
    std::vector<uint64_t> headroom; //!< by port: bytes of headroom for each lossless class
};

/**
 * @ingroup mixnet
 * Memory of a switch: who may store a frame, and which neighbor must pause. Pure.
 *
 * Each frame is charged to the queue (ingress port, class) it came by, from its arrival until it
 * begins to leave. A queue first uses its reserved bytes, then the shared pool (total - all
 * reserved - all headroom) up to a threshold, then, if lossless, its headroom. The threshold is
 * dynamic, alpha x free shared bytes (Choudhury and Hahne, IEEE/ACM ToN 1998), or static.
 *
 * Lossless classes: pause (XOFF) when the queue uses headroom or its shared part has reached the
 * threshold; resume (XON) when it uses no headroom and its shared part is zero or at least
 * xonOffset below the threshold, looked at when one of its own frames leaves.
 * Lossy classes: dropped when the queue of the egress port would pass alphaLossy x free.
 *
 * Laws: used = sum over queues; shared in use <= shared pool; headroom of a queue <= its limit.
 */
class SharedBuffer
{
  public:
    /// What happens to a frame.
    enum class Verdict : uint8_t
    {
        ADMIT,        //!< stored
        DROP_SHARED,  //!< lossy: no room
        DROP_HEADROOM //!< lossless: headroom exhausted
    };

    SharedBuffer() = default;

    /**
     * @param config how the memory is divided
     * @param name of the switch, for messages
     * @throws InputError when reserved and headroom leave no shared pool for a single frame
     */
    SharedBuffer(const BufferConfig& config, const std::string& name);

    /**
     * The fast question: is the frame admitted without headroom, and does its queue stay below the
     * threshold of a pause? Never true when the truth is false if the recorded use is too large.
     *
     * @param port ingress port @param priority class @param bytes size @param egressBytes length
     * of the class's queue at the egress port
     * @return true: Admit would store it and ShouldPause would be false
     */
    bool FitsEasily(uint32_t port, uint8_t priority, uint32_t bytes, uint64_t egressBytes) const;

    /// @param port ingress port @param priority class @param bytes size @param egressBytes length
    /// of the class's queue at the egress port @return whether it was stored (and charged)
    Verdict Admit(uint32_t port, uint8_t priority, uint32_t bytes, uint64_t egressBytes);

    /// Store without asking, after FitsEasily. @param port ingress port @param priority class
    /// @param bytes size
    void Charge(uint32_t port, uint8_t priority, uint32_t bytes)
    {
        Queue& q = At(port, priority);
        const uint64_t before = SharedPart(q);
        q.used += bytes;
        m_sharedUsed += SharedPart(q) - before;
        m_used += bytes;
    }

    /// A stored frame leaves. @param port its ingress port @param priority class @param bytes size
    void Release(uint32_t port, uint8_t priority, uint32_t bytes)
    {
        Queue& q = At(port, priority);
        const uint64_t before = SharedPart(q);
        q.used -= bytes;
        q.headroom -= q.headroom < bytes ? q.headroom : bytes;
        m_sharedUsed += SharedPart(q) - before;
        m_used -= bytes;
    }

    /// @param port ingress port @param priority lossless class @return true: it has to be paused
    bool ShouldPause(uint32_t port, uint8_t priority) const
    {
        const Queue& q = At(port, priority);
        return q.headroom > 0 || SharedPart(q) >= Threshold(m_lossless);
    }

    /// @param port ingress port @param priority lossless class @return true: it may go on
    bool ShouldResume(uint32_t port, uint8_t priority) const
    {
        const Queue& q = At(port, priority);
        const uint64_t shared = SharedPart(q);
        return q.headroom == 0 &&
               (shared == 0 || shared + m_config.xonOffset <= Threshold(m_lossless));
    }

    /// @return bytes stored
    uint64_t GetUsed() const
    {
        return m_used;
    }

    /// @return bytes of the shared pool in use
    uint64_t GetSharedUsed() const
    {
        return m_sharedUsed;
    }

    /// @return bytes of the shared pool
    uint64_t GetSharedSize() const
    {
        return m_shared;
    }

    /// @param port ingress port @param priority class @return bytes stored
    uint64_t GetUsed(uint32_t port, uint8_t priority) const
    {
        return At(port, priority).used;
    }

    /// @param port ingress port @param priority class @return bytes of its headroom in use
    uint64_t GetHeadroomUsed(uint32_t port, uint8_t priority) const
    {
        return At(port, priority).headroom;
    }

    /// What a paused queue would use once all that is not stuck has left the switch.
    struct Remainder
    {
        uint64_t headroom; //!< bytes
        uint64_t shared;   //!< bytes
    };

    /// @param port ingress port @param priority class @param left bytes that stay of those stored
    /// @return how they are charged after the others have left (headroom is given back first)
    Remainder GetRemainder(uint32_t port, uint8_t priority, uint64_t left) const;

    /// @param r remainder of a paused queue @param sharedUsed bytes of the shared pool then in use
    /// @return true: it may go on
    bool WouldResume(const Remainder& r, uint64_t sharedUsed) const;

    /// @return true when class c is lossless @param priority the class
    bool IsLossless(uint8_t priority) const
    {
        return m_config.lossless >> priority & 1;
    }

    /**
     * Headroom that lets nothing be lost: what can still arrive after a pause was decided. The
     * frame that tripped the threshold; a frame being sent when the pause frame is queued, and the
     * pause frame; both directions of the cable; the frame that the neighbor has begun; the time
     * that it needs to react (IEEE 802.1Qbb annex O counts the same parts).
     *
     * @param rate of the link
     * @param delay of the cable per direction, in ticks
     * @param frameBytes longest frame on the wire
     * @param response of the neighbor, in ticks
     * @param ticksPerSecond of the clock that delay and response are measured by
     * @return 2 x delay x rate + 3 x frame + pause frame + response x rate, in bytes, rounded up
     */
    static uint64_t ComputeHeadroom(DataRate rate,
                                    SimTick delay,
                                    uint32_t frameBytes,
                                    SimTick response,
                                    SimTick ticksPerSecond);

    /// By the simulator's clock. @param rate of the link @param delay of the cable @param
    /// frameBytes longest frame @param response of the neighbor @return bytes
    static uint64_t ComputeHeadroom(DataRate rate,
                                    SimTick delay,
                                    uint32_t frameBytes,
                                    SimTick response);

  private:
    /// Use by one ingress port and class.
    struct Queue
    {
        uint64_t used{0};     //!< bytes stored
        uint64_t headroom{0}; //!< of these, in headroom
    };

    /// @param port ingress port @param priority class @return its use
    Queue& At(uint32_t port, uint8_t priority)
    {
        return m_queues[port * N_PRIORITIES + priority];
    }

    /// @param port ingress port @param priority class @return its use
    const Queue& At(uint32_t port, uint8_t priority) const
    {
        return m_queues[port * N_PRIORITIES + priority];
    }

    /// @param q use @return bytes in the shared pool
    uint64_t SharedPart(const Queue& q) const
    {
        const uint64_t rest = q.used - q.headroom;
        return rest > m_config.reserved ? rest - m_config.reserved : 0;
    }

    /// base + alpha x free bytes; one of the two is zero.
    struct Limit
    {
        double base{0};  //!< static, bytes
        double alpha{0}; //!< dynamic
    };

    /// @param limit of the class @param sharedUsed bytes of the shared pool in use
    /// @return bytes that one queue may have in the shared pool
    uint64_t Threshold(const Limit& limit, uint64_t sharedUsed) const
    {
        return static_cast<uint64_t>(limit.base +
                                     limit.alpha * static_cast<double>(m_shared - sharedUsed));
    }

    /// @param limit of the class @return bytes that one queue may have in the shared pool now
    uint64_t Threshold(const Limit& limit) const
    {
        return Threshold(limit, m_sharedUsed);
    }

    BufferConfig m_config;       //!< how the memory is divided
    Limit m_lossless;            //!< of ingress queues of lossless classes
    Limit m_lossy;               //!< of egress queues of the other classes
    uint64_t m_shared{0};        //!< bytes of the shared pool
    uint64_t m_sharedUsed{0};    //!< of these, in use
    uint64_t m_used{0};          //!< bytes stored
    std::vector<Queue> m_queues; //!< by ingress port and class
};

} // namespace ns3

#endif // MIXNET_SHARED_BUFFER_H
