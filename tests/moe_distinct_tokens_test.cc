/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Different tokens behind counts of copies, against enumeration of all choices and closed forms.

#include "ns3/distinct-tokens.h"
#include "ns3/expert-balance.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>

using namespace ns3;

namespace
{

using Choice = std::vector<uint32_t>; //!< experts of a token

/// Every set of topK experts within the group limit, by counting in binary.
void
ForEachChoice(const TopKShape& shape, const std::function<void(const Choice&)>& visit)
{
    for (uint32_t bits = 0; bits < (1U << shape.GetNExperts()); ++bits)
    {
        Choice choice;
        std::set<std::ptrdiff_t> groups;
        for (uint32_t e = 0; e < shape.GetNExperts(); ++e)
        {
            if ((bits >> e) & 1)
            {
                choice.push_back(e);
                groups.insert(std::upper_bound(shape.groups.begin(), shape.groups.end(), e) -
                              shape.groups.begin());
            }
        }
        if (choice.size() == shape.topK &&
            (shape.groupLimit == 0 || groups.size() <= shape.groupLimit))
        {
            visit(choice);
        }
    }
}

/// @return mean over all choices, by their odds, of a value
double
Average(const TopKShape& shape,
        const std::vector<double>& odds,
        const std::function<double(const Choice&)>& value)
{
    double sum = 0;
    double total = 0;
    ForEachChoice(shape, [&](const Choice& choice) {
        double weight = 1;
        for (const uint32_t e : choice)
        {
            weight *= odds[e];
        }
        total += weight;
        sum += weight * value(choice);
    });
    return sum / total;
}

/// Shapes of 9 experts: without limit, limits that bind, groups of different sizes.
std::vector<TopKShape>
Shapes()
{
    return {{{0, 9}, 1, 0},
            {{0, 9}, 4, 0},
            {{0, 9}, 9, 0},
            {{0, 3, 6, 9}, 4, 2},
            {{0, 3, 6, 9}, 3, 1},
            {{0, 1, 5, 9}, 4, 3},
            {{0, 2, 4, 9}, 5, 2}};
}

/// @return `n` numbers in (low, high)
std::vector<double>
Draw(std::mt19937_64& rng, std::size_t n, double low, double high)
{
    std::vector<double> drawn(n);
    std::generate(drawn.begin(), drawn.end(), [&] {
        return std::uniform_real_distribution<double>(low, high)(rng);
    });
    return drawn;
}

TEST(TopKChoice, AgreesWithEnumeration)
{
    std::mt19937_64 rng(3);
    for (const TopKShape& shape : Shapes())
    {
        TopKChoice choice;
        choice.Configure(shape);
        for (int n = 0; n < 5; ++n)
        {
            const std::vector<double> odds = Draw(rng, 9, 0.01, 5);
            const std::vector<double> kept = Draw(rng, 9, 0, 1);
            ASSERT_TRUE(choice.SetOdds(odds));
            for (uint32_t e = 0; e < 9; ++e)
            {
                EXPECT_NEAR(
                    choice.GetInclusion()[e],
                    Average(shape,
                            odds,
                            [e](const Choice& c) { return std::count(c.begin(), c.end(), e); }),
                    1e-13);
            }
            EXPECT_NEAR(choice.GetMissed(kept),
                        Average(shape,
                                odds,
                                [&kept](const Choice& c) {
                                    double all = 1;
                                    for (const uint32_t e : c)
                                    {
                                        all *= kept[e];
                                    }
                                    return all;
                                }),
                        1e-13);
            for (uint32_t g = 0; g + 1 < shape.groups.size(); ++g)
            {
                const uint32_t first = shape.groups[g];
                const uint32_t last = first + (shape.groups[g + 1] - first + 1) / 2;
                EXPECT_NEAR(choice.GetMissed(g, first, last),
                            Average(shape,
                                    odds,
                                    [=](const Choice& c) {
                                        return std::none_of(c.begin(), c.end(), [=](uint32_t e) {
                                            return e >= first && e < last;
                                        });
                                    }),
                            1e-13);
            }
        }
    }
}

// The odds that a fit finds include every expert as often as other odds did.
TEST(TopKChoice, FitsInclusion)
{
    std::mt19937_64 rng(4);
    for (const TopKShape& shape : Shapes())
    {
        if (shape.topK == 9)
        {
            continue; // all are always chosen
        }
        TopKChoice from;
        TopKChoice to;
        from.Configure(shape);
        to.Configure(shape);
        for (int n = 0; n < 20; ++n)
        {
            ASSERT_TRUE(from.SetOdds(Draw(rng, 9, 0.2, 1)));
            const std::vector<double> wanted = from.GetInclusion();
            ASSERT_TRUE(to.Fit(wanted));
            for (uint32_t e = 0; e < 9; ++e)
            {
                EXPECT_NEAR(to.GetInclusion()[e], wanted[e], 1e-3);
            }
            for (uint32_t g = 0; g + 1 < shape.groups.size(); ++g)
            {
                EXPECT_NEAR(to.GetMissed(g, shape.groups[g], shape.groups[g + 1]),
                            from.GetMissed(g, shape.groups[g], shape.groups[g + 1]),
                            1e-3);
            }
        }
    }
}

// DeepSeek-V3: 256 experts, top-8. Alike, a token has none of n experts with the probability
// C(256 - n, 8) / C(256, 8) = product over i < 8 of (256 - n - i) / (256 - i). With 4 of 8 groups
// the mean number of groups is 4 minus what few choices in less groups take away: of sizes j of
// 8 = j1 + ... + j4, the share with an empty group, by inclusion and exclusion.
TEST(TopKChoice, ManyExpertsAlike)
{
    TopKChoice choice;
    choice.Configure({{0, 256}, 8, 0});
    ASSERT_TRUE(choice.Fit(std::vector<double>(256, 8.0 / 256)));
    EXPECT_EQ(choice.GetNSteps(), 1U);
    const auto none = [](double n, double of) {
        double p = 1;
        for (int i = 0; i < 8; ++i)
        {
            p *= (n - i) / (of - i);
        }
        return p;
    };
    for (const uint32_t n : {1U, 4U, 32U, 128U, 248U})
    {
        EXPECT_NEAR(choice.GetMissed(0, 0, n) / none(256 - n, 256), 1, 1e-12) << n;
        EXPECT_NEAR(choice.GetMissed(0, 256 - n, 256) / none(256 - n, 256), 1, 1e-12) << n;
    }
    TopKShape limited{{}, 8, 4};
    for (uint32_t g = 0; g <= 8; ++g)
    {
        limited.groups.push_back(32 * g);
    }
    choice.Configure(limited);
    ASSERT_TRUE(choice.Fit(std::vector<double>(256, 8.0 / 256)));
    // Choices with exactly m groups: C(8, m) x sum over i of (-1)^i C(m, i) C(32 (m - i), 8).
    double choices = 0;
    double groups = 0;
    const double binomial[5][5] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};
    const double ofEight[] = {1, 8, 28, 56, 70};
    for (int m = 1; m <= 4; ++m)
    {
        double exactly = 0;
        for (int i = 0; i < m; ++i)
        {
            exactly += (i % 2 ? -1 : 1) * binomial[m][i] * none(32 * (m - i), 256);
        }
        choices += ofEight[m] * exactly;
        groups += m * ofEight[m] * exactly;
    }
    double expected = 0;
    for (uint32_t g = 0; g < 8; ++g)
    {
        expected += 1 - choice.GetMissed(g, 32 * g, 32 * (g + 1));
    }
    EXPECT_NEAR(expected, groups / choices, 1e-9);
    EXPECT_NEAR(expected, 3.91, 0.01);
}

