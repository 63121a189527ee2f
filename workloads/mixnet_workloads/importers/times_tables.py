# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The schema /times (doc/schemas.rst)."""

from array import array

import numpy as np

from .errors import InputError
from .graph_program import NONE
from .output import Column, Table, Tables

SCHEMA = "mixnet-times/1"
_SAMPLES = (("class", "I", "1"), ("name", "I", "1"), ("start", "Q", "ps"), ("duration", "Q", "ps"),
            ("stream", "I", "1"), ("layer", "I", "1"), ("annotation", "I", "1"), ("rank", "I", "1"),
            ("iteration", "I", "1"), ("bytes", "Q", "B"), ("count", "Q", "1"), ("least", "Q", "ps"),
            ("most", "Q", "ps"))
_TYPES = {"I": "<u4", "Q": "<u8"}


class Times:
    """Collects measurements; classes and names are numbered as they come."""

    def __init__(self, path):
        self.path = path
        self._columns = {name: array(code) for name, code, _ in _SAMPLES}
        self._names, self._classes = {}, {}
        self.layers = []

    def __len__(self):
        return len(self._columns["class"])

    def name(self, text):
        return self._names.setdefault(text, len(self._names))

    def classify(self, name, communication, ranks=0):
        """Number of a class."""
        return self._classes.setdefault((name, bool(communication), ranks), len(self._classes))

    def add(self, number, name, duration, start=0, **values):
        """A measurement, in ps; values by the columns of /times/samples. One that sums up several
        gives count, least, most."""
        row = {"class": number, "name": self.name(name), "start": start, "duration": duration,
               "stream": 0, "layer": NONE, "annotation": NONE, "rank": 0, "iteration": NONE, "bytes": 0,
               "count": 1, "least": duration, "most": duration, **values}
        for column, value in row.items():
            self._columns[column].append(value)

    def column(self, name):
        """Values so far, writable; drop it before the next add()."""
        return np.frombuffer(self._columns[name], dtype=_TYPES[self._columns[name].typecode])

    def is_communication(self):
        """[class] -> whether it is communication."""
        return np.array([communication for _, communication, _ in self._classes], dtype=bool)

    def tables(self, report, timed=True, **attributes):
        """The file; `timed`: starts are known."""
        if not len(self):
            raise InputError(self.path, "holds no times")
        columns = {name: self.column(name) for name, _, _ in _SAMPLES}
        order = np.lexsort((np.arange(len(self)), columns["start"], columns["rank"]))
        columns = {name: values[order] for name, values in columns.items()}
        report.count("measurements", len(self))
        report.count("classes", len(self._classes))
        head = {"schema": SCHEMA, **attributes}
        if timed:
            head.update(self._overlap(columns))
        tables = [Table("/times", [], head),
                  Table("/times/classes", self._class_columns(columns, timed)),
                  Table("/times/samples", [Column(name, unit, columns[name])
                                           for name, _, unit in _SAMPLES]),
                  Table("/times/names", [Column("name", "text", list(self._names))])]
        if self.layers:
            kinds = (("annotation", "<u4", "1"), ("layer", "<u4", "1"), ("rank", "<u4", "1"),
                     ("kernels", "<u8", "1"), ("compute", "<u8", "ps"), ("communication", "<u8", "ps"))
            tables.append(Table("/times/layers", [
                Column(name, unit, np.array([row[place] for row in self.layers], dtype=kind))
                for place, (name, kind, unit) in enumerate(kinds)]))
        return Tables("times", tables)

    def _overlap(self, columns):
        """ps, summed over ranks: something computes, communicates, communicates and nothing computes."""
        moving = self.is_communication()[columns["class"]]
        busy = [_union(*(columns[name][rows] for name in ("start", "duration", "rank")))
                for rows in (~moving, moving, slice(None))]
        return {"compute_ps": np.uint64(busy[0]), "communication_ps": np.uint64(busy[1]),
                "exposed_ps": np.uint64(busy[2] - busy[0])}

    def _class_columns(self, columns, timed):
        rows = []
        for (name, communication, ranks), number in self._classes.items():
            mine = columns["class"] == number
            durations = columns["duration"][mine].astype(np.uint64)
            total = int(durations.sum(dtype=np.uint64))
            count = int(columns["count"][mine].sum())
            busy = _union(columns["start"][mine], durations, columns["rank"][mine]) if timed else 0
            rows.append((name, communication, count, total, (total + count // 2) // count,
                         _median(durations, columns["count"][mine]), int(columns["least"][mine].min()),
                         int(columns["most"][mine].max()), busy, int(columns["bytes"][mine].sum()), ranks))
        names = ("communication", "count", "total", "mean", "median", "min", "max", "busy", "bytes",
                 "ranks")
        units = {"communication": "1", "count": "1", "bytes": "B", "ranks": "1"}
        return [Column("name", "text", [row[0] for row in rows]), *(
            Column(name, units.get(name, "ps"),
                   np.array([row[place] for row in rows], "<u1" if place == 1 else "<u8"))
            for place, name in enumerate(names, 1))]


def _median(durations, counts):
    """The lower median; a sample that sums up several counts as often, with their mean."""
    means = durations // np.maximum(counts, 1)
    order = np.argsort(means, kind="stable")
    place = np.searchsorted(np.cumsum(counts[order]), (int(counts.sum()) + 1) // 2)
    return int(means[order][place])


def _union(starts, durations, ranks):
    """ps in which at least one interval is open, summed over ranks; starts ascend per rank."""
    total = 0
    for rank in np.unique(ranks).tolist():
        mine = ranks == rank
        begin = starts[mine].astype(np.int64)
        end = begin + durations[mine].astype(np.int64)
        covered = np.maximum.accumulate(np.concatenate(([begin[0]], end[:-1])))
        total += int(np.maximum(0, end - np.maximum(begin, covered)).sum())
    return total
