/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet-switch-settings.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/queue-size.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cctype>

namespace ns3
{

namespace
{

/// @param bytes less than 4 GiB @return value of an attribute
QueueSizeValue
Size(ByteCount bytes)
{
    return QueueSizeValue(QueueSize(QueueSizeUnit::BYTES, static_cast<uint32_t>(bytes.Get())));
}

/// @param name "xon" @return "Xon"
StringValue
Capital(std::string name)
{
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    return StringValue(name);
}

/// @param config what is asked for @return TypeId name of the switches' balancer, and attributes
std::string
GetBalancer(const WorldConfig& config)
{
    if (config.loadBalance == "flowlet")
    {
        return "ns3::FlowletBalancer[Gap=" + std::to_string(config.flowletGap.GetPicoSeconds()) +
               "ps]";
    }
    return config.loadBalance == "spray"          ? "ns3::RoundRobinSprayBalancer"
           : config.loadBalance == "random-spray" ? "ns3::RandomSprayBalancer"
                                                  : "ns3::EcmpBalancer";
}

} // namespace

void
SetSwitchAttributes(PacketWorld& world, const WorldConfig& config)
{
    const SwitchConfig& c = config.switches;
    world.SetSwitchAttribute("BufferSize", Size(config.switchBuffer));
    world.SetSwitchAttribute("Balancer", StringValue(GetBalancer(config)));
    world.SetSwitchAttribute("Reserved", Size(c.reserved));
    world.SetSwitchAttribute("AlphaLossy", DoubleValue(c.alphaLossy));
    world.SetSwitchAttribute("LossyThreshold", Size(c.lossyThreshold));
    world.SetSwitchAttribute("Pfc", BooleanValue(c.pfc));
    world.SetSwitchAttribute("PfcRelease", Capital(c.pfcRelease));
    world.SetSwitchAttribute("PfcQuanta", UintegerValue(c.pfcQuanta));
    world.SetSwitchAttribute("PfcThreshold", Size(c.pfcThreshold));
    world.SetSwitchAttribute("AlphaLossless", DoubleValue(c.alphaLossless));
    world.SetSwitchAttribute("PfcXonOffset", Size(c.pfcXonOffset));
    world.SetSwitchAttribute("PfcHeadroom", Size(c.pfcHeadroom));
    world.SetPortAttribute("PfcResponse", TimeValue(c.pfcResponse));
    world.SetSwitchAttribute("Ecn", BooleanValue(c.ecn));
    world.SetSwitchAttribute("EcnKmin", Size(config.ecnKmin));
    world.SetSwitchAttribute("EcnKmax", Size(config.ecnKmax));
    world.SetSwitchAttribute("EcnPmax", DoubleValue(config.ecnPmax));
    world.SetSwitchAttribute("EcnScale", BooleanValue(c.ecnScale));
    world.SetSwitchAttribute("EcnPoint", Capital(c.ecnPoint));
}

} // namespace ns3
