/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_WAY_BOOK_H
#define FLOW_WAY_BOOK_H

#include "fluid-engine.h"

#include "ns3/fabric-graph.h"
#include "ns3/fabric-resources.h"
#include "ns3/ptr.h"
#include "ns3/router.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/// Way of transfers as the fluid world needs it.
struct FlowWay
{
    uint32_t route{UINT32_MAX};                     //!< of the solver, when reachable
    uint32_t holders{0};                            //!< transfers and templates that use it
    bool reachable{false};                          //!< there is one
    bool network{false};                            //!< leaves the server: wire bytes count
    Time propagation;                               //!< longest way
    uint32_t storeAndForward{0};                    //!< links that serialize again
    DataRate slowest;                               //!< slowest channel
    Time forward;                                   //!< all of these links, for a full first packet
    std::array<double, N_PATH_CLASSES> pathShare{}; //!< share of bytes on each path class
};

/**
 * @ingroup mixnet
 * Ways of transfers: asks the Router, registers routes with the solver, and remembers templates.
 *
 * With ideal balancing all transfers between the same GPUs with the same lanes, class and policy
 * go the same way while Router::GetVersion stands, so a transfer costs one look into a hash table.
 * With per-flow balancing each transfer has a way of its own.
 *
 * Shares are rounded to 44 significant bits, so that sums of thirds that were added in another
 * order are the same share; this moves a rate by less than 1e-13.
 */
class FlowWayBook
{
  public:
    static constexpr uint32_t NONE = UINT32_MAX; //!< no way

    /**
     * @param graph a complete graph; its resources are added to the engine
     * @param router whom to ask
     * @param engine where routes go; without resources yet
     * @param balance how parallel ways are shared
     * @param firstPacket wire bytes of a full first packet
     */
    FlowWayBook(Ptr<FabricGraph> graph,
                Ptr<Router> router,
                FluidEngine& engine,
                LoadBalance balance,
                ByteCount firstPacket);

    /// @param transfer transfer @param id its id @return its way now, held once more
    uint32_t Resolve(const Transfer& transfer, TransferId id);
    /// @param way way, held once less
    void Release(uint32_t way);

    /// @param way way @return it
    const FlowWay& Get(uint32_t way) const
    {
        return m_ways[way];
    }

    /// Rates of the graph have changed: ways resolved from now on have them. @param edges which
    void FollowRates(const std::vector<EdgeId>& edges);

    /// Choose the channels that Crosses asks for. @param channels these
    void Mark(const std::vector<ChannelId>& channels);
    /// @param way way @return true when it uses a marked channel
    bool Crosses(uint32_t way);

    /// @param resource of the engine @return its number: of a rate of its own, that of the channel
    uint32_t GetNumber(uint32_t resource) const
    {
        return resource < m_resources.GetN() ? resource : m_limited[resource - m_resources.GetN()];
    }

    /// @return the first resources of the engine, by number
    const FabricResources& GetResources() const
    {
        return m_resources;
    }

  private:
    /// What ways are remembered by.
    struct Template
    {
        GpuId source;                                   //!< source of lane 0
        GpuId destination;                              //!< destination of lane 0
        uint32_t lanes{0};                              //!< lanes; 0: the slot is free
        TrafficClass trafficClass{TrafficClass::OTHER}; //!< class
        const RoutingPolicy* policy{nullptr};           //!< policy
        uint64_t version{0};                            //!< of the router
        uint32_t way{NONE};                             //!< way, held
    };

    /// @param transfer transfer @return its template, with way NONE when new
    Template& FindTemplate(const Transfer& transfer);
    void Grow();        //!< double the table
    void MarkClasses(); //!< classes of m_marked
    /// @param transfer transfer @return slot to look at first, before masking
    static uint64_t HashOf(const Template& transfer);
    /// @param transfer transfer @param id its id @return new way, held once
    uint32_t MakeWay(const Transfer& transfer, TransferId id);

    Ptr<FabricGraph> m_graph;          //!< the graph
    FabricResources m_resources;       //!< the engine's resources
    Ptr<Router> m_router;              //!< whom to ask
    FluidEngine& m_engine;             //!< where routes go
    LoadBalance m_balance;             //!< how parallel ways are shared
    ByteCount m_firstPacket;           //!< wire bytes of a full first packet
    std::vector<Template> m_templates; //!< open hash table, a power of two long
    uint32_t m_nTemplates{0};          //!< in use
    std::vector<FlowWay> m_ways;       //!< by id
    std::vector<uint32_t> m_freeWays;  //!< ids to use again
    std::vector<uint32_t> m_limit;     //!< by channel: resource of its changed rate; or empty
    std::vector<uint32_t> m_limited;   //!< of resources behind the first ones: channel
    std::vector<ChannelId> m_marked;   //!< channels that Crosses asks for
    std::vector<uint32_t> m_mark;      //!< by class: marked when equal to m_pass
    uint32_t m_pass{0};                //!< counts markings
    FluidRoute m_route;                //!< scratch
    std::vector<ResourceUse> m_uses;   //!< scratch
};

} // namespace ns3

#endif // FLOW_WAY_BOOK_H
