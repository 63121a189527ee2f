/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_FABRIC_CONTROL_H
#define MIXNET_FABRIC_CONTROL_H

#include "transport.h"

#include "ns3/callback.h"
#include "ns3/event-id.h"
#include "ns3/fabric-graph.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"

#include <map>
#include <vector>

namespace ns3
{

/// What a world has lost and sent again so far; zero in a world without packets.
struct FabricLosses
{
    uint64_t framesLost{0}; //!< on links that went down, or in the dark
    ByteCount resent;       //!< payload sent again
};

/**
 * @ingroup mixnet
 * The second of the two doors (design, section 4): controllers and failures change the network
 * only here. SetEdge and Connect write the graph and are the same in both worlds; Quiesce and
 * Resume differ.
 */
class FabricControl : public Object
{
  public:
    /// Identifies a Quiesce until its Resume.
    using Token = uint64_t;
    /// Told when the last byte has left the edges: true, or false when the time ran out.
    using DrainedCallback = Callback<void, bool>;

    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param graph the graph to write
    void SetGraph(Ptr<FabricGraph> graph);
    /// @return the graph
    Ptr<FabricGraph> GetGraph() const;

    /// @param edges edges @param cause cause @param up true clears the cause
    void SetEdges(const std::vector<EdgeId>& edges, EdgeCause cause, bool up);
    /**
     * What physics does, before anybody detects it: nothing passes broken edges, and what is under
     * way there in the packet world is lost; ways and plans stay as they are until SetEdges().
     *
     * @param edges edges @param broken true: from now on; false: could carry again
     */
    void SetBroken(const std::vector<EdgeId>& edges, bool broken);
    /// @param edges edges @param rate of each, per direction, from now on
    void SetRate(const std::vector<EdgeId>& edges, DataRate rate);
    /**
     * @param edges edges @param rate share of bits received wrongly, both directions; 0: none
     * @param stream first random stream, two for each edge
     * @return false in a world without bits, which changes nothing
     */
    virtual bool SetBitErrors(const std::vector<EdgeId>& edges, double rate, int64_t stream);
    /// @return what has been lost and sent again so far
    virtual FabricLosses GetLosses() const;
    /// @param added circuits to match @param removed circuits to unmatch, done first
    void Connect(const std::vector<Circuit>& added, const std::vector<Circuit>& removed);

    /**
     * Hold back new traffic on the edges (both directions), let what is under way arrive, and
     * tell. Transfers that use the edges pause and keep their place; they do not fail.
     *
     * @param edges fibers
     * @param timeout longest wait; zero waits without limit
     * @param drained told once, from an event of its own
     * @return token for Resume
     */
    Token Quiesce(const std::vector<EdgeId>& edges, Time timeout, const DrainedCallback& drained);

    /**
     * Quiesce() for single directions of fibers; the others carry on.
     *
     * @param channels directions @param timeout as above @param drained as above
     * @return token for Resume
     */
    Token QuiesceChannels(const std::vector<ChannelId>& channels,
                          Time timeout,
                          const DrainedCallback& drained);

    /**
     * End a Quiesce, drained or not (an undrained one is thereby aborted and its callback is not
     * called). Paused transfers choose their way anew and go on.
     *
     * @param token of Quiesce; must be pending
     */
    void Resume(Token token);

    /**
     * New transfers between servers that these circuits will join wait for the light, until
     * EndPromise(): those that have no circuit now, as long as a promised one can be lit (neither
     * fiber has failed), and whose routing policy uses circuits.
     *
     * @param circuits that will be lit soon
     * @return for EndPromise
     */
    Token Promise(const std::vector<Circuit>& circuits);

    /// Who still waits goes by what is lit now. @param promise of Promise; must be pending
    void EndPromise(Token promise);

    /// @param e edge @return true while a Quiesce holds it, one way at least
    bool IsQuiesced(EdgeId e) const;

  protected:
    void DoDispose() override;

    /// @param transport whose new transfers wait for promised light
    void SetAwaiting(Ptr<Transport> transport);
    /// @param token the quiesce @param channels channels not held before; the world calls
    /// Drained(token) from an event of its own when all channels of the token are empty
    virtual void DoQuiesce(Token token, const std::vector<ChannelId>& channels) = 0;
    /// @param token the quiesce @param channels channels that no other token holds any more
    virtual void DoResume(Token token, const std::vector<ChannelId>& channels) = 0;
    /// The world says that the channels are empty. @param token the quiesce
    void Drained(Token token);
    /// @param token a pending quiesce @return all channels it names, those of others as well
    const std::vector<ChannelId>& GetChannels(Token token) const;

  private:
    /// A pending quiesce.
    struct Pending
    {
        std::vector<ChannelId> channels; //!< all it names
        DrainedCallback drained;         //!< whom to tell; null once told
        EventId timeout;                 //!< limit
    };

    /// @param token the quiesce @param empty true when drained
    void Tell(Token token, bool empty);
    /// Tell the transport which pairs of servers are to wait.
    void UpdateAwaited();
    /// @param a server @param b server @return true when an open circuit joins them now
    bool AreJoined(ServerId a, ServerId b) const;

    Ptr<FabricGraph> m_graph;                         //!< the graph
    std::map<Token, Pending> m_pending;               //!< by token
    std::vector<uint32_t> m_holders;                  //!< by channel: tokens that hold it
    Token m_next{1};                                  //!< next token
    Ptr<Transport> m_awaiting;                        //!< whose new transfers wait; may be null
    std::map<Token, std::vector<Circuit>> m_promises; //!< circuits that will be lit
};

} // namespace ns3

#endif // MIXNET_FABRIC_CONTROL_H
