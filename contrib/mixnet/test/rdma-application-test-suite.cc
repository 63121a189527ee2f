/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-application-test-case.h"

#include "ns3/error-model.h"
#include "ns3/ns3-compat.h"
#include "ns3/uinteger.h"

using namespace ns3;

namespace
{

/// One message: posted at the start time, delivered after the idle time, acknowledged later.
void
CheckBulk(RdmaApplicationTest& test)
{
    RdmaApplicationBench bench(2);
    RdmaApplicationHelper bulk("ns3::RdmaBulkApplication", bench.devices.Get(1));
    bulk.SetAttribute("MessageSize", StringValue("128KiB"));
    ApplicationContainer apps = bulk.Install(bench.servers.Get(0));
    bench.Listen(apps);
    apps.Start(MicroSeconds(10));
    Simulator::Run();
    test.Equal(bench.posted.size(), 1, "posted");
    test.Equal(bench.delivered.size(), 1, "delivered");
    test.Equal(bench.ended.size(), 1, "ended");
    const RdmaMessage& m = bench.ended.at(0);
    test.Equal(m.posted, MicroSeconds(10), "at the start time");
    test.Equal((m.delivered - m.posted).GetTimeStep(), IdleTime(128 << 10), "FCT");
    // the acknowledgement crosses two links of 1 us, twice serialized
    const int64_t ack = 2 * (ROCE_BASE_BYTES + AETH_BYTES) * PS_PER_BYTE + 2 * 1000000;
    test.Equal((m.ended - m.delivered).GetTimeStep(), ack, "acknowledged");
    test.Equal(static_cast<int>(m.end), static_cast<int>(RdmaMessageEnd::ACKNOWLEDGED), "end");
    test.Equal(m.source, 0, "source");
    test.Equal(m.destination, 1, "destination");
    test.Equal(Counters(apps).acknowledged, 1, "counted");
}

/// N messages: never more than Outstanding under way, in order, as many as asked for.
void
CheckManyMessages(RdmaApplicationTest& test)
{
    RdmaApplicationBench bench(2);
    RdmaApplicationHelper bulk("ns3::RdmaBulkApplication", bench.devices.Get(1)->GetAddress());
    bulk.SetAttribute("MessageSize", StringValue("10kB"));
    bulk.SetAttribute("Messages", UintegerValue(50));
    bulk.SetAttribute("Outstanding", UintegerValue(3));
    ApplicationContainer apps = bulk.Install(bench.servers.Get(0));
    bench.Listen(apps);
    const auto app = DynamicCast<RdmaApplication>(apps.Get(0));
    uint64_t most = 0;
    for (int i = 1; i < 100; ++i)
    {
        Simulator::Schedule(MicroSeconds(i), [&] { most = std::max(most, app->GetPending()); });
    }
    Simulator::Run();
    test.Equal(most, 3, "outstanding");
    test.Equal(bench.ended.size(), 50, "messages");
    for (uint64_t i = 0; i < bench.ended.size(); ++i)
    {
        test.Equal(bench.ended[i].number, i, "in order");
    }
    test.Equal(Counters(apps).deliveredBytes, ByteCount(500000), "bytes");
    test.Equal(Counters(apps).unfinishedBytes, ByteCount(0), "bytes");
}

/// Stopped in mid-message: nothing more is sent, the message is aborted and counted, queue pairs
/// are gone, and frames under way arrive as strays.
void
CheckStop(RdmaApplicationTest& test)
{
    RdmaApplicationBench bench(2);
    RdmaApplicationHelper bulk("ns3::RdmaBulkApplication", bench.devices.Get(1));
    bulk.SetAttribute("MessageSize", StringValue("1GB"));
    bulk.SetAttribute("Messages", UintegerValue(0));
    ApplicationContainer apps = bulk.Install(bench.servers.Get(0));
    bench.Listen(apps);
    apps.Start(MicroSeconds(10));
    apps.Stop(MicroSeconds(110));
    Simulator::Run();
    const RdmaApplicationCounters& c = Counters(apps);
    test.Equal(c.posted, 2, "two outstanding");
    test.Equal(c.aborted, 2, "aborted");
    test.Equal(c.acknowledged + c.failed + c.delivered, 0, "nothing else");
    test.Equal(c.unfinishedBytes, ByteCount(2000000000), "unfinished");
    test.Equal(bench.ended.size(), 2, "reported");
    test.Equal(bench.ended.at(0).ended, MicroSeconds(110), "at the stop time");
    test.Equal(static_cast<int>(bench.ended.at(0).end),
               static_cast<int>(RdmaMessageEnd::ABORTED),
               "how");
    test.Equal(bench.Nic(0).GetNQps() + bench.Nic(1).GetNQps(), 0, "queue pairs");
    // 100 us at 100 Gb/s are 1,250,000 wire bytes: 299.2 packets of 4,178
    test.Equal(bench.Nic(0).GetCounters().dataSent, 300, "sent until then");
    const RdmaCounters& receiver = bench.Nic(1).GetCounters();
    // one-way 2 us and two serializations: about 6.6 packets under way
    test.Equal((receiver.strays > 3 && receiver.strays < 10), true, "strays");
    test.Equal(receiver.dataAccepted + receiver.strays, 300, "conserved");
    test.Equal(bench.rdma.GetFabric()->GetWorld()->GetFabric().GetPool().GetInUse(), 0, "frames");
}

/// Messages at start, start + interval, ... before the stop time.
void
CheckPeriodic(RdmaApplicationTest& test)
{
    RdmaApplicationBench bench(2);
    RdmaApplicationHelper periodic("ns3::RdmaPeriodicApplication", bench.devices.Get(1));
    periodic.SetAttribute("MessageSize", StringValue("4096B"));
    periodic.SetAttribute("Interval", StringValue("7us"));
    ApplicationContainer apps = periodic.Install(bench.servers.Get(0));
    apps.Start(MicroSeconds(3));
    apps.Stop(MicroSeconds(101));
    bench.Listen(apps);
    Simulator::Run();
    test.Equal(bench.posted.size(), 14, "3 + 7 k < 101");
    for (uint64_t i = 0; i < bench.posted.size(); ++i)
    {
        test.Equal(bench.posted[i].posted, MicroSeconds(3 + 7 * i), "when");
        test.Equal((bench.delivered.at(i).delivered - bench.posted[i].posted).GetTimeStep(),
                   IdleTime(4096),
                   "FCT");
    }
    test.Equal(Counters(apps).acknowledged, 14, "all of them");
}

/// Constant on and off times: message k is posted when the on time so far is k times size / rate.
/// At 100 Gb/s 65,536 bytes take 5.24288 us; on periods of 12 us, off periods of 30 us.
void
CheckOnOff(RdmaApplicationTest& test)
{
    RdmaApplicationBench bench(2);
    RdmaApplicationHelper onOff("ns3::RdmaOnOffApplication", bench.devices.Get(1));
    onOff.SetAttribute("OnTime", StringValue("ns3::ConstantRandomVariable[Constant=12e-6]"));
    onOff.SetAttribute("OffTime", StringValue("ns3::ConstantRandomVariable[Constant=30e-6]"));
    onOff.SetAttribute("MaxBytes", StringValue("1000000B"));
    ApplicationContainer apps = onOff.Install(bench.servers.Get(0));
    bench.Listen(apps);
    Simulator::Run();
    test.Equal(bench.posted.size(), 16, "1,000,000 bytes are 15.26 messages");
    for (uint64_t k = 0; k < bench.posted.size(); ++k)
    {
        const int64_t on = static_cast<int64_t>(k + 1) * 5242880;
        const int64_t periods = (on - 1) / 12000000;
        test.Equal(bench.posted[k].posted.GetTimeStep(), on + periods * 30000000, "when");
    }
    test.Equal(Counters(apps).postedBytes, ByteCount(1000000), "limit");
    test.Equal(Counters(apps).acknowledged, 16, "all of them");
}

/// @param stream of the random variables @return what happened
std::string
RunRandom(int64_t stream)
{
    RdmaApplicationBench bench(3);
    RdmaApplicationHelper onOff("ns3::RdmaOnOffApplication", bench.devices.Get(2));
    onOff.SetAttribute("OnTime", StringValue("ns3::ExponentialRandomVariable[Mean=20e-6]"));
    onOff.SetAttribute("OffTime", StringValue("ns3::UniformRandomVariable[Min=0|Max=30e-6]"));
    ApplicationContainer apps =
        onOff.Install(NodeContainer(bench.servers.Get(0), bench.servers.Get(1)));
    bench.Listen(apps);
    bench.rdma.AssignStreams(1000);
    if (RdmaApplicationHelper::AssignStreams(bench.servers, stream) != 4)
    {
        return "";
    }
    apps.Stop(MicroSeconds(300));
    Simulator::Run();
    return bench.Print();
}

/// Several simulations in one process: the same streams give the same run, others another.
void
CheckStreams(RdmaApplicationTest& test)
{
    const std::string first = RunRandom(7);
    test.Equal((first.size() > 1000), true, "something happens");
    test.Equal(RunRandom(7), first, "same streams");
    test.Equal((RunRandom(8) == first), false, "other streams");
}

/// A queue pair that gives up: its messages fail, and the application posts no more.
void
CheckFailure(RdmaApplicationTest& test)
{
    RdmaApplicationBench bench(2);
    RdmaApplicationHelper bulk("ns3::RdmaBulkApplication", bench.devices.Get(1));
    bulk.SetAttribute("Messages", UintegerValue(0));
    RdmaApplicationHelper periodic("ns3::RdmaPeriodicApplication", bench.devices.Get(1));
    ApplicationContainer apps = bulk.Install(bench.servers.Get(0));
    apps.Add(periodic.Install(bench.servers.Get(0)));
    const auto world = bench.rdma.GetFabric()->GetWorld();
    bench.Nic(0).GetLossRecovery()->SetAttribute("Timeout", StringValue("200us"));
    bench.Nic(0).GetLossRecovery()->SetAttribute("RetryLimit", UintegerValue(1));
    const auto all = CreateObject<RateErrorModel>();
    all->SetRate(1.0);
    all->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    world->GetLink(EdgeId(0)).SetErrorModel(
        PeekPointer(DynamicCast<MixnetPort>(bench.devices.Get(0))),
        all);
    Simulator::Run();
    for (uint32_t i : {0, 1})
    {
        test.Equal((Counters(apps, i).posted > 0), true, "it began");
        test.Equal(Counters(apps, i).failed, Counters(apps, i).posted, "all failed");
    }
    test.Equal(Counters(apps).posted, 2, "no message after the failure");
}

/// A text trace has a line per event, in order of time, with picoseconds.
void
CheckAscii(RdmaApplicationTest& test)
{
    RdmaApplicationBench bench(2);
    RdmaApplicationHelper bulk("ns3::RdmaBulkApplication", bench.devices.Get(1));
    bulk.SetAttribute("MessageSize", StringValue("4097B"));
    bulk.Install(bench.servers.Get(0));
    std::ostringstream text;
    bench.rdma.EnableAscii(Create<OutputStreamWrapper>(&text), bench.devices.Get(0));
    Simulator::Run();
    // 4,194 and 83 bytes at 80 ps: the first is there after 2 x 335.52 ns + 2 us, its answer of 86
    // bytes after 2 x 6.88 ns + 2 us more; the second answer goes right behind it
    const std::string id = std::to_string(bench.servers.Get(0)->GetId());
    const std::string node = " /NodeList/" + id + "/DeviceList/0 ";
    test.Equal(text.str(),
               "- 0.000000000000" + node + "data-first 0 > 1 class 3 qp 262144 psn 0 4194B\n" +
                   "- 0.000000335520" + node + "data-last 0 > 1 class 3 qp 262144 psn 1 83B\n" +
                   "r 0.000004684800" + node + "ack 1 > 0 class 6 qp 262144 psn 0 86B\n" +
                   "r 0.000004691680" + node + "ack 1 > 0 class 6 qp 262144 psn 1 86B\n",
               "trace");
}

} // namespace

/**
 * @ingroup mixnet-test
 * Applications over RDMA and their helpers.
 */
class RdmaApplicationTestSuite : public TestSuite
{
  public:
    RdmaApplicationTestSuite()
        : TestSuite("mixnet-rdma-application", TestSuite::Type::UNIT)
    {
        AddTestCase(new RdmaApplicationTest("bulk: one message", CheckBulk));
        AddTestCase(new RdmaApplicationTest("bulk: many messages", CheckManyMessages));
        AddTestCase(new RdmaApplicationTest("stop in mid-message", CheckStop));
        AddTestCase(new RdmaApplicationTest("periodic", CheckPeriodic));
        AddTestCase(new RdmaApplicationTest("on-off", CheckOnOff));
        AddTestCase(new RdmaApplicationTest("random streams, run by run", CheckStreams));
        AddTestCase(new RdmaApplicationTest("failed queue pair", CheckFailure));
        AddTestCase(new RdmaApplicationTest("text trace", CheckAscii));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaApplicationTestSuite g_rdmaApplicationTestSuite; //!< the suite
