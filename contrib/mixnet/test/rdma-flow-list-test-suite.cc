/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-application-test-case.h"

#include "ns3/flow-list.h"
#include "ns3/ns3-compat.h"
#include "ns3/uinteger.h"

using namespace ns3;

namespace
{

/// Connects when it is told to.
class OpenOnly : public RdmaApplication
{
  public:
    using RdmaApplication::OpenRemote;

  private:
    void DoStart() override
    {
    }
};

/// A list of flows: each starts on time, on its own; queue pairs are freed.
void
CheckFlows(RdmaApplicationTest& test)
{
    RdmaApplicationBench bench(4);
    const FlowList list = FlowList::ParseCsv("# three flows\n"
                                             "size (KiB), start (us), destination, source\r\n"
                                             "\n"
                                             "64, 20.5, 1, 0\n"
                                             "4, 0, 3, 2\n"
                                             "64, 20.5, 3, 0\n",
                                             "x.csv");
    ApplicationContainer apps = RdmaApplicationHelper::InstallFlows(list, bench.servers);
    test.Equal(apps.GetN(), 2, "two servers send");
    apps.Start(MicroSeconds(1));
    bench.Listen(apps);
    Simulator::Run();
    test.Equal(bench.ended.size(), 3, "flows");
    test.Equal(bench.delivered.at(0).tag, 1, "index in the list");
    test.Equal((bench.delivered.at(0).delivered - MicroSeconds(1)).GetTimeStep(),
               IdleTime(4096),
               "FCT");
    for (const std::size_t i : {1, 2})
    {
        test.Equal(bench.ended.at(i).posted, NanoSeconds(21500), "start");
        // two flows of one server share its line: both end late, neither before half of the time
        test.Equal(
            (bench.ended[i].delivered - bench.ended[i].posted >
             TimeStep(static_cast<uint64_t>(2 * (65536 + 16 * ROCE_BASE_BYTES) * PS_PER_BYTE -
                                            2 * 4200 * PS_PER_BYTE))),
            true,
            "shared");
    }
    for (uint32_t s = 0; s < 4; ++s)
    {
        test.Equal(bench.Nic(s).GetNQps(), 0, "queue pairs left");
    }
}

/// What is wrong is named with file and line.
void
CheckErrors(RdmaApplicationTest& test)
{
    const std::string header = "start (us),source,destination,size (B)\n";
    const auto parse = [](const std::string& text) {
        return [text] { FlowList::ParseCsv(text, "f.csv"); };
    };
    test.Refused(parse(""), "f.csv: there is no header");
    test.Refused(parse("start,source,size\n"), "f.csv:1: there is no column 'destination'");
    test.Refused(parse("start,source,destination,size,colour\n"), "f.csv:1: 'colour' is no column");
    test.Refused(parse("start,start,source,destination,size\n"), "f.csv:1: 'start' comes twice");
    test.Refused(parse(header + "0,0,1\n"), "f.csv:2: 3 values");
    test.Refused(parse(header + "1,5,0,1,64\n"), "f.csv:2: 5 values");
    test.Refused(parse(header + "\n-1,0,1,64\n"), "f.csv:3: start");
    test.Refused(parse(header + "0,0,x,64\n"), "f.csv:2: destination: 'x'");
    test.Refused(parse(header + "0,0,1,\n"), "f.csv:2: size");
    test.Refused(parse(header + "0,1,1,64\n"), "f.csv:2: source and destination");
    test.Refused(parse("start,source,destination,size (B)\n5,0,1,64\n"), "f.csv:2: start: '5'");
    test.Refused([] { FlowList::ReadCsv("/nonexistent/f.csv"); }, "/nonexistent/f.csv: cannot");

    RdmaApplicationBench bench(2);
    const FlowList list = FlowList::ParseCsv(header + "0,0,1,64\n0,1,2,64\n", "f.csv");
    test.Refused([&] { RdmaApplicationHelper::InstallFlows(list, bench.servers); },
                 "f.csv:3: server 2");
    // opened here and not in an event, as ns-3 does not free events that throw
    const auto self = CreateObject<OpenOnly>();
    bench.servers.Get(0)->AddApplication(self);
    test.Refused([&self] { self->OpenRemote(); }, "ns3::RdmaApplication: Remote");
    self->SetAttribute("Remote", AddressValue(bench.devices.Get(0)->GetAddress()));
    test.Refused([&self] { self->OpenRemote(); }, "ns3::RdmaApplication: Remote");
    self->SetAttribute("Port", UintegerValue(1));
    test.Refused([&self] { self->OpenRemote(); }, "has no NIC port 1");
}

} // namespace

/**
 * @ingroup mixnet-test
 * Flow lists, and the errors of the applications.
 */
class RdmaFlowListTestSuite : public TestSuite
{
  public:
    RdmaFlowListTestSuite()
        : TestSuite("mixnet-rdma-flow-list", TestSuite::Type::UNIT)
    {
        AddTestCase(new RdmaApplicationTest("flow list", CheckFlows));
        AddTestCase(new RdmaApplicationTest("errors", CheckErrors));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaFlowListTestSuite g_rdmaFlowListTestSuite; //!< the suite
