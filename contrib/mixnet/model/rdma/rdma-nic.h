/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NIC_H
#define RDMA_NIC_H

#include "rdma-core.h"
#include "rdma-port.h"
#include "rdma-relay.h"
#include "time-heap.h"
#include "work-completion.h"

#include "ns3/mixnet-byte-count.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/standing-timer.h"
#include "ns3/traced-callback.h"
#include "ns3/type-id.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// How a queue pair is set up.
struct QpConfig
{
    uint32_t port{0};                //!< local port it sends by
    uint32_t destination{0};         //!< NIC address it sends to
    uint32_t firstPsn{0};            //!< first packet sequence number it sends, 24 bits
    uint32_t windowPackets{0};       //!< most packets under way; 0: the NIC's attribute Window
    uint8_t trafficClass{UINT8_MAX}; //!< priority class of its data; UINT8_MAX: the fabric's
    uint16_t sourcePort{49152};      //!< UDP source port: the entropy of equal-cost paths
    WorkSink* sink{nullptr}; //!< hears of completions; null: nobody; outlives the queue pair
};

/**
 * @ingroup mixnet
 * The RDMA NIC of a server: all its ports, its queue pairs, their retransmission timer.
 *
 * Use from a program: CreatePair(a, b) gives two connected queue pairs; PostSend on one end; its
 * send completion fires when the message is acknowledged, the other end's receive completion when
 * the last byte has been delivered. Messages of a queue pair arrive in order. Trace sources
 * SendCompletion and ReceiveCompletion tell the same to anybody.
 *
 * A queue pair sends by one port to one NIC address, and receives by any port of its NIC, so its
 * path may change in mid-message (SetPath). A queue pair whose retries are exhausted reports the
 * error for all its messages and sends nothing any more.
 *
 * Time shift: the pending state is the table of queue pairs, the schedulers of the ports and the
 * one timer event.
 *
 * Law: data accepted + duplicate + out of order = data received.
 */
