/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANK_FAILURE_H
#define RANK_FAILURE_H

#include "failure-event.h"

#include "ns3/callback.h"
#include "ns3/mixnet-ids.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <vector>

namespace ns3
{

/**
 * What happens to GPUs, and so to the ranks on them. Told twice: when it happens (they stop, or
 * compute slower, and nobody knows), and when the job learns of it.
 */
struct RankFailure
{
    std::size_t record{0};              //!< in the FailureLog
    FailureKind kind{FailureKind::GPU}; //!< GPU or SERVER
    std::vector<GpuId> gpus;            //!< whose state is another one than before, ascending
    bool alive{true};                   //!< their state: false is dead
    double factor{1};                   //!< their times are longer by this; meaningless when dead
    Time at;                            //!< when it happened
    bool detected{false};               //!< second call: the job knows
};

/// Who acts on failures of ranks.
using RankFailureCallback = Callback<void, const RankFailure&>;

} // namespace ns3

#endif // RANK_FAILURE_H
