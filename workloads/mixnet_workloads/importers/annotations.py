# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Annotated ranges of a profile: which one was open at a time."""

import heapq
import re

import numpy as np

from .graph_program import NONE

_STEP = re.compile(r"ProfilerStep#([0-9]{1,9})")


class Annotations:
    """Ranges on threads; the innermost is the one that began last among those open."""

    def __init__(self):
        self._ranges = []

    def add(self, name, start, end, thread, pid):
        self._ranges.append((start, -end, name, thread, pid))

    def ordered(self):
        """(name, how many of this name came before), in the order of start."""
        seen = {}
        self._ranges.sort(key=lambda entry: entry[:4])
        for _, _, name, _, _ in self._ranges:
            layer = seen.get(name, 0)
            seen[name] = layer + 1
            yield name, layer

    def find(self, when, threads, pids):
        """Number (in `ordered`) of the innermost range on the same thread, else in the same process; -1
        where there is none. when: ps, -1 for never; pids: {thread: process}."""
        self._ranges.sort(key=lambda entry: entry[:4])
        chosen = np.full(len(when), -1)
        numbers = {}
        process = np.array([numbers.setdefault(pids.get(thread), len(numbers))
                            for thread in threads.tolist()], dtype=np.int64)
        for keys, column in ((threads, 3), (process, 4)):
            for key in np.unique(keys).tolist():
                mine = np.flatnonzero((keys == key) & (when >= 0) & (chosen < 0))
                ranges = [(place, entry) for place, entry in enumerate(self._ranges)
                          if (entry[3] if column == 3 else numbers.get(entry[4])) == key]
                if len(mine) and ranges:
                    starts, inner = _segments(ranges)
                    place = np.searchsorted(starts, when[mine], side="right") - 1
                    chosen[mine] = np.where(place >= 0, inner[place], -1)
        return chosen

    def iterations(self, when):
        """N of the ProfilerStep#N that was open; none otherwise."""
        result = np.full(len(when), NONE, dtype=np.uint32)
        for start, end, name, _, _ in self._ranges:
            step = _STEP.fullmatch(name)
            if step:
                result[(when >= start) & (when < -end)] = int(step[1])
        return result


def _segments(ranges):
    """(starts, innermost range from there on, -1 for none); ranges ascend by start."""
    starts, inner, open_ranges = [], [], []
    events = sorted([(entry[0], 1, place, -entry[1]) for place, entry in ranges]
                    + [(-entry[1], 0, place, 0) for place, entry in ranges])
    closed = set()
    for when, opens, place, _ in events:
        if opens:
            heapq.heappush(open_ranges, -place)
        else:
            closed.add(place)
        while open_ranges and -open_ranges[0] in closed:
            heapq.heappop(open_ranges)
        starts.append(when)
        inner.append(-open_ranges[0] if open_ranges else -1)
    return np.array(starts), np.array(inner)
