/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAINING_RECORDS_H
#define TRAINING_RECORDS_H

#include "ns3/demand.h"
#include "ns3/load-meter.h"
#include "ns3/mixnet-byte-count.h"
#include "ns3/mixnet-matrix.h"
#include "ns3/nstime.h"
#include "ns3/traffic-class.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ns3
{

/// What an operation of an iteration does.
enum class OpKind : uint8_t
{
    ATTENTION,         //!< attention of a layer
    GATE,              //!< router of an MoE layer
    DISPATCH,          //!< all-to-all between tokens and experts
    EXPERT,            //!< experts of a layer, the slowest EP rank
    COMBINE,           //!< all-to-all between experts and tokens
    DENSE,             //!< MLP of a dense layer
    SHARED,            //!< shared experts of an MoE layer
    HEAD,              //!< logits of the last stage
    TENSOR_COLLECTIVE, //!< all-gather, reduce-scatter or all-reduce of TP
    STAGE_TRANSFER,    //!< activations or gradients between stages
    GRADIENT_SYNC,     //!< all-reduce or reduce-scatter of gradients of a stage over its replicas
    CONTEXT_EXCHANGE,  //!< keys and values, or their gradients, within a CP group
    OPTIMIZER,         //!< step of the optimizer of a stage
    PARAMETER_GATHER   //!< all-gather of the parameters of a stage, with a sharded optimizer
};

constexpr std::size_t N_OP_KINDS = 14; //!< number of kinds

/// What a pass over a micro-batch computes.
enum class PassKind : uint8_t
{
    FORWARD,        //!< activations
    BACKWARD,       //!< gradients of inputs and of weights
    INPUT_GRADIENT, //!< gradients of inputs only
    WEIGHT_GRADIENT //!< gradients of weights only
};

constexpr std::size_t N_PASS_KINDS = 4; //!< number of kinds

/// @param backward direction @return kind of a pass that is not split
constexpr PassKind
GetPassKind(bool backward)
{
    return backward ? PassKind::BACKWARD : PassKind::FORWARD;
}

/// @param k kind @return "attention", "gate", "dispatch", ...
const char* GetName(OpKind k);

/// @param k kind @return true for DISPATCH and COMBINE
inline bool
IsAllToAll(OpKind k)
{
    return k == OpKind::DISPATCH || k == OpKind::COMBINE;
}

/// @ingroup mixnet
/// An operation of an iteration.
struct OpRecord
{
    static constexpr uint32_t NONE = UINT32_MAX; //!< no layer, micro-batch or predecessor

    uint32_t id{0};                 //!< within its iteration, in order of end
    uint32_t predecessor{NONE};     //!< operation whose end let it start
    uint32_t iteration{0};          //!< training iteration
    uint32_t replica{0};            //!< DP replica
    uint32_t stage{0};              //!< PP stage; the sending one for STAGE_TRANSFER
    uint32_t layer{NONE};           //!< layer of the model, dense layers counted
    uint32_t microBatch{NONE};      //!< micro-batch
    OpKind kind{OpKind::ATTENTION}; //!< what it does
    bool backward{false};           //!< direction
    bool weightGradient{false};     //!< backward: of the weights only
    bool recomputed{false};         //!< forward work that comes again in a backward pass
    bool critical{false};           //!< on the critical path of its iteration
    Time start;                     //!< when it could start (its last rank was ready)
    Time end;                       //!< when its last rank was done
    Time waited;                    //!< of that, waiting for circuits
    Time slack;                     //!< how much later it could have ended without delaying the end
                                    //!< of the iteration, all other operations taking as long
    OperationLoad load;             //!< what bounded the rest of its time
};

/// @ingroup mixnet
/// An iteration. Times are means over its ranks (replica, stage, EP rank) unless said otherwise.
struct IterationRecord
{
    uint32_t iteration{0}; //!< training iteration
    Time start;            //!< of its first operation
    Time end;              //!< of its last
    Time compute;          //!< time in which a rank computes
    /**
     * Time in which a communication operation of a rank is in progress and it does not compute.
     * When several classes are, the time belongs to one, in this order: TP, CP, EP, DP, PP.
     */
    std::array<Time, N_TRAFFIC_CLASSES> exposed{};
    Time waitingForCircuits; //!< part of exposed EP
    Time communication;      //!< time with a communication operation in progress, hidden or not
    double hiddenShare{0};   //!< mean of 1 - exposed / communication; 0 without communication
    /// Payload bytes of all transfers and closed-form collectives, by class and path.
    std::array<std::array<ByteCount, N_PATH_CLASSES>, N_TRAFFIC_CLASSES> bytes{};
    uint64_t allToAlls{0};                       //!< number of all-to-alls
    uint64_t transfers{0};                       //!< number of transfers
    uint64_t tokenCopies{0};                     //!< routed by the gates, in forward passes
    uint64_t droppedCopies{0};                   //!< of these, over an expert's capacity
    uint64_t crossingCopies{0};                  //!< of those delivered, to another server
    uint64_t crossingTokens{0};                  //!< tokens sent to other servers for them
    uint32_t ops{0};                             //!< number of operations
    std::array<Time, N_OP_KINDS> criticalPath{}; //!< its length by kind of operation; adds up to
                                                 //!< the iteration

    /// @return its duration
    Time GetDuration() const
    {
        return end - start;
    }

    /// @return exposed communication of all classes
    Time GetExposed() const
    {
        Time sum;
        for (const Time& t : exposed)
        {
            sum += t;
        }
        return sum;
    }
};

/// @ingroup mixnet
/// An all-to-all that has ended. The matrix is valid during the trace only.
struct AllToAllRecord
{
    AllToAllId id;                           //!< which
    uint32_t replica{0};                     //!< DP replica
    uint32_t stage{0};                       //!< PP stage
    Time ready;                              //!< when its last rank was ready
    Time launched;                           //!< when its circuits were granted
    Time finished;                           //!< when its last byte arrived
    ByteCount bytes;                         //!< between ranks
    uint32_t transfers{0};                   //!< messages that carried them
    bool transposed{false};                  //!< the matrix is to be read (destination, source)
    const Matrix<uint64_t>* matrix{nullptr}; //!< bytes [source EP rank][destination EP rank], as
                                             //!< in the dispatch
};

} // namespace ns3

#endif // TRAINING_RECORDS_H
