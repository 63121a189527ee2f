/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_ALL_TO_ALL_H
#define MIXNET_ALL_TO_ALL_H

#include "transfer-graph.h"

#include "ns3/fabric-graph.h"
#include "ns3/mixnet-ids.h"
#include "ns3/mixnet-matrix.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/router.h"
#include "ns3/traffic-class.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// What an all-to-all has to move. A member is a block of `lanes` consecutive GPUs of one server,
/// named by its first; lane l of a pair joins GPU l of both blocks.
struct AllToAllDemand
{
    const std::vector<GpuId>& members; //!< in order of rows and columns
    uint32_t lanes;                    //!< GPUs of a member
    TrafficClass trafficClass;         //!< what the bytes belong to
    const Matrix<uint64_t>& bytes;     //!< from row to column, all lanes; the diagonal stays
    bool transposed;                   //!< send bytes(column, row) instead: the way back
    /// Where a server gets less than its members together: bytes from row to server (in order of
    /// their first members), what stays in a server left out of account; null: the sum.
    const Matrix<uint64_t>* perServer{nullptr};
};

/**
 * @ingroup mixnet
 * Strategy: an all-to-all as messages with an order.
 *
 * Law: what reaches a GPU from another one in the end is what the demand says, byte by byte; what
 * passes GPUs in the middle leaves them again.
 */
class AllToAllAlgorithm : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * Once, before the first Append.
     *
     * @param graph who is where, and which circuits are open
     * @param router which ways there are
     */
    virtual void SetFabric(Ptr<FabricGraph> graph, Ptr<Router> router);

    /**
     * The all-to-all starts now: what is decided by what is open is decided by what is open now.
     *
     * @param transfers appended to; Seal() is left to the caller. Policies that transfers name are
     * this object's: it must outlive them
     * @param demand what to move
     */
    virtual void Append(TransferGraph& transfers, const AllToAllDemand& demand) = 0;

  protected:
    void DoDispose() override;

    Ptr<FabricGraph> m_graph; //!< who is where
    Ptr<Router> m_router;     //!< which ways there are
};

/**
 * @ingroup mixnet
 * One transfer per pair of members, from source to destination. Bytes that leave by a NIC of
 * another GPU pass the scale-up domain on their way, without a stop.
 */
class DirectAllToAll : public AllToAllAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    void Append(TransferGraph& transfers, const AllToAllDemand& demand) override;
};

} // namespace ns3

#endif // MIXNET_ALL_TO_ALL_H
