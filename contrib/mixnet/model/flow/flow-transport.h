/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_TRANSPORT_H
#define FLOW_TRANSPORT_H

#include "flow-way-book.h"
#include "flow-wire.h"
#include "fluid-engine.h"

#include "ns3/fabric-graph.h"
#include "ns3/ptr.h"
#include "ns3/router.h"
#include "ns3/standing-timer.h"
#include "ns3/transport.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Transport of the fluid world: transfers share channels at max-min fair rates (FlowSolver).
 *
 * A transfer is one flow of weight `lanes` that loads each channel with its share of wire bytes
 * (FlowWire) and each scale-up port with its share of payload; within a server there are no wire
 * bytes. It is delivered when its last wire byte has drained, plus the propagation of its longest
 * way, plus one serialization of its first packet, at the slowest channel's rate, for every link
 * behind the first. Idle paths of equal links thereby have the closed form of store-and-forward
 * packets, to the tick.
 *
 * CODE FLOW of a transfer: Send -> DoSend -> FlowWayBook::Resolve (template) -> Launch ->
 * FluidEngine::Start -> ... last wire byte ... -> OnDrained (bytes by path, channels) -> delivery
 * heap -> OnTimer -> Transport::End -> sink.
 *
 * Changes of the graph (phase WORLD): transfers in progress that use an edge that went down, or a
 * circuit that was unmatched, choose their way anew with what is left of them. Edges that come up
 * are used by new transfers and by those that have been without a way. A transfer without a way
 * waits and is listed as unfinished at the end, unless FailUnreachable is set. So does one whose
 * way crosses an edge that is broken while routing does not know it yet, until either changes;
 * bytes under way arrive.
 *
 * Quiesced channels (FlowFabricControl): transfers that use one, in progress or new, are held and
 * choose their way anew when it is released. Bytes under way arrive.
 *
 * Laws: payload by path counts what drained on each way, whole bytes, and a transfer's network
 * classes add up to its payload where their shares add up to one. Wire bytes of a channel are the
 * sum of shares of transfers that drained, and of parts drained before a change of way.
 */
