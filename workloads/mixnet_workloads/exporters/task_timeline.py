# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""A result of a task graph: ranks with their computation and their communication, and messages as arrows."""

import collections

import numpy as np

from ..importers.errors import InputError
from .files import table

NONE = 4294967295


def draw(timeline, file, path, options, runs):
    """Adds the tasks of each run of {number: name}."""
    if "tasks" not in file:
        raise InputError(path, "has no times of single tasks",
                         "a run with record.tasks=all (they are left out above a million)")
    if options.iteration is not None:
        raise InputError(path, "is the result of a task graph and has no iterations", "no --iteration")
    if options.run is not None and options.run not in runs:
        raise InputError(path, f"has no run {options.run}", ", ".join(map(str, runs)))
    what, _ = table(file, path, "task_list")
    tasks, _ = table(file, path, "tasks")
    for number, name in runs.items():
        if options.run in (None, number):
            _run(timeline, number, name, what, _Run(tasks, number, options.rank))


class _Run:
    """Tasks of a run, in order of rank and task; those of one rank if asked."""

    def __init__(self, tasks, number, rank):
        keep = np.flatnonzero((tasks["run"] == number) & ((rank is None) | (tasks["rank"] == rank)))
        keep = keep[np.lexsort((tasks["task"][keep], tasks["rank"][keep]))]
        self.rank, self.task, self.peer = (tasks[key][keep].tolist() for key in ("rank", "task", "peer"))
        self.start, self.end = (np.rint(tasks[key][keep] * 1e12).astype(np.int64).tolist()
                                for key in ("start", "end"))


def _messages(what, run):
    """{row: (arrow, row of the send)}: the k-th send of a rank to another with a tag is the k-th that it receives."""
    sends = collections.defaultdict(list)
    receives = collections.defaultdict(list)
    for row, (rank, task, peer) in enumerate(zip(run.rank, run.task, run.peer)):
        if what["kind"][task] == "send":
            sends[rank, peer, what["tag"][task]].append(row)
        elif what["kind"][task] == "recv":
            receives[peer, rank, what["tag"][task]].append(row)
    arrows = {}
    for key, rows in sends.items():
        for send, receive in zip(rows, receives.get(key, ())):
            number = len(arrows) // 2 + 1
            arrows[send] = (number, True, run.start[send])
            arrows[receive] = (number, False, max(run.start[receive], run.start[send]))
    return arrows


def _run(timeline, number, name, what, run):
    arrows = _messages(what, run)
    for row, (rank, task, start, end) in enumerate(zip(run.rank, run.task, run.start, run.end)):
        kind = what["kind"][task]
        details = {"kind": kind, "task": task, "bytes": int(what["bytes"][task]), "line": int(what["line"][task])}
        if what["set"][task]:
            details["set"] = what["set"][task]
        if run.peer[row] != NONE:
            details["peer"] = run.peer[row]
        track = "compute" if kind == "compute" else "communication"
        timeline.add(number, f"run {number} {name}: rank {rank}", track, what["name"][task] or kind, start, end,
                     arrows.get(row), **details)
