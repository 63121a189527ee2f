/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ECMP_TABLES_H
#define ECMP_TABLES_H

#include "nic-address-map.h"

#include "ns3/fabric-graph.h"
#include "ns3/forwarding-table.h"
#include "ns3/mixnet-ids.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Equal-cost ways through the packet fabric: for every switch the ports that begin a shortest way
 * (fewest links, all of them up) to every NIC. Pure; follows the graph when told of its changes.
 *
 * Size. NICs on one switch (a leaf) share their ways, so a switch holds one port group per leaf,
 * and runs of leaves with the same group are one entry: in a fat-tree as many entries as the switch
 * has ports, never the number of NICs squared. GetRoutes() expands them to address ranges.
 *
 * Cost. Compute() is one breadth-first search per leaf: O(leaves x links).
 *
 * Update() is differential. A changed link x-y matters to a leaf d only if x and y are not equally
 * far from d, which two searches tell. If the link is one of several equal-cost ways of its far end
 * or becomes one, only that end's group for d changes; else (the last way went, or a shorter one
 * came) d alone is searched again. Beyond MAX_DIFFERENTIAL links at once everything is computed
 * anew. Links between a server and its leaf never change tables: whether a NIC is up is looked up
 * in the graph.
 *
 * Law: after Update() the tables equal those that Compute() would make.
 */
class EcmpTables
{
  public:
    static constexpr uint32_t NONE = UINT32_MAX; //!< no switch, no leaf

    /// A port of a switch.
    struct Port
    {
        ChannelId egress;        //!< the channel that leaves there
        uint32_t neighbor{NONE}; //!< dense index of the switch at the far end; NONE: a server
        int64_t delay{0};        //!< of the channel, in ticks
    };

    /// A NIC's place in the packet fabric.
    struct Attachment
    {
        uint32_t leaf{NONE};    //!< leaf it is on; NONE: a fiber NIC, or joined to a server
        uint16_t port{0};       //!< port of the leaf
        EdgeId edge;            //!< its edge
        uint32_t peerNic{NONE}; //!< address of the NIC at the far end of a cable without a switch
    };

    /// @param graph a complete graph; must outlive this
    explicit EcmpTables(const FabricGraph& graph);

    /// @return the graph
    const FabricGraph& GetGraph() const
    {
        return m_graph;
    }

    /// @return the NICs' addresses
    const NicAddressMap& GetAddresses() const
    {
        return m_addresses;
    }

    /// Compute everything from what is up now.
    void Compute();

    /**
     * Follow a change of the graph.
     *
     * @param change what happened
     * @return switches whose routes changed, ascending; leaves with a changed NIC among them
     */
    std::vector<VertexId> Update(const GraphChange& change);

    /// @return number of switches
    uint32_t GetNSwitches() const
    {
        return static_cast<uint32_t>(m_vertex.size());
    }

    /// @return number of leaves: switches with NICs
    uint32_t GetNLeaves() const
    {
        return static_cast<uint32_t>(m_leafSwitch.size());
    }

    /// @param leaf a leaf @return dense index of its switch
    uint32_t GetLeafSwitch(uint32_t leaf) const
    {
        return m_leafSwitch[leaf];
    }

    /// @param v a switch @return its dense index
    uint32_t GetIndex(VertexId v) const
    {
        return m_index[v.Get()];
    }

    /// @param index dense index of a switch @return its vertex
    VertexId GetVertex(uint32_t index) const
    {
        return m_vertex[index];
    }

    /// @param index dense index of a switch @param port one of its ports @return the port
    const Port& GetPort(uint32_t index, uint16_t port) const
    {
        return m_ports[m_firstPort[index] + port];
    }

    /// @param address NIC address @return its place
    const Attachment& GetAttachment(uint32_t address) const
    {
        return m_attachments[address];
    }

    /// @param index dense index of a switch @param leaf a leaf @return equal-cost ports, ascending;
    /// empty at the leaf itself and when there is no way
    const PortGroup& GetNextHops(uint32_t index, uint32_t leaf) const;

