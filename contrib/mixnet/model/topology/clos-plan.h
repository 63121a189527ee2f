/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CLOS_PLAN_H
#define CLOS_PLAN_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// Host ports to uplinks of a leaf, in lowest terms; 1:1 blocks nothing.
struct Oversubscription
{
    uint32_t down{1}; //!< host ports
    uint32_t up{1};   //!< uplinks

    /// @param text "3:1" @return the ratio @throws InputError when it is no ratio of positives
    static Oversubscription Parse(const std::string& text);
};

/// What a Clos fabric is asked for.
struct ClosRequest
{
    uint32_t radix{16};     //!< ports of every switch
    uint32_t tiers{0};      //!< 1, 2 or 3; 0 takes the fewest that fit
    Oversubscription ratio; //!< at the leaves
};

/**
 * @ingroup mixnet
 * Sizes of a folded Clos of switches of one radix R, computed before anything is built.
 *
 * Rules, in order:
 * - A leaf of ratio d:u has m d host ports and m u uplinks, m = floor(R / (d + u)), so that the
 *   ratio is exact; the R - m (d + u) ports that are left stay unused (radix 16 at 3:1: 12 down, 4
 *   up). Where there is one switch only, all its ports are host ports.
 * - One tier serves up to R hosts, two tiers up to R leaves, three tiers up to R pods of
 *   floor(R / 2) leaves. The fewest tiers that fit are taken unless the request names a number.
 * - Leaves spread evenly over the fewest pods that hold them, the first ones taking one more.
 * - Upper tiers are just large enough. Each spine (two tiers) reaches every leaf, each aggregation
 *   switch every leaf of its pod, each core every pod, by the same number of parallel links (a
 *   trunk), as many as ports allow, and only so many switches exist as the leaves' uplinks need.
 *   Thus half the pods need half the cores. A full 1:1 fabric of three tiers is the k-ary fat-tree:
 *   k^3 / 4 hosts, 5 k^2 / 4 switches.
 * - Above the leaves nothing is over-subscribed: an aggregation switch has at least as many uplinks
 *   as downlinks.
 *
 * Even splitting over all equal-cost ports at every switch therefore carries any traffic that the
 * leaves' uplinks carry.
 */
struct ClosPlan
{
    uint32_t radix{0};                             //!< ports of every switch
    uint32_t tiers{0};                             //!< 1 to 3
    uint32_t leafDown{0};                          //!< host ports of a leaf
    uint32_t leafUp{0};                            //!< uplinks of a leaf
    uint32_t leaves{0};                            //!< number of leaves
    std::vector<uint32_t> podLeaves;               //!< by pod; one pod unless three tiers
    std::vector<uint32_t> leafTrunks;              //!< by switch of tier 2 (of a pod): links that
                                                   //!< every leaf has to it
    std::vector<std::vector<uint32_t>> coreTrunks; //!< by tier-2 switch of a pod, by core of its
                                                   //!< group: links it has to it

    /// @return number of switches of tier 2
    uint32_t GetNMiddle() const;
    /// @return number of switches of tier 3
    uint32_t GetNCores() const;
    /// @return e.g. "3 tiers of radix 16, 1:1 at the leaves (8 down, 8 up)"
    std::string Describe() const;
};

/**
 * @param radix ports of a switch @param ratio host ports to uplinks
 * @return host ports and uplinks of a leaf that has a tier above it
 * @throws InputError when the radix is smaller than the ratio's sum
 */
Oversubscription SplitLeaf(uint32_t radix, const Oversubscription& ratio);

/**
 * @param hosts number of NICs to connect, filling leaf after leaf
 * @param request what is asked for
 * @return the plan
 * @throws InputError when it does not fit, naming how much would
 */
ClosPlan PlanClos(uint32_t hosts, const ClosRequest& request);

/**
 * @param leaves number of leaves to connect, at least two
 * @param unit pods consist of whole runs of this many leaves, unless that takes too many pods
 * @param request what is asked for; one tier is refused
 * @return the plan
 * @throws InputError when it does not fit
 */
ClosPlan PlanClosOverLeaves(uint32_t leaves, uint32_t unit, const ClosRequest& request);

/**
 * @param hosts number of NICs
 * @return smallest even k, at least 4, whose k-ary three-tier fat-tree (k^3 / 4 hosts) holds them:
 * 16 for 1,024 NICs
 */
uint32_t GetSmallestRadix(uint32_t hosts);

} // namespace ns3

#endif // CLOS_PLAN_H
