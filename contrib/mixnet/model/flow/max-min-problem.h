/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MAX_MIN_PROBLEM_H
#define MAX_MIN_PROBLEM_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Weighted max-min fair rates of one contention component, as a dense problem of flows and rows.
 *
 * A row is a constraint: the sum over its flows of coefficient x rate is at most its capacity. All
 * flows rise together, each at weight x level, and stop for good when one of their rows is full
 * (progressive filling: Bertsekas and Gallager, Data Networks, 2nd edition, section 6.5.2; the
 * result is the only max-min fair one). Example, two rows of capacity 1: flow A uses both, B the
 * first, C and D the second. Level 1/3 fills the second row and stops A, C and D; then B rises to
 * 2/3.
 *
 * Reduce() drops what cannot matter, without changing any rate:
 * - A flow alone gets at most its bound = min over its rows of capacity / coefficient. A row with
 *   capacity >= sum of coefficient x bound of its flows never fills first and goes, a row of one
 *   flow in particular. Where the row that made a flow's bound goes, while others of its rows
 *   stay, the bound stays as a row of its own; a flow without rows runs at its bound.
 * - Rows with the same capacity, flows and coefficients are one constraint.
 *
 * One Solve() of R rows and E flow-row pairs costs O(R^2 + E); the inner loops run over flat
 * arrays and nothing is allocated once the arrays have grown.
 */
class MaxMinProblem
{
  public:
    /// Forget rows and flows; keeps the memory.
    void Clear();

    /// @param capacity in bits/s, above zero @return the new row
    uint32_t AddRow(double capacity);
    /// @param weight above zero @return the new flow
    uint32_t AddFlow(double weight);
    /// The flow added last uses a row. @param row not named before for this flow
    /// @param coefficient above zero
    void AddUse(uint32_t row, double coefficient);

    /// Drop what cannot matter; once, after the last AddUse. Every flow needs a row.
    void Reduce();
    /// @param flow leaves; its rate is meaningless from now on
    void Remove(uint32_t flow);
    /// Find the rates of the flows that have not left.
    void Solve();

    /// @param flow one that has not left @return its rate in bits/s, found by the last Solve
    double GetRate(uint32_t flow) const
    {
        return m_rate[flow];
    }

    /// @return number of rows that Reduce has kept
    uint32_t GetNRows() const
    {
        return static_cast<uint32_t>(m_capacity.size());
    }

  private:
    void FindBounds();   //!< bounds, and which rows can fill
    void FindTwins();    //!< rows that equal an earlier one
    void ListRowUses();  //!< raw uses by row
    void BuildKept();    //!< the arrays Solve works on
    void ListRowFlows(); //!< flows by kept row
    /// @param row row @param out flows not to count @return sum of weight x coefficient, afresh
    double Sum(uint32_t row, const std::vector<uint8_t>& out) const;
    /// @param a row @param b row @return true when they are one constraint
    bool IsSameRow(uint32_t a, uint32_t b) const;

    // What was added.
    std::vector<double> m_rawCapacity; //!< by raw row
    std::vector<double> m_weight;      //!< by flow
    std::vector<uint32_t> m_useStart;  //!< by flow: first use
    std::vector<uint32_t> m_useRow;    //!< by use: raw row
    std::vector<double> m_useShare;    //!< by use: coefficient
    std::vector<double> m_bound;       //!< by flow: rate if alone
    std::vector<double> m_boundSum;    //!< by raw row: load at the bounds
    std::vector<uint32_t> m_rawCount;  //!< by raw row: uses
    std::vector<uint32_t> m_rawStart;  //!< by raw row: first of its uses
    std::vector<uint32_t> m_rawFlow;   //!< uses by raw row: flow
    std::vector<double> m_rawShare;    //!< uses by raw row: coefficient
    std::vector<uint64_t> m_signature; //!< by raw row: hash of its uses
    std::vector<uint32_t> m_table;     //!< hash table of rows
    std::vector<uint32_t> m_kept;      //!< by raw row: kept row, or NONE

    // What Solve works on.
    std::vector<double> m_capacity;    //!< by row
    std::vector<double> m_allSum;      //!< by row: sum of weight x coefficient of all flows
    std::vector<double> m_sum;         //!< by row: the same of flows that have not left
    std::vector<uint32_t> m_count;     //!< by row: flows that have not left
    std::vector<uint32_t> m_rowStart;  //!< by row: first of its flows
    std::vector<uint32_t> m_rowFlow;   //!< flows by row
    std::vector<uint32_t> m_flowStart; //!< by flow: first of its rows
    std::vector<uint32_t> m_flowRow;   //!< rows by flow
    std::vector<double> m_flowPull;    //!< rows by flow: weight x coefficient
    std::vector<uint8_t> m_gone;       //!< by flow: left, or without a row
    uint32_t m_rising{0};              //!< flows neither left nor without a row
    std::vector<double> m_rate;        //!< by flow

    // Scratch of Solve.
    std::vector<double> m_left;     //!< by row: capacity not taken by stopped flows
    std::vector<double> m_openSum;  //!< by row: sum over flows still rising
    std::vector<uint32_t> m_open;   //!< by row: flows still rising
    std::vector<double> m_level;    //!< by row: level at which it fills
    std::vector<uint8_t> m_stopped; //!< by flow
};

} // namespace ns3

#endif // MAX_MIN_PROBLEM_H
