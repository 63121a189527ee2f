/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_OBJECT_TEXT_H
#define MIXNET_OBJECT_TEXT_H

#include "ns3/object-factory.h"
#include "ns3/type-id.h"

#include <string>

namespace ns3
{

/**
 * @ingroup mixnet
 * ns-3's parsers of numbers and names end the program at a mistake; this one tells.
 *
 * @param info an attribute
 * @param text a value of it; times and rates are not looked at
 * @return whether it can be given to ns-3: all of it a finite number, or a known name
 */
bool IsAttributeText(const TypeId::AttributeInformation& info, const std::string& text);

/**
 * @ingroup mixnet
 * Read a class with attributes as ns-3 writes it, "ns3::X" or "ns3::X[Name=value|Name=value]",
 * times and rates with their units. (ns-3's own parser ends the program at a mistake.)
 *
 * @param text the text
 * @param parent class that it must derive from
 * @param what how messages call that, e.g. "random variable"
 * @param where place, for messages
 * @param accepted what would be accepted, for messages
 * @return a factory of it, attributes set
 * @throws InputError when class, attribute or value is not known
 */
ObjectFactory ParseObjectText(const std::string& text,
                              TypeId parent,
                              const std::string& what,
                              const std::string& where,
                              const std::string& accepted);

} // namespace ns3

#endif // MIXNET_OBJECT_TEXT_H
