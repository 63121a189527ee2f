/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "switch-config.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

namespace
{

/// @param s object @param key key @param def default @return a size that a QueueSize can hold
ByteCount
GetSize(const JsonReader& s, const std::string& key, const char* def)
{
    const ByteCount bytes = s.GetBytes(key, def);
    if (bytes.Get() > UINT32_MAX)
    {
        throw InputError(s.Where(key),
                         std::to_string(bytes.Get()) + "B is not accepted",
                         "less than 4GiB");
    }
    return bytes;
}

/// @param s object @param c out: keys of PFC
void
ReadPfc(const JsonReader& s, SwitchConfig& c)
{
    c.pfcRelease = s.GetChoice("pfcRelease", "xon", {"xon", "quanta", "both"});
    if (c.pfcRelease != "xon")
    {
        c.pfcQuanta = static_cast<uint32_t>(s.GetCount("pfcQuanta", "65535", 1, 65535));
    }
    c.pfcThreshold = GetSize(s, "pfcThreshold", "0B");
    if (c.pfcThreshold.Get() == 0)
    {
        c.alphaLossless = s.GetNumber("alphaLossless", "0.125", 0, 1000);
    }
    c.pfcXonOffset = GetSize(s, "pfcXonOffset", "18432B");
    c.pfcHeadroom = GetSize(s, "pfcHeadroom", "0B");
    c.pfcResponse = s.GetTime("pfcResponse", "0us");
    c.deadlockInterval = s.GetTime("deadlockInterval", "0us");
}

} // namespace

SwitchConfig
ReadSwitch(const JsonReader& s)
{
    SwitchConfig c;
    c.reserved = GetSize(s, "reserved", "9216B");
    c.lossyThreshold = GetSize(s, "lossyThreshold", "0B");
    if (c.lossyThreshold.Get() == 0)
    {
        c.alphaLossy = s.GetNumber("alphaLossy", "1", 0, 1000);
    }
    c.pfc = s.GetBool("pfc", "true");
    if (c.pfc)
    {
        ReadPfc(s, c);
    }
    c.ecn = s.GetBool("ecn", "true");
    if (c.ecn)
    {
        c.ecnScale = s.GetBool("ecnScale", "true");
        c.ecnPoint = s.GetChoice("ecnPoint", "dequeue", {"dequeue", "enqueue"});
    }
    return c;
}

} // namespace ns3
