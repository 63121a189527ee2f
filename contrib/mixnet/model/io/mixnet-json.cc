/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mixnet-json.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace ns3
{

using Json = nlohmann::json;

struct JsonReader::Document
{
    std::string name;               //!< file, or what the text is called
    SettingsLog* log{nullptr};      //!< settings log
    std::set<std::string> fromLine; //!< dotted paths given on the command line
    std::string origin{"file"};     //!< origin of its values
};

struct JsonReader::Node
{
    /// A value and the document it came from.
    struct Entry
    {
        Json value;                         //!< value
        std::shared_ptr<Document> document; //!< where it stood
    };

    std::shared_ptr<Document> document;                    //!< document of the object
    std::string path;                                      //!< dotted path of the object
    std::map<std::string, Entry> entries;                  //!< by key
    std::set<std::string> known;                           //!< keys that were asked for
    std::map<std::string, std::shared_ptr<Node>> children; //!< objects handed out

    /// @param name key or key and index @param value JSON object @param p its path
    /// @return the object handed out under this name, made when it is the first time
    std::shared_ptr<Node> Adopt(const std::string& name, const Json& value, const std::string& p)
    {
        auto& child = children[name];
        if (!child)
        {
            child = std::make_shared<Node>();
            child->Fill(value, document, p);
        }
        return child;
    }

    /// @param object JSON object @param d its document @param p its path
    void Fill(const Json& object, const std::shared_ptr<Document>& d, const std::string& p)
    {
        document = d;
        path = p;
        for (const auto& [key, value] : object.items())
        {
            entries[key] = {value, d};
        }
    }
};

JsonReader::JsonReader(std::shared_ptr<Node> node)
    : m_node(std::move(node))
{
}

JsonReader::JsonReader(const std::string& name, SettingsLog* log)
    : m_node(std::make_shared<Node>())
{
    m_node->document = std::make_shared<Document>();
    m_node->document->name = name;
    m_node->document->log = log;
}

JsonReader
JsonReader::FromText(const std::string& text, const std::string& name, SettingsLog* log)
{
    JsonReader reader(name, log);
    Json parsed;
    try
    {
        parsed = Json::parse(text);
        RefuseRepeatedKeys(text, name);
    }
    catch (const Json::parse_error& e)
    {
        const std::string what = e.what();
        const auto at = what.find("parse error");
        throw InputError(name,
                         "is not JSON: " + (at == std::string::npos ? what : what.substr(at)),
                         "a JSON object");
    }
    if (!parsed.is_object())
    {
        throw InputError(name, std::string("holds a JSON ") + parsed.type_name(), "a JSON object");
    }
    reader.m_node->Fill(parsed, reader.m_node->document, "");
    return reader;
}

JsonReader
JsonReader::FromFile(const std::string& path, SettingsLog* log)
{
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    const bool opened = static_cast<bool>(file);
    std::ostringstream text;
    if (!opened || !(text << file.rdbuf()))
    {
        const bool empty = opened && errno == 0;
        throw InputError(path,
                         empty ? "is empty" : std::string("cannot be read: ") + strerror(errno),
                         "a JSON scenario file");
    }
    return FromText(text.str(), path, log);
}

void
JsonReader::Override(const std::string& dotted, const std::string& value)
{
    Json parsed = Json::parse(value, nullptr, false);
    if (parsed.is_discarded())
    {
        parsed = value;
    }
    std::vector<std::string> steps;
    std::istringstream in(dotted);
    for (std::string step; std::getline(in, step, '.');)
    {
        steps.push_back(step);
    }
    if (steps.empty() ||
        std::any_of(steps.begin(), steps.end(), [](const auto& s) { return s.empty(); }))
    {
        throw InputError("command line", "--" + dotted + " is not a key", "--key.subkey=value");
    }
    Node::Entry& entry = m_node->entries[steps[0]];
    if (!entry.document)
    {
        entry.document = m_node->document;
    }
    Json* at = &entry.value;
    for (std::size_t i = 1; i < steps.size(); ++i)
    {
        const bool index = at->is_array();
        if (index)
        {
            char* end = nullptr;
            const unsigned long n = std::strtoul(steps[i].c_str(), &end, 10);
            if (*end != '\0' || n >= at->size())
            {
                throw InputError("command line",
                                 "--" + dotted + ": no element '" + steps[i] + "'",
                                 "an index below " + std::to_string(at->size()));
            }
            at = &(*at)[n];
            continue;
        }
        if (!at->is_object() && !at->is_null())
        {
            // A preset's name may be followed by overrides of its keys.
            *at = Json{{"preset", *at}};
        }
        at = &(*at)[steps[i]];
    }
    *at = parsed;
    m_node->document->fromLine.insert(dotted);
}

void
JsonReader::Underlay(const JsonReader& preset)
{
    for (const auto& [key, entry] : preset.m_node->entries)
    {
        const auto it = m_node->entries.find(key);
        if (it == m_node->entries.end())
        {
            m_node->entries[key] = entry;
            entry.document->origin = "preset";
        }
        else if (it->second.value.is_object() && entry.value.is_object())
        {
            Json merged = entry.value;
            merged.merge_patch(it->second.value);
            it->second.value = merged;
        }
    }
}

bool
JsonReader::Has(const std::string& key) const
{
    return m_node->entries.count(key) != 0;
}

bool
JsonReader::Accepts(const std::string& key) const
{
    m_node->known.insert(key);
    return Has(key);
}

bool
JsonReader::IsString(const std::string& key) const
{
    const auto it = m_node->entries.find(key);
    return it != m_node->entries.end() && it->second.value.is_string();
}

std::string
JsonReader::PathOf(const std::string& key) const
{
    return m_node->path.empty() ? key : key.empty() ? m_node->path : m_node->path + "." + key;
}

std::string
JsonReader::Where(const std::string& key) const
{
    const auto it = m_node->entries.find(key);
    const auto& document = it == m_node->entries.end() ? m_node->document : it->second.document;
    const std::string path = PathOf(key);
    const std::string name =
        m_node->document->fromLine.count(path) != 0 ? "command line" : document->name;
    return path.empty() ? name : name + ": " + path;
}

std::string
JsonReader::Read(const std::string& key, const char* def, const std::string& unit) const
{
    m_node->known.insert(key);
    const auto it = m_node->entries.find(key);
    Setting setting{PathOf(key), "", unit, "default"};
    if (it == m_node->entries.end())
    {
        if (def == nullptr)
        {
            throw InputError(Where(key), "is missing", "a value (" + unit + ")");
        }
        setting.value = def;
    }
    else
    {
        const Json& value = it->second.value;
        if (value.is_object() || value.is_array() || value.is_null())
        {
            throw InputError(Where(key),
                             std::string("is a JSON ") + value.type_name(),
                             "a single value (" + unit + ")");
        }
        setting.value = value.is_string() ? value.get<std::string>() : value.dump();
        setting.origin = m_node->document->fromLine.count(setting.key) != 0
                             ? "command line"
                             : it->second.document->origin;
        const bool textual =
            unit == "time" || unit == "rate" || unit == "bytes" || unit == "FLOP/s";
        if (textual && value.is_number())
        {
            throw InputError(Where(key),
                             "'" + setting.value + "' has no unit",
                             "a string with a unit (" + unit + ")");
        }
    }
    if (m_node->document->log != nullptr)
    {
        m_node->document->log->Add(setting);
    }
    return setting.value;
}

JsonReader
JsonReader::GetObject(const std::string& key) const
{
    m_node->known.insert(key);
    const auto it = m_node->entries.find(key);
    const Json value = it == m_node->entries.end() ? Json::object() : it->second.value;
    if (!value.is_object())
    {
        throw InputError(Where(key),
                         std::string("is a JSON ") + value.type_name(),
                         "a JSON object {...}");
    }
    const bool known = m_node->children.count(key) != 0;
    const auto child = m_node->Adopt(key, value, PathOf(key));
    if (it != m_node->entries.end() && !known)
    {
        for (auto& [name, entry] : child->entries)
        {
            entry.document = it->second.document;
        }
    }
    return JsonReader(child);
}

JsonReader
JsonReader::GetEmpty(const std::string& key) const
{
    return JsonReader(m_node->Adopt(key, Json::object(), PathOf(key)));
}

std::vector<std::string>
JsonReader::ReadList(const std::string& key, bool numbers) const
{
    m_node->known.insert(key);
    std::vector<std::string> values;
    const auto it = m_node->entries.find(key);
    if (it == m_node->entries.end())
    {
        return values;
    }
    const Json list =
        it->second.value.is_array() ? it->second.value : Json::array({it->second.value});
    for (const auto& value : list)
    {
        if (numbers ? !value.is_number_unsigned() : !value.is_string())
        {
            throw InputError(Where(key),
                             "'" + value.dump() + "' is not a " + (numbers ? "count" : "string"),
                             numbers ? "whole numbers" : "strings");
        }
        values.push_back(numbers ? value.dump() : value.get<std::string>());
    }
    if (m_node->document->log != nullptr)
    {
        const bool line = m_node->document->fromLine.count(PathOf(key)) != 0;
        m_node->document->log->Add({PathOf(key),
                                    JoinNames(values),
                                    "list",
                                    line ? "command line" : it->second.document->origin});
    }
    return values;
}

std::vector<JsonReader>
JsonReader::GetObjects(const std::string& key, const std::string& nameKey) const
{
    m_node->known.insert(key);
    std::vector<JsonReader> objects;
    const auto it = m_node->entries.find(key);
    if (it == m_node->entries.end())
    {
        return objects;
    }
    const Json list =
        it->second.value.is_array() ? it->second.value : Json::array({it->second.value});
    for (std::size_t i = 0; i < list.size(); ++i)
    {
        const std::string name = key + "." + std::to_string(i);
        Json value = list[i].is_string() ? Json{{nameKey, list[i]}} : list[i];
        if (value.is_object() && value.contains("preset") && !value.contains(nameKey))
        {
            // A name whose keys were overridden from the command line.
            value[nameKey] = value["preset"];
            value.erase("preset");
        }
        if (!value.is_object())
        {
            throw InputError(Where(key),
                             "'" + list[i].dump() + "' is neither a name nor an object",
                             "names or objects {\"" + nameKey + "\": ...}");
        }
        objects.push_back(JsonReader(m_node->Adopt(name, value, PathOf(name))));
    }
    return objects;
}

void
JsonReader::Finish() const
{
    for (const auto& [key, entry] : m_node->entries)
    {
        if (m_node->known.count(key) == 0)
        {
            throw InputError(Where(key), "is a key that nothing reads", JoinNames(m_node->known));
        }
    }
    for (const auto& [key, child] : m_node->children)
    {
        JsonReader(child).Finish();
    }
}

} // namespace ns3
