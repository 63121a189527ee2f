/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MOE_PRESET_H
#define MOE_PRESET_H

#include "ns3/mixnet-json.h"
#include "ns3/mixnet-scenario.h"

#include <filesystem>
#include <set>
#include <string>

namespace ns3
{

/// @return folder of the shipped models
inline std::string
GetModelFolder()
{
    return std::string(MIXNET_SOURCE_DIR) + "/workloads/models";
}

/// @return names of the shipped models
inline std::set<std::string>
ListPresets()
{
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(GetModelFolder()))
    {
        names.insert(entry.path().stem().string());
    }
    return names;
}

/// @param name of a shipped model @return the model
inline ModelSpec
ReadPreset(const std::string& name)
{
    SettingsLog log;
    const std::string file = GetModelFolder() + "/" + name + ".json";
    JsonReader reader = JsonReader::FromFile(file, &log);
    reader.GetString("source", JsonReader::required);
    ModelSpec spec = ReadModelSpec(reader);
    reader.Finish();
    spec.Validate(file);
    return spec;
}

} // namespace ns3

#endif // MOE_PRESET_H
