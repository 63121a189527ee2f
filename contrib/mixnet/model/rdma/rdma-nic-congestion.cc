/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Congestion control of RdmaNic: strategy, windows, their attributes.

#include "dcqcn-congestion-control.h"
#include "rdma-nic.h"

#include "ns3/boolean.h"
#include "ns3/mixnet-error.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

TypeId
RdmaNic::AddCongestionAttributes(TypeId tid)
{
    return tid
        .AddAttribute("CongestionControl",
                      "TypeId of the congestion control of all queue pairs.",
                      TypeIdValue(DcqcnCongestionControl::GetTypeId()),
                      MakeTypeIdAccessor(&RdmaNic::m_congestionType),
                      MakeTypeIdChecker())
        .AddAttribute(
            "CnpInterval",
            "Least time between two CNPs of a queue pair, sent if the congestion control uses "
            "them. The default is that of ConnectX NICs (min_time_between_cnps); the "
            "DCQCN paper has 50 us.",
            TimeValue(MicroSeconds(4)),
            MakeTimeAccessor(&RdmaNic::m_notifyInterval),
            MakeTimeChecker(Time(0)))
        .AddAttribute("Window",
                      "Most payload bytes under way per queue pair; 0: only the cap of 2^23 - 1 "
                      "packets that 24-bit sequence numbers need.",
                      UintegerValue(0),
                      MakeUintegerAccessor(&RdmaNic::m_window),
                      MakeUintegerChecker<uint64_t>())
        .AddAttribute("AutoWindow",
                      "Also limit what is under way to BaseRtt x line rate, in whole packets, and "
                      "the packets that wait for one acknowledgement.",
                      BooleanValue(false),
                      MakeBooleanAccessor(&RdmaNic::m_autoWindow),
                      MakeBooleanChecker())
        .AddAttribute("VariableWindow",
                      "Multiply the window by rate / line rate as congestion control has it.",
                      BooleanValue(false),
                      MakeBooleanAccessor(&RdmaNic::m_variableWindow),
                      MakeBooleanChecker())
        .AddAttribute("BaseRtt",
                      "Round trip without queues, for AutoWindow and congestion control; 0: that "
                      "of a full packet and its acknowledgement on the path of the queue pair.",
                      TimeValue(Time(0)),
                      MakeTimeAccessor(&RdmaNic::m_baseRtt),
                      MakeTimeChecker(Time(0)));
}

void
RdmaNic::PrepareCongestion()
{
    if (!m_congestionType.IsChildOf(CongestionControl::GetTypeId()))
    {
        throw InputError("ns3::RdmaNic::CongestionControl",
                         m_congestionType.GetName() + " is no congestion control",
                         "a child of ns3::MixnetCongestionControl");
    }
    ObjectFactory factory;
    factory.SetTypeId(m_congestionType);
    m_congestion = factory.Create<CongestionControl>();
    WindowOptions options;
    options.automatic = m_autoWindow;
    options.variable = m_variableWindow;
    options.baseRtt = m_baseRtt.GetTimeStep();
    m_core->congestion = PeekPointer(m_congestion);
    m_core->notifyInterval = m_congestion->WantsCnps() ? m_notifyInterval.GetTimeStep() : NEVER;
    m_core->governor.Setup(*m_congestion, *m_recovery, options, m_payload);
    m_core->reportAcks = m_core->governor.WantsAcks();
}

void
RdmaNic::ChangeRate(RdmaPort& port)
{
    const SimTick now = Simulator::Now().GetTimeStep();
    for (uint32_t slot = 0; slot < m_core->table.GetCapacity(); ++slot)
    {
        QpSender& qp = m_core->table.Sender(slot);
        if (qp.number != 0 && m_ports[qp.port].get() == &port)
        {
            m_core->governor.Restart(qp, port.GetPort(), now);
            QpScheduler::Remove(qp); // it may wait for the time of its old rate
            port.Wake(qp, now);
        }
    }
}

void
RdmaPort::RateChanged(MixnetPort&)
{
    m_nic.ChangeRate(*this);
}

} // namespace ns3
