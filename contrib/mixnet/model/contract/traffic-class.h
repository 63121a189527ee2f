/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAFFIC_CLASS_H
#define TRAFFIC_CLASS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/// What a transfer belongs to: tensor, expert, data, pipeline parallelism, other, or context
/// parallelism. Files hold the numbers.
enum class TrafficClass : uint8_t
{
    TP,
    EP,
    DP,
    PP,
    OTHER,
    CP
};

constexpr std::size_t N_TRAFFIC_CLASSES = 6; //!< number of traffic classes

/// What a byte travels over; one transfer may cross several.
enum class PathClass : uint8_t
{
    SCALE_UP, //!< NVSwitch inside a server
    CIRCUIT,  //!< optical circuit
    PACKET    //!< electrical packet fabric
};

constexpr std::size_t N_PATH_CLASSES = 3; //!< number of path classes

/// @param c traffic class @return "tp", "ep", "dp", "pp", "other", "cp"
const char* GetName(TrafficClass c);
/// @param name as GetName gives it @return the class, if there is one
std::optional<TrafficClass> FindTrafficClass(const std::string& name);
/// @return names of all classes, for messages
std::string GetTrafficClassNames();
/// @param c path class @return "scale-up", "circuit", "packet"
const char* GetName(PathClass c);

} // namespace ns3

#endif // TRAFFIC_CLASS_H
