/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "settings-log.h"

#include <algorithm>

namespace ns3
{

void
SettingsLog::Add(const Setting& setting)
{
    const auto same = [&](const Setting& s) { return s.key == setting.key; };
    if (std::none_of(m_settings.begin(), m_settings.end(), same))
    {
        m_settings.push_back(setting);
    }
}

const std::vector<Setting>&
SettingsLog::GetAll() const
{
    return m_settings;
}

} // namespace ns3
