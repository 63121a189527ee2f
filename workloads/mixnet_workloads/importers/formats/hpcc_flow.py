# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: line 1 the number of flows, then one line per flow: `src dst pg dport size_bytes start_seconds`;
conweave: `src dst pg size_bytes start_seconds` (a third column above 7 is taken for a port). Blanks or
tabs, # comments, CR LF.

As for the original reader, what follows the declared number of flows is no part of the list; it is
warned of, and --all takes it as long as lines look like flows. The original loses flows that are not
sorted by start; here they are imported, with a warning."""

from .. import inputs
from ..errors import InputError
from ..flow_tables import Flows
from ..quantities import picoseconds
from ..words import one_file, word_lines

NAME = "hpcc-flow"
KIND = "flow list"
SUMMARY = "flow.txt of HPCC and conweave."
MOST_GROUP = 7


def add_options(parser):
    parser.add_argument("--all", action="store_true", default=None,
                        help="also the flows behind the number that line 1 declares")


def _flow(path, line, words):
    """(source, destination, group, port, bytes, start text)"""
    if len(words) not in (5, 6):
        raise InputError(path, f"{len(words)} columns", "6: src dst pg dport size start; or 5: src dst "
                         "pg size start", line=line)
    numbers = [inputs.whole_number(word, path, f"column {place + 1}", line=line,
                                   most=(1 << 32) - 2 if place < len(words) - 2 else (1 << 63) - 1)
               for place, word in enumerate(words[:-1])]
    if len(words) == 5:
        numbers[2:3] = [0, numbers[2]] if numbers[2] > MOST_GROUP else [numbers[2], 0]
    source, destination, group, port, size = numbers
    if source == destination:
        raise InputError(path, f"flow from {source} to itself", "two nodes", line=line)
    if size == 0:
        raise InputError(path, "size 0", "1 or more bytes", line=line)
    return source, destination, group, port, size


class _Reader:
    """Adds flows; notes what to warn of."""

    def __init__(self, path):
        self.flows, self._path = Flows(path), path
        self._last, self._unsorted, self._rounded = 0, None, 0

    def add(self, line, words):
        source, destination, group, port, size = _flow(self._path, line, words)
        start, exact = picoseconds(words[-1], "s", self._path, "start", line=line)
        self._rounded += not exact
        if start < self._last and self._unsorted is None:
            self._unsorted = line
        self._last = start
        self.flows.add(source=source, destination=destination, priority=group, port=port, bytes=size,
                       start=start, line=line)

    def warn(self, report):
        if self._unsorted:
            report.warn(f"line {self._unsorted} starts before the line above: the original reader loses "
                        "such flows")
        if self._rounded:
            report.warn(f"{self._rounded} starts are rounded to 1 ps")


def read(paths, options, report):
    path = one_file(paths, "flow list")
    reader, declared, line = _Reader(path), None, 1
    for line, words in word_lines(path, report):
        if declared is None:
            if len(words) != 1:
                raise InputError(path, f"{len(words)} columns", "the number of flows", line=line)
            declared = inputs.whole_number(words[0], path, "number of flows", line=line)
            continue
        if len(reader.flows) >= declared:
            more = len(words) in (5, 6) and words[0].isdecimal()
            if not (more and options.all):
                report.warn(f"line 1 declares {declared} flows: line {line} and what follows is left out"
                            + (" (--all takes it)" if more else ""))
                break
        reader.add(line, words)
    if declared is None or len(reader.flows) < declared:
        raise InputError(path, f"holds {len(reader.flows)} flows",
                         f"{declared}, as line 1 declares (cut off?)", line=line)
    reader.warn(report)
    return reader.flows.tables(report)
