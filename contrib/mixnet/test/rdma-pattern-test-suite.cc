/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Field reports 1, 3 and 5 and their neighbors. S(i) = RdmaPatternTest::SentAt(i) is the first
// start of packet i, and the end of packet i - 1. An answer is heard ECHO after its packet's end.

#include "rdma-pattern-test-case.h"

#include "ns3/ns3-compat.h"

using namespace ns3;

namespace
{

using T = RdmaPatternTest;
using Patterns = std::vector<T::Pattern>;

constexpr uint32_t ALL = 1000; //!< more than there are

/// @param i a packet @return its first start
constexpr int64_t
S(int64_t i)
{
    return T::SentAt(i);
}

/// @return losses that go-back-N hears of by a NACK
Patterns
MakeGoBackNGaps()
{
    Patterns all;

    // Packet 1 reveals it; the NACK is heard at S(2) + ECHO = 2,676,640, inside packet 8 (S(8) =
    // 2,675,200). All goes again from its end on.
    T::Pattern first{"LostFirstPacketGoesBackToTheStart", T::Lose({{0, 1}}), T::None};
    first.sent = {{0, 8, 0}, {0, 9, S(9)}};
    first.answers = {T::Nack(1, 0), T::Acks(9, 0, 10)};
    first.completing = first.confirming = 18;
    all.push_back(first);

    // Packet 3 reveals it; the NACK is heard at S(4) + ECHO = 3,345,120, when the line has been
    // idle since S(10) = 3,343,680.
    const int64_t heard = S(4) + T::ECHO;
    T::Pattern middle{"LostMiddlePacketGoesBackOnce", T::Lose({{2, 1}}), T::None};
    middle.sent = {{0, 9, 0}, {2, 9, heard}};
    middle.answers = {T::Acks(0, 0, 2), T::Nack(3, 2), T::Acks(10, 2, 8)};
    middle.completing = middle.confirming = 17;
    all.push_back(middle);

    // Field report 5: packet 8 of the last window; packet 9 reveals it.
    T::Pattern window{"LossInTheLastWindowIsSentAgain", T::Lose({{8, 1}}), T::None};
    window.sent = {{0, 9, 0}, {8, 9, S(10) + T::ECHO}};
    window.answers = {T::Acks(0, 0, 8), T::Nack(9, 8), T::Acks(10, 8, 2)};
    window.completing = window.confirming = 11;
    all.push_back(window);

    // Packet 5 is lost, too: it goes again with the others.
    T::Pattern two{"TwoLossesInAWindowCostOneRoundTrip", T::Lose({{2, 1}, {5, 1}}), T::None};
    two.sent = middle.sent;
    two.answers = middle.answers;
    two.completing = two.confirming = 17;
    all.push_back(two);

    // Packet 4 is lost when it is sent again, with number 12: packet 5, number 13, ends 4 packets
    // after `heard` and reveals the second gap.
    T::Pattern later{"LossAmongRetransmissionsIsASecondGap",
                     [count = 0](const Frame& f, uint32_t) mutable {
                         count += IsData(f.opcode) ? 1 : 0;
                         return IsData(f.opcode) && (count == 3 || count == 13);
                     },
                     T::None};
    later.sent = {{0, 9, 0}, {2, 9, heard}, {4, 9, heard + 4 * T::NEXT + T::ECHO}};
    later.answers = {T::Acks(0, 0, 2),
                     T::Nack(3, 2),
                     T::Acks(10, 2, 2),
                     T::Nack(13, 4),
                     T::Acks(18, 4, 6)};
    later.completing = later.confirming = 23;
    all.push_back(later);
    return all;
}

/// @return losses that go-back-N hears of by its timer
Patterns
MakeGoBackNTimeouts()
{
    Patterns all;

    // Packet 9 is timed from its own start (the ACK of the packet timed before came after that).
    T::Pattern last{"LostLastPacketRecoversByTimeout", T::Lose({{9, 1}}), T::None};
    last.sent = {{0, 9, 0}, {9, 9, S(9) + T::TIMEOUT}};
    last.answers = {T::Acks(0, 0, 9), T::AckAt(10, 9)};
    last.completing = last.confirming = 10;
    last.timeouts = 1;
    all.push_back(last);

    T::Pattern lastAck{"LostLastAckIsAnsweredAgain",
                       T::None,
                       T::LoseAnswers(FrameOpcode::ACK, 9, 1)};
    lastAck.sent = last.sent;
    lastAck.answers = {T::Acks(0, 0, 10), T::AckAt(10, 9)};
    lastAck.completing = 9;
    lastAck.confirming = 10;
    lastAck.timeouts = 1;
    lastAck.duplicates = 1;
    all.push_back(lastAck);

    // A later ACK says the same.
    T::Pattern ack{"LostAckInTheMiddleCostsNothing",
                   T::None,
                   T::LoseAnswers(FrameOpcode::ACK, 4, 3)};
    ack.sent = {{0, 9, 0}};
    ack.answers = {T::Acks(0, 0, 10)};
    ack.completing = ack.confirming = 9;
    all.push_back(ack);

    // Field report 3. The ACK of packet 0 comes at S(1) + ECHO = 2,342,400, when packet 7 (S(7) =
    // 2,340,960) is the newest: it is timed.
    T::Pattern nacks{"LostNackRecoversByTimeout",
                     T::Lose({{3, 1}}),
                     T::LoseAnswers(FrameOpcode::NACK, 0, ALL)};
    nacks.sent = {{0, 9, 0}, {3, 9, S(7) + T::TIMEOUT}};
    nacks.answers = {T::Acks(0, 0, 3), T::Nack(4, 3), T::Acks(10, 3, 7)};
    nacks.completing = nacks.confirming = 16;
    nacks.timeouts = 1;
    all.push_back(nacks);

    // Packet 2 is lost again. The gap is open until packet 3, which revealed it, is delivered: no
    // second NACK. Packet 2 is timed from its second start, S(4) + ECHO.
    const int64_t heard = S(4) + T::ECHO;
    T::Pattern again{"LostRetransmissionRecoversByTimeout", T::Lose({{2, 2}}), T::None};
    again.sent = {{0, 9, 0}, {2, 9, heard}, {2, 9, heard + T::TIMEOUT}};
    again.answers = {T::Acks(0, 0, 2), T::Nack(3, 2), T::Acks(18, 2, 8)};
    again.completing = again.confirming = 25;
    again.timeouts = 1;
    all.push_back(again);

    // The second timeout is twice as long and runs from the first retransmission.
    T::Pattern twice{"LostTwiceBacksOff", T::Lose({{9, 2}}), T::None};
    twice.sent = {{0, 9, 0}, {9, 9, S(9) + T::TIMEOUT}, {9, 9, S(9) + 3 * T::TIMEOUT}};
    twice.answers = {T::Acks(0, 0, 9), T::AckAt(11, 9)};
    twice.completing = twice.confirming = 11;
    twice.timeouts = 2;
    all.push_back(twice);
    return all;
}

/// @return losses that selective repeat hears of by a NACK
Patterns
MakeSelectiveGaps()
{
    Patterns all;

    // As with go-back-N, but only packet 0 goes again, then packet 9 for the first time.
    T::Pattern first{"LostFirstPacketIsSentAgainAlone", T::Lose({{0, 1}}), T::None};
    first.sent = {{0, 8, 0}, {0, 0, S(9)}, {9, 9, S(9) + T::FIRST}};
    first.answers = {T::Sacks(1, 0, 1, 8), T::AckAt(9, 8), T::AckAt(10, 9)};
    first.completing = first.confirming = 10;
    all.push_back(first);

    const int64_t heard = S(4) + T::ECHO;
    T::Pattern middle{"LostMiddlePacketIsSentAgainAlone", T::Lose({{2, 1}}), T::None};
    middle.sent = {{0, 9, 0}, {2, 2, heard}};
    middle.answers = {T::Acks(0, 0, 2), T::Sacks(3, 2, 3, 7), T::AckAt(10, 9)};
    middle.completing = middle.confirming = 10;
    all.push_back(middle);

    // Packet 6 reveals the loss of packet 5; its answer still names packet 2, too.
    T::Pattern two{"TwoLossesInAWindowAreSentOnceEach", T::Lose({{2, 1}, {5, 1}}), T::None};
    two.sent = {{0, 9, 0}, {2, 2, heard}, {5, 5, S(7) + T::ECHO}};
    two.answers = {T::Acks(0, 0, 2),
                   T::Sacks(3, 2, 3, 2),
                   T::Sacks(6, 2, 6, 4),
                   T::AckAt(10, 4),
                   T::AckAt(11, 9)};
    two.completing = two.confirming = 11;
    all.push_back(two);

    // The NACK that packet 4 draws is lost; that of packet 5 deems both 3 and 4 lost.
    T::Pattern nack{"LostNackIsReplacedByTheNextOne",
                    T::Lose({{3, 1}}),
                    T::LoseAnswers(FrameOpcode::NACK, 0, 1)};
    nack.sent = {{0, 9, 0}, {3, 4, S(6) + T::ECHO}};
    nack.answers = {T::Acks(0, 0, 3), T::Sacks(4, 3, 4, 6), T::AckAt(10, 9), T::AckAt(11, 9)};
    nack.completing = nack.confirming = 10;
    nack.duplicates = 1;
    all.push_back(nack);
    return all;
}

/// @return losses that selective repeat hears of by its timer
Patterns
MakeSelectiveTimeouts()
{
    Patterns all;

    // Packet 9 is timed from its own start, alone under way: the short timeout.
    T::Pattern last{"LostLastPacketRecoversByShortTimeout", T::Lose({{9, 1}}), T::None};
    last.sent = {{0, 9, 0}, {9, 9, S(9) + T::SHORT_TIMEOUT}};
    last.answers = {T::Acks(0, 0, 9), T::AckAt(10, 9)};
    last.completing = last.confirming = 10;
    last.timeouts = 1;
    all.push_back(last);

    T::Pattern lastAck{"LostLastAckIsAnsweredAgain",
                       T::None,
                       T::LoseAnswers(FrameOpcode::ACK, 9, 1)};
    lastAck.sent = last.sent;
    lastAck.answers = {T::Acks(0, 0, 10), T::AckAt(10, 9)};
    lastAck.completing = 9;
    lastAck.confirming = 10;
    lastAck.timeouts = 1;
    lastAck.duplicates = 1;
    all.push_back(lastAck);

    // Packet 2 is timed from its second start on; eight are under way: the long timeout.
    const int64_t heard = S(4) + T::ECHO;
    T::Pattern again{"LostRetransmissionRecoversByTimeout", T::Lose({{2, 2}}), T::None};
    again.sent = {{0, 9, 0}, {2, 2, heard}, {2, 2, heard + T::TIMEOUT}};
    again.answers = {T::Acks(0, 0, 2), T::Sacks(3, 2, 3, 7), T::AckAt(11, 9)};
    again.completing = again.confirming = 11;
    again.timeouts = 1;
    all.push_back(again);

    // Packet 7 is timed, as with go-back-N; seven are under way.
    T::Pattern nacks{"LostNacksRecoverByTimeout",
                     T::Lose({{3, 1}}),
                     T::LoseAnswers(FrameOpcode::NACK, 0, ALL)};
    nacks.sent = {{0, 9, 0}, {3, 3, S(7) + T::TIMEOUT}};
    nacks.answers = {T::Acks(0, 0, 3), T::Sacks(4, 3, 4, 6), T::AckAt(10, 9)};
    nacks.completing = nacks.confirming = 10;
    nacks.timeouts = 1;
    all.push_back(nacks);

    // Packets 7 to 9: 7 is timed; then one more each time an acknowledgement comes.
    T::Pattern tail{"LostTailCostsOneTimeout", T::Lose({{7, 1}, {8, 1}, {9, 1}}), T::None};
    const int64_t expired = S(7) + T::SHORT_TIMEOUT;
    const int64_t round = T::NEXT + T::ECHO;
    tail.sent = {{0, 9, 0}, {7, 7, expired}, {8, 8, expired + round}, {9, 9, expired + 2 * round}};
    tail.answers = {T::Acks(0, 0, 7), T::Acks(10, 7, 3)};
    tail.completing = tail.confirming = 12;
    tail.timeouts = 1;
    all.push_back(tail);

    T::Pattern twice{"LostTwiceBacksOff", T::Lose({{9, 2}}), T::None};
    twice.sent = {{0, 9, 0}, {9, 9, S(9) + T::SHORT_TIMEOUT}, {9, 9, S(9) + 3 * T::SHORT_TIMEOUT}};
    twice.answers = {T::Acks(0, 0, 9), T::AckAt(11, 9)};
    twice.completing = twice.confirming = 11;
    twice.timeouts = 2;
    all.push_back(twice);
    return all;
}

} // namespace

/// @ingroup mixnet-test
class RdmaPatternTestSuite : public TestSuite
{
  public:
    RdmaPatternTestSuite()
        : TestSuite("mixnet-rdma-pattern", TestSuite::Type::UNIT)
    {
        for (const auto& patterns : {MakeGoBackNGaps(), MakeGoBackNTimeouts()})
        {
            Add("ns3::GoBackN", patterns);
        }
        for (const auto& patterns : {MakeSelectiveGaps(), MakeSelectiveTimeouts()})
        {
            Add("ns3::SelectiveRepeat", patterns);
        }
    }

  private:
    /// @param recovery TypeId name @param patterns its cases
    void Add(const std::string& recovery, const Patterns& patterns)
    {
        for (const auto& pattern : patterns)
        {
            AddTestCase(new RdmaPatternTest(recovery, pattern));
        }
    }

    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaPatternTestSuite g_rdmaPatternTestSuite; //!< the suite
