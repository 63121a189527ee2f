/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-recall.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cstring>

namespace ns3
{

void
FlowRecall::SetBudget(std::size_t bytes)
{
    m_budget = bytes;
    Shrink();
}

bool
FlowRecall::IsOn() const
{
    return m_budget > 0;
}

uint64_t
FlowRecall::HashOf(const std::vector<Key>& keys)
{
    uint64_t h = keys.size();
    for (const auto& key : keys)
    {
        uint64_t bits;
        std::memcpy(&bits, &key.bits, sizeof bits);
        h = (h ^ bits ^ (key.edition * 0xbf58476d1ce4e5b9ULL)) * 0x9e3779b97f4a7c15ULL;
        h ^= h >> 32;
    }
    return h;
}

uint32_t
FlowRecall::Find(uint64_t hash, const std::vector<Key>& keys)
{
    const auto range = m_byHash.equal_range(hash);
    for (auto it = range.first; it != range.second; ++it)
    {
        Course& course = m_courses[it->second];
        if (course.keys == keys)
        {
            Unlink(it->second);
            Append(it->second);
            ++course.pins;
            return it->second;
        }
    }
    return NONE;
}

void
FlowRecall::Insert(uint64_t hash, const std::vector<Key>& keys, const std::vector<Step>& steps)
{
    if (m_free.empty())
    {
        m_free.push_back(static_cast<uint32_t>(m_courses.size()));
        m_courses.emplace_back();
    }
    const uint32_t id = m_free.back();
    m_free.pop_back();
    Course& course = m_courses[id];
    course.keys = keys;
    course.steps = steps;
    course.hash = hash;
    m_byHash.emplace(hash, id);
    Append(id);
    m_used += SizeOf(course);
    Shrink();
}

void
FlowRecall::Unpin(uint32_t course)
{
    --m_courses[course].pins;
}

std::size_t
FlowRecall::SizeOf(const Course& course)
{
    constexpr std::size_t node = 64; // of the hash table
    return sizeof(Course) + node + course.keys.size() * sizeof(Key) +
           course.steps.size() * sizeof(Step);
}

void
FlowRecall::Shrink()
{
    for (uint32_t id = m_oldest; id != NONE && m_used > m_budget;)
    {
        const uint32_t next = m_courses[id].newer;
        if (m_courses[id].pins == 0)
        {
            m_used -= SizeOf(m_courses[id]);
            Unlink(id);
            const auto range = m_byHash.equal_range(m_courses[id].hash);
            m_byHash.erase(std::find_if(range.first, range.second, [id](const auto& entry) {
                return entry.second == id;
            }));
            m_courses[id] = Course();
            m_free.push_back(id);
        }
        id = next;
    }
}

void
FlowRecall::Unlink(uint32_t id)
{
    const Course& course = m_courses[id];
    (course.older == NONE ? m_oldest : m_courses[course.older].newer) = course.newer;
    (course.newer == NONE ? m_newest : m_courses[course.newer].older) = course.older;
}

void
FlowRecall::Append(uint32_t id)
{
    Course& course = m_courses[id];
    course.older = m_newest;
    course.newer = NONE;
    (m_newest == NONE ? m_oldest : m_courses[m_newest].newer) = id;
    m_newest = id;
}

} // namespace ns3
