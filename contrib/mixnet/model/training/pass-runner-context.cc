/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of PassRunner that exchanges keys and values within CP groups.

#include "pass-runner.h"

#include "ns3/context-exchange.h"
#include "ns3/simulator.h"

namespace ns3
{

void
PassRunner::StartContextExchange(const StageStep& step)
{
    StageContext& context = m_scope.context;
    m_stepStart = Simulator::Now();
    m_state = State::EXCHANGING;
    m_scope.meter.BeginCommunication(m_stepStart, TrafficClass::CP);
    const CollectiveRunner::Run run = context.runner->Open();
    AppendContextExchange(context.runner->GetGraph(run),
                          *context.job,
                          m_scope.group,
                          step.scatters ? ContextPhase::SCATTER : ContextPhase::GATHER,
                          context.steppedUpTo);
    context.runner->Start(run, *this, m_generation);
}

void
PassRunner::EndContextExchange(const CollectiveResult& result)
{
    IterationLedger& ledger = m_scope.context.ledger;
    const Time now = Simulator::Now();
    ledger.AddTransfers(result.transfers);
    ledger.AddBytes(TrafficClass::CP, result.bytesByPath);
    m_scope.meter.EndCommunication(now, TrafficClass::CP);
    OpRecord op = MakeOp(OpKind::CONTEXT_EXCHANGE, m_stepStart, now);
    op.load = result.load;
    Record(op);
    if (result.lost > 0)
    {
        m_scope.host.OnLoss("exchange of keys and values of replica " +
                            std::to_string(m_scope.replica) + ", stage " +
                            std::to_string(m_scope.stage) + ": " + Describe());
        return;
    }
    EndStep();
}

} // namespace ns3