/// Where 12 experts are: 6 ranks on 3 servers, ranks of a server not in a row.
struct Place
{
    ExpertPlacement placement;
    std::vector<uint32_t> serverOfRank{0, 1, 0, 2, 2, 1};
};

std::vector<Place>
Places()
{
    std::mt19937_64 rng(8);
    std::vector<std::vector<uint64_t>> loads(1, std::vector<uint64_t>(12));
    std::generate(loads[0].begin(), loads[0].end(), [&rng] { return rng() % 1000; });
    return {{ExpertPlacement(EvenSplit(12, 6))},
            {ExpertPlacement::RoundRobin(12, 6)},
            {ExpertPlacement({0, 0, 0, 0, 0, 1, 1, 2, 3, 3, 4, 4}, 6)}, // a rank without experts
            {BalanceExperts(loads, 6, 12)},
            {BalanceExperts(loads, 6, 36)}};
}

/// @return copies per 100,000 tokens with the inclusion of some odds
std::vector<uint32_t>
Copies(const TopKShape& shape, const std::vector<double>& odds)
{
    TopKChoice choice;
    choice.Configure(shape);
    EXPECT_TRUE(choice.SetOdds(odds));
    std::vector<uint32_t> copies;
    for (const double p : choice.GetInclusion())
    {
        copies.push_back(static_cast<uint32_t>(p * 100000 + 0.5));
    }
    return copies;
}

