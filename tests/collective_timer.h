/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_TIMER_H
#define COLLECTIVE_TIMER_H

#include "collective_cases.h"

#include "ns3/collective-runner.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>

namespace ns3
{

/// Runs collectives one after another on a transport.
class CollectiveTimer : private CollectiveSink
{
  public:
    /// @param transport idle
    explicit CollectiveTimer(Ptr<Transport> transport)
        : m_runner(CreateObject<CollectiveRunner>())
    {
        m_runner->SetTransport(transport);
    }

    ~CollectiveTimer() override
    {
        m_runner->Dispose();
    }

    /// @param fill writes the graph @return how long it takes
    Time Run(const std::function<void(TransferGraph&)>& fill)
    {
        m_ended = false;
        const CollectiveRunner::Run run = m_runner->Open();
        fill(m_runner->GetGraph(run));
        m_runner->Start(run, *this, 0);
        Simulator::Run();
        EXPECT_TRUE(m_ended);
        return m_duration;
    }

    /// @param c builder @param spec the collective @return how long it takes
    Time Run(const CollectiveCase& c, const CollectiveSpec& spec)
    {
        return Run([&](TransferGraph& graph) { c.append(graph, spec, {}); });
    }

  private:
    void OnCollective(const CollectiveResult& result) override
    {
        EXPECT_EQ(result.lost, 0U);
        m_duration = result.finished - result.started;
        m_ended = true;
    }

    Ptr<CollectiveRunner> m_runner; //!< runner
    Time m_duration;                //!< of the last one
    bool m_ended{false};            //!< the last one has
};

} // namespace ns3

#endif // COLLECTIVE_TIMER_H
