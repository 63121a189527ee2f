/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/// @file
/// The attributes of PacketSwitch.

#include "packet-switch.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/ns3-compat.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

/// @return factory of EcmpBalancer
ObjectFactory
MakeEcmpFactory()
{
    ObjectFactory factory;
    factory.SetTypeId(EcmpBalancer::GetTypeId());
    return factory;
}

} // namespace

TypeId
PacketSwitch::GetTypeId()
{
    static TypeId tid = AddEcnAttributes(AddPfcAttributes(AddBufferAttributes(
        TypeId("ns3::PacketSwitch")
            .SetParent<Object>()
            .SetGroupName("Mixnet")
            .AddConstructor<PacketSwitch>()
            .AddAttribute("StrictClasses",
                          "Classes served before all others, the higher first (bit vector).",
                          UintegerValue(0xc0),
                          MakeUintegerAccessor(&PacketSwitch::m_strict),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("Balancer",
                          "How frames choose among equal-cost ports: ns3::EcmpBalancer, "
                          "ns3::FlowletBalancer[Gap=100us], ns3::RoundRobinSprayBalancer, "
                          "ns3::RandomSprayBalancer.",
                          ObjectFactoryValue(MakeEcmpFactory()),
                          MakeObjectFactoryAccessor(&PacketSwitch::m_balancerFactory),
                          MakeObjectFactoryChecker())
            .AddAttribute("EcmpSeed",
                          "Seed of the choice among equal-cost ports; each switch mixes in its "
                          "node id.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&PacketSwitch::m_seed),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Lookahead",
                          "How late the switch may look at arrivals while nobody observes it "
                          "(at most one tick less than its shortest cable). No result depends on "
                          "it; 0s gives every arrival an event of its own.",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(&PacketSwitch::m_lookahead),
                          MakeTimeChecker(Time(0))))));
    return tid;
}

TypeId
PacketSwitch::AddBufferAttributes(TypeId tid)
{
    return tid
        .AddAttribute("BufferSize",
                      "Memory of the switch, in bytes.",
                      QueueSizeValue(QueueSize("64MiB")),
                      MakeQueueSizeAccessor(&PacketSwitch::m_bufferSize),
                      MakeQueueSizeChecker())
        .AddAttribute("Reserved",
                      "Bytes kept for each ingress port and class.",
                      QueueSizeValue(QueueSize("9216B")),
                      MakeQueueSizeAccessor(&PacketSwitch::m_reserved),
                      MakeQueueSizeChecker())
        .AddAttribute("AlphaLossless",
                      "PFC threshold of an ingress queue, as a factor of the free shared "
                      "bytes.",
                      DoubleValue(0.125),
                      MakeDoubleAccessor(&PacketSwitch::m_alphaLossless),
                      MakeDoubleChecker<double>(0))
        .AddAttribute("PfcThreshold",
                      "Static PFC threshold of an ingress queue's shared part, in bytes; 0B: "
                      "dynamic, by AlphaLossless.",
                      QueueSizeValue(QueueSize("0B")),
                      MakeQueueSizeAccessor(&PacketSwitch::m_staticLossless),
                      MakeQueueSizeChecker())
        .AddAttribute("LossyThreshold",
                      "Static drop threshold of a lossy egress queue, in bytes; 0B: dynamic, by "
                      "AlphaLossy.",
                      QueueSizeValue(QueueSize("0B")),
                      MakeQueueSizeAccessor(&PacketSwitch::m_staticLossy),
                      MakeQueueSizeChecker())
        .AddAttribute("AlphaLossy",
                      "Drop threshold of a lossy egress queue, as a factor of the free shared "
                      "bytes.",
                      DoubleValue(1),
                      MakeDoubleAccessor(&PacketSwitch::m_alphaLossy),
                      MakeDoubleChecker<double>(0));
}

TypeId
PacketSwitch::AddPfcAttributes(TypeId tid)
{
    return tid
        .AddAttribute("Pfc",
                      "Pause neighbors of lossless classes; without, these classes are lossy.",
                      BooleanValue(true),
                      MakeBooleanAccessor(&PacketSwitch::m_pfc),
                      MakeBooleanChecker())
        .AddAttribute("PfcXonOffset",
                      "A neighbor resumes when its queue is this far below the threshold.",
                      QueueSizeValue(QueueSize("18432B")),
                      MakeQueueSizeAccessor(&PacketSwitch::m_xonOffset),
                      MakeQueueSizeChecker())
        .AddAttribute("PfcRelease",
                      "What ends a pause: Xon, a resume frame (the pause itself holds); Quanta, "
                      "its PfcQuanta run out (sent again at half time while needed, no resume "
                      "frames); Both, whichever is first.",
                      MixnetEnumValue<PfcRelease>(PFC_XON),
                      MakeMixnetEnumAccessor<PfcRelease>(&PacketSwitch::m_pfcRelease),
                      MakeEnumChecker(PFC_XON, "Xon", PFC_QUANTA, "Quanta", PFC_BOTH, "Both"))
        .AddAttribute("PfcQuanta",
                      "Pause time, in units of 512 bit times of the port; not with Xon.",
                      UintegerValue(UINT16_MAX),
                      MakeUintegerAccessor(&PacketSwitch::m_pfcQuanta),
                      MakeUintegerChecker<uint16_t>(1))
        .AddAttribute("PfcHeadroom",
                      "Headroom of each port and lossless class; 0B: what its rate, cable and "
                      "MaxFrame need (SharedBuffer::ComputeHeadroom).",
                      QueueSizeValue(QueueSize("0B")),
                      MakeQueueSizeAccessor(&PacketSwitch::m_headroom),
                      MakeQueueSizeChecker())
        .AddAttribute("PfcResponse",
                      "Time that a neighbor needs to obey a pause, for the headroom; at least "
                      "the PfcResponse of its port.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&PacketSwitch::m_response),
                      MakeTimeChecker(Time(0)))
        .AddAttribute("MaxFrame",
                      "Longest frame on the wire, for the headroom.",
                      QueueSizeValue(QueueSize("9216B")),
                      MakeQueueSizeAccessor(&PacketSwitch::m_maxFrame),
                      MakeQueueSizeChecker());
}

TypeId
PacketSwitch::AddEcnAttributes(TypeId tid)
{
    return tid
        .AddAttribute("Ecn",
                      "Mark ECN-capable frames.",
                      BooleanValue(true),
                      MakeBooleanAccessor(&PacketSwitch::m_ecn),
                      MakeBooleanChecker())
        .AddAttribute("EcnKmin",
                      "No marks below this queue, at 25 Gb/s.",
                      QueueSizeValue(QueueSize("100kB")),
                      MakeQueueSizeAccessor(&PacketSwitch::m_kmin),
                      MakeQueueSizeChecker())
        .AddAttribute("EcnKmax",
                      "Always marks from this queue on, at 25 Gb/s.",
                      QueueSizeValue(QueueSize("400kB")),
                      MakeQueueSizeAccessor(&PacketSwitch::m_kmax),
                      MakeQueueSizeChecker())
        .AddAttribute("EcnPmax",
                      "Probability of a mark just below EcnKmax.",
                      DoubleValue(0.2),
                      MakeDoubleAccessor(&PacketSwitch::m_pmax),
                      MakeDoubleChecker<double>(0, 1))
        .AddAttribute("EcnScale",
                      "EcnKmin and EcnKmax grow in proportion to the port's rate; without, "
                      "they hold at every rate.",
                      BooleanValue(true),
                      MakeBooleanAccessor(&PacketSwitch::m_scaleEcn),
                      MakeBooleanChecker())
        .AddAttribute("EcnPoint",
                      "Mark frames when they leave or when they join a queue.",
                      MixnetEnumValue<EcnPoint>(ECN_DEQUEUE),
                      MakeMixnetEnumAccessor<EcnPoint>(&PacketSwitch::m_ecnPoint),
                      MakeEnumChecker(ECN_DEQUEUE, "Dequeue", ECN_ENQUEUE, "Enqueue"));
}

} // namespace ns3