// Contiguous, round-robin, uneven and replicated experts, with and without limit, with and without
// dropped copies, against the mean over all choices of a token: a replica is chosen, and a copy
// dropped, with the share that the counts have, whatever else the token has.
TEST(DistinctTokens, AgreesWithEnumeration)
{
    std::mt19937_64 rng(6);
    constexpr uint64_t tokens = 100000;
    for (const uint32_t limit : {0U, 2U})
    {
        const TopKShape shape{{0, 3, 6, 9, 12}, 4, limit};
        for (const Place& place : Places())
        {
            DistinctTokens distinct({12, 4, 4, limit, tokens});
            distinct.SetPlacement(place.placement, 0, place.serverOfRank, 3);
            const std::vector<double> odds = Draw(rng, 12, 0.1, 1);
            const std::vector<uint32_t> chosen = Copies(shape, odds);
            std::vector<uint32_t> delivered = chosen;
            for (const bool drop : {false, true})
            {
                delivered[1] -= drop ? chosen[1] / 3 : 0;
                delivered[10] -= drop ? chosen[10] / 2 : 0;
                distinct.Count(chosen.data(), delivered.data(), 1);
                const auto expect = [&](const std::vector<uint32_t>& ranks) {
                    return tokens * Average(shape, odds, [&](const Choice& c) {
                               double missed = 1;
                               for (const uint32_t e : c)
                               {
                                   const SlotRange slots = place.placement.GetSlots(0, e);
                                   double here = 0;
                                   for (uint32_t i = 0; i < slots.count; ++i)
                                   {
                                       const uint32_t r = place.placement.GetRank(slots.first[i]);
                                       here += std::count(ranks.begin(), ranks.end(), r) > 0
                                                   ? double(slots.GetShare(delivered[e], 1, i))
                                                   : 0;
                                   }
                                   missed *= 1 - here / chosen[e];
                               }
                               return 1 - missed;
                           });
                };
                for (uint32_t rank = 0; rank < 6; ++rank)
                {
                    EXPECT_NEAR(double(distinct.GetByRank()[rank]), expect({rank}), 6);
                }
                EXPECT_NEAR(double(distinct.GetByServer()[0]), expect({0, 2}), 6);
                EXPECT_NEAR(double(distinct.GetByServer()[1]), expect({1, 5}), 6);
                EXPECT_NEAR(double(distinct.GetByServer()[2]), expect({3, 4}), 6);
            }
        }
    }
}

