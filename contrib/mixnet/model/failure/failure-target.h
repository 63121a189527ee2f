/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FAILURE_TARGET_H
#define FAILURE_TARGET_H

#include "failure-event.h"

#include "ns3/fabric-graph.h"
#include "ns3/mixnet-ids.h"

#include <string>
#include <vector>

namespace ns3
{

/// An element as a fabric has it.
struct FailureTarget
{
    FailureKind kind{FailureKind::NIC}; //!< kind
    std::string name;                   //!< the same for every way to write it
    bool absent{false};                 //!< the fabric has nothing of this kind
    std::vector<EdgeId> edges;          //!< its links, ascending
    std::vector<GpuId> gpus;            //!< its GPUs, ascending
    ServerId server;                    //!< of a NIC, GPU or server
    RegionId region;                    //!< of a controller
};

/**
 * Find an element in a fabric.
 *
 * - NIC: SERVER/NIC, e.g. 0/2; NICs are numbered by the ports of the server.
 * - Vertices (switch, ocs, ends of a link): the name with dashes for blanks (`leaf-3`, `server-12`,
 *   `ocs-0`), or the number among its kind. Of several links between two ends, `#N` behind the
 *   second end takes number N, from 0.
 * - OCS port: OCS/PORT. Controller: number of its region. GPU, server: number.
 *
 * @param graph a complete graph
 * @param element what the user named
 * @param where for the message
 * @return it; absent when the fabric has nothing of the kind (no OCS, no switch), so that one list
 * of failures serves several fabrics
 * @throws InputError when it is not in the fabric, naming what is
 */
FailureTarget FindFailureTarget(const FabricGraph& graph,
                                const FailureElement& element,
                                const std::string& where);

/// @param graph a complete graph @param kind kind @return all elements of the kind, in order: what
/// drawn failures choose from
std::vector<FailureElement> ListFailureElements(const FabricGraph& graph, FailureKind kind);

} // namespace ns3

#endif // FAILURE_TARGET_H
