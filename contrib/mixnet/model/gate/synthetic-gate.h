/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SYNTHETIC_GATE_H
#define SYNTHETIC_GATE_H

#include "counter-random.h"
#include "gate-model.h"
#include "largest-remainder.h"
#include "top-k-choice.h"

#include "ns3/random-variable-stream.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * A gate with the statistics of measured routing. In layer l and iteration i, every EP rank sends
 * its copies in proportion to popularity(i, l, e) x noise(i, l, replica, micro-batch, rank, e):
 *
 *     popularity = 1 + Gini / G (h(u) - 1),  h(u) = (1 - Tail) 2 u + Tail 17 u^16,
 *     G = (1 - Tail) / 3 + Tail 8 / 9,       u uniform in [0, 1], by layer and expert
 *     noise      = 1 + Noise z, not below 0; z the sum of four uniform numbers, mean 0, variance 1
 *
 * h has mean 1 and Gini coefficient G (both parts grow with u, whose powers (k + 1) u^k have
 * k / (k + 2)), so popularity has mean 1 and the Gini asked for; E experts show (E - 1) / E of it.
 * Layers are independent. Over the iterations every u goes up and down between 0 and 1 at its own
 * speed, 0.5 to 1.5 times 1 / Drift, from a random place: its distribution stays as it is.
 *
 * Under a group limit (GateShape), tokens choose by these weights among what the limit allows
 * (TopKChoice), so that popular groups gain and others lose.
 *
 * Rows are exact to the copy (largest remainder). The defaults are those of DeepSeek-V2-Lite on
 * the ESFT "intent" set (manual, page on training). Polynomials only, no exp, log or pow.
 */
class SyntheticGate : public GateModel
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    SyntheticGate();

    /**
     * @param gini Gini coefficient @param tail weight of the tail @param where key, for the message
     * @throws InputError when there is no such distribution
     */
    static void CheckGini(double gini, double tail, const std::string& where);

    /// @param stream first stream, before Configure() @return number of streams used
    int64_t AssignStreams(int64_t stream) override;

    std::vector<std::string> GetNotes() const override;

    /// @param iteration iteration @param layer MoE layer @param expert expert
    /// @return its popularity; the mean over experts is 1 in expectation
    double GetPopularity(uint32_t iteration, uint32_t layer, uint32_t expert) const;

  private:
    void DoConfigure() override;
    void DoRoute(const GateQuery& query, Matrix<uint32_t>& tokens) const override;
    /// Turn m_weights into how often experts are chosen when they are odds under the group limit.
    void Limit() const;

    std::string m_basis;                     //!< what the values rest on
    double m_gini{0};                        //!< of the popularity
    double m_tail{0};                        //!< weight of the heavy tail
    double m_noise{0};                       //!< relative standard deviation of a row's entries
    uint32_t m_drift{0};                     //!< iterations from coldest to hottest; 0: never
    double m_scale{0};                       //!< Gini / G
    Ptr<UniformRandomVariable> m_uniform;    //!< of the keys
    bool m_drawn{false};                     //!< the keys are there; configuring again keeps them
    CounterRandom m_places;                  //!< of u
    CounterRandom m_rows;                    //!< of the noise
    bool m_limited{false};                   //!< the group limit leaves something out
    mutable TopKChoice m_choice;             //!< scratch: what it leaves
    mutable std::vector<double> m_odds;      //!< scratch: by expert
    mutable LargestRemainder m_share;        //!< scratch
    mutable std::vector<double> m_popular;   //!< scratch: by expert
    mutable std::vector<uint64_t> m_weights; //!< scratch: by expert
    mutable std::vector<uint32_t> m_shares;  //!< scratch: by expert
};

} // namespace ns3

#endif // SYNTHETIC_GATE_H
