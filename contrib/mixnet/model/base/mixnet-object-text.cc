/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mixnet-object-text.h"

#include "mixnet-error.h"
#include "mixnet-units.h"

#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <sstream>

namespace ns3
{

namespace
{

/// @tparam T number @param text a value @return all of it is one
template <class T>
bool
IsNumber(const std::string& text)
{
    std::istringstream in(text);
    T value;
    return (in >> value) && in.peek() == std::istringstream::traits_type::eof();
}

/// @param list names, "a|b" @param name a name @return it is one of them
bool
IsListed(const std::string& list, const std::string& name)
{
    std::istringstream in(list);
    std::string item;
    while (std::getline(in, item, '|'))
    {
        if (item == name)
        {
            return true;
        }
    }
    return false;
}

/// @param info attribute @param text its value @param where for messages @return the value, null
/// when it has no such value
Ptr<AttributeValue>
ParseAttribute(const TypeId::AttributeInformation& info,
               const std::string& text,
               const std::string& where)
{
    const AttributeValue* initial = PeekPointer(info.initialValue);
    if (dynamic_cast<const TimeValue*>(initial) != nullptr)
    {
        const TimeValue time(ParseTime(text, where));
        return info.checker->Check(time) ? time.Copy() : nullptr;
    }
    if (dynamic_cast<const DataRateValue*>(initial) != nullptr)
    {
        const DataRateValue rate(ParseRate(text, where));
        return info.checker->Check(rate) ? rate.Copy() : nullptr;
    }
    if (const auto* pointee = dynamic_cast<const PointerChecker*>(PeekPointer(info.checker)))
    {
        const TypeId parent = pointee->GetPointeeTypeId();
        ParseObjectText(text, parent, parent.GetName(), where, "a class derived from it");
    }
    return IsAttributeText(info, text) ? info.checker->CreateValidValue(StringValue(text))
                                       : nullptr;
}

} // namespace

bool
IsAttributeText(const TypeId::AttributeInformation& info, const std::string& text)
{
    const AttributeValue* initial = PeekPointer(info.initialValue);
    if (dynamic_cast<const UintegerValue*>(initial) != nullptr)
    {
        return text.find('-') == std::string::npos && IsNumber<uint64_t>(text);
    }
    if (dynamic_cast<const IntegerValue*>(initial) != nullptr)
    {
        return IsNumber<int64_t>(text);
    }
    if (dynamic_cast<const DoubleValue*>(initial) != nullptr)
    {
        return IsNumber<double>(text);
    }
    if (info.checker->GetValueTypeName().rfind("ns3::EnumValue", 0) == 0)
    {
        return IsListed(info.checker->GetUnderlyingTypeInformation(), text);
    }
    return true;
}

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
        if (equals == std::string::npos ||
            !tid.LookupAttributeByName(item.substr(0, equals), &info))
        {
            throw InputError(where, "'" + item + "' is no attribute of " + name, accepted);
        }
        const auto value = ParseAttribute(info, item.substr(equals + 1), where);
        if (!value)
        {
            throw InputError(where,
                             "'" + item + "' is no value of an attribute of " + name,
                             info.checker->HasUnderlyingTypeInformation()
                                 ? info.checker->GetUnderlyingTypeInformation()
                                 : info.checker->GetValueTypeName());
        }
        factory.Set(item.substr(0, equals), *value);
    }
    return factory;
}

} // namespace ns3
