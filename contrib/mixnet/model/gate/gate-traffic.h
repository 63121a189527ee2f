/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GATE_TRAFFIC_H
#define GATE_TRAFFIC_H

#include "distinct-tokens.h"
#include "gate-model.h"
#include "traffic-matrix.h"

#include "ns3/mixnet-matrix.h"
#include "ns3/parallel-layout.h"
#include "ns3/training-job.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/// Token copies of one gate.
struct GateCounts
{
    uint64_t copies{0};         //!< chosen by tokens
    uint64_t dropped{0};        //!< of these, over an expert's capacity
    uint64_t crossingCopies{0}; //!< of those delivered, to another server
    uint64_t crossingTokens{0}; //!< what is sent to other servers for them
};

/**
 * @ingroup mixnet
 * From a gate to the traffic of its all-to-alls: copies, or different tokens where a rank or a
 * server gets one copy (TrainingJob::deduplication). Its scratch is shared by all who ask.
 */
class GateTraffic
{
  public:
    /// @param job the job @param layout its layout @param gate its gate, configured; all must
    /// outlive this
    GateTraffic(const TrainingJob& job, const ParallelLayout& layout, const GateModel& gate);

    /**
     * @param query which gate
     * @param stage PP stage that has it
     * @param traffic out
     * @return what was counted
     */
    GateCounts Route(const GateQuery& query, uint32_t stage, TrafficMatrix& traffic);

  private:
    /// Fill m_serverOfRank. @param group an EP group
    void FindServers(const StageGroup& group);

    const TrainingJob& m_job;                 //!< job
    const ParallelLayout& m_layout;           //!< layout
    const GateModel& m_gate;                  //!< gate
    std::optional<DistinctTokens> m_distinct; //!< none when every copy is sent
    Matrix<uint32_t> m_tokens;                //!< scratch: delivered
    Matrix<uint32_t> m_chosen;                //!< scratch: before any were dropped
    Matrix<uint64_t> m_known;                 //!< scratch: different tokens, where they are known
    std::vector<ServerId> m_servers;          //!< scratch: of the group, in order
    std::vector<uint32_t> m_serverOfRank;     //!< scratch: by EP rank
};

} // namespace ns3

#endif // GATE_TRAFFIC_H
