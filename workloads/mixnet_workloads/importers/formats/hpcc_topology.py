# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: line 1 `nodes switches links`, line 2 the numbers of the switches (blank for none), then one
line per link: `src dst rate delay error_rate` with units, such as `0 320 100Gbps 1000ns 0.000000`.
SimAI: line 1 `nodes gpus_per_server nvswitches switches links gpu_type`, line 2 NVSwitches, then switches.
conweave's files are those of HPCC. Blanks or tabs, # comments, CR LF. As for the original reader, what
follows the declared number of links is no part of the topology; it is warned of.

Every node that is no switch is a host, a server of its own; in SimAI files GPUs are grouped into servers
by their number, and links of GPUs to NVSwitches are the scale-up domain. A rate in bytes (GBps) is
accepted with a warning."""

from .. import inputs
from ..errors import InputError
from ..quantities import delay, rate, share
from ..graph_program import NONE
from ..topology_tables import GPU, HOST, NVSWITCH, SWITCH, Topology
from ..words import expect, one_file, word_lines

NAME = "hpcc-topology"
KIND = "topology"
SUMMARY = "topology.txt of HPCC, conweave and SimAI."
MOST_NODES = 1 << 22
HEADS = "3: nodes switches links; or 6: nodes gpus_per_server nvswitches switches links gpu_type"


def _head(path, line, words):
    """(nodes, GPUs per server or 0, NVSwitches, switches, links)"""
    if len(words) not in (3, 6):
        raise InputError(path, f"{len(words)} columns", HEADS, line=line)
    numbers = [inputs.whole_number(word, path, f"column {place + 1}", most=MOST_NODES, line=line)
               for place, word in enumerate(words[: 3 if len(words) == 3 else 5])]
    if len(words) == 3:
        numbers[1:1] = [0, 0]
    nodes, per_server, nvswitches, switches, _ = numbers
    gpus = nodes - nvswitches - switches
    if gpus < 1:
        raise InputError(path, f"{nodes} nodes, {nvswitches + switches} of them switches",
                         "more nodes than switches", line=line)
    if len(words) == 6 and (per_server < 1 or gpus % per_server):
        raise InputError(path, f"{nodes} - {nvswitches} - {switches} = {gpus} GPUs do not divide into "
                         f"servers of {per_server}", line=line)
    return numbers


class _Switches:
    """Takes the numbers of switches from the lines behind the head."""

    def __init__(self, path, nodes, count):
        self._path, self._nodes, self._count = path, nodes, count
        self.numbers, self._known = [], set()

    def take(self, line, words):
        """@returns whether the line belonged to the list."""
        if len(self.numbers) == self._count:
            return False
        for word in words:
            number = inputs.whole_number(word, self._path, "switch", most=self._nodes - 1, line=line)
            if number in self._known:
                raise InputError(self._path, f"switch {number} comes twice", line=line)
            self._known.add(number)
            self.numbers.append(number)
        if len(self.numbers) > self._count:
            raise InputError(self._path, f"{len(self.numbers)} switches", f"{self._count}, as in line 1",
                             line=line)
        return True


def _place(path, nodes, per_server, nvswitches, switches):
    """The topology with its nodes; GPUs get their server by their number."""
    topology = Topology(path)
    kinds = dict.fromkeys(switches[:nvswitches], NVSWITCH)
    kinds.update(dict.fromkeys(switches[nvswitches:], SWITCH))
    host = 0
    for number in range(nodes):
        kind = kinds.get(number)
        if kind is None:
            topology.add_node(number, GPU if per_server else HOST, host // (per_server or 1))
            host += 1
        else:
            topology.add_node(number, kind)
    return topology


def _link(path, line, words, nodes, report):
    expect(words, 5, path, line, "src dst rate delay error_rate")
    ends = [inputs.whole_number(word, path, "node", most=nodes - 1, line=line) for word in words[:2]]
    if ends[0] == ends[1]:
        raise InputError(path, f"node {ends[0]} is linked to itself", line=line)
    speed, in_bytes = rate(words[2], path, line=line)
    if in_bytes:
        report.warn(f"line {line}: rate {words[2]} is in bytes: {speed / 1e9:g} Gb/s")
    return (*ends, speed, delay(words[3], path, line=line),
            share(words[4], path, "error rate", line=line), line)


def _own_nvswitches(topology, path, links, numbers, hosts):
    """The server of an NVSwitch is that of the GPUs that it is linked to."""
    server = {}
    for a, b, *_, line in links:
        for switch, other in ((a, b), (b, a)):
            if switch in numbers and other in hosts:
                if server.setdefault(switch, hosts[other]) != hosts[other]:
                    raise InputError(path, f"NVSwitch {switch} joins servers {server[switch]} and "
                                     f"{hosts[other]}", "GPUs of one server", line=line)
    for number in numbers:
        topology.set_server(number, server.get(number, NONE))


def read(paths, options, report):
    path = one_file(paths, "topology")
    lines = word_lines(path, report)
    line, words = next(lines, (1, []))
    nodes, per_server, nvswitches, switches, declared = _head(path, line, words)
    about = {"gpu": words[5]} if len(words) == 6 else {}
    listed, links = _Switches(path, nodes, nvswitches + switches), []
    for line, words in lines:
        if listed.take(line, words):
            continue
        if len(links) == declared:
            report.warn(f"line 1 declares {declared} links: line {line} and what follows is left out")
            break
        links.append(_link(path, line, words, nodes, report))
    if len(listed.numbers) < nvswitches + switches or len(links) < declared:
        raise InputError(path, f"ends after {len(listed.numbers)} switches and {len(links)} links",
                         f"{nvswitches + switches} and {declared}, as in line 1 (cut off?)", line=line)
    topology = _place(path, nodes, per_server, nvswitches, listed.numbers)
    if nvswitches:
        gpus = [number for number in range(nodes) if number not in set(listed.numbers)]
        _own_nvswitches(topology, path, links, set(listed.numbers[:nvswitches]),
                        {number: place // per_server for place, number in enumerate(gpus)})
    for link in links:
        topology.add_link(*link)
    return topology.tables(report, **about)
