/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/ns3-compat.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/type-id.h"

#include <regex>
#include <set>
#include <string>

using namespace ns3;

namespace
{

/// @param action asked for each TypeId of the module
template <class F>
uint32_t
ForEachTypeId(F action)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid.GetGroupName() == "Mixnet")
        {
            action(tid);
            ++count;
        }
    }
    return count;
}

} // namespace

/**
 * @ingroup mixnet-test
 * What `--PrintAttributes`, the manual and Config paths show of each class is complete: help texts,
 * parents, checkers that accept the defaults, and callback signatures by name.
 */
class TypeIdsTest : public TestCase
{
  public:
    TypeIdsTest()
        : TestCase("attributes and trace sources of all classes")
    {
    }

  private:
    /// @param tid a class of the module
    void Check(TypeId tid)
    {
        const std::string name = tid.GetName();
        NS_TEST_EXPECT_MSG_EQ((name.rfind("ns3::", 0) == 0), true, name);
        NS_TEST_EXPECT_MSG_EQ((tid.HasParent() && tid.GetParent() != tid), true, name);
        std::set<std::string> names;
        for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            const auto attribute = tid.GetAttribute(i);
            const std::string full = tid.GetAttributeFullName(i);
            NS_TEST_EXPECT_MSG_EQ(names.insert(attribute.name).second, true, full);
            NS_TEST_EXPECT_MSG_GT(attribute.help.size(), 3, full << " has no help");
            NS_TEST_ASSERT_MSG_EQ((attribute.checker && attribute.accessor), true, full);
            NS_TEST_EXPECT_MSG_EQ(attribute.checker->GetValueTypeName().empty(), false, full);
            NS_TEST_EXPECT_MSG_EQ(
                (attribute.checker->CreateValidValue(*attribute.initialValue) != nullptr),
                true,
                full << ": the default is not accepted");
            ++m_attributes;
        }
        static const std::regex signature(R"(ns3(::\w+)+::\w*(TracedCallback|TracedValueCallback))"
                                          R"(|ns3::TracedValueCallback::\w+)");
        for (std::size_t i = 0; i < tid.GetTraceSourceN(); ++i)
        {
            const auto source = tid.GetTraceSource(i);
            const std::string full = name + "/" + source.name;
            NS_TEST_EXPECT_MSG_GT(source.help.size(), 10, full << " has no help");
            NS_TEST_EXPECT_MSG_EQ(bool(source.accessor), true, full);
            NS_TEST_EXPECT_MSG_EQ(std::regex_match(source.callback, signature),
                                  true,
                                  full << ": " << source.callback);
            ++m_sources;
        }
    }

    void DoRun() override
    {
        const uint32_t classes = ForEachTypeId([this](TypeId tid) { Check(tid); });
        NS_TEST_EXPECT_MSG_GT(classes, 40, "classes were looked at");
        NS_TEST_EXPECT_MSG_GT(m_attributes, 80, "attributes were looked at");
        NS_TEST_EXPECT_MSG_GT(m_sources, 15, "trace sources were looked at");
    }

    uint32_t m_attributes{0}; //!< looked at
    uint32_t m_sources{0};    //!< looked at
};

/**
 * @ingroup mixnet-test
 * Every class that can be made by name can be made with its defaults, and each of its attributes
 * can be read back as text and set from that text.
 */
class DefaultObjectsTest : public TestCase
{
  public:
    DefaultObjectsTest()
        : TestCase("objects by name, with their defaults")
    {
    }

  private:
    /// @param tid a class of the module
    void Check(TypeId tid)
    {
        if (!tid.HasConstructor())
        {
            return;
        }
        ObjectFactory factory;
        factory.SetTypeId(tid);
        const Ptr<Object> object = factory.Create<Object>();
        for (std::size_t i = 0; i < tid.GetAttributeN(); ++i)
        {
            const auto attribute = tid.GetAttribute(i);
            if (!attribute.accessor->HasGetter() || !attribute.accessor->HasSetter() ||
                attribute.checker->GetValueTypeName() == "ns3::PointerValue")
            {
                continue;
            }
            StringValue text;
            object->GetAttribute(attribute.name, text);
            const bool set =
                text.Get().empty() || object->SetAttributeFailSafe(attribute.name, text);
            NS_TEST_EXPECT_MSG_EQ(set, true, tid.GetAttributeFullName(i) << " = " << text.Get());
        }
        object->Dispose();
        ++m_objects;
    }

    void DoRun() override
    {
        ForEachTypeId([this](TypeId tid) { Check(tid); });
        NS_TEST_EXPECT_MSG_GT(m_objects, 30, "objects were made");
    }

    uint32_t m_objects{0}; //!< made
};

/**
 * @ingroup mixnet-test
 * Manners of the module's classes.
 */
class TypeIdsTestSuite : public TestSuite
{
  public:
    TypeIdsTestSuite()
        : TestSuite("mixnet-type-ids", TestSuite::Type::UNIT)
    {
        AddTestCase(new TypeIdsTest);
        AddTestCase(new DefaultObjectsTest);
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static TypeIdsTestSuite g_typeIdsTestSuite; //!< the suite
