/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/default-simulator-impl.h"
#include "ns3/global-value.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-link.h"
#include "ns3/mixnet-port.h"
#include "ns3/packet-fabric-context.h"
#include "ns3/sequential-simulator.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// Stands for a simulator that runs nodes in parallel.
class ParallelSimulatorImpl : public DefaultSimulatorImpl
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ParallelSimulatorImpl")
                                .SetParent<DefaultSimulatorImpl>()
                                .AddConstructor<ParallelSimulatorImpl>();
        return tid;
    }
};

NS_OBJECT_ENSURE_REGISTERED(ParallelSimulatorImpl);

} // namespace

TEST(SequentialSimulator, TheDefaultIsAccepted)
{
    EXPECT_NO_THROW(RequireSequentialSimulator());
    Simulator::Destroy();
}

/// MTP and MPI runs gave other results on every run in peers: here they are refused by name.
TEST(SequentialSimulator, ParallelSimulatorsAreRefusedByName)
{
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::ParallelSimulatorImpl"));
    const auto link = CreateObject<MixnetLink>();
    const auto a = CreateObject<MixnetPort>();
    const auto b = CreateObject<MixnetPort>();
    const auto fabric = CreateObject<PacketFabricContext>();
    a->SetFabric(fabric);
    b->SetFabric(fabric);
    try
    {
        link->Attach(PeekPointer(a), PeekPointer(b));
        FAIL() << "a parallel simulator was accepted";
    }
    catch (const InputError& error)
    {
        EXPECT_THAT(error.what(), testing::HasSubstr("ns3::ParallelSimulatorImpl"));
        EXPECT_THAT(error.what(), testing::HasSubstr("ns3::DefaultSimulatorImpl"));
    }
    Simulator::Destroy();
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
}
