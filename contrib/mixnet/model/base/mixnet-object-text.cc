/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mixnet-object-text.h"

#include "mixnet-error.h"

#include "ns3/string.h"

#include <sstream>

namespace ns3
{

ObjectFactory
ParseObjectText(const std::string& text,
                TypeId parent,
                const std::string& what,
                const std::string& where,
                const std::string& accepted)
{
    const std::size_t open = text.find('[');
    const std::string name = text.substr(0, open);
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(name, &tid) || !tid.IsChildOf(parent) ||
        !tid.HasConstructor())
    {
        throw InputError(where, "'" + name + "' is no " + what, accepted);
    }
    ObjectFactory factory;
    factory.SetTypeId(tid);
    if (open == std::string::npos)
    {
        return factory;
    }
    if (text.back() != ']')
    {
        throw InputError(where, "'" + text + "' lacks its ]", accepted);
    }
    std::istringstream items(text.substr(open + 1, text.size() - open - 2));
    std::string item;
    while (std::getline(items, item, '|'))
    {
        const std::size_t equals = item.find('=');
        TypeId::AttributeInformation info;
        const auto value =
            equals != std::string::npos && tid.LookupAttributeByName(item.substr(0, equals), &info)
                ? info.checker->CreateValidValue(StringValue(item.substr(equals + 1)))
                : nullptr;
        if (!value)
        {
            throw InputError(where, "'" + item + "' is no attribute of " + name, accepted);
        }
        factory.Set(item.substr(0, equals), *value);
    }
    return factory;
}

} // namespace ns3
