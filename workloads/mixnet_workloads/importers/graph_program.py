# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""What one rank does: the tasks and dependencies of the schema /graph (doc/schemas.rst)."""

import hashlib

import numpy as np

from .errors import InputError

KINDS = ("compute", "all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast",
         "send", "recv", "reduce", "gather", "scatter", "barrier")
PHASES = ("none", "forward", "input-gradient", "weight-gradient", "update", "recompute")
CLASSES = ("tp", "ep", "dp", "pp", "other", "cp")
COMPUTE, SEND, RECV = KINDS.index("compute"), KINDS.index("send"), KINDS.index("recv")
ROOTED = tuple(KINDS.index(name) for name in ("broadcast", "reduce", "gather", "scatter"))

NONE = (1 << 32) - 1
UNKNOWN = (1 << 64) - 1
NO_STREAM = (1 << 16) - 1

FIELDS = (
    # column, type, unit, default
    ("kind", "<u1", "1", None),
    ("duration", "<u8", "ps", UNKNOWN),
    ("flops", "<u8", "1", 0),
    ("bytes", "<u8", "B", 0),
    ("set", "<u4", "1", NONE),
    ("peer", "<i4", "1", 0),
    ("tag", "<u8", "1", 0),
    ("stream", "<u2", "1", NO_STREAM),
    ("traffic_class", "<u1", "1", CLASSES.index("other")),
    ("phase", "<u1", "1", 0),
    ("layer", "<u4", "1", NONE),
    ("micro_batch", "<u4", "1", NONE),
    ("name", "<u4", "1", NONE),
    ("line", "<u8", "1", 0),
)
_PLACE = {name: index for index, (name, *_) in enumerate(FIELDS)}
_DEFAULTS = [default for *_, default in FIELDS]


class Program:
    """Tasks are numbered from 0 in the order of adding; dependencies may name later ones."""

    def __init__(self, name, path):
        self.name, self.path = name, path
        self._rows = []
        self._after, self._before, self._on_start = [], [], []

    def __len__(self):
        return len(self._rows)

    def add(self, kind, after=(), **values):
        """A task of KINDS[kind]; values by FIELDS; `after`: tasks that end before it starts."""
        row = _DEFAULTS.copy()
        row[0] = kind
        for name, value in values.items():
            row[_PLACE[name]] = value
        self._rows.append(row)
        task = len(self._rows) - 1
        for before in after:
            self.depend(task, before)
        return task

    def depend(self, task, before, on_start=False):
        """`task` starts when `before` has ended, or has started."""
        self._after.append(task)
        self._before.append(before)
        self._on_start.append(on_start)

    def freeze(self):
        """The finished program. @raises InputError when tasks wait for each other in a circle."""
        columns = {}
        cells = zip(*self._rows) if self._rows else ((),) * len(FIELDS)
        for (name, kind, _, _), values in zip(FIELDS, cells):
            columns[name] = np.array(values, dtype=kind)
        after = np.array(self._after, dtype=np.int64)
        before = np.array(self._before, dtype=np.int64)
        order = np.lexsort((before, after))
        first = np.zeros(len(self._rows) + 1, dtype=np.uint64)
        first[1:] = np.cumsum(np.bincount(after, minlength=len(self._rows)))
        _check_acyclic(self, columns, after[order], before[order], first.astype(np.int64))
        return Frozen(self.name, self.path, columns, first, before[order].astype("<u4"),
                      np.array(self._on_start, dtype="<u1")[order])


class Frozen:
    """A program as arrays: columns by name, and dependencies as compressed rows."""

    def __init__(self, name, path, columns, first, before, on_start):
        self.name, self.path, self.columns = name, path, columns
        self.first, self.before, self.on_start = first, before, on_start

    def __len__(self):
        return len(self.columns["kind"])

    def digest(self):
        """Equal for programs that differ only in where they stood."""
        content = hashlib.sha256()
        for name, column in self.columns.items():
            if name != "line":
                content.update(column.tobytes())
        for part in (self.first, self.before, self.on_start):
            content.update(part.tobytes())
        return content.digest()


def _check_acyclic(program, columns, after, before, first):
    if not len(after) or (before < after).all():
        return
    tasks = len(first) - 1
    waits = np.diff(first).tolist()
    order = np.argsort(before, kind="stable")
    successors = after[order]
    ends = np.cumsum(np.bincount(before, minlength=tasks)).tolist()
    ready = [task for task in range(tasks) if not waits[task]]
    done = 0
    while ready:
        task = ready.pop()
        done += 1
        for other in successors[ends[task - 1] if task else 0 : ends[task]].tolist():
            waits[other] -= 1
            if not waits[other]:
                ready.append(other)
    if done == tasks:
        return
    circle = _circle(waits, before, first)
    lines = [int(columns["line"][task]) for task in circle]
    shown = " -> ".join(map(str, lines[:8])) + (" ..." if len(lines) > 8 else "")
    raise InputError(program.path, f"{program.name}: {len(circle)} task(s) wait for each other in a "
                     f"circle: {shown} -> {lines[0]}", "dependencies without circles",
                     line=lines[0])


def _circle(waits, before, first):
    """Walks from a task that never gets ready to one it waits for, until one comes again."""
    task = next(task for task, count in enumerate(waits) if count)
    seen = {}
    while task not in seen:
        seen[task] = len(seen)
        task = next(other for other in before[first[task] : first[task + 1]].tolist()
                    if waits[other])
    walk = list(seen)
    return walk[seen[task] :]
