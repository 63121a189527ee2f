/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_TRANSPORT_H
#define MIXNET_TRANSPORT_H

#include "load-meter.h"
#include "routing-policy.h"
#include "traffic-class.h"

#include "ns3/fabric-graph.h"
#include "ns3/mixnet-byte-count.h"
#include "ns3/mixnet-ids.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * One message, or `lanes` equal parallel ones: lane l runs from GPU source + l to GPU
 * destination + l and carries bytes / lanes (the first bytes % lanes lanes one byte more). Lanes
 * stay within the source's and the destination's server.
 */
struct Transfer
{
    GpuId source;                                   //!< source of lane 0
    GpuId destination;                              //!< destination of lane 0
    ByteCount bytes;                                //!< payload of all lanes together
    uint32_t lanes{1};                              //!< number of lanes, at least 1
    TrafficClass trafficClass{TrafficClass::OTHER}; //!< what it belongs to
    const RoutingPolicy* policy{nullptr};           //!< null: the policy of its class; not owned
    uint64_t tag{0};                                //!< the caller's; comes back in the completion
    uint32_t account{0};                            //!< of the load meter; LoadMeter::NONE: none
};

/// How a transfer ended.
enum class TransferStatus : uint8_t
{
    DELIVERED, //!< the last byte has arrived
    ABORTED,   //!< by Abort
    FAILED     //!< no way, or retries exhausted
};

/// @ingroup mixnet
/// End of a transfer.
struct Completion
{
    TransferId id;                                       //!< the transfer
    uint64_t tag{0};                                     //!< the caller's tag
    TransferStatus status{TransferStatus::DELIVERED};    //!< how it ended
    TrafficClass trafficClass{TrafficClass::OTHER};      //!< as sent
    GpuId source;                                        //!< as sent
    GpuId destination;                                   //!< as sent
    ByteCount bytes;                                     //!< as sent
    std::array<ByteCount, N_PATH_CLASSES> bytesByPath{}; //!< payload carried by each path class;
                                                         //!< bytes that cross two count in both
    Time posted;                                         //!< when Send was called
    Time finished;                                       //!< when the last byte arrived
};

/// @ingroup mixnet
/// Who hears of completions.
class TransferSink
{
  public:
    virtual ~TransferSink() = default;
    /**
     * Never called inside Send, Abort or Reroute.
     *
     * @param completion the end of a transfer that this sink was given
     */
    virtual void OnCompletion(const Completion& completion) = 0;
};

/// @ingroup mixnet
/// Payload bytes by fate. Law: injected = delivered + unfinished + aborted + failed.
struct TransferTotals
{
    ByteCount injected;                                   //!< given to Send
    ByteCount delivered;                                  //!< of delivered transfers
    ByteCount unfinished;                                 //!< of transfers not yet ended
    ByteCount aborted;                                    //!< of aborted transfers
    ByteCount failed;                                     //!< of failed transfers
    uint64_t transfers{0};                                //!< number given to Send
    std::array<ByteCount, N_PATH_CLASSES> byPath{};       //!< delivered, by path class
    std::array<ByteCount, N_TRAFFIC_CLASSES> byTraffic{}; //!< delivered, by traffic class
};

/// @ingroup mixnet
/// Transfers in progress that left the way they had begun on: what failures and repairs did.
struct MoveTotals
{
    uint64_t moves{0}; //!< how often one did
    ByteCount bytes;   //!< payload that they had not delivered then
};

/// @ingroup mixnet
/// A transfer that has not ended, for reports.
struct UnfinishedTransfer
{
    TransferId id;     //!< the transfer
    Transfer transfer; //!< as sent
    Time posted;       //!< when
};

/**
 * @ingroup mixnet
 * The first of the two doors (design, section 4): moves bytes between GPUs. Implemented once by
 * the packet world and once by the fluid world; everything above is the same code for both.
 *
 * A completion fires at the delivery of the last byte, never inside Send. Zero bytes and
 * transfers from a GPU to itself complete in the next event.
 */
