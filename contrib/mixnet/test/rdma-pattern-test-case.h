/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PATTERN_TEST_CASE_H
#define RDMA_PATTERN_TEST_CASE_H

#include "rdma-test-case.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/**
 * @ingroup mixnet-test
 * A message of ten packets of 4,096 B over one link of 100G and 1 us with scripted losses: every
 * packet and every answer that is sent, and when, to the tick.
 */
class RdmaPatternTest : public RdmaTestCase
{
  public:
    /// @name Picoseconds
    /// @{
    static constexpr int64_t FIRST = (82 + 16 + 4096) * 80; //!< wire time of packet 0, with RETH
    static constexpr int64_t NEXT = (82 + 4096) * 80;       //!< wire time of the others
    static constexpr int64_t ACK = 86 * 80;                 //!< wire time of an answer
    static constexpr int64_t DELAY = 1000 * 1000;           //!< of the link
    static constexpr int64_t ECHO = 2 * DELAY + ACK; //!< from the end of a packet to its answer
    static constexpr int64_t TIMEOUT = 100 * 1000 * 1000;      //!< retransmission timeout
    static constexpr int64_t SHORT_TIMEOUT = 30 * 1000 * 1000; //!< with at most 3 packets under way
    /// @}
    static constexpr uint32_t N_PACKETS = 10; //!< of the message

    /// @param i a packet @return when it is first sent
    static constexpr int64_t SentAt(int64_t i)
    {
        return i == 0 ? 0 : FIRST + (i - 1) * NEXT;
    }

    /// Packets sent back to back.
    struct Burst
    {
        uint32_t first; //!< packet
        uint32_t last;  //!< packet
        int64_t start;  //!< of the first one
    };

    /// Answers to frames sent one after the other.
    struct Answers
    {
        uint32_t to;     //!< number of the data frame, in order of sending, from 0
        uint32_t count;  //!< of frames that are answered
        bool ack;        //!< else NACK
        uint32_t psn;    //!< of the first answer
        bool rising;     //!< whether that of the next ones is one more each
        uint32_t sacked; //!< NACK of selective repeat: packet named by the first; rises
    };

    /// What is lost and what must come of it.
    struct Pattern
    {
        std::string name;               //!< what it guards
        RdmaScript::Function data;      //!< losses from sender to receiver
        RdmaScript::Function replies;   //!< losses back
        std::vector<Burst> sent{};      //!< all data
        std::vector<Answers> answers{}; //!< all answers
        uint32_t completing{0};         //!< number of the data frame that completes the message
        uint32_t confirming{0}; //!< number of the data frame whose answer completes the send
        uint64_t timeouts{0};   //!< timeouts
        uint64_t duplicates{0}; //!< packets that had been accepted before
    };

    /// @param recovery TypeId name @param pattern what is lost and expected
    RdmaPatternTest(const std::string& recovery, const Pattern& pattern)
        : RdmaTestCase(recovery + ": " + pattern.name),
          m_recovery(recovery),
          m_pattern(pattern)
    {
    }

    /// @name Losses
    /// @{

    /// @param frame any @return false
    static bool None(const ns3::Frame& frame, uint32_t count);
    /// @param packets pairs of a packet and how many of its passages are lost @return the script
    static RdmaScript::Function Lose(std::vector<std::pair<uint32_t, uint32_t>> packets);
    /// @param opcode of answers @param from number of the first one lost, by opcode
    /// @param count how many @return the script
    static RdmaScript::Function LoseAnswers(ns3::FrameOpcode opcode, uint32_t from, uint32_t count);
    /// @}

    /// @name Expected answers
    /// @{

    /// @param to first data frame @param psn its packet @param count frames in order
    /// @return an ACK for each
    static Answers Acks(uint32_t to, uint32_t psn, uint32_t count);
    /// @param to a data frame @param psn last packet that arrived in order @return its ACK
    static Answers AckAt(uint32_t to, uint32_t psn);
    /// @param to a data frame @param psn missing packet @return the NACK of go-back-N
    static Answers Nack(uint32_t to, uint32_t psn);
    /// @param to first data frame @param psn missing packet @param sacked its packet @param count
    /// frames in order @return the NACKs of selective repeat
    static Answers Sacks(uint32_t to, uint32_t psn, uint32_t sacked, uint32_t count);
    /// @}

  private:
    void DoRun() override;

    /// A frame that was, or must be, sent.
    struct Sent
    {
        int64_t at;              //!< start, ps
        ns3::FrameOpcode opcode; //!< data: DATA_MIDDLE
        uint32_t psn;            //!< packet sequence number
        uint32_t sacked;         //!< NACK: packet it names beside

        /// @return for messages
        std::string Print() const;
    };

    /// Compare two lists, frame by frame. @param got sent @param expected to be sent
    /// @param what for messages
    void Compare(const std::vector<Sent>& got,
                 const std::vector<Sent>& expected,
                 const std::string& what);

    std::string m_recovery; //!< strategy
    Pattern m_pattern;      //!< losses and expectations
};

#endif // RDMA_PATTERN_TEST_CASE_H
