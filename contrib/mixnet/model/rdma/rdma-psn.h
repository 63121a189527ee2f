/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PSN_H
#define RDMA_PSN_H

#include <cstdint>

/**
 * @file
 * @ingroup mixnet
 * Packet sequence numbers: 64 bits inside, 24 on the wire (IBTA volume 1, section 9.7.1). A number
 * from the wire is read as the one nearest to a reference that both ends keep within half of the
 * number space, which the window cap guarantees.
 */

namespace ns3
{

constexpr uint64_t PSN_SPACE = uint64_t(1) << 24;        //!< numbers on the wire
constexpr uint64_t PSN_WINDOW_CAP = (PSN_SPACE / 2) - 1; //!< most packets under way on a queue pair

/// @param psn number inside @return number on the wire
constexpr uint32_t
PsnToWire(uint64_t psn)
{
    return static_cast<uint32_t>(psn & (PSN_SPACE - 1));
}

/// @param wire number on the wire @param near reference inside, less than half the space away
/// @return number inside
constexpr uint64_t
PsnFromWire(uint32_t wire, uint64_t near)
{
    const uint64_t ahead = (wire - near) & (PSN_SPACE - 1);
    return ahead < PSN_SPACE / 2 ? near + ahead : near + ahead - PSN_SPACE;
}

/// @param wire first number on the wire @return where a new queue pair starts inside (a whole
/// number space above zero, so that a stale number never goes below it)
constexpr uint64_t
PsnStart(uint32_t wire)
{
    return PSN_SPACE + (wire & (PSN_SPACE - 1));
}

} // namespace ns3

#endif // RDMA_PSN_H
