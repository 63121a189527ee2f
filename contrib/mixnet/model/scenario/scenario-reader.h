/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_SCENARIO_READER_H
#define MIXNET_SCENARIO_READER_H

#include "mixnet-scenario.h"

#include "ns3/mixnet-json.h"

#include <filesystem>
#include <string>

namespace ns3
{

/// @ingroup mixnet
/// Reads one scenario, or the settings of a replay; once.
class ScenarioReader
{
  public:
    /// @param path scenario @param workloads presets @param overrides command line
    ScenarioReader(const std::string& path,
                   const std::string& workloads,
                   const ScenarioOverrides& overrides)
        : m_path(path),
          m_workloads(workloads),
          m_root(JsonReader::FromFile(path, &m_scenario.settings))
    {
        m_root.Override(overrides);
        AddInput(path);
    }

    /// No file, only the command line. @param workloads presets @param overrides command line
    ScenarioReader(const std::string& workloads, const ScenarioOverrides& overrides);

    /// @return the scenario
    Scenario Read();
    /// @param kind what is replayed @return the settings
    Scenario ReadReplay(const ReplayKind& kind);

  private:
    /// @param path file that was read
    void AddInput(const std::string& path);
    /// @param key key of an object or a preset's name @param folder folder of presets
    /// @param name out, may be null: the preset's name, or "none"
    /// @return the object, the preset under it
    JsonReader GetWithPreset(const std::string& key,
                             const std::string& folder,
                             std::string* name = nullptr);
    /// @param given path in the scenario @param where for the message @return an existing file
    std::string FindFile(const std::string& given, const std::string& where) const;
    /// @param name unless given
    void ReadHead(const std::string& name);
    /// How many servers. @param kind what is replayed
    void PlaceReplay(const ReplayKind& kind);
    void ReadModel();     //!< model and layout
    void ReadBatch();     //!< sequence length, micro-batches, iterations, schedule
    void ReadCompute();   //!< compute models and measured times
    void ReadCluster();   //!< substrate
    void ReadTraffic();   //!< gate, EP traffic
    void ReadEndpoints(); //!< transport, switches
    /// @param iterations of the training job; 0: none
    void ReadFaults(uint32_t iterations);
    void ReadFabrics(); //!< fabrics to compare
    /// @param o object of the fabric @return the fabric
    FabricConfig ReadFabric(const JsonReader& o) const;
    bool m_replay{false};    //!< no training job
    std::string m_path;      //!< scenario
    std::string m_workloads; //!< presets
    Scenario m_scenario;     //!< result
    JsonReader m_root;       //!< top-level object
};

} // namespace ns3

#endif // MIXNET_SCENARIO_READER_H
