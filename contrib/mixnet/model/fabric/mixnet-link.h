/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_LINK_H
#define MIXNET_LINK_H

#include "frame.h"

#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <array>

namespace ns3
{

class ErrorModel;
class MixnetPort;

/**
 * @ingroup mixnet
 * A full-duplex cable or fiber between two ports: rate, delay, state, error models. The rate may
 * change while it is in use, the delay may not (frames would overtake each other).
 *
 * A frame that a port begins to send at t has arrived when its last byte has: at t +
 * serialization of its wire bytes + delay. Frames under way are kept by the receiving port.
 */
class MixnetLink : public Channel
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    MixnetLink();
    ~MixnetLink() override;

    /**
     * Connect, once, after rate and delay are set.
     *
     * @param a one port
     * @param b another port of the same fabric
     */
    void Attach(MixnetPort* a, MixnetPort* b);

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    /// @return rate of each direction
    DataRate GetRate() const;
    /// @return propagation, one way
    Time GetDelay() const;
    /// @return true when it carries frames
    bool IsUp() const;

    /**
     * Take the link down or up, now. Idempotent. Going down loses the frames under way and those
     * queued at both ends (counted as LINK_DOWN) and forgets PFC pauses; the ports' link-change
     * callbacks and receivers are told.
     *
     * @param up the new state
     */
    void SetUp(bool up);

    /**
     * Change the rate of both directions, now. Idempotent. Frames under way keep their times, and
     * those being serialized, or begun at this very instant, finish at the old rate; the next ones
     * take the new. Switches adapt their ECN thresholds, not the headroom they set aside.
     *
     * @param rate the new rate
     * @throws InputError when it is zero
     */
    void SetRate(DataRate rate);

    /**
     * Before it is attached.
     *
     * @param delay propagation, one way
     * @throws InputError when it differs and the link is attached
     */
    void SetDelay(Time delay);

    /**
     * Have frames corrupted. PFC frames are not (a lost resume would stop a class for good).
     *
     * @param from the sending port @param model asked once per frame, at its arrival, with the
     * frame as a packet; null removes it
     */
    void SetErrorModel(MixnetPort* from, Ptr<ErrorModel> model);

    /// @param from the sending port @return frames under way
    uint64_t CountInFlight(const MixnetPort* from) const;
    /// @param from the sending port @return when the last frame sent arrives; zero when none is
    /// under way. What the port has not yet decided to send does not count.
    Time GetLastArrival(const MixnetPort* from) const;
    /// @param from the sending port @return frames lost by going down or by the error model
    uint64_t GetLost(const MixnetPort* from) const;

    /// TracedCallback signature for link states.
    typedef void (*StateTracedCallback)(bool up);
    /// TracedCallback signature for rates: before, now.
    typedef void (*RateTracedCallback)(DataRate before, DataRate now);

  protected:
    void DoDispose() override;

  private:
    friend class MixnetPort;

    /// @param from an attached port @return 0 or 1
    std::size_t IndexOf(const MixnetPort* from) const;
    /// @param frame a frame that arrives @param from its sender @return true when it is corrupt
    bool IsCorrupt(const Frame& frame, const MixnetPort* from);

    DataRate m_rate;                                //!< attribute
    Time m_delay;                                   //!< attribute
    bool m_up{true};                                //!< state
    std::array<MixnetPort*, 2> m_ports{};           //!< both ends
    std::array<Ptr<ErrorModel>, 2> m_errors;        //!< by sending end
    std::array<uint64_t, 2> m_lost{};               //!< by sending end
    TracedCallback<bool> m_stateTrace;              //!< up and down
    TracedCallback<DataRate, DataRate> m_rateTrace; //!< before, now
};

} // namespace ns3

#endif // MIXNET_LINK_H
