/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_GRAPH_H
#define FABRIC_GRAPH_H

#include "ns3/callback.h"
#include "ns3/data-rate.h"
#include "ns3/mixnet-ids.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// What a vertex of the graph is.
enum class VertexKind : uint8_t
{
    SERVER, //!< GPUs, a scale-up domain and NICs (its ports)
    SWITCH, //!< electrical packet switch
    OCS     //!< optical circuit switch: ports, and a matching between them
};

/// What an edge of the graph is.
enum class EdgeKind : uint8_t
{
    PACKET, //!< electrical link of the EPS
    FIBER   //!< fiber between a NIC and an OCS port
};

/// Why an edge is down; an edge is up only when no cause holds.
enum class EdgeCause : uint8_t
{
    FAILURE,       //!< broken, until repaired
    OPTICAL,       //!< dark: its OCS is switching or a transceiver is activating
    ADMINISTRATIVE //!< taken out by an operator
};

/// Whose memory a NIC reads and writes.
enum class NicAccess : uint8_t
{
    GATHER, //!< its owner's: bytes of other GPUs ride the scale-up domain to the GPU beside the NIC
    PCIE    //!< every GPU's, over the host's links: servers without NVSwitch
};

/// What a server has.
struct ServerSpec
{
    uint32_t gpus{8};                 //!< GPUs in the scale-up domain
    DataRate scaleUpRate{"3600Gbps"}; //!< per GPU and direction (450 GB/s)
    uint32_t numaNodes{2};            //!< NUMA nodes
    DataRate numaLinkRate{0};         //!< between two NUMA nodes, per direction; 0: without limit
    Time numaLinkDelay{0};            //!< of a crossing between NUMA nodes
    NicAccess nicAccess{NicAccess::GATHER}; //!< whose memory NICs read and write
};

/// What an edge has.
struct EdgeSpec
{
    DataRate rate{"400Gbps"};        //!< per direction
    Time delay{MicroSeconds(1)};     //!< propagation, one way
    EdgeKind kind{EdgeKind::PACKET}; //!< electrical or fiber
};

/// Which ways light goes in a circuit.
enum class CircuitKind : uint8_t
{
    DUPLEX, //!< both ways: two ports are each other's
    SIMPLEX //!< one way: from the transmitter of one port to the receiver of another
};

/// @param kind kind @return "duplex" or "simplex"
const char* GetName(CircuitKind kind);

/// A circuit end to end: two OCS ports that are matched.
struct Circuit
{
    VertexId ocs;                          //!< the switch
    uint32_t portA;                        //!< duplex: lower port; simplex: light comes in here
    uint32_t portB;                        //!< duplex: higher port; simplex: light goes out here
    CircuitKind kind{CircuitKind::DUPLEX}; //!< which ways

    /// @return ways light goes: 2 or 1
    uint32_t GetNDirections() const
    {
        return kind == CircuitKind::DUPLEX ? 2 : 1;
    }

    /// @param i less than GetNDirections() @return port where light comes in, and goes out
    std::pair<uint32_t, uint32_t> GetDirection(uint32_t i) const
    {
        return i == 0 ? std::make_pair(portA, portB) : std::make_pair(portB, portA);
    }

    /// @param o other @return equality
    bool operator==(const Circuit& o) const
    {
        return ocs == o.ocs && portA == o.portA && portB == o.portB && kind == o.kind;
    }

    /// @param o other @return order by switch, then ports, then kind
    bool operator<(const Circuit& o) const;
};

/// What one atomic change of the graph did.
struct GraphChange
{
    std::vector<EdgeId> up;       //!< edges that became up
    std::vector<EdgeId> down;     //!< edges that became down
    std::vector<Circuit> added;   //!< circuits matched now (lit only when both fibers are up)
    std::vector<Circuit> removed; //!< circuits no longer matched
    std::vector<EdgeId> broken;   //!< edges that carry nothing from now on; nobody knows yet
    std::vector<EdgeId> mended;   //!< edges that could carry again
    std::vector<EdgeId> rated;    //!< edges that got another rate
};

/// Order in which subscribers hear of a change.
enum class GraphPhase : uint8_t
{
    ROUTING, //!< tables and route caches
    WORLD,   //!< the packet or the fluid world
    RECORD   //!< observers
};

