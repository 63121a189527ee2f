/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_RECALL_H
#define FLOW_RECALL_H

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Courses of components that ran undisturbed, to be replayed when the same flows start again.
 *
 * The course of a component that starts idle is a function of its flows alone: all arithmetic is
 * relative to the start, and the integer clock makes it independent of when that is. So equal keys
 * give equal courses, bit by bit. The least recently used courses go when the memory is used up.
 */
class FlowRecall
{
  public:
    static constexpr uint32_t NONE = UINT32_MAX; //!< no course

    /// All that matters of a flow.
    struct Key
    {
        uint64_t edition{0}; //!< edition of its route: names route and terms
        double bits{0};      //!< wire bits
        double weight{0};    //!< weight
        double ratio{0};     //!< payload / wire
        uint32_t route{0};   //!< route

        /// @param o other @return equality
        bool operator==(const Key& o) const
        {
            return edition == o.edition && bits == o.bits && weight == o.weight && ratio == o.ratio;
        }
    };

    /// End of a flow.
    struct Step
    {
        int64_t tick{0};  //!< since the start
        uint32_t flow{0}; //!< index into the keys
    };

    /// Everything about one course.
    struct Course
    {
        std::vector<Key> keys;   //!< flows, in order of start
        std::vector<Step> steps; //!< ends, in order of time
        uint64_t hash{0};        //!< of keys
        uint32_t pins{0};        //!< components that replay it
        uint32_t older{NONE};    //!< list by use
        uint32_t newer{NONE};    //!< list by use
    };

    /// @param bytes memory to use; 0 turns recall off
    void SetBudget(std::size_t bytes);
    /// @return true unless the budget is zero
    bool IsOn() const;
    /// @param keys flows @return hash of them
    static uint64_t HashOf(const std::vector<Key>& keys);
    /// @param hash of keys @param keys flows @return their course, pinned once, or NONE
    uint32_t Find(uint64_t hash, const std::vector<Key>& keys);
    /// @param hash of keys @param keys flows, not known yet @param steps what happened
    void Insert(uint64_t hash, const std::vector<Key>& keys, const std::vector<Step>& steps);
    /// @param course pinned course, once less
    void Unpin(uint32_t course);

    /// @param course pinned course @return it
    const Course& Get(uint32_t course) const
    {
        return m_courses[course];
    }

  private:
    /// @param course in the list
    void Unlink(uint32_t course);
    /// @param course to be the one used last
    void Append(uint32_t course);
    /// @param course course @return memory it takes
    static std::size_t SizeOf(const Course& course);
    void Shrink(); //!< forget what the budget does not hold

    std::vector<Course> m_courses;                        //!< by id
    std::vector<uint32_t> m_free;                         //!< ids to use again
    std::unordered_multimap<uint64_t, uint32_t> m_byHash; //!< ids by hash
    uint32_t m_oldest{NONE};                              //!< list by use
    uint32_t m_newest{NONE};                              //!< list by use
    std::size_t m_budget{32U << 20};                      //!< bytes allowed
    std::size_t m_used{0};                                //!< bytes in use
};

} // namespace ns3

#endif // FLOW_RECALL_H
