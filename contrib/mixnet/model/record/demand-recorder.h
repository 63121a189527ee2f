/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_DEMAND_RECORDER_H
#define MIXNET_DEMAND_RECORDER_H

#include "ns3/fabric-graph.h"
#include "ns3/parallel-layout.h"
#include "ns3/regional-controller.h"
#include "ns3/result-table.h"
#include "ns3/table-spill.h"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Traffic monitor: listens to the regional controllers of one run and keeps every demand matrix
 * that they saw or planned for, tables /controller_demand (one row per matrix and decision) and
 * /controller_bytes (the bytes, by server pair; pairs without bytes and the diagonal are left out).
 *
 * A matrix that an EP group had before in its iteration, or its transpose, is not kept again: the
 * four all-to-alls of a layer and micro-batch have one between them. Bytes wait in memory for a
 * block of rows, then go to a TableSpill, so memory does not grow with their number.
 */
class DemandRecorder
{
  public:
    /// @param run number of the run @param blockRows rows of /controller_bytes in memory
    explicit DemandRecorder(uint32_t run, std::size_t blockRows = 65536);

    /// @param controller a controller, started, to listen to; this must outlive it
    /// @param servers of its region
    void Listen(const Ptr<RegionalController>& controller, const std::vector<ServerId>& servers);

    /// @param layout without it replicas and stages are left out
    void SetLayout(std::shared_ptr<const ParallelLayout> layout);

    /// @param tables out: /controller_demand, unless nothing was seen
    /// @param spill out: /controller_bytes
    void AddTables(std::vector<ResultTable>& tables, TableSpill& spill);

    /// @return matrices kept
    uint32_t GetNMatrices() const
    {
        return m_matrices;
    }

  private:
    /// A matrix in /controller_bytes.
    struct Kept
    {
        uint32_t number{0};     //!< its number
        bool transposed{false}; //!< to be read the other way
        uint64_t bytes{0};      //!< sum
    };

    /// A row of /controller_demand.
    struct Row
    {
        RegionId region;      //!< where
        uint64_t decision{0}; //!< CircuitDecision::number; 0: before the run
        Time time;            //!< when
        AllToAllId id;        //!< what it is about
        const char* what;     //!< what the matrix is
        bool planned{false};  //!< the proposed plan was made for it
        Kept matrix;          //!< which
    };

    /// Matrices of an EP group in its iteration.
    struct Recent
    {
        uint32_t iteration{0};            //!< of these
        std::map<uint64_t, Kept> byPrint; //!< by fingerprint
    };

    /// @param decision traced
    void OnDecision(const CircuitDecision& decision);
    /// @param demand a matrix @param servers of its region @param recent those kept before
    /// @return where it is kept
    Kept Keep(const DemandMatrix& demand, const std::vector<ServerId>& servers, Recent& recent);
    /// @param matrix number @param demand a matrix @param servers of its region
    void Store(uint32_t matrix, const DemandMatrix& demand, const std::vector<ServerId>& servers);
    /// The rows in memory leave it.
    void Flush();
    /// @return /controller_demand
    ResultTable MakeTable() const;

    uint32_t m_run;                                           //!< number of the run
    std::size_t m_blockRows;                                  //!< rows in memory
    uint32_t m_matrices{0};                                   //!< kept
    std::map<RegionId, std::vector<ServerId>> m_servers;      //!< of every region
    std::map<std::pair<RegionId, uint32_t>, Recent> m_recent; //!< by region and EP group
    std::shared_ptr<const ParallelLayout> m_layout;           //!< may be null
    std::vector<Row> m_rows;                                  //!< in order of time
    std::vector<uint32_t> m_ids[3];                           //!< matrix, source, destination
    std::vector<uint64_t> m_bytes;                            //!< of these
    TableSpill m_spill;                                       //!< blocks of them
};

} // namespace ns3

#endif // MIXNET_DEMAND_RECORDER_H
