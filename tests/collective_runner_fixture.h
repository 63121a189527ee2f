/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_RUNNER_FIXTURE_H
#define COLLECTIVE_RUNNER_FIXTURE_H

#include "moe_fixture.h"

#include "ns3/collective-runner.h"

#include <gtest/gtest.h>
#include <vector>

namespace ns3
{

/// Keeps results.
class Keeper : public CollectiveSink
{
  public:
    std::vector<CollectiveResult> results; //!< in order of end

    void OnCollective(const CollectiveResult& result) override
    {
        results.push_back(result);
    }
};

/// A runner on a LineTransport of 1 GB/s per lane.
class CollectiveRunnerFixture : public testing::Test
{
  protected:
    CollectiveRunnerFixture()
    {
        EnsurePicosecondClock();
        transport = CreateObject<LineTransport>();
        transport->bitsPerSecond = 8000000000ULL;
        runner = CreateObject<CollectiveRunner>();
        runner->SetTransport(transport);
    }

    ~CollectiveRunnerFixture() override
    {
        runner->Dispose();
        transport->Dispose();
        Simulator::Destroy();
    }

    Ptr<LineTransport> transport; //!< transport
    Ptr<CollectiveRunner> runner; //!< runner
    Keeper keeper;                //!< results
};

} // namespace ns3

#endif // COLLECTIVE_RUNNER_FIXTURE_H
