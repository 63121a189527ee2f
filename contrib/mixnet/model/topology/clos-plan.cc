/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "clos-plan.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <sstream>

namespace ns3
{

namespace
{

/// @param a dividend @param b divisor @return quotient, rounded up
uint32_t
DivideUp(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/// @param total links @param most links that one switch takes @return links per switch, over the
/// fewest switches, as even as can be
std::vector<uint32_t>
SpreadLinks(uint32_t total, uint32_t most)
{
    const uint32_t switches = DivideUp(total, most);
    std::vector<uint32_t> trunks(switches, total / switches);
    for (uint32_t i = 0; i < total % switches; ++i)
    {
        ++trunks[i];
    }
    return trunks;
}

/// Even spread of leaves over the fewest pods.
/// @param leaves number of leaves @param unit leaves that stay together if possible @param radix
/// ports of a switch @param fewest pods to make at least @return leaves by pod; more pods than the
/// radix when they do not fit
std::vector<uint32_t>
SpreadPods(uint32_t leaves, uint32_t unit, uint32_t radix, uint32_t fewest)
{
    const uint32_t most = radix / 2;
    const bool whole = unit <= most && DivideUp(DivideUp(leaves, unit), most / unit) <= radix;
    const uint32_t step = whole ? unit : 1;
    const uint32_t units = DivideUp(leaves, step);
    const uint32_t pods = std::max(fewest, DivideUp(units, most / step));
    std::vector<uint32_t> result;
    for (uint32_t p = 0; p < pods && leaves > 0; ++p)
    {
        const uint32_t share = units / pods + (p < units % pods ? 1 : 0);
        result.push_back(std::min(share * step, leaves));
        leaves -= result.back();
    }
    return result;
}

/// @param plan a plan whose leaves, pods and tiers are known; its upper tiers are sized
void
SizeUpperTiers(ClosPlan& plan)
{
    const uint32_t largestPod = *std::max_element(plan.podLeaves.begin(), plan.podLeaves.end());
    if (plan.tiers == 2)
    {
        plan.leafTrunks = SpreadLinks(plan.leafUp, plan.radix / largestPod);
        return;
    }
    plan.leafTrunks = SpreadLinks(plan.leafUp, plan.radix / 2 / largestPod);
    const auto pods = static_cast<uint32_t>(plan.podLeaves.size());
    for (const uint32_t trunk : plan.leafTrunks)
    {
        plan.coreTrunks.push_back(SpreadLinks(trunk * largestPod, plan.radix / pods));
    }
}

/// @param leaves number of leaves @param unit leaves that stay together @param plan radix and leaf
/// ports @param tiers 2 or 3 @return true when that many tiers hold the leaves
bool
Fits(uint32_t leaves, uint32_t unit, const ClosPlan& plan, uint32_t tiers)
{
    if (tiers == 2)
    {
        return leaves <= plan.radix;
    }
    return plan.radix > 1 && SpreadPods(leaves, unit, plan.radix, 1).size() <= plan.radix;
}

} // namespace

Oversubscription
Oversubscription::Parse(const std::string& text)
{
    Oversubscription ratio{0, 0};
    const char* end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, ratio.down);
    if (first.ec == std::errc() && first.ptr != end && *first.ptr == ':')
    {
        const auto second = std::from_chars(first.ptr + 1, end, ratio.up);
        if (second.ec == std::errc() && second.ptr == end && ratio.down > 0 && ratio.up > 0)
        {
            const uint32_t divisor = std::gcd(ratio.down, ratio.up);
            return {ratio.down / divisor, ratio.up / divisor};
        }
    }
    throw InputError("Oversubscription",
                     "'" + text + "' is no ratio",
                     "host ports to uplinks of a leaf, such as 3:1 or 1:1");
}

uint32_t
ClosPlan::GetNMiddle() const
{
    return static_cast<uint32_t>(leafTrunks.size() * podLeaves.size());
}

uint32_t
ClosPlan::GetNCores() const
{
    std::size_t cores = 0;
    for (const auto& group : coreTrunks)
    {
        cores += group.size();
    }
    return static_cast<uint32_t>(cores);
}

std::string
ClosPlan::Describe() const
{
    std::ostringstream os;
    os << tiers << (tiers == 1 ? " tier" : " tiers") << " of radix " << radix;
    if (tiers > 1)
    {
        const uint32_t divisor = std::gcd(leafDown, leafUp);
        os << ", " << leafDown / divisor << ":" << leafUp / divisor << " at the leaves ("
           << leafDown << " down, " << leafUp << " up";
        if (leafDown + leafUp < radix)
        {
            os << ", " << radix - leafDown - leafUp << " unused";
        }
        os << ")";
    }
    return os.str();
}

Oversubscription
SplitLeaf(uint32_t radix, const Oversubscription& ratio)
{
    const uint64_t sum = uint64_t(ratio.down) + ratio.up;
    const auto multiple = static_cast<uint32_t>(radix / sum);
    if (multiple == 0)
    {
        throw InputError("SwitchRadix",
                         std::to_string(radix) + " ports cannot be split " +
                             std::to_string(ratio.down) + ":" + std::to_string(ratio.up),
                         "at least " + std::to_string(sum) + " ports");
    }
    return {ratio.down * multiple, ratio.up * multiple};
}

ClosPlan
PlanClosOverLeaves(uint32_t leaves, uint32_t unit, const ClosRequest& request)
{
    const Oversubscription leaf = SplitLeaf(request.radix, request.ratio);
    ClosPlan plan;
    plan.radix = request.radix;
    plan.leafDown = leaf.down;
    plan.leafUp = leaf.up;
    plan.leaves = leaves;
    for (const uint32_t tiers : {2U, 3U})
    {
        if (plan.tiers == 0 && (request.tiers == 0 || request.tiers == tiers) &&
            Fits(leaves, unit, plan, tiers))
        {
            plan.tiers = tiers;
        }
    }
    if (plan.tiers == 0)
    {
        const uint32_t tiers = request.tiers == 0 ? 3 : request.tiers;
        const uint64_t most = uint64_t(plan.radix) * (tiers == 2 ? 1 : plan.radix / 2);
        throw InputError("SwitchRadix, Tiers",
                         std::to_string(leaves) + " leaves of " + std::to_string(plan.leafDown) +
                             " host ports do not fit on " + std::to_string(tiers) +
                             " tiers of radix " + std::to_string(plan.radix),
                         "up to " + std::to_string(most) + " leaves; take a larger radix" +
                             (tiers == 2 ? " or three tiers" : ""));
    }
    plan.podLeaves =
        plan.tiers == 2 ? std::vector<uint32_t>{leaves} : SpreadPods(leaves, unit, plan.radix, 2);
    SizeUpperTiers(plan);
    return plan;
}

ClosPlan
PlanClos(uint32_t hosts, const ClosRequest& request)
{
    if (request.tiers > 3 || request.radix < 2)
    {
        throw InputError("Tiers, SwitchRadix",
                         std::to_string(request.tiers) + " tiers of radix " +
                             std::to_string(request.radix),
                         "0 (automatic) to 3 tiers of at least 2 ports");
    }
    if (request.tiers <= 1 && hosts <= request.radix)
    {
        ClosPlan plan;
        plan.radix = request.radix;
        plan.tiers = 1;
        plan.leafDown = request.radix;
        plan.leaves = 1;
        plan.podLeaves = {1};
        return plan;
    }
    if (request.tiers == 1)
    {
        throw InputError("SwitchRadix",
                         std::to_string(hosts) + " NICs do not fit on one switch of radix " +
                             std::to_string(request.radix),
                         "at least as many ports as NICs, or more tiers");
    }
    const uint32_t leafDown = SplitLeaf(request.radix, request.ratio).down;
    return PlanClosOverLeaves(DivideUp(hosts, leafDown), 1, request);
}

uint32_t
GetSmallestRadix(uint32_t hosts)
{
    uint64_t k = 4;
    while (k * k * k / 4 < hosts)
    {
        k += 2;
    }
    return static_cast<uint32_t>(k);
}

} // namespace ns3
