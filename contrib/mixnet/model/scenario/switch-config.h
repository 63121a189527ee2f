/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_SWITCH_CONFIG_H
#define MIXNET_SWITCH_CONFIG_H

#include "ns3/mixnet-byte-count.h"
#include "ns3/mixnet-json.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// Packet switches: buffers, PFC, where to mark. Defaults are those of PacketSwitch. The ECN
/// thresholds belong to the congestion control (TransportConfig).
struct SwitchConfig
{
    ByteCount reserved{9216};        //!< per ingress port and class
    double alphaLossy{1};            //!< dynamic threshold
    ByteCount lossyThreshold;        //!< 0: dynamic
    bool pfc{true};                  //!< lossless classes
    std::string pfcRelease{"xon"};   //!< "xon", "quanta", "both"
    uint32_t pfcQuanta{65535};       //!< not with "xon"
    double alphaLossless{0.125};     //!< dynamic threshold
    ByteCount pfcThreshold;          //!< 0: dynamic
    ByteCount pfcXonOffset{18432};   //!< hysteresis
    ByteCount pfcHeadroom;           //!< 0: computed
    Time pfcResponse;                //!< of every port
    bool ecn{true};                  //!< marks
    bool ecnScale{true};             //!< with the rate
    std::string ecnPoint{"dequeue"}; //!< or "enqueue"
    Time deadlockInterval;           //!< 0: looked for at the end only
};

/**
 * @param s the object `switch` of a scenario
 * @return what it says; keys of PFC and ECN are read only when these are on
 * @throws InputError naming key, value and what is accepted
 */
SwitchConfig ReadSwitch(const JsonReader& s);

} // namespace ns3

#endif // MIXNET_SWITCH_CONFIG_H
