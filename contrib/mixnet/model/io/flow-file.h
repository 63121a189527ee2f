/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_FLOW_FILE_H
#define MIXNET_FLOW_FILE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * An imported flow list, /flows (doc/schemas.rst): columns by row.
 */
struct FlowFile
{
    static constexpr uint32_t NONE = UINT32_MAX; //!< no trigger

    /// What a trigger does.
    enum TriggerKind : uint8_t
    {
        ONESHOT,   //!< the first activation starts all its flows
        MULTISHOT, //!< each activation starts the next one
        BARRIER    //!< activation number `count` starts all
    };

    /// Links that are down from the begin.
    struct Failure
    {
        uint32_t tier;   //!< of the switch, 1 at the hosts
        uint64_t number; //!< of the switch within its tier
        uint64_t uplink; //!< of its links upwards
    };

    std::string path;                  //!< file
    uint64_t hosts{0};                 //!< as the source declares
    std::vector<uint64_t> id;          //!< the source's number
    std::vector<uint32_t> source;      //!< host
    std::vector<uint32_t> destination; //!< host
    std::vector<uint64_t> bytes;       //!< payload
    std::vector<uint64_t> start;       //!< ps
    std::vector<uint32_t> trigger;     //!< that starts it
    std::vector<uint32_t> sendDone;    //!< activated when the sender knows
    std::vector<uint32_t> recvDone;    //!< activated at delivery
    std::vector<uint64_t> triggerId;   //!< by trigger: the source's number
    std::vector<uint8_t> triggerKind;  //!< by trigger: TriggerKind
    std::vector<uint64_t> count;       //!< by trigger, for a barrier
    std::vector<Failure> failures;     //!< links that are down
    bool priorities{false};            //!< some flow has a priority
    bool ports{false};                 //!< some flow has a destination port

    /// @return number of flows
    std::size_t GetN() const
    {
        return id.size();
    }
};

/**
 * @ingroup mixnet
 * Triggers of a flow list and what they have still to start.
 */
class TriggerBook
{
  public:
    /// @param flows flow list; must outlive this
    explicit TriggerBook(const FlowFile& flows);

    /// @param trigger activated once @param started out: appended flows that start by it
    void Activate(uint32_t trigger, std::vector<uint32_t>& started);

  private:
    const FlowFile& m_flows;             //!< flow list
    std::vector<uint32_t> m_first;       //!< by trigger: its flows in m_row
    std::vector<uint32_t> m_row;         //!< flows by trigger, in the order of rows
    std::vector<uint64_t> m_activations; //!< by trigger: so far
};

/**
 * @ingroup mixnet
 * @param path file of ./mixnet import
 * @return its flows; all laws of the schema hold
 * @throws InputError naming file, table and row
 */
FlowFile ReadFlowFile(const std::string& path);

} // namespace ns3

#endif // MIXNET_FLOW_FILE_H
