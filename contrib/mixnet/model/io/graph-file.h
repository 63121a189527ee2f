/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_GRAPH_FILE_H
#define MIXNET_GRAPH_FILE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * An imported task graph, /graph (doc/schemas.rst): columns by task. Ranks that do the same share
 * one program; nothing here grows with ranks times tasks.
 */
struct GraphFile
{
    static constexpr uint32_t NONE = UINT32_MAX;      //!< no set, no name
    static constexpr uint16_t NO_STREAM = UINT16_MAX; //!< computations run side by side
    static constexpr uint64_t UNKNOWN = UINT64_MAX;   //!< duration to be made from other columns

    /// What a task is; the order of the schema.
    enum Kind : uint8_t
    {
        COMPUTE,
        ALL_REDUCE,
        ALL_GATHER,
        REDUCE_SCATTER,
        ALL_TO_ALL,
        BROADCAST,
        SEND,
        RECV,
        REDUCE,
        GATHER,
        SCATTER,
        BARRIER
    };

    static constexpr std::size_t N_KINDS = 12; //!< number of kinds

    std::string path;                  //!< file
    std::vector<uint32_t> rankProgram; //!< by rank: program
    std::vector<uint64_t> firstTask;   //!< by program: first task; one more at the end
    std::vector<uint64_t> firstOn;     //!< by task: first dependency; one more at the end
    std::vector<uint32_t> on;          //!< task waited for, from the first of the program
    std::vector<uint8_t> onStart;      //!< 1: for its start
    std::vector<std::string> names;    //!< of tasks
    std::vector<std::string> sets;     //!< names of sets
    std::vector<uint64_t> firstGroup;  //!< by set: first group; one more at the end
    std::vector<uint64_t> firstMember; //!< by group: first member; one more at the end
    std::vector<uint32_t> members;     //!< ranks
    std::vector<uint8_t> kind;         //!< by task: Kind
    std::vector<uint64_t> duration;    //!< by task: ps, or UNKNOWN
    std::vector<uint64_t> flops;       //!< by task
    std::vector<uint64_t> bytes;       //!< by task
    std::vector<uint32_t> set;         //!< by task
    std::vector<int32_t> peer;         //!< by task
    std::vector<uint64_t> tag;         //!< by task
    std::vector<uint16_t> stream;      //!< by task
    std::vector<uint8_t> trafficClass; //!< by task: TrafficClass
    std::vector<uint32_t> name;        //!< by task
    std::vector<uint64_t> line;        //!< by task
    std::vector<uint32_t> matrix;      //!< by task: matrix of an uneven all-to-all; NONE: even;
                                       //!< empty: all are even
    std::vector<uint64_t> firstCell;   //!< by matrix: first cell; one more at the end
    std::vector<uint64_t> cells;       //!< bytes [place of the sender][place of the receiver]

    /// @return number of ranks
    uint32_t GetNRanks() const
    {
        return static_cast<uint32_t>(rankProgram.size());
    }

    /// @return number of tasks of all programs
    std::size_t GetNTasks() const
    {
        return kind.size();
    }

    /// @return number of programs
    uint32_t GetNPrograms() const
    {
        return static_cast<uint32_t>(firstTask.size() - 1);
    }

    /// @param task task @return its matrix; NONE for an even one
    uint32_t GetMatrix(std::size_t task) const
    {
        return matrix.empty() ? NONE : matrix[task];
    }

    /// @param index a matrix, or NONE @return its cells; null for NONE
    const uint64_t* GetCells(uint32_t index) const
    {
        return index == NONE ? nullptr : cells.data() + firstCell[index];
    }

    /// @param task task @return true for what a whole group does
    bool IsCollective(std::size_t task) const
    {
        return kind[task] != COMPUTE && kind[task] != SEND && kind[task] != RECV;
    }

    /// @param task task @return "all-reduce 'grad' (line 7)"
    std::string Describe(std::size_t task) const;
};

/// @param kind GraphFile::Kind @return "all-reduce"
const char* GetTaskKindName(uint8_t kind);

/**
 * @ingroup mixnet
 * Who is with whom: groups by rank and set, other ends of messages, and the number by which
 * operations of different ranks find each other.
 */
class GraphGroups
{
  public:
    /// A rank's place in a set.
    struct Place
    {
        uint32_t group{GraphFile::NONE}; //!< group; NONE: in none of the set
        uint32_t place{0};               //!< place within it
    };

    /// @param graph task graph; must outlive this
    explicit GraphGroups(const GraphFile& graph);

    /// @param set set @param rank rank @return its place
    Place Find(uint32_t set, uint32_t rank) const;

    /// @param group group @return its ranks
    std::pair<const uint32_t*, const uint32_t*> GetMembers(uint32_t group) const;

    /// @param rank rank @param task send or recv of its program @return the other rank; NONE when
    /// there is none
    uint32_t GetPeer(uint32_t rank, std::size_t task) const;

    /// @param task collective, send or recv @return its number among those of its program on the
    /// same set, or with the same kind, peer and tag
    uint32_t GetNumber(std::size_t task) const
    {
        return m_number[task];
    }

    /// @param program program @param set set @return its collectives on the set, in order
    const std::vector<uint32_t>& GetCollectives(uint32_t program, uint32_t set) const;

  private:
    /// @param set set @param rank rank @return key
    static uint64_t Key(uint32_t set, uint32_t rank)
    {
        return (uint64_t(set) << 32) | rank;
    }

    const GraphFile& m_graph;                                          //!< graph
    std::vector<std::pair<uint64_t, Place>> m_places;                  //!< by set and rank
    std::vector<uint32_t> m_number;                                    //!< by task
    std::unordered_map<uint64_t, std::vector<uint32_t>> m_collectives; //!< by program and set
    std::vector<uint32_t> m_none;                                      //!< empty
};

/// @param graph columns read and within their ranges @throws InputError naming the task when a law
/// of the schema does not hold
void CheckGraphLaws(const GraphFile& graph);

/**
 * @ingroup mixnet
 * @param path file of ./mixnet import
 * @return its graph; all laws of the schema hold
 * @throws InputError naming file, table and row
 */
GraphFile ReadGraphFile(const std::string& path);

} // namespace ns3

#endif // MIXNET_GRAPH_FILE_H