class RdmaNic : public Object, private StandingTimer::Owner
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RdmaNic();
    ~RdmaNic() override;

    /// @name Set-up
    /// @{

    /// @param port a port with its NIC address set; ports are numbered from 0 @return its number
    uint32_t AddPort(Ptr<MixnetPort> port);
    /// @return number of ports
    uint32_t GetNPorts() const;
    /// @param port number of a port @return the port
    MixnetPort& GetPort(uint32_t port) const;
    /// @return strategy of all queue pairs
    Ptr<CongestionControl> GetCongestionControl();
    /// @return strategy of all queue pairs
    Ptr<LossRecovery> GetLossRecovery();
    /// @return largest payload of a packet, bytes
    uint32_t GetPayloadSize() const;
    /// @}

    /// @name Verbs
    /// @{

    /**
     * @param config set-up
     * @return number of the new queue pair; connect it before posting
     * @throws InputError when the port does not exist
     */
    uint32_t CreateQp(const QpConfig& config);
    /// @param qp a queue pair @param peer number of the other end @param peerPsn its first PSN
    void ConnectQp(uint32_t qp, uint32_t peer, uint32_t peerPsn);
    /**
     * @param a one NIC @param configA its end; the destination is filled in
     * @param b the other NIC @param configB its end; the destination is filled in
     * @return numbers of the two connected queue pairs
     */
    static std::pair<uint32_t, uint32_t> CreatePair(RdmaNic& a,
                                                    QpConfig configA,
                                                    RdmaNic& b,
                                                    QpConfig configB);
    /// @param qp a queue pair, at any time; its messages end without completion
    void DestroyQp(uint32_t qp);
    /**
     * @param qp a connected queue pair
     * @param id work-request id, comes back in the completion
     * @param bytes payload, any 64-bit size
     * @return order of the message on the queue pair, from 0
     */
    uint64_t PostSend(uint32_t qp, uint64_t id, ByteCount bytes);
    /**
     * Send what is not yet sent, and what must be sent again, another way.
     *
     * @param qp a queue pair @param port local port @param destination NIC address of the peer
     * @param sourcePort entropy there
     */
    void SetPath(uint32_t qp, uint32_t port, uint32_t destination, uint16_t sourcePort);
    /**
     * Let answers come to another address of this server than that of the port that data leave by,
     * until the next SetPath.
     *
     * @param qp a queue pair @param address of a NIC of this server
     */
    void SetAnswerAddress(uint32_t qp, uint32_t address);
    /// Servers between readdress data. @param qp local end @param address NIC that they go to now
    /// @param peer queue-pair number there
    void SetDataEnd(uint32_t qp, uint32_t address, uint32_t peer);
    /// Servers between readdress answers. @param qp local end @param peer queue-pair number that
    /// they go to now
    void SetAnswerEnd(uint32_t qp, uint32_t peer);
    /// What is under way was lost with its way: send it again now; no retry is counted.
    /// @param qp local end
    void Resend(uint32_t qp);
    /**
     * Answers to data leave by this port, wherever data come in: their circuit may lead nowhere
     * back.
     *
     * @param qp a queue pair @param port the port @param address NIC of the other end's server that
     * they go to, whatever the data say
     */
    void SetAnswerWay(uint32_t qp, uint32_t port, uint32_t address);
    /**
     * Answers take a way of their own: set the retransmission timeout for it, until the next
     * SetPath.
     *
     * @param qp a queue pair @param answerTicks round trip over the way of the answers
     */
    void StretchTimeout(uint32_t qp, SimTick answerTicks);
    /// @param qp a queue pair @param held true: send no data from now on; false: go on
    void HoldQp(uint32_t qp, bool held);
    /// @}

    /// @name State
    /// @{

    /// @param qp a number @return true while it is in use
    bool HasQp(uint32_t qp);
    /// @param qp a queue pair @return true when it gave up
    bool IsFailed(uint32_t qp);
    /// @param qp a queue pair @return its rate as congestion control has it
    DataRate GetRate(uint32_t qp);
    /// @param qp a queue pair @return number of SetPath calls
    uint32_t GetNPaths(uint32_t qp);
    /// @param qp a queue pair @return payload it has received in order
    ByteCount GetReceived(uint32_t qp);
    /// @param qp a queue pair @param path how many moves of its peer came before
    /// @return payload that it has received in order and that was sent that way
    ByteCount GetReceived(uint32_t qp, uint32_t path);
    /// @return queue pairs in use
    uint32_t GetNQps() const;
    /// @return queue pairs that memory is held for: the most in use at once, in chunks of 64
    uint32_t GetQpCapacity() const;
    /// @return what it counted; ports settled
    const RdmaCounters& GetCounters();
    /// @}

    /// @name Pauses and relays
    /// @{

    /// @param port a port @param held true: send no data by it (ACK, NACK, CNP and relayed frames
    /// pass); false: go on
    void HoldPort(uint32_t port, bool held);
    /// The far end of a port's light is another one now: pauses given and taken are void.
    /// @param port a port
    void ChangePeer(uint32_t port);
    /// The light of a port goes to another server than the one it hears, or the like: a PFC pause
    /// would stop the wrong one, so none is sent. @param port a port @param oneWay whether it is so
    void SetOneWay(uint32_t port, bool oneWay);
    /// @return the frames that this server forwards to others
    RdmaRelay& GetRelay();
    /// @}

    /// TracedCallback signature for send completions.
    typedef void (*SendTracedCallback)(const SendCompletion& completion);
    /// TracedCallback signature for receive completions.
    typedef void (*ReceiveTracedCallback)(const ReceiveCompletion& completion);
    /// TracedCallback signature for timeouts: queue-pair number, timeouts in a row.
    typedef void (*TimeoutTracedCallback)(uint32_t qp, uint32_t retries);
    /// TracedCallback signature for windows that are too small: queue-pair number, packets of the
    /// window, packets that the path can hold.
    typedef void (*WindowTracedCallback)(uint32_t qp, uint64_t window, uint64_t path);

  protected:
    void DoDispose() override;

  private:
    friend class RdmaPort;

    /// @param index number of a port @return its hot part
    RdmaPort& GetRdmaPort(uint32_t index)
    {
        return *m_ports[index];
    }

    /// @param tid so far @return with the attributes of congestion control
    static TypeId AddCongestionAttributes(TypeId tid);
    /// Make the congestion control, once, after the loss recovery.
    void PrepareCongestion();
    /// @return the present; what has arrived before it is taken
    SimTick Present();
    /// The link of a port has another rate: its queue pairs start afresh at that. @param port it
    void ChangeRate(RdmaPort& port);
    /// Make the strategies, once.
    void Prepare();
    /// @param tid of this class @return it with the attributes of classes, turns and host bus
    static TypeId AddOptionAttributes(TypeId tid);
    /// @param rate attribute; of ports that are there, too
    void SetHostRate(DataRate rate);
    /// @return attribute
    DataRate GetHostRate() const;
    /// @param port given what the attributes ask for
    void PrepareOptions(RdmaPort& port);
    /// @param qp new @param config gives its class and port
    void UseClass(QpSender& qp, const QpConfig& config);
    /// @param qp a number @return its sending half; must be in use
    QpSender& Get(uint32_t qp);
    /// @param qp sends and has no timer entry @param now the instant
    void Arm(QpSender& qp, SimTick now);
    /// The timer fired.
    void OnTimer(uint32_t index) override;
    /// @param qp its entry is due @param now the present
    void CheckDeadline(QpSender& qp, SimTick now);
    /// @param qp messages were acknowledged
    void Acknowledged(uint32_t qp);
    /// @param qp the last byte of a message was delivered
    void Delivered(uint32_t qp);
    /// @param qp has packets that waited behind a gap @param packets how many are in order now
    void DeliverStored(uint32_t qp, uint32_t packets);
    /// @param qp a connected queue pair: fit its timeouts to its path, as far as that is known
    void AdaptTimeout(QpSender& qp);
    /// @param qp gives up
    void Fail(uint32_t qp);
    /// @param qp in error: complete its oldest message as failed, then the next in another event
    /// @param status of the oldest
    void FlushFailed(uint32_t qp, WorkStatus status);
    /// @param port a port @return its number
    uint32_t GetIndex(const RdmaPort& port) const;
    /// @param port whose neighbor is no longer paused
    void ForgetPause(RdmaPort& port);
    /// @param frame for another server @param in where it came in @param now the present
    void Relay(Frame* frame, RdmaPort& in, SimTick now);

    TypeId m_congestionType;                           //!< attribute
    TypeId m_recoveryType;                             //!< attribute
    uint32_t m_payload{0};                             //!< attribute
    Time m_notifyInterval;                             //!< attribute
    uint64_t m_window{0};                              //!< attribute
    bool m_autoWindow{false};                          //!< attribute
    bool m_variableWindow{false};                      //!< attribute
    Time m_baseRtt;                                    //!< attribute
    bool m_ecn{true};                                  //!< attribute
    uint64_t m_relayEcnThreshold{0};                   //!< attribute
    uint64_t m_relayPauseThreshold{0};                 //!< attribute
    Time m_lookahead;                                  //!< attribute
    TypeId m_schedulingType;                           //!< attribute
    uint8_t m_strictClasses{0};                        //!< attribute
    std::string m_classQuanta;                         //!< attribute
    DataRate m_hostRate;                               //!< attribute
    ByteCount m_hostBuffer;                            //!< attribute
    bool m_manyClasses{false};                         //!< a queue pair has a class of its own
    Ptr<QpScheduling> m_scheduling;                    //!< strategy
    Ptr<CongestionControl> m_congestion;               //!< strategy
    Ptr<LossRecovery> m_recovery;                      //!< strategy
    std::unique_ptr<RdmaCore> m_core;                  //!< shared with the ports
    std::vector<std::unique_ptr<RdmaPort>> m_ports;    //!< ports
    RdmaRelay m_relay;                                 //!< forwards to other servers
    std::unique_ptr<FabricElement> m_element;          //!< of all ports
    TimeHeap m_deadlines;                              //!< at most one entry per slot
    std::unique_ptr<StandingTimer> m_timer;            //!< of the earliest deadline
    TracedCallback<const SendCompletion&> m_sendTrace; //!< acknowledged or given up
    TracedCallback<const ReceiveCompletion&> m_receiveTrace;    //!< delivered
    TracedCallback<uint32_t, uint32_t> m_timeoutTrace;          //!< retransmission timeouts
    TracedCallback<uint32_t, uint64_t, uint64_t> m_windowTrace; //!< windows below the path's need
};

} // namespace ns3

#endif // RDMA_NIC_H
