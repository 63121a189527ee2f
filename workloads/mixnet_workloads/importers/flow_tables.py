# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The schemas /flows, /triggers and /failures (doc/schemas.rst)."""

import numpy as np

from .errors import InputError
from .graph_program import NONE
from .output import Column, Table, Tables

SCHEMA = "mixnet-flows/1"
FIELDS = (
    # column, type, unit, default
    ("id", "<u8", "1", 0), ("source", "<u4", "1", None), ("destination", "<u4", "1", None),
    ("bytes", "<u8", "B", None), ("start", "<u8", "ps", 0), ("priority", "<u4", "1", 0),
    ("port", "<u4", "1", 0), ("trigger", "<u4", "1", NONE), ("send_done", "<u4", "1", NONE),
    ("recv_done", "<u4", "1", NONE), ("line", "<u8", "1", 0),
)
ONESHOT, MULTISHOT, BARRIER = range(3)


class Flows:
    """Collects flows, triggers and failures in the order of the source."""

    def __init__(self, path, hosts=None):
        self.path, self.hosts = path, hosts
        self._columns = {name: [] for name, *_ in FIELDS}
        self.triggers, self.failures = [], []

    def __len__(self):
        return len(self._columns["id"])

    def add(self, **values):
        """A flow; values by FIELDS. An id of 0 becomes one that nobody else has."""
        for name, _, _, default in FIELDS:
            self._columns[name].append(values.get(name, default))

    def column(self, name):
        """Values so far."""
        return self._columns[name]

    def tables(self, report, **attributes):
        """The file. @raises InputError for ids that come twice and for an empty list."""
        if not len(self):
            raise InputError(self.path, "holds no flows")
        self._number()
        columns = {name: np.array(self._columns[name], dtype=kind) for name, kind, _, _ in FIELDS}
        hosts = self.hosts or int(max(columns["source"].max(), columns["destination"].max())) + 1
        report.count("flows", len(self))
        report.count("bytes", sum(self._columns["bytes"]))
        tables = [Table("/flows", [Column(name, unit, columns[name]) for name, _, unit, _ in FIELDS],
                        {"schema": SCHEMA, "hosts": np.uint64(hosts), **attributes})]
        for name, rows, kinds in (
                ("/triggers", self.triggers, (("id", "<u8"), ("kind", "<u1"), ("count", "<u8"),
                                              ("line", "<u8"))),
                ("/failures", self.failures, (("tier", "<u4"), ("switch", "<u8"), ("link", "<u8"),
                                              ("line", "<u8")))):
            if rows:
                report.count(name[1:], len(rows))
                tables.append(Table(name, [
                    Column(column, "1", np.array([row[place] for row in rows], dtype=kind))
                    for place, (column, kind) in enumerate(kinds)]))
        return Tables("flow list", tables)

    def _number(self):
        seen = {}
        for number, line in zip(self._columns["id"], self._columns["line"]):
            if number and seen.setdefault(number, line) != line:
                raise InputError(self.path, f"id {number} comes twice, first in line {seen[number]}",
                                 line=line)
        free = max(seen, default=0) + 1
        for row, number in enumerate(self._columns["id"]):
            if not number:
                self._columns["id"][row] = free
                free += 1
