# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: `Nodes N`, `Tiers 2|3`, `Podsize P`, then for each tier k from 0 (at the hosts) `Tier k` and
lines of Downlink_speed_Gbps, Radix_Down, Radix_Up (not at the top), Downlink_Latency_ns,
Switch_Latency_ns, Oversubscribed, Bundle, Queue_Down, Queue_Up; # comments.

Becomes the fat-tree that these numbers mean, link by link: N / Radix_Down ToRs, each with Radix_Up links
shared out evenly over the switches above in its pod (two tiers: over all spines), Bundle links side by
side; a switch of the middle tier reaches its own group of core switches. Every division must be exact.
Queues are bytes per port."""

from fractions import Fraction

from .. import inputs
from ..errors import InputError, shorten
from ..quantities import decimal
from ..topology_tables import HOST, SWITCH, Topology
from ..words import expect, one_file, word_lines

NAME = "htsim-topo"
KIND = "topology"
SUMMARY = "Fat-tree descriptions (.topo) of htsim."

HEADS = ("Nodes", "Tiers", "Podsize")
WHOLE = ("Radix_Down", "Radix_Up", "Bundle", "Queue_Down", "Queue_Up")
SCALED = {"Downlink_speed_Gbps": 10**9, "Downlink_Latency_ns": 1000, "Switch_Latency_ns": 1000,
          "Oversubscribed": 1}
NEEDED = ("Downlink_speed_Gbps", "Radix_Down", "Downlink_Latency_ns")
MOST_NODES = 1 << 20
MOST_RADIX = 1 << 16
MOST_LINKS = 1 << 22


def _scaled(path, line, key, word):
    """A decimal number in base units, exact."""
    number, rest = decimal(word)
    number = None if rest else number
    value = None if number is None else number * SCALED[key]
    exact = value is not None and (key == "Oversubscribed" or value.denominator == 1)
    if not exact or value < 0 or (value == 0 and "speed" in key) or value > 10**18:
        raise InputError(path, f"bad {key} {shorten(word)}", "a number " + (
            "above 0" if "speed" in key else "from 0"), line=line)
    return value


def _parse(path, report):
    """({head: number}, [{key: value} per tier])"""
    head, tiers, line = {}, [], 1
    for line, words in word_lines(path, report):
        expect(words, 2, path, line, "a key and a value")
        key, word = words
        known = head if not tiers else tiers[-1]
        if key == "Tier":
            number = inputs.whole_number(word, path, "'Tier'", line=line)
            if number != len(tiers) or number >= head.get("Tiers", 0):
                raise InputError(path, f"Tier {number}", f"tiers from 0 to {head.get('Tiers', 0) - 1}, in "
                                 "order, behind 'Tiers'", line=line)
            tiers.append({})
            continue
        if key not in (HEADS if not tiers else (*WHOLE, *SCALED)):
            raise InputError(path, f"unknown key {shorten(key)}",
                             ", ".join(HEADS if not tiers else (*SCALED, *WHOLE)), line=line)
        if key in known:
            raise InputError(path, f"'{key}' comes twice", line=line)
        known[key] = (_scaled(path, line, key, word) if key in SCALED else
                      inputs.whole_number(word, path, f"'{key}'", 0 if "Queue" in key else 1, line=line,
                                          most=MOST_RADIX if "Radix" in key else 1 << 40))
    for name in HEADS[:2]:
        if name not in head:
            raise InputError(path, f"no '{name}'", ", ".join(HEADS), line=line)
    head.setdefault("Podsize", head["Nodes"])
    if head["Tiers"] not in (2, 3) or len(tiers) != head["Tiers"] or head["Nodes"] > MOST_NODES:
        raise InputError(path, f"{head['Nodes']} nodes, {head['Tiers']} tiers, {len(tiers)} described",
                         f"at most {MOST_NODES} nodes, 2 or 3 tiers, all described", line=line)
    for number, tier in enumerate(tiers):
        for key in (*NEEDED, *(["Radix_Up"] if number < len(tiers) - 1 else [])):
            if key not in tier:
                raise InputError(path, f"tier {number} has no '{key}'", line=line)
    return head, tiers


def _divide(path, what, number, by):
    """An exact division, or a refusal that shows it."""
    quotient = Fraction(number, by)
    if quotient.denominator != 1 or not quotient:
        raise InputError(path, f"{what} = {number} / {by} = {float(quotient):g}", "a whole number above 0")
    return int(quotient)


class _FatTree:
    """Numbers of switches, then nodes and links."""

    def __init__(self, path, head, tiers):
        self._path, self._tiers = path, tiers
        self.hosts, self._pod = head["Nodes"], head["Podsize"]
        self._pods = _divide(path, "pods: Nodes / Podsize", self.hosts, self._pod)
        if len(tiers) == 2 and self._pods != 1:
            raise InputError(path, f"{self._pods} pods of {self._pod} nodes with two tiers",
                             f"Podsize {self.hosts}, as Nodes")
        self._tors = _divide(path, "ToRs of a pod: Podsize / Radix_Down", self._pod,
                             tiers[0]["Radix_Down"])
        self._aggs = _divide(path, "switches above: ToRs x Radix_Up / Radix_Down",
                             self._tors * tiers[0]["Radix_Up"], tiers[1]["Radix_Down"])
        self.topology = Topology(path)
        links = self.hosts + self._pods * (self._tors * tiers[0]["Radix_Up"] + (
            self._aggs * tiers[1]["Radix_Up"] if len(tiers) == 3 else 0))
        if links > MOST_LINKS:
            raise InputError(path, f"describes {links} links", f"at most {MOST_LINKS}")

    def build(self):
        for host in range(self.hosts):
            self.topology.add_node(host, HOST, host)
        tors = self._switches(0, self._tors * self._pods)
        aggs = self._switches(1, self._aggs * self._pods)
        for host in range(self.hosts):
            self._link(host, tors[host // self._tiers[0]["Radix_Down"]], 0)
        for pod in range(self._pods):
            below = tors[pod * self._tors : (pod + 1) * self._tors]
            above = aggs[pod * self._aggs : (pod + 1) * self._aggs]
            for tor in below:
                self._spread(tor, above, 0)
        if len(self._tiers) == 3:
            up = self._tiers[1]["Radix_Up"]
            cores = self._switches(2, _divide(
                self._path, "core switches: switches below x Radix_Up / Radix_Down",
                len(aggs) * up, self._tiers[2]["Radix_Down"]))
            groups = max(1, min(self._aggs, len(cores)))
            size = _divide(self._path, "core switches of a group: core switches / switches of a pod",
                           len(cores), groups)
            for number, agg in enumerate(aggs):
                group = number % self._aggs % groups
                self._spread(agg, cores[group * size : (group + 1) * size], 1)
        for number, tier in enumerate(self._tiers):
            self.topology.set_queues(number + 1, tier.get("Queue_Down", 0), tier.get("Queue_Up", 0))
        return self.topology

    def _switches(self, tier, count):
        delay = int(self._tiers[tier].get("Switch_Latency_ns", 0))
        return [self.topology.add_node(self.topology.size, SWITCH, delay=delay) for _ in range(count)]

    def _spread(self, switch, above, tier):
        """Radix_Up links of a switch, evenly over those above, in bundles."""
        bundle = self._tiers[tier + 1].get("Bundle", 1)
        links = self._tiers[tier]["Radix_Up"]
        each = _divide(self._path, f"links of a switch of tier {tier} to each above: Radix_Up / switches",
                       links, len(above))
        if each % bundle:
            raise InputError(self._path, f"Bundle {bundle}: {each} links join two switches",
                             "a divisor of that")
        for target in above:
            for _ in range(each):
                self._link(switch, target, tier + 1)

    def _link(self, below, above, tier):
        """A link downwards from a switch of this tier."""
        self.topology.add_link(below, above, int(self._tiers[tier]["Downlink_speed_Gbps"]),
                               int(self._tiers[tier]["Downlink_Latency_ns"]))


def read(paths, options, report):
    path = one_file(paths, "topology")
    head, tiers = _parse(path, report)
    tree = _FatTree(path, head, tiers)
    topology = tree.build()
    for number, (tier, above) in enumerate(zip(tiers, tiers[1:])):
        ratio = Fraction(tier["Radix_Down"] * int(tier["Downlink_speed_Gbps"]),
                         tier["Radix_Up"] * int(above["Downlink_speed_Gbps"]))
        stated = tier.get("Oversubscribed", ratio)
        if stated != ratio:
            report.warn(f"tier {number}: Oversubscribed {float(stated):g}, rates and radixes give "
                        f"{float(ratio):g}; these are used")
    return topology.tables(report)