/**
 * @ingroup mixnet
 * What is connected to what, with rates, delays and states: integers and parallel arrays.
 *
 * The graph is the single owner of edge state (design, section 4): one bit per cause, an edge is
 * up only when all are clear. An OCS is a vertex with fixed fiber edges and a matching table: a
 * partial permutation that says where the light of each port goes. A simplex circuit is one entry
 * of it, a duplex circuit two that are each other's; it exists when it is matched and both fibers
 * are up. Nobody writes state but FabricControl. A server's ports are its NICs, in the order in
 * which their edges were added; an OCS's ports likewise. The directions of edge e are the channels
 * 2e (a to b) and 2e + 1.
 *
 * Law: the light of an OCS port goes to at most one port, at most one port's light comes to it, and
 * never its own.
 */
class FabricGraph : public Object
{
  public:
    /// Subscriber to changes.
    using Listener = Callback<void, const GraphChange&>;

    /// @return the TypeId
    static TypeId GetTypeId();

    FabricGraph();

    /// @name Construction, before the run
    /// @{

    /// @param spec what it has @return the new server; servers are numbered from 0
    ServerId AddServer(const ServerSpec& spec);
    /// @param tier 1 at the servers, rising @param name for messages @return the new switch
    VertexId AddSwitch(uint32_t tier, const std::string& name);
    /// @param ports number of ports @param name for messages @return the new OCS
    VertexId AddOcs(uint32_t ports, const std::string& name);
    /**
     * @param a one end @param b the other end @param spec rate, delay, kind
     * @return the new edge; it takes the next port at both ends
     * @throws InputError when an OCS has no port left, a rate is zero, or the kind does not fit:
     * fibers join a server and an OCS, packet links everything else
     */
    EdgeId AddEdge(VertexId a, VertexId b, const EdgeSpec& spec);
    /**
     * @param server the server @param nic its NIC @param localGpu GPU that owns it (PCIe
     * neighbour) @param numaNode its NUMA node. Default: GPUs and NUMA nodes in equal blocks.
     */
    void SetNicOwner(ServerId server, uint32_t nic, uint32_t localGpu, uint32_t numaNode);
    /// @param servers members @param ocs their OCS units @return the new region
    RegionId AddRegion(const std::vector<ServerId>& servers, const std::vector<VertexId>& ocs);
    /// @}

    /// @name Structure
    /// @{
    uint32_t GetNVertices() const; //!< @return number of vertices
    uint32_t GetNServers() const;  //!< @return number of servers
    uint32_t GetNGpus() const;     //!< @return number of GPUs
    uint32_t GetNEdges() const;    //!< @return number of edges
    uint32_t GetNRegions() const;  //!< @return number of regions
    /// @param v vertex @return its kind
    VertexKind GetKind(VertexId v) const;
    /// @param v vertex @return its name, e.g. "server 3"
    const std::string& GetName(VertexId v) const;
    /// @param v switch @return its tier (0 for others)
    uint32_t GetTier(VertexId v) const;
    /// @param s server @return its vertex
    VertexId GetVertex(ServerId s) const;
    /// @param v vertex of a server @return the server
    ServerId GetServer(VertexId v) const;
    /// @param s server @return what it has
    const ServerSpec& GetServerSpec(ServerId s) const;
    /// @param g GPU @return its server
    ServerId GetServerOf(GpuId g) const;
    /// @param g GPU @return its index within its server
    uint32_t GetLocalIndex(GpuId g) const;
    /// @param s server @param local index within the server @return the GPU
    GpuId GetGpu(ServerId s, uint32_t local) const;
    /// @param v vertex @return number of ports in use (edges)
    uint32_t GetNPorts(VertexId v) const;
    /// @param ocs an OCS @return ports it was built with
    uint32_t GetOcsPortCount(VertexId ocs) const;
    /// @param v vertex @param port its port @return the edge there
    EdgeId GetEdge(VertexId v, uint32_t port) const;
    /// @param v vertex @param port its port @return the channel that leaves v there
    ChannelId GetEgress(VertexId v, uint32_t port) const;
    /// @param e edge @return end a
    VertexId GetEndA(EdgeId e) const;
    /// @param e edge @return end b
    VertexId GetEndB(EdgeId e) const;
    /// @param e edge @param v one end @return its port there
    uint32_t GetPortAt(EdgeId e, VertexId v) const;
    /// @param e edge @return rate, delay, kind
    const EdgeSpec& GetSpec(EdgeId e) const;
    /// @param c channel @return its edge
    static EdgeId GetEdgeOf(ChannelId c);
    /// @param c channel @return the opposite direction
    static ChannelId GetReverse(ChannelId c);
    /// @param c channel @return where it starts
    VertexId GetSource(ChannelId c) const;
    /// @param c channel @return where it ends
    VertexId GetTarget(ChannelId c) const;
    /// @param s server @param nic its NIC @return local index of the GPU that owns it
    uint32_t GetNicGpu(ServerId s, uint32_t nic) const;
    /// @param s server @param nic its NIC @return its NUMA node
    uint32_t GetNicNuma(ServerId s, uint32_t nic) const;
    /// @param s server @param kind kind of edge @return its NICs of that kind, ascending
    const std::vector<uint32_t>& GetNics(ServerId s, EdgeKind kind) const;
    /// @param r region @return its servers
    const std::vector<ServerId>& GetRegionServers(RegionId r) const;
    /// @param r region @return its OCS units
    const std::vector<VertexId>& GetRegionOcs(RegionId r) const;
    /// @param s server @return its region; invalid when it is in none
    RegionId GetRegion(ServerId s) const;
    /// @}

