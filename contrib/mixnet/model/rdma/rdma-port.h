/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PORT_H
#define RDMA_PORT_H

#include "qp-scheduler.h"
#include "rdma-core.h"
#include "rdma-port-options.h"

#include "ns3/mixnet-port.h"

#include <cstdint>
#include <memory>

namespace ns3
{

class RdmaNic;

/**
 * @ingroup mixnet
 * The hot path of one NIC port: cuts messages into frames when the port asks for one, and reacts
 * to the frames that arrive.
 *
 * CODE FLOW: RdmaNic::PostSend -> AddReady, Kick -> MixnetPort::Decide -> Pull -> MakeData -> wire
 * -> ReceiveFrame -> ReceiveData (deliver, answer) -> wire -> ReceiveFrame -> ReceiveAck ->
 * RdmaNic::Acknowledged -> completion.
 */
class RdmaPort : public EgressSource, public FrameReceiver
{
  public:
    /// @param nic the NIC @param core what its ports share @param port the port
    RdmaPort(RdmaNic& nic, RdmaCore& core, Ptr<MixnetPort> port);

    Frame* Pull(uint8_t openClasses, SimTick now, SimTick& retry) override;
    void ReceiveFrame(Frame* frame, MixnetPort& in, SimTick now) override;
    MixnetPort* FindNext(const Frame& frame, const MixnetPort& in) override;
    bool IsUrgent(const Frame& frame) const override;
    void LinkChanged(MixnetPort& port, bool up) override;
    void RateChanged(MixnetPort& port) override;

    /// @return the port
    MixnetPort& GetPort() const
    {
        return *m_port;
    }

    /// @return NIC address
    uint32_t GetAddress() const
    {
        return m_address;
    }

    /// @return true while data are held back
    bool IsHeld() const
    {
        return m_held;
    }

    /// @return true when its light does not go to whom it hears: nobody is paused by it
    bool IsOneWay() const
    {
        return m_oneWay;
    }

    /// @param oneWay whether its light goes to another one than whom it hears
    void SetOneWay(bool oneWay)
    {
        m_oneWay = oneWay;
    }

    /// @return classes, turns and host bus; made at the first call
    RdmaPortOptions& GetOptions();

    /// The neighbor is not paused any more.
    void ForgetPauses()
    {
        if (m_options && m_options->bus)
        {
            m_options->bus->ForgetPauses();
        }
    }

    /// @param held whether data are held back @param now the present
    void SetHeld(bool held, SimTick now);

    /// A queue pair of this port may have become able to send; the port is settled. @param qp the
    /// queue pair @param now the present
    void Wake(QpSender& qp, SimTick now)
    {
        if (!qp.queued && !qp.held && qp.send.HasPacket())
        {
            if (m_options)
            {
                m_options->Add(qp);
            }
            else
            {
                m_scheduler.Add(qp);
            }
            m_port->Kick(now);
        }
    }

  private:
    friend class RdmaHostBus;

    /// Pull of a port with options. @param openClasses not paused @param now the present
    /// @param retry out: when to ask again @return the next frame; null: none
    Frame* PullWithOptions(uint8_t openClasses, SimTick now, SimTick& retry);
    /// @param qp whose turn it is @param now the present @return its next packet
    Frame* MakeData(QpSender& qp, SimTick now);
    /// @param qp a queue pair whose next packet is of another message than its last one
    void LoadMessage(QpSender& qp);
    /// @param frame data for this NIC @param now the present
    void ReceiveData(Frame* frame, SimTick now);
    /// @param frame data not delivered now @param qp its queue pair @param psn its number
    /// @param verdict what becomes of it
    void SetAside(const Frame& frame, QpReceiver& qp, uint64_t psn, const ReceiveVerdict& verdict);
    /// @param frame marked CE @param qp its queue pair @param now the present
    void Notify(const Frame& frame, QpReceiver& qp, SimTick now);
    /// @param frame data that is answered, becomes the answer @param qp its queue pair
    /// @param verdict answer @param now the present
    void Answer(Frame* frame, const QpReceiver& qp, const ReceiveVerdict& verdict, SimTick now);
    /// @param frame an answer, to whom its data came from: queue it @param qp its queue pair
    /// @param now the present
    void SendAnswer(Frame* frame, const QpReceiver& qp, SimTick now);
    /// @param frame ACK or NACK @param now the present
    void ReceiveAck(Frame* frame, SimTick now);
    /// @param frame CNP @param now the present
    void ReceiveCnp(Frame* frame, SimTick now);
    /// @param frame of a queue pair that is gone
    void DropStray(Frame* frame);

    RdmaNic& m_nic;                             //!< the NIC
    RdmaCore& m_core;                           //!< shared
    Ptr<MixnetPort> m_port;                     //!< the port
    QpScheduler m_scheduler;                    //!< who sends next
    uint32_t m_address;                         //!< NIC address
    uint8_t m_dataBit;                          //!< class of data as a bit
    bool m_held{false};                         //!< data are held back
    bool m_oneWay{false};                       //!< its light goes to another one than it hears
    std::unique_ptr<RdmaPortOptions> m_options; //!< null: one class, turns of one packet, no bus
};

} // namespace ns3

#endif // RDMA_PORT_H
