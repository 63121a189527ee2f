# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: `Nodes N`, `Connections C`, optional `Triggers T` and `Failures F`, # comments, then lines

    src->dst [id n] start PS size BYTES [trigger n] [send_done_trigger n] [recv_done_trigger n] [prio n]
    trigger id n oneshot|multishot|barrier [count n]
    failure switch_type TOR|AGG|CORE switch_id n link_id n

Start is in picoseconds, as since csg-htsim 8f63513; older files counted microseconds: --start-unit us. A
connection has a start or a trigger, not both. Numbers are read exactly (the original loses digits above
2^24 ps and 2^31 B)."""

from .. import inputs
from ..errors import InputError, shorten
from ..flow_tables import BARRIER, MULTISHOT, ONESHOT, Flows
from ..graph_program import NONE
from ..quantities import picoseconds
from ..words import one_file, word_lines

NAME = "htsim-cm"
KIND = "flow list"
SUMMARY = "Connection matrices (.cm) of htsim, with triggers and failures."

COUNTS = ("Nodes", "Connections", "Triggers", "Failures")
KINDS = {"oneshot": ONESHOT, "multishot": MULTISHOT, "barrier": BARRIER}
TIERS = {"TOR": 1, "AGG": 2, "CORE": 3}
KEYS = ("id", "start", "size", "trigger", "send_done_trigger", "recv_done_trigger", "prio")
MOST_HOST = (1 << 32) - 2


def add_options(parser):
    parser.add_argument("--start-unit", choices=("ps", "us"), default="ps",
                        help="unit of start (default ps)")


def _pairs(path, line, words, keys):
    """{key: word}; `addon` stands alone and says nothing about the flow."""
    found, place = {}, 0
    while place < len(words):
        key = words[place]
        if key == "addon":
            place += 1
            continue
        if key not in keys:
            raise InputError(path, f"unknown word {shorten(key)}", ", ".join(keys), line=line)
        if key in found or place + 1 == len(words):
            raise InputError(path, f"'{key}' " + ("comes twice" if key in found else "has no value"),
                             line=line)
        found[key] = words[place + 1]
        place += 2
    return found


def _number(path, line, pairs, key, least=0, most=(1 << 63) - 1):
    if key not in pairs:
        raise InputError(path, f"no '{key}'", line=line)
    return inputs.whole_number(pairs[key], path, f"'{key}'", least, most, line=line)


class _Matrix:
    """What the lines say; triggers are resolved when all are known."""

    def __init__(self, path, unit):
        self.path, self.unit = path, unit
        self.counts, self.flows = {}, Flows(path)
        self.triggers, self._uses, self.rounded = {}, [], 0

    def take(self, line, words):
        if words[0] in COUNTS:
            self._count(line, words)
        elif words[0] == "trigger":
            self._trigger(line, words[1:])
        elif words[0] == "failure":
            self._failure(line, words[1:])
        elif "->" in words[0]:
            self._connection(line, words)
        else:
            raise InputError(self.path, f"unknown line {shorten(words[0])}",
                             ", ".join(COUNTS) + ", src->dst, trigger, failure", line=line)

    def _count(self, line, words):
        if words[0] in self.counts or len(words) != 2:
            raise InputError(self.path, f"'{words[0]}' " + ("comes twice" if words[0] in self.counts else
                             f"has {len(words) - 1} values"), "one number", line=line)
        self.counts[words[0]] = inputs.whole_number(words[1], self.path, f"'{words[0]}'", line=line)

    def _trigger(self, line, words):
        kinds = [word for word in words if word in KINDS]
        if len(kinds) != 1:
            raise InputError(self.path, f"a trigger with {len(kinds)} kinds", ", ".join(KINDS), line=line)
        pairs = _pairs(self.path, line, [word for word in words if word not in KINDS], ("id", "count"))
        number = _number(self.path, line, pairs, "id", most=MOST_HOST)
        if number in self.triggers:
            raise InputError(self.path, f"trigger {number} comes twice", line=line)
        count = _number(self.path, line, pairs, "count", 1) if kinds[0] == "barrier" else 0
        self.triggers[number] = len(self.triggers)
        self.flows.triggers.append((number, KINDS[kinds[0]], count, line))

    def _failure(self, line, words):
        pairs = _pairs(self.path, line, words, ("switch_type", "switch_id", "link_id"))
        if pairs.get("switch_type") not in TIERS:
            raise InputError(self.path, f"switch_type {shorten(pairs.get('switch_type', ''))}",
                             ", ".join(TIERS), line=line)
        self.flows.failures.append((TIERS[pairs["switch_type"]],
                                    _number(self.path, line, pairs, "switch_id"),
                                    _number(self.path, line, pairs, "link_id"), line))

    def _connection(self, line, words):
        source, _, destination = words[0].partition("->")
        most = self.counts.get("Nodes", MOST_HOST + 1) - 1
        ends = [inputs.whole_number(word, self.path, what, most=most, line=line)
                for word, what in ((source, "source"), (destination, "destination"))]
        if ends[0] == ends[1]:
            raise InputError(self.path, f"connection from {ends[0]} to itself", line=line)
        pairs = _pairs(self.path, line, words[1:], KEYS)
        if ("start" in pairs) == ("trigger" in pairs):
            raise InputError(self.path, "both 'start' and 'trigger'" if "start" in pairs else
                             "neither 'start' nor 'trigger'", "one of the two", line=line)
        start, exact = picoseconds(pairs.get("start", "0"), self.unit, self.path, "start", line=line)
        self.rounded += not exact
        for key in ("trigger", "send_done_trigger", "recv_done_trigger"):
            if key in pairs:
                number = _number(self.path, line, pairs, key)
                self._uses.append((len(self.flows), key.replace("_trigger", ""), number, line))
        self.flows.add(
            id=_number(self.path, line, pairs, "id", 1) if "id" in pairs else 0,
            source=ends[0], destination=ends[1], bytes=_number(self.path, line, pairs, "size", 1),
            start=start, priority=_number(self.path, line, pairs, "prio", most=MOST_HOST)
            if "prio" in pairs else 0, line=line)

    def finish(self, line, report):
        """Counts and triggers hold."""
        found = {"Connections": len(self.flows), "Triggers": len(self.triggers),
                 "Failures": len(self.flows.failures)}
        for name in ("Nodes", "Connections"):
            if name not in self.counts:
                raise InputError(self.path, f"no line '{name}'", f"{name} and a number", line=line)
        for name, number in found.items():
            if self.counts.get(name, 0) != number:
                raise InputError(self.path, f"{number} {name.lower()}, '{name}' says "
                                 f"{self.counts.get(name, 0)}", "as many as declared", line=line)
        for row, column, number, at in self._uses:
            if number not in self.triggers:
                raise InputError(self.path, f"no trigger {number}",
                                 ", ".join(map(str, self.triggers)) or "none is defined", line=at)
            self.flows.column(column)[row] = self.triggers[number]
        self._check_triggers(report)
        if self.rounded:
            report.warn(f"{self.rounded} starts are rounded to 1 ps")

    def _check_triggers(self, report):
        waiting = self.flows.column("trigger")
        activators = [set() for _ in self.triggers]
        for column in ("send_done", "recv_done"):
            for row, trigger in enumerate(self.flows.column(column)):
                if trigger != NONE:
                    activators[trigger].add((row, column))
        started = [[] for _ in self.triggers]
        for row, trigger in enumerate(waiting):
            if trigger != NONE:
                started[trigger].append(row)
        for number, index in self.triggers.items():
            _, kind, count, line = self.flows.triggers[index]
            targets = started[index]
            need = count if kind == BARRIER else len(targets) if kind == MULTISHOT else bool(targets)
            if targets and len(activators[index]) < need:
                raise InputError(self.path, f"trigger {number} is activated by {len(activators[index])} "
                                 f"connections and needs {need}: it never fires", line=line)
            if not targets:
                report.warn(f"line {line}: trigger {number} starts nothing")
        self._check_reachable(waiting, started)

    def _check_reachable(self, waiting, targets):
        """Every flow starts once: follows the triggers from the flows that start by themselves."""
        fired = [0] * len(self.triggers)
        ready = [row for row, trigger in enumerate(waiting) if trigger == NONE]
        started = len(ready)
        while ready:
            row = ready.pop()
            for column in ("send_done", "recv_done"):
                trigger = self.flows.column(column)[row]
                if trigger == NONE:
                    continue
                fired[trigger] += 1
                _, kind, count, _ = self.flows.triggers[trigger]
                fresh = targets[trigger][fired[trigger] - 1 : fired[trigger]] if kind == MULTISHOT else (
                    targets[trigger] if fired[trigger] == (count if kind == BARRIER else 1) else [])
                ready.extend(fresh)
                started += len(fresh)
        if started < len(waiting):
            reached = {row for trigger, rows in enumerate(targets) for row in self._started(
                trigger, rows, fired[trigger])}
            row = next(row for row, trigger in enumerate(waiting)
                       if trigger != NONE and row not in reached)
            raise InputError(self.path, "this connection never starts: its trigger waits for connections "
                             "that wait for it", line=self.flows.column("line")[row])

    def _started(self, trigger, rows, fired):
        _, kind, count, _ = self.flows.triggers[trigger]
        if kind == MULTISHOT:
            return rows[:fired]
        return rows if fired >= (count if kind == BARRIER else 1) else []


def read(paths, options, report):
    path = one_file(paths, "connection matrix")
    matrix, line = _Matrix(path, options.start_unit), 1
    for line, words in word_lines(path, report):
        matrix.take(line, words)
    matrix.finish(line, report)
    matrix.flows.hosts = matrix.counts["Nodes"]
    return matrix.flows.tables(report)
