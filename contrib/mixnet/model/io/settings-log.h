/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SETTINGS_LOG_H
#define SETTINGS_LOG_H

#include <string>
#include <vector>

namespace ns3
{

/// One effective setting of a run.
struct Setting
{
    std::string key;    //!< dotted path, e.g. "cluster.nicRate"
    std::string value;  //!< as used
    std::string unit;   //!< "rate", "time", "bytes", "count", "fraction", "choice", "text", ...
    std::string origin; //!< "default", "file", "preset" or "command line"
};

/**
 * @ingroup mixnet
 * Every setting in the order in which it was read: printed at the start and stored in /settings.
 * A setting stands here because something read it, never because it was written in a file.
 */
class SettingsLog
{
  public:
    /// @param setting an effective setting; reading the same key twice keeps one entry
    void Add(const Setting& setting);
    /// @return all settings in the order of first reading
    const std::vector<Setting>& GetAll() const;

  private:
    std::vector<Setting> m_settings; //!< in order
};

} // namespace ns3

#endif // SETTINGS_LOG_H