// Laws for any counts, those too that no tokens can have, and for as many tokens as there are.
TEST(DistinctTokens, KeepsToItsBounds)
{
    std::mt19937_64 rng(7);
    const std::vector<Place> places = Places();
    for (int n = 0; n < 300; ++n)
    {
        const uint32_t k = 1 + rng() % 12;
        const uint32_t limit = rng() % 5;
        if (limit > 0 && 3 * limit < k)
        {
            continue;
        }
        const Place place = places[rng() % places.size()];
        const uint64_t tokens = 1 + rng() % 1000;
        DistinctTokens distinct({12, k, 4, limit, tokens});
        distinct.SetPlacement(place.placement, 0, place.serverOfRank, 3);
        std::vector<uint32_t> chosen(12);
        std::generate(chosen.begin(), chosen.end(), [&] {
            return rng() % 3 == 0 ? 0 : uint32_t(rng() % (2 * tokens * k / 12 + 2));
        });
        std::vector<uint32_t> delivered = chosen;
        for (uint32_t& copies : delivered)
        {
            copies -= n % 2 && copies > 0 ? rng() % copies : 0;
        }
        const auto source = static_cast<uint32_t>(rng() % 6);
        distinct.Count(chosen.data(), delivered.data(), source);
        std::vector<uint64_t> copies(6);
        for (uint32_t e = 0; e < 12; ++e)
        {
            const SlotRange slots = place.placement.GetSlots(0, e);
            for (uint32_t i = 0; i < slots.count; ++i)
            {
                copies[place.placement.GetRank(slots.first[i])] +=
                    slots.GetShare(delivered[e], source, i);
            }
        }
        uint64_t ofServer[3] = {};
        uint64_t sum[3] = {};
        uint64_t largest[3] = {};
        for (uint32_t r = 0; r < 6; ++r)
        {
            const uint64_t distinctHere = distinct.GetByRank()[r];
            const uint32_t server = place.serverOfRank[r];
            EXPECT_LE(distinctHere, std::min(copies[r], tokens));
            EXPECT_GE(distinctHere * k, std::min(copies[r], tokens * k));
            ofServer[server] += copies[r];
            sum[server] += distinctHere;
            largest[server] = std::max(largest[server], distinctHere);
        }
        for (uint32_t s = 0; s < 3; ++s)
        {
            EXPECT_LE(distinct.GetByServer()[s], std::min(sum[s], tokens));
            EXPECT_GE(distinct.GetByServer()[s], largest[s]);
            EXPECT_GE(distinct.GetByServer()[s] * k, std::min(ofServer[s], tokens * k));
            EXPECT_EQ(k > 1 || distinct.GetByServer()[s] == std::min(ofServer[s], tokens), true);
        }
    }
}

// One server has every token; one expert per token leaves nothing to save; the limit holds.
TEST(DistinctTokens, ExtremeCases)
{
    std::vector<uint32_t> chosen(12, 400); // 1,200 tokens, top-4
    DistinctTokens all({12, 4, 1, 0, 1200});
    all.SetPlacement(ExpertPlacement(EvenSplit(12, 6)), 0, {0, 0, 0, 0, 0, 0}, 1);
    all.Count(chosen.data(), chosen.data(), 0);
    EXPECT_EQ(all.GetByServer(), std::vector<uint64_t>{1200});
    // 1,200 (1 - C(10, 4) / C(12, 4)) = 1,200 (1 - 210 / 495) = 690.9, six times 4,145.45.
    EXPECT_EQ(std::accumulate(all.GetByRank().begin(), all.GetByRank().end(), uint64_t(0)), 4145U);
    DistinctTokens limited({12, 4, 6, 2, 1200});
    limited.SetPlacement(ExpertPlacement(EvenSplit(12, 6)), 0, {0, 1, 2, 3, 4, 5}, 6);
    limited.Count(chosen.data(), chosen.data(), 0);
    EXPECT_EQ(limited.GetByRank(), std::vector<uint64_t>(6, 400)); // both experts of two groups
    EXPECT_EQ(limited.GetByServer(), std::vector<uint64_t>(6, 400));
}

} // namespace