class FlowTransport : public Transport, private FluidEngine::Client, private StandingTimer::Owner
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    FlowTransport();
    ~FlowTransport() override;

    /// @param graph a complete graph; once, before the first Send
    void SetGraph(Ptr<FabricGraph> graph);
    /// @param router whom to ask for ways; before the first Send
    void SetRouter(Ptr<Router> router);

    /// @return how parallel ways are shared
    LoadBalance GetLoadBalance() const;

    /// @param channel a channel @return wire bytes it has carried
    ByteCount GetWireBytes(ChannelId channel);
    /// @param gpu a GPU @param egress out of or into it @return payload its scale-up port carried
    ByteCount GetScaleUpBytes(GpuId gpu, bool egress);
    /// @param link of ServerPaths::GetNumaLinks() @return payload it carried
    ByteCount GetNumaBytes(uint32_t link);
    /// @return what the solver has done
    FlowSolverStats GetSolverStats() const;

    /**
     * For FlowFabricControl: start no transfer on edges, and hold those in progress there.
     *
     * @param channels channels not held before
     * @return time until the last byte under way on them has arrived
     */
    Time Hold(const std::vector<ChannelId>& channels);
    /// For FlowFabricControl: end Hold. @param channels channels that are held
    void Release(const std::vector<ChannelId>& channels);

    std::size_t GetNWayless() const override;

  protected:
    void DoDispose() override;
    void DoSend(TransferId first, const Transfer* batch, std::size_t count) override;
    void DoAbort(TransferId id) override;
    void DoReroute(TransferId id) override;
    bool UsesCircuits(const Transfer& transfer) const override;
    std::unique_ptr<LoadMeter> DoMakeLoadMeter() override;

  private:
    static constexpr uint32_t NONE = UINT32_MAX; //!< no item, no way

    /// What happens to a transfer.
    enum class State : uint8_t
    {
        FREE,       //!< no transfer
        LAUNCHING,  //!< about to get a way
        FLOWING,    //!< bytes drain
        DELIVERING, //!< all drained, the last byte is under way
        WAITING,    //!< there is no way, or it is broken
        HELD,       //!< its way is quiesced
        FAILING     //!< there is no way, and it will not wait
    };

    /// A transfer in progress.
    struct Item
    {
        State state{State::FREE};                       //!< what happens to it
        uint32_t way{NONE};                             //!< its way, held
        FlowHandle flow{0};                             //!< when FLOWING
        TransferId id;                                  //!< transfer
        Transfer transfer;                              //!< as sent
        uint64_t payloadLeft{0};                        //!< payload not yet drained
        uint64_t wireLeft{0};                           //!< wire bytes not yet drained
        double bitsLeft{0};                             //!< wire bits not yet drained, exactly
        std::array<ByteCount, N_PATH_CLASSES> byPath{}; //!< payload drained on each path class
    };

    /// An end that will be told.
    struct Delivery
    {
        int64_t tick{0};  //!< when
        TransferId id;    //!< transfer
        uint32_t item{0}; //!< where, if it is still that transfer

        /// @param o other @return true when this is later: heap order
        bool operator<(const Delivery& o) const
        {
            return tick != o.tick ? tick > o.tick : o.id < id;
        }
    };

    // FluidEngine::Client, StandingTimer::Owner
    void OnDrained(const FlowEnd* ends, std::size_t count) override;
    void OnTimer(uint32_t index) override;

    /// @param change what happened to the graph
    void OnChange(const GraphChange& change);
    /// @param text "ideal" or "per-flow"
    void SetLoadBalance(std::string text);
    /// @return "ideal" or "per-flow"
    std::string GetLoadBalanceName() const;
    void Detach();      //!< stop listening to the graph
    void EnsureBuilt(); //!< make engine and book, once

    /// @param transfer transfer @param id its id @return new item, LAUNCHING
    uint32_t NewItem(const Transfer& transfer, TransferId id);
    /// @param item is over
    void FreeItem(uint32_t item);
    /// @param id transfer @return its item
    uint32_t FindItem(TransferId id) const;
    /// Give items a way: flow, be held, wait or fail. @param items LAUNCHING, by id
    void Launch(const std::vector<uint32_t>& items);
    void LaunchSent(); //!< give m_launching a way, in one change of the rates
    /// Account for what has drained. @param items FLOWING, become LAUNCHING but keep their way
    void Interrupt(const std::vector<uint32_t>& items);
    /// @param item LAUNCHING @param state what happens to it instead @param list where it waits
    void Park(uint32_t item, State state, std::vector<uint32_t>& list);
    /// @param item a transfer @param payload bytes @param wire bytes that drained on its way
    void Account(Item& item, uint64_t payload, uint64_t wire);
    /// @param change of the graph @return channels whose transfers have to choose anew; the list of
    /// broken ones follows
    std::vector<ChannelId> FindDisturbed(const GraphChange& change);
    void UpdateShut(); //!< m_shut follows the lists that it unites
    /// @param item a transfer with an account @param payload bytes @param wire bytes that drained
    void Meter(const Item& item, uint64_t payload, uint64_t wire);
    /// @param channels channels @param state state @return items in that state that cross them, by
    /// id
    std::vector<uint32_t> FindCrossing(const std::vector<ChannelId>& channels, State state);
    /// @param item a transfer @return time from its last drained byte to delivery
    Time GetLatency(const Item& item) const;
    /// @param item a transfer @param delay tell its end then
    void Deliver(uint32_t item, Time delay);
    /// @return by resource: bytes carried, those of transfers in progress included
    const std::vector<double>& GetCarried();

    Ptr<FabricGraph> m_graph;                  //!< the graph
    Ptr<Router> m_router;                      //!< whom to ask
    LoadBalance m_balance{LoadBalance::IDEAL}; //!< attribute
    uint64_t m_payload;                        //!< attribute: payload of a packet
    uint64_t m_recallBytes;                    //!< attribute: memory of recall
    bool m_failUnreachable;                    //!< attribute

    std::unique_ptr<FluidEngine> m_engine;  //!< rates
    std::unique_ptr<FlowWayBook> m_book;    //!< ways
    std::unique_ptr<StandingTimer> m_timer; //!< deliveries
    FlowWire m_wire{4096};                  //!< wire bytes
    std::vector<Item> m_items;              //!< transfers in progress
    std::vector<uint32_t> m_freeItems;      //!< free items
    std::vector<Delivery> m_deliveries;     //!< heap
    std::vector<uint32_t> m_waiting;        //!< items WAITING
    std::vector<uint32_t> m_held;           //!< items HELD
    std::vector<uint32_t> m_closed;         //!< scratch: items that cannot start
    std::vector<ChannelId> m_heldChannels;  //!< quiesced
    std::vector<ChannelId> m_deadChannels;  //!< broken, and routing does not know
    std::vector<ChannelId> m_shut;          //!< both
    std::vector<uint32_t> m_launching;      //!< sent, LAUNCHING, by id
    bool m_telling{false};                  //!< what is sent starts when all ends are told
    std::vector<uint32_t> m_started;        //!< scratch
    std::vector<FlowSpec> m_specs;          //!< scratch
    std::vector<FlowHandle> m_handles;      //!< scratch
    std::vector<double> m_carried;          //!< by resource, of m_carriedAt
    uint64_t m_changes{0};                  //!< counts what changes m_carried
    uint64_t m_carriedAt{UINT64_MAX};       //!< value of m_changes
    Time m_carriedTime;                     //!< time of m_carried
};

} // namespace ns3

#endif // FLOW_TRANSPORT_H
