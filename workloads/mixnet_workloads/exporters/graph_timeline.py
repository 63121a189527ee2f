# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""A task graph (/graph) as it would run with nobody to wait for."""

import heapq

import numpy as np

from ..importers.graph_program import COMPUTE, NO_STREAM, NONE, PHASES, RECV, UNKNOWN, KINDS
from ..importers.quantities import rate as parse_rate

_TASKS = ("kind", "duration", "bytes", "stream", "phase", "layer", "name", "set")


def draw(timeline, file, rate):
    """Adds the programs' tasks."""
    speed, _ = parse_rate(rate, "--rate")
    graph = file["graph"]
    starts = graph["programs/first_task"][:].tolist()
    titles = [name.decode() for name in graph["program_names/name"][:]]
    names = [name.decode() for name in graph["names/name"][:]]
    sets = [name.decode() for name in graph["sets/name"][:]]
    ranks = np.bincount(graph["rank_program"][:], minlength=len(titles)).tolist()
    for number, (begin, end) in enumerate(zip(starts, starts[1:])):
        columns = {key: graph["tasks"][key][begin:end].tolist() for key in _TASKS}
        first = graph["dependencies/first"][begin : end + 1].astype(np.int64)
        span = slice(int(first[0]), int(first[-1]))
        before, on_start = graph["dependencies/on/task"][span], graph["dependencies/on/start"][span]
        times = _schedule(columns, (first - first[0]).tolist(), before.tolist(), on_start.tolist(), speed)
        process = f"{titles[number]} ({ranks[number]} ranks)"
        for task, (start, stop) in enumerate(times):
            kind = KINDS[columns["kind"][task]]
            label = columns["name"][task]
            group = columns["set"][task]
            track = "compute" if kind == "compute" else kind if group == NONE else f"{kind} {sets[group]}"
            details = {"phase": PHASES[columns["phase"][task]], "bytes": columns["bytes"][task], "task": task}
            if columns["layer"][task] != NONE:
                details["layer"] = columns["layer"][task]
            timeline.add(number, process, track, names[label] if label != NONE else kind, start, stop,
                         **details)


def _duration(columns, task, speed):
    if columns["kind"][task] == COMPUTE:
        duration = columns["duration"][task]
        return 0 if duration == UNKNOWN else duration
    return 0 if columns["kind"][task] == RECV else columns["bytes"][task] * 8 * 10**12 // speed


def _schedule(columns, first, before, on_start, speed):
    """[(start, end)] in ps: tasks that are ready start in the order of time, then of number."""
    count = len(columns["kind"])
    waits = [first[task + 1] - first[task] for task in range(count)]
    after = [[] for _ in range(count)]
    for task in range(count):
        for place in range(first[task], first[task + 1]):
            after[before[place]].append((task, on_start[place]))
    ready_at, times, free = [0] * count, [(0, 0)] * count, {}
    ready = [(0, task) for task in range(count) if not waits[task]]
    heapq.heapify(ready)
    while ready:
        at, task = heapq.heappop(ready)
        stream = columns["stream"][task]
        start = at if stream == NO_STREAM else max(at, free.get(stream, 0))
        end = start + _duration(columns, task, speed)
        free[stream] = end
        times[task] = (start, end)
        for other, starts in after[task]:
            ready_at[other] = max(ready_at[other], start if starts else end)
            waits[other] -= 1
            if not waits[other]:
                heapq.heappush(ready, (ready_at[other], other))
    return times