    /// @name State
    /// @{

    /// @param e edge @return true when no cause holds it down
    bool IsUp(EdgeId e) const;
    /// @param e edge @param cause cause @return true when that cause holds
    bool HasCause(EdgeId e, EdgeCause cause) const;
    /// @param e edge @return true while nothing passes it, whether or not somebody knows: routing
    /// goes by IsUp(), bytes by both
    bool IsBroken(EdgeId e) const;
    /// @param e edge @return rate that it was built with, whatever SetRate() said
    DataRate GetBuiltRate(EdgeId e) const;
    /// @param ocs an OCS @param port its port @return the port its light goes to, if any
    std::optional<uint32_t> GetPeer(VertexId ocs, uint32_t port) const;
    /// @param ocs an OCS @param port its port @return the port whose light comes to it, if any;
    /// that of GetPeer() when the circuit is duplex
    std::optional<uint32_t> GetFeeder(VertexId ocs, uint32_t port) const;
    /// @param ocs an OCS @param port its port @return true when it has light one way only, or to
    /// one port and from another
    bool IsOneWay(VertexId ocs, uint32_t port) const;
    /// @return true when some OCS port is IsOneWay()
    bool HasOneWay() const;
    /// @param c a circuit @return true when all its directions are matched
    bool IsMatched(const Circuit& c) const;
    /// @param c a circuit @return true when it is matched and both fibers are up
    bool IsLit(const Circuit& c) const;
    /// @param ocs an OCS @return all circuits, ascending: what is matched both ways is duplex
    std::vector<Circuit> GetCircuits(VertexId ocs) const;
    /// @param e edge @return true while FabricControl quiesces it, one way at least: up, but closed
    /// to new traffic
    bool IsHeld(EdgeId e) const;
    /// @param c channel @return true while FabricControl quiesces it
    bool IsHeld(ChannelId c) const;
    /// @param s server @param nic a fiber NIC @return server and NIC that its light reaches, when
    /// lit
    std::optional<std::pair<ServerId, uint32_t>> GetLitPeer(ServerId s, uint32_t nic) const;
    /// @param s server @return rises with every change that touches an edge or circuit of s
    uint64_t GetServerVersion(ServerId s) const;
    /// @return rises with every change of an electrical edge
    uint64_t GetPacketVersion() const;
    /// @return rises with every change of a fiber or circuit
    uint64_t GetOpticalVersion() const;
    /// @}

    /// @name Change; only FabricControl and graph generators call these
    /// @{

