/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "synthetic-gate.h"

#include "ns3/double.h"
#include "ns3/mixnet-error.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SyntheticGate);

namespace
{

constexpr double BODY_GINI = 1.0 / 3; //!< of 2 u
constexpr double TAIL_GINI = 8.0 / 9; //!< of 17 u^16
constexpr double UNIT = 65536;        //!< weights are whole multiples of 1 / UNIT
constexpr double FINE = 16777216;     //!< likewise, of inclusion
constexpr double ROOT3 = 1.7320508075688772;
constexpr double TWO_TO_32 = 4294967296.0;

/// @param tail weight of the tail @return the largest Gini coefficient there is with it
double
GetLargestGini(double tail)
{
    return (1 - tail) * BODY_GINI + tail * TAIL_GINI;
}

/// @param bits random bits @return sum of four uniform numbers, mean 0, variance 1
double
GetBell(uint64_t bits)
{
    const uint64_t sum =
        (bits & 0xffff) + ((bits >> 16) & 0xffff) + ((bits >> 32) & 0xffff) + (bits >> 48);
    return (static_cast<double>(sum) - 2 * 65535.0) * (ROOT3 / 65536);
}

/// @param value number @return short text
std::string
Short(double value)
{
    std::ostringstream out;
    out.precision(3);
    out << value;
    return out.str();
}

} // namespace

TypeId
SyntheticGate::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SyntheticGate")
            .SetParent<GateModel>()
            .SetGroupName("Mixnet")
            .AddConstructor<SyntheticGate>()
            .AddAttribute("Gini",
                          "Gini coefficient of the experts' popularity in a layer: 0 all equal.",
                          DoubleValue(0.41),
                          MakeDoubleAccessor(&SyntheticGate::m_gini),
                          MakeDoubleChecker<double>(0, TAIL_GINI))
            .AddAttribute("Tail",
                          "Weight of the heavy tail: the part of the copies that goes to a few "
                          "very popular experts.",
                          DoubleValue(0.15),
                          MakeDoubleAccessor(&SyntheticGate::m_tail),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Noise",
                          "Relative standard deviation between the micro-batches of all ranks of "
                          "what they send to an expert.",
                          DoubleValue(0.28),
                          MakeDoubleAccessor(&SyntheticGate::m_noise),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Drift",
                          "Mean number of iterations in which the popularity of an expert goes "
                          "from lowest to highest; 0: it stays.",
                          UintegerValue(1000),
                          MakeUintegerAccessor(&SyntheticGate::m_drift),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Basis",
                          "What the values rest on, for the notes of a result.",
                          StringValue(""),
                          MakeStringAccessor(&SyntheticGate::m_basis),
                          MakeStringChecker());
    return tid;
}

SyntheticGate::SyntheticGate()
    : m_uniform(CreateObject<UniformRandomVariable>())
{
}

int64_t
SyntheticGate::AssignStreams(int64_t stream)
{
    m_uniform->SetStream(stream);
    m_drawn = false;
    return 1;
}

void
SyntheticGate::CheckGini(double gini, double tail, const std::string& where)
{
    if (gini > TAIL_GINI)
    {
        throw InputError(where, Short(gini), "at most " + Short(TAIL_GINI));
    }
    if (gini > GetLargestGini(tail))
    {
        const double least = (gini - BODY_GINI) / (TAIL_GINI - BODY_GINI);
        throw InputError(where,
                         Short(gini),
                         "at most " + Short(GetLargestGini(tail)) + " with a tail of " +
                             Short(tail) + "; " + Short(gini) + " takes a tail of " + Short(least));
    }
}

void
SyntheticGate::DoConfigure()
{
    CheckGini(m_gini, m_tail, "gate.gini");
    m_scale = m_gini / GetLargestGini(m_tail);
    const auto key = [this] {
        const uint64_t high = m_uniform->GetInteger(0, UINT32_MAX);
        return CounterRandom((high << 32) | m_uniform->GetInteger(0, UINT32_MAX));
    };
    if (!m_drawn)
    {
        m_places = key();
        m_rows = key();
        m_drawn = true;
    }
    const GateShape& shape = GetShape();
    const uint32_t experts = shape.experts.GetTotal();
    m_limited = shape.groupLimit > 0 && shape.groupLimit < std::min(shape.groups, shape.topK);
    if (m_limited)
    {
        m_choice.Configure(MakeTopKShape(experts, shape.groups, shape.topK, shape.groupLimit));
        m_odds.resize(experts);
    }
    m_popular.resize(experts);
    m_weights.resize(experts);
}

void
SyntheticGate::Limit() const
{
    const uint64_t sum = std::accumulate(m_weights.begin(), m_weights.end(), uint64_t(0));
    const double copies = static_cast<double>(GetShape().topK) / static_cast<double>(sum);
    for (std::size_t e = 0; e < m_weights.size(); ++e)
    {
        const double inclusion = std::min(static_cast<double>(m_weights[e]) * copies, 0.999);
        m_odds[e] = inclusion / (1 - inclusion);
    }
    MIXNET_CHECK(m_choice.SetOdds(m_odds), "no experts within the group limit");
    for (std::size_t e = 0; e < m_weights.size(); ++e)
    {
        m_weights[e] = static_cast<uint64_t>(m_choice.GetInclusion()[e] * FINE) + 1;
    }
}

double
SyntheticGate::GetPopularity(uint32_t iteration, uint32_t layer, uint32_t expert) const
{
    const CounterRandom random = m_places.At({layer, expert});
    double place = static_cast<double>(random.Get(0) >> 31) / TWO_TO_32; // 0 to 2
    if (m_drift > 0)
    {
        const double speed = 0.5 + static_cast<double>(random.Get(1) >> 32) / TWO_TO_32;
        place += iteration * speed / m_drift;
        place -= 2 * std::floor(place / 2);
    }
    const double u = place > 1 ? 2 - place : place;
    const double u4 = (u * u) * (u * u);
    const double u16 = (u4 * u4) * (u4 * u4);
    return 1 + m_scale * ((1 - m_tail) * 2 * u + m_tail * 17 * u16 - 1);
}

void
SyntheticGate::DoRoute(const GateQuery& query, Matrix<uint32_t>& tokens) const
{
    const uint32_t experts = GetShape().experts.GetTotal();
    for (uint32_t e = 0; e < experts; ++e)
    {
        m_popular[e] = GetPopularity(query.iteration, query.layer, e);
    }
    const CounterRandom gate =
        m_rows.At({query.iteration, query.layer, query.replica, query.microBatch});
    for (uint32_t rank = 0; rank < GetShape().GetRanks(); ++rank)
    {
        for (uint32_t e = 0; e < experts; ++e)
        {
            const double noise = 1 + m_noise * GetBell(gate.Get(uint64_t(rank) * experts + e));
            const double weight = m_popular[e] * std::max(noise, 0.0) * UNIT;
            m_weights[e] = static_cast<uint64_t>(std::max(weight, 0.0)) + 1; // never all zero
        }
        if (m_limited)
        {
            Limit();
        }
        m_share.Share(m_weights, GetShape().copies, m_shares);
        std::copy(m_shares.begin(), m_shares.end(), &tokens(rank, 0));
    }
}

std::vector<std::string>
SyntheticGate::GetNotes() const
{
    const std::string drift =
        m_drift == 0 ? "no drift" : "drift over " + std::to_string(m_drift) + " iterations";
    return {"token routing is synthetic: gini " + Short(m_gini) + ", tail " + Short(m_tail) +
            ", noise " + Short(m_noise) + ", " + drift + (m_basis.empty() ? "" : "; " + m_basis)};
}

} // namespace ns3
