/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_TOPOLOGY_FILE_H
#define MIXNET_TOPOLOGY_FILE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * An imported topology, /topology (doc/schemas.rst): columns by node, link and server.
 */
struct TopologyFile
{
    static constexpr uint32_t NONE = UINT32_MAX; //!< no server, no host

    /// What a node is.
    enum NodeKind : uint8_t
    {
        HOST,     //!< a server of one GPU
        GPU,      //!< one of the GPUs of a server
        NVSWITCH, //!< inside a scale-up domain
        SWITCH    //!< packet switch
    };

    std::string path;                  //!< file
    std::vector<uint64_t> id;          //!< by node: the source's number
    std::vector<uint8_t> kind;         //!< by node: NodeKind
    std::vector<uint32_t> nodeServer;  //!< by node: its server
    std::vector<uint32_t> host;        //!< by node: number among hosts and GPUs
    std::vector<uint32_t> tier;        //!< by node: of a packet switch
    std::vector<uint64_t> nodeDelay;   //!< by node: ps, of a frame inside of a switch
    std::vector<uint32_t> a;           //!< by link: node
    std::vector<uint32_t> b;           //!< by link: node
    std::vector<uint64_t> rate;        //!< by link: bit/s
    std::vector<uint64_t> delay;       //!< by link: ps
    std::vector<double> errorRate;     //!< by link: share of packets lost
    std::vector<uint8_t> scaleUp;      //!< by link: 1 inside a scale-up domain
    std::vector<uint32_t> gpus;        //!< by server: hosts or GPUs
    std::vector<uint32_t> firstHost;   //!< by server: its first host
    std::vector<uint64_t> scaleUpRate; //!< by server: bit/s per GPU; 0: none
    bool queues{false};                //!< some tier of switches has a queue size

    /// @param node node @return true when it can send: a host or GPU
    bool IsHost(std::size_t node) const
    {
        return kind[node] <= GPU;
    }
};

/**
 * @ingroup mixnet
 * @param path file of ./mixnet import
 * @return its topology; all laws of the schema hold
 * @throws InputError naming file, table and row
 */
TopologyFile ReadTopologyFile(const std::string& path);

} // namespace ns3

#endif // MIXNET_TOPOLOGY_FILE_H