    /// @param from NIC address @param to NIC address @return true when bytes can go from one to the
    /// other over the packet fabric now: both NICs up and a way between their leaves
    bool IsReachable(uint32_t from, uint32_t to) const;

    /**
     * @param v a switch
     * @param ranges out: address ranges, ascending. Addresses of fiber NICs, which nobody asks a
     * switch for, may lie within a range that does not end at a NIC
     * @param groups out: the port groups that they name
     */
    void GetRoutes(VertexId v,
                   std::vector<RouteRange>& ranges,
                   std::vector<PortGroup>& groups) const;

    /// @return number of runs of all switches: the size of the tables
    std::size_t GetNEntries() const;

  private:
    static constexpr std::size_t MAX_DIFFERENTIAL = 16; //!< links; above: compute anew
    static constexpr uint16_t FAR = UINT16_MAX;         //!< distance: no way

    /// Leaves up to end (not included) use a group.
    struct Run
    {
        uint32_t end{0};   //!< leaf behind the last one
        uint32_t group{0}; //!< index into Row::groups
    };

    /// The routes of one switch.
    struct Row
    {
        std::vector<Run> runs;         //!< ascending, covers all leaves
        std::vector<PortGroup> groups; //!< those that runs name
    };

    /// Groups that differ from those of a row, by leaf.
    using RowEdit = std::map<uint32_t, PortGroup>;
    /// By dense index of the switch.
    using TableEdit = std::map<uint32_t, RowEdit>;

    /// @param server a server @param nic its NIC: note where it is
    void Attach(ServerId server, uint32_t nic);
    /// @param from dense index of a switch @param distance out: links to every switch
    void Search(uint32_t from, std::vector<uint16_t>& distance) const;
    /// @param index a switch @param distance links of every switch to a leaf @param group out: its
    /// ports that lead nearer
    void CollectNearer(uint32_t index,
                       const std::vector<uint16_t>& distance,
                       PortGroup& group) const;
    /// @param row where @param end leaf behind the next ones in order @param group their ports
    static void Append(Row& row, uint32_t end, const PortGroup& group);
    /// @param row a row @param leaf a leaf @return its group
    static const PortGroup& Find(const Row& row, uint32_t leaf);
    /// @param edit changes so far @param index a switch @param leaf a leaf @return its group there
    const PortGroup& Find(const TableEdit& edit, uint32_t index, uint32_t leaf) const;
    /// @param row a row @param edit what changes @return the new row
    static Row Splice(const Row& row, const RowEdit& edit);
    /// Apply one changed link. @param link link between switches @param edit in and out: changes
    void ApplyLink(EdgeId link, TableEdit& edit);
    /// @param leaf a leaf to search anew @param edit in and out: changes
    void SearchAnew(uint32_t leaf, TableEdit& edit) const;
    /// @param link link between switches @param up its new state
    void SetLink(EdgeId link, bool up);
    /// Compute everything. @return switches whose rows changed
    std::vector<uint32_t> ComputeAndCompare();

    const FabricGraph& m_graph;        //!< what is connected
    NicAddressMap m_addresses;         //!< NICs
    std::vector<uint32_t> m_index;     //!< by vertex: dense index of the switch
    std::vector<VertexId> m_vertex;    //!< by switch
    std::vector<uint32_t> m_firstPort; //!< by switch: its ports in m_ports; one more at the end
    std::vector<Port> m_ports;         //!< of all switches
    std::vector<uint32_t> m_next; //!< by port of all switches: neighbor while the link is up, as
                                  //!< far as the tables know; else NONE
    std::vector<uint32_t> m_leafSwitch;    //!< by leaf: switch
    std::vector<uint32_t> m_leafOf;        //!< by switch: leaf
    std::vector<Attachment> m_attachments; //!< by NIC address
    std::vector<Row> m_rows;               //!< by switch
};

} // namespace ns3

#endif // ECMP_TABLES_H