    /// @param edges edges @param cause cause @param up true clears the cause, false sets it;
    /// repeating a state is a no-op and notifies nobody
    void SetEdges(const std::vector<EdgeId>& edges, EdgeCause cause, bool up);
    /// What physics does, before anybody detects it. @param edges edges @param broken true: nothing
    /// passes any more; repeating a state is a no-op
    void SetBroken(const std::vector<EdgeId>& edges, bool broken);
    /// @param edges edges @param rate of each, per direction, from now on, above zero
    void SetRate(const std::vector<EdgeId>& edges, DataRate rate);
    /**
     * One direction of a duplex circuit can be removed as a simplex one.
     *
     * @param added circuits to match @param removed circuits to unmatch, done first
     * @throws InputError when a port is out of range, unfibered or already matched
     */
    void ChangeMatching(const std::vector<Circuit>& added, const std::vector<Circuit>& removed);
    /**
     * Routing sees held edges as closed; versions rise, nobody is notified.
     *
     * @param edges edges @param held true when a quiesce begins to hold them, false when none does
     * any more
     */
    void SetHeld(const std::vector<EdgeId>& edges, bool held);
    /// The same for single directions. @param channels channels @param held as above
    void SetHeld(const std::vector<ChannelId>& channels, bool held);
    /// @param phase when to hear of changes @param listener whom to tell
    void Subscribe(GraphPhase phase, const Listener& listener);
    /// Not from inside a notification. @param phase as subscribed @param listener as subscribed
    void Unsubscribe(GraphPhase phase, const Listener& listener);
    /// @}

  protected:
    void DoDispose() override;

  private:
    /// One end of an edge.
    struct End
    {
        VertexId vertex;  //!< vertex
        uint32_t port{0}; //!< port there
    };

    /// @param kind kind @param name name @return the new vertex
    VertexId AddVertex(VertexKind kind, const std::string& name);
    /// @param change what happened
    void Notify(const GraphChange& change);
    /// @param e edge whose state or circuit changed
    void Touch(EdgeId e);
    /// @param c pair @return problem with its ports, empty when fine
    std::string CheckPair(const Circuit& c) const;
    /// @param ocs an OCS @param from port @param to where its light goes now @param on false: went
    void Match(VertexId ocs, uint32_t from, uint32_t to, bool on);
    /// @param end one end of a fiber, at an OCS @param peer a port there or NO_PEER: its server's
    /// version rises
    void TouchPeer(const End& end, uint32_t peer);
    /// Refuse an illegal change before anything is written. @param added pairs @param removed pairs
    void CheckMatching(const std::vector<Circuit>& added,
                       const std::vector<Circuit>& removed) const;

    static constexpr uint32_t NO_PEER = UINT32_MAX; //!< port without a match

    std::vector<VertexKind> m_kind;                           //!< by vertex
    std::vector<std::string> m_name;                          //!< by vertex
    std::vector<uint32_t> m_ordinal;                          //!< by vertex: server id or tier
    std::vector<std::vector<EdgeId>> m_ports;                 //!< by vertex: edge per port
    std::vector<std::vector<uint32_t>> m_match;               //!< by vertex: where light goes
    std::vector<std::vector<uint32_t>> m_feeder;              //!< by vertex: whose light comes
    uint32_t m_oneWay{0};                                     //!< ports whose both differ
    std::vector<std::array<End, 2>> m_ends;                   //!< by edge
    std::vector<EdgeSpec> m_spec;                             //!< by edge
    std::vector<uint8_t> m_down;                              //!< by edge: causes
    std::vector<bool> m_held;                                 //!< by channel: quiesced
    std::map<EdgeId, DataRate> m_builtRate;                   //!< of edges that got another one
    std::vector<bool> m_broken;                               //!< by edge: carries nothing
    std::vector<VertexId> m_serverVertex;                     //!< by server
    std::vector<ServerSpec> m_serverSpec;                     //!< by server
    std::vector<GpuId> m_firstGpu;                            //!< by server
    std::vector<RegionId> m_serverRegion;                     //!< by server
    std::vector<uint64_t> m_serverVersion;                    //!< by server
    std::vector<ServerId> m_gpuServer;                        //!< by GPU
    std::vector<std::array<std::vector<uint32_t>, 2>> m_nics; //!< by server and edge kind
    std::vector<std::vector<std::pair<uint32_t, uint32_t>>> m_owner; //!< by server, NIC: GPU, NUMA
    std::vector<std::vector<ServerId>> m_regionServers;              //!< by region
    std::vector<std::vector<VertexId>> m_regionOcs;                  //!< by region
    std::array<std::vector<Listener>, 3> m_listeners;                //!< by phase
    uint64_t m_packetVersion{1};                                     //!< electrical changes
    uint64_t m_opticalVersion{1};                                    //!< optical changes
};

} // namespace ns3

#endif // FABRIC_GRAPH_H
