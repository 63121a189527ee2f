# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The schema /topology (doc/schemas.rst)."""

import numpy as np

from .errors import InputError
from .graph_program import NONE
from .output import Column, Table, Tables

SCHEMA = "mixnet-topology/1"
HOST, GPU, NVSWITCH, SWITCH = range(4)


class Topology:
    """Nodes are numbered in the order of adding; hosts of a server follow each other."""

    def __init__(self, path):
        self.path = path
        self._nodes, self._links, self._queues = [], [], {}

    @property
    def size(self):
        """Nodes so far."""
        return len(self._nodes)

    def add_node(self, number, kind, server=NONE, delay=0):
        """A node with the source's number, its server, and the ps a frame spends inside."""
        self._nodes.append((number, kind, server, delay))
        return len(self._nodes) - 1

    def set_server(self, node, server):
        """The server of a node that was added before."""
        number, kind, _, delay = self._nodes[node]
        self._nodes[node] = (number, kind, server, delay)

    def add_link(self, a, b, rate, delay, error_rate=0.0, line=0):
        """bit/s per direction and ps one way, between two nodes."""
        self._links.append((a, b, rate, delay, error_rate, line))

    def set_queues(self, tier, down, up):
        """Bytes per port of the switches of a tier."""
        self._queues[tier] = (down, up)

    def tables(self, report, **attributes):
        """The file. @raises InputError when there are no hosts."""
        number, kind, server, delay = (np.array(column) for column in zip(*self._nodes))
        hosts = np.flatnonzero(kind <= GPU)
        if not len(hosts):
            raise InputError(self.path, "has no hosts", "nodes that are no switches")
        host = np.full(len(kind), NONE, dtype="<u4")
        host[hosts] = np.arange(len(hosts))
        links = self._link_columns(kind, server)
        tier = _tiers(kind, links)
        self._warn(report, kind, links, tier)
        servers = _servers(kind, server, host, links)
        report.count("hosts", len(hosts))
        report.count("servers", len(servers[0].values))
        report.count("switches", (kind >= NVSWITCH).sum())
        report.count("links", len(self._links))
        head = {"schema": SCHEMA, "hosts": np.uint64(len(hosts)),
                "servers": np.uint64(len(servers[0].values)), **attributes}
        return Tables("topology", [
            Table("/topology", [], head),
            Table("/topology/nodes", [
                Column("id", "1", number.astype("<u8")), Column("kind", "1", kind.astype("<u1")),
                Column("server", "1", server.astype("<u4")), Column("host", "1", host),
                Column("tier", "1", tier), Column("delay", "ps", delay.astype("<u8"))]),
            Table("/topology/links", [Column(name, unit, links[name]) for name, unit in (
                ("a", "1"), ("b", "1"), ("rate", "bit/s"), ("delay", "ps"), ("error_rate", "1"),
                ("scale_up", "1"), ("line", "1"))]),
            Table("/topology/servers", servers),
            Table("/topology/tiers", self._tier_columns(tier, links)),
        ])

    def _link_columns(self, kind, server):
        kinds = {"a": "<u4", "b": "<u4", "rate": "<u8", "delay": "<u8", "error_rate": "<f8",
                 "line": "<u8"}
        columns = {name: np.array([link[place] for link in self._links], dtype=dtype)
                   for place, (name, dtype) in enumerate(kinds.items())}
        a, b = columns["a"], columns["b"]
        inside = (kind[a] != SWITCH) & (kind[b] != SWITCH) & (server[a] == server[b])
        columns["scale_up"] = (inside & (kind[a] != HOST) & (kind[b] != HOST)).astype("<u1")
        return columns

    def _warn(self, report, kind, links, tier):
        used = np.zeros(len(kind), dtype=bool)
        used[links["a"]] = used[links["b"]] = True
        for text, lost in (("hosts", ~used & (kind <= GPU)), ("switches", ~used & (kind >= NVSWITCH)),
                           ("switches", used & (kind == SWITCH) & (tier == 0))):
            if lost.any():
                first = self._nodes[int(np.flatnonzero(lost)[0])][0]
                what = "without any link" if not used[np.flatnonzero(lost)[0]] else "joined to no host"
                report.warn(f"{int(lost.sum())} {text} {what}, the first is node {first}")
        if links["error_rate"].any():
            report.warn(f"{int((links['error_rate'] > 0).sum())} links lose packets (error rate above 0)")

    def _tier_columns(self, tier, links):
        rows = []
        for level in range(1, int(tier.max(initial=0)) + 1):
            below, above, rates = np.zeros(len(tier), int), np.zeros(len(tier), int), [0]
            for here, there in (("a", "b"), ("b", "a")):
                mine, other = links[here], links[there]
                at = (tier[mine] == level) & (links["scale_up"] == 0)
                down = at & (tier[other] < level)
                np.add.at(below, mine[down], 1)
                np.add.at(above, mine[at & (tier[other] > level)], 1)
                rates.extend(links["rate"][down].tolist())
            rows.append((level, int((tier == level).sum()), below.max(), above.max(), max(rates),
                         *self._queues.get(level, (0, 0))))
        names = (("tier", "<u4", "1"), ("switches", "<u8", "1"), ("down", "<u8", "1"),
                 ("up", "<u8", "1"), ("rate_down", "<u8", "bit/s"), ("queue_down", "<u8", "B"),
                 ("queue_up", "<u8", "B"))
        return [Column(name, unit, np.array([row[place] for row in rows], dtype=dtype))
                for place, (name, dtype, unit) in enumerate(names)]


def _tiers(kind, links):
    """Links from a packet switch to the nearest host."""
    tier = np.zeros(len(kind), dtype="<u4")
    switch = kind == SWITCH
    reached, level = ~switch, 0
    while True:
        level += 1
        near = np.zeros(len(kind), dtype=bool)
        for here, there in (("a", "b"), ("b", "a")):
            near[links[there][reached[links[here]]]] = True
        fresh = near & switch & ~reached
        if not fresh.any():
            return tier
        tier[fresh] = level
        reached = reached | fresh


def _servers(kind, server, host, links):
    """Columns of /topology/servers; servers are numbered by their first host."""
    hosts = np.flatnonzero(kind <= GPU)
    count = int(server[hosts].max()) + 1
    gpus = np.bincount(server[hosts], minlength=count)
    first = np.full(count, NONE, dtype=np.int64)
    np.minimum.at(first, server[hosts], host[hosts].astype(np.int64))
    rate = np.zeros(len(kind), dtype=np.uint64)
    inside = links["scale_up"] == 1
    for end in ("a", "b"):
        np.add.at(rate, links[end][inside], links["rate"][inside])
    scale_up = np.zeros(count, dtype=np.uint64)
    np.maximum.at(scale_up, server[hosts], rate[hosts])
    return [Column("gpus", "1", gpus.astype("<u4")), Column("first_host", "1", first.astype("<u4")),
            Column("scale_up_rate", "bit/s", scale_up.astype("<u8"))]
