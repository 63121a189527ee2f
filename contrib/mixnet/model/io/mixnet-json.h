/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_JSON_H
#define MIXNET_JSON_H

#include "settings-log.h"

#include "ns3/data-rate.h"
#include "ns3/mixnet-byte-count.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * One JSON object that knows its file and path, hands out typed values with units, and in the end
 * refuses keys that nothing has read. Copies share their state.
 *
 * Every getter takes a default as the text a user would write; a null default (required) means
 * that the key must be given. Every value read goes into the settings log with its origin. All
 * problems are InputErrors that name file, key, value and what is accepted.
 */
class JsonReader
{
  public:
    /// Marks a key that has no default.
    static constexpr const char* required = nullptr;

    /// An empty object. @param name what to call it in messages @param log may be null
    JsonReader(const std::string& name, SettingsLog* log);

    /**
     * @param path file to read @param log settings log, may be null
     * @return its top-level object
     */
    static JsonReader FromFile(const std::string& path, SettingsLog* log);

    /**
     * @param text JSON @param name what to call it in messages @param log may be null
     * @return its top-level object
     */
    static JsonReader FromText(const std::string& text, const std::string& name, SettingsLog* log);

    /**
     * Overwrite a value from the command line.
     *
     * @param dotted path such as "cluster.nicRate" or "fabrics.0.policy"
     * @param value JSON, or else taken as a string
     */
    void Override(const std::string& dotted, const std::string& value);

    /// @param all dotted paths and values, one after the other
    void Override(const std::vector<std::pair<std::string, std::string>>& all);

    /**
     * Put a preset under this object: keys given here win.
     *
     * @param preset another object; its problems keep naming its own file
     */
    void Underlay(const JsonReader& preset);

    /// @param key key @return true when given
    bool Has(const std::string& key) const;
    /// @param key a key that is accepted here, so that Finish() names it @return true when given
    bool Accepts(const std::string& key) const;
    /// @param key key @return true when given as a string
    bool IsString(const std::string& key) const;

    /// @param key key @param def default @return text
    std::string GetString(const std::string& key, const char* def) const;
    /// @param key key @param def default @param choices accepted values @return one of them
    std::string GetChoice(const std::string& key,
                          const char* def,
                          const std::vector<std::string>& choices) const;
    /// @param key key @param def default @return a time with a unit
    Time GetTime(const std::string& key, const char* def) const;
    /// @param key key @param def default @return a rate with a unit
    DataRate GetRate(const std::string& key, const char* def) const;
    /// @param key key @param def default @return a size with a unit
    ByteCount GetBytes(const std::string& key, const char* def) const;
    /// @param key key @param def default @return floating-point operations per second
    uint64_t GetFlopRate(const std::string& key, const char* def) const;
    /// @param key key @param def default @param min least @param max largest @return a number
    uint64_t GetCount(const std::string& key,
                      const char* def,
                      uint64_t min = 0,
                      uint64_t max = UINT32_MAX) const;
    /// @param key key @param def default @param min least @param max largest @return a number
    /// without a unit, such as an efficiency
    double GetNumber(const std::string& key, const char* def, double min, double max) const;
    /// @param key key @param def default ("true" or "false") @return yes or no
    bool GetBool(const std::string& key, const char* def) const;
    /// @param key key @return the object there; an empty one when absent
    JsonReader GetObject(const std::string& key) const;
    /// @param key key given as a string, e.g. a preset's name @return an empty object in its place
    JsonReader GetEmpty(const std::string& key) const;
    /// @param key key @return the strings of an array, or of a single string; empty when absent
    std::vector<std::string> GetStrings(const std::string& key) const;
    /// @param key key @return the whole numbers of an array; empty when absent
    std::vector<uint64_t> GetCounts(const std::string& key) const;
    /**
     * @param key key
     * @param nameKey a string element s stands for the object {nameKey: s}
     * @return the objects of an array; empty when absent
     */
    std::vector<JsonReader> GetObjects(const std::string& key, const std::string& nameKey) const;

    /// @param key key, may be empty @return "file: path.key" for messages
    std::string Where(const std::string& key) const;
    /// @param key key @return the dotted path of the key
    std::string PathOf(const std::string& key) const;

    /// @throws InputError naming the first key that nothing has read, and what is accepted; looks
    /// into every object that was handed out
    void Finish() const;

  private:
    /// @param text JSON @param name what to call it @throws InputError when a key comes twice in
    /// one object: the parser would keep the last one without a word
    static void RefuseRepeatedKeys(const std::string& text, const std::string& name);

    /// @param key key @param numbers whole numbers, else strings @return the elements of an array
    std::vector<std::string> ReadList(const std::string& key, bool numbers) const;

    struct Document; //!< parsed text and what has been read of it
    struct Node;     //!< one object of it

    /// @param node the object
    explicit JsonReader(std::shared_ptr<Node> node);
    /// @param key key @param def default @param unit for the log @return value as text
    std::string Read(const std::string& key, const char* def, const std::string& unit) const;

    std::shared_ptr<Node> m_node; //!< shared by copies
};

} // namespace ns3

#endif // MIXNET_JSON_H