class Transport : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * Start transfers. The batch starts at one instant.
     *
     * @param batch first transfer
     * @param count number of transfers
     * @param sink hears each completion; must outlive the transfers
     * @return id of the first; the others follow consecutively
     */
    TransferId Send(const Transfer* batch, std::size_t count, TransferSink& sink);

    /// @param batch transfers @param sink hears each completion @return id of the first
    TransferId Send(const std::vector<Transfer>& batch, TransferSink& sink)
    {
        return Send(batch.data(), batch.size(), sink);
    }

    /// @param id a transfer; it completes as ABORTED in a later event; an ended one is a no-op
    void Abort(TransferId id);

    /// @param sink all its transfers are aborted, as by Abort() in order of id @return their number
    std::size_t AbortAll(const TransferSink& sink);

    /// @param id a transfer whose way is to be chosen anew with what is up now; an ended one is a
    /// no-op
    void Reroute(TransferId id);

    /**
     * For FabricControl: new transfers between these servers wait, if their routing policy uses
     * circuits at all, until a later call leaves their servers out. They then choose their way like
     * any other. Transfers that have begun are not concerned.
     *
     * @param graph where servers are
     * @param pairs sender and receiver, sorted
     */
    void SetAwaited(Ptr<FabricGraph> graph,
                    const std::vector<std::pair<ServerId, ServerId>>& pairs);

    /// @return transfers that wait as SetAwaited() says
    std::size_t GetNAwaiting() const;

    /// @return bytes by fate; the law is checked
    TransferTotals GetTotals() const;

    /// @return moves to another way so far
    const MoveTotals& GetMoves() const
    {
        return m_moves;
    }

    /// @return transfers, or parts of them, that have no way now or whose way is broken; 0 unless
    /// overridden
    virtual std::size_t GetNWayless() const;

    /// @return all transfers that have not ended, by id
    std::vector<UnfinishedTransfer> GetUnfinished() const;

    /// Add up what transfers with an account load, from the next one on; off until then, and in
    /// worlds that cannot.
    void EnableLoadMeter();
    /// @return the meter; null when off
    LoadMeter* GetLoadMeter() const;

    /// TracedCallback signature for completions.
    typedef void (*CompletionTracedCallback)(const Completion& completion);

  protected:
    void DoDispose() override;

    /// @param first id of the first transfer @param batch transfers @param count their number;
    /// none of them is empty or from a GPU to itself
    virtual void DoSend(TransferId first, const Transfer* batch, std::size_t count) = 0;
    /// @param id a transfer in progress; the world forgets it, without calling End
    virtual void DoAbort(TransferId id) = 0;
    /// @param id a transfer in progress
    virtual void DoReroute(TransferId id) = 0;
    /// @param transfer a transfer @return false when its routing policy never uses circuits; true
    /// unless overridden
    virtual bool UsesCircuits(const Transfer& transfer) const;
    /// @return a meter that this world fills; null unless overridden
    virtual std::unique_ptr<LoadMeter> DoMakeLoadMeter();

    /// A transfer goes on by another way. @param bytes payload that it had not delivered
    void NoteMove(ByteCount bytes);

    /**
     * The world ends a transfer; called from an event of its own, never inside DoSend.
     *
     * @param id the transfer
     * @param status how it ended
     * @param bytesByPath payload carried by each path class
     */
    void End(TransferId id,
             TransferStatus status,
             const std::array<ByteCount, N_PATH_CLASSES>& bytesByPath);

  private:
    /// A transfer in progress.
    struct Active
    {
        Transfer transfer;           //!< as sent
        TransferSink* sink{nullptr}; //!< whom to tell
        Time posted;                 //!< when
        bool aborting{false};        //!< Abort was called, its completion is on the way
        bool awaiting{false};        //!< not yet given to the world: waits for light
    };

    /// @param transfer a transfer @return true when it has to wait
    bool IsAwaited(const Transfer& transfer) const;
    /// Give transfers that wait to the world. @param ids which, ascending
    void Launch(const std::vector<TransferId>& ids);
    /// End what the world does not know (any more). @param id transfer @param status how
    void EndTrivial(TransferId id, TransferStatus status);

    std::unordered_map<uint64_t, Active> m_active;        //!< by id
    uint64_t m_next{0};                                   //!< next id
    Ptr<FabricGraph> m_awaitedGraph;                      //!< of m_awaited
    std::vector<std::pair<ServerId, ServerId>> m_awaited; //!< pairs whose new transfers wait
    std::vector<TransferId> m_awaiting;                   //!< transfers that wait, ascending
    std::unique_ptr<LoadMeter> m_meter;                   //!< null: off
    TransferTotals m_totals;                              //!< unfinished is kept in step
    MoveTotals m_moves;                                   //!< to another way
    TracedCallback<const Completion&> m_completionTrace;  //!< every end
};

} // namespace ns3

#endif // MIXNET_TRANSPORT_H
