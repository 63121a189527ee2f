# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout (LogGOPSim, ATLAHS):

    num_ranks 2
    rank 0 {
    l1: calc 1000 cpu 0
    l2: send 10b to 1 tag 5 cpu 0 nic 0
    l2 requires l1
    }
    rank 1 { ...
    l1: recv 10b from 0 tag 5
    l2 irequires l1
    }

Labels are optional and hold within their rank, calc is in ns (--calc-unit), `requires` waits for the end,
`irequires` for the start; // and /* */ are comments. Operations of a rank that name one cpu run one at a
time when they are computations. Receives from any rank or with any tag (-1) are refused: a fixed
schedule says who sends. NIC numbers are not kept (the fabric chooses); other than 0, with a warning."""

import re

from .. import inputs
from ..errors import InputError, shorten
from ..graph_program import COMPUTE, NO_STREAM, RECV, SEND, Program
from ..graph_tables import Graph
from ..words import one_file

NAME = "goal"
KIND = "task graph"
SUMMARY = "GOAL text schedules of LogGOPSim and ATLAHS."

MOST_RANKS = 1 << 20
_LABEL = r"(?:([A-Za-z][A-Za-z0-9_]*)\s*:\s*)?"
_CALC = re.compile(_LABEL + r"calc\s+([0-9]+)(?:\s+cpu\s+([0-9]+))?", re.ASCII)
_MESSAGE = re.compile(_LABEL + r"(send|recv)\s+([0-9]+)b\s+(to|from)\s+(-?[0-9]+)"
                      r"(?:\s+tag\s+(-?[0-9]+))?(?:\s+cpu\s+([0-9]+))?(?:\s+nic\s+([0-9]+))?", re.ASCII)
_WAITS = re.compile(r"([A-Za-z][A-Za-z0-9_]*)\s+(i?requires)\s+([A-Za-z][A-Za-z0-9_]*)", re.ASCII)
_OPEN = re.compile(r"rank\s+([0-9]+)\s*\{", re.ASCII)
_HEAD = re.compile(r"num_ranks\s+([0-9]+)", re.ASCII)
_FORMS = ("num_ranks N, rank N {, [label:] calc N [cpu N], [label:] send Nb to N [tag N] [cpu N] [nic N], "
          "[label:] recv Nb from N ..., label requires label, label irequires label, }")


def add_options(parser):
    parser.add_argument("--calc-unit", choices=("ps", "ns", "us"), default="ns",
                        help="unit of calc (default ns, as LogGOPSim)")


def _statements(path, report):
    """(line, text) without comments; `rank 0 {` and `}` stand alone."""
    inside = False
    for line, text in inputs.lines(path, report):
        if inside or "/" in text:
            text, inside = _strip(text, inside)
        text = text.strip()
        if not text:
            continue
        if "{" not in text and "}" not in text:
            yield line, text
            continue
        for piece in re.findall(r"[^{}]*\{|\}|[^{}]+", text):
            if piece.strip():
                yield line, piece.strip()
    if inside:
        raise InputError(path, "ends inside of a comment", "*/")


def _strip(text, inside):
    """(text without comments, whether a comment goes on)"""
    kept = []
    while text:
        if inside:
            _, end, text = text.partition("*/")
            inside = not end
            continue
        at = min((place for place in (text.find("//"), text.find("/*")) if place >= 0), default=-1)
        if at < 0:
            kept.append(text)
            break
        kept.append(text[:at] + " ")
        inside = text[at + 1] == "*"
        text = text[at + 2 :] if inside else ""
    return "".join(kept), inside


class _Schedule:
    """The rank that is being read, and those that were."""

    def __init__(self, path, unit, report):
        self._path, self._report = path, report
        self._scale = {"ps": 1, "ns": 1000, "us": 10**6}[unit]
        self.graph, self._seen = None, {}
        self._rank = self._program = None
        self._labels, self._waits = {}, []

    def take(self, line, text):
        if self._program is None:
            self._outside(line, text)
        elif text == "}":
            self._close()
        elif match := _MESSAGE.fullmatch(text):
            self._message(line, match)
        elif match := _CALC.fullmatch(text):
            self._calc(line, match)
        elif match := _WAITS.fullmatch(text):
            self._waits.append((line, *match.groups()))
        else:
            raise InputError(self._path, f"cannot read {shorten(text)}", _FORMS, line=line)

    def _outside(self, line, text):
        if match := _HEAD.fullmatch(text):
            if self.graph:
                raise InputError(self._path, "'num_ranks' comes twice", line=line)
            ranks = inputs.whole_number(match[1], self._path, "num_ranks", 1, MOST_RANKS, line=line)
            self.graph = Graph(ranks, self._path)
            return
        match = _OPEN.fullmatch(text)
        if not match or not self.graph:
            raise InputError(self._path, f"cannot read {shorten(text)}",
                             "rank N {" if self.graph else "num_ranks N first", line=line)
        rank = inputs.whole_number(match[1], self._path, "rank", 0, self.graph.ranks - 1, line=line)
        if rank in self._seen:
            raise InputError(self._path, f"rank {rank} comes twice, first in line {self._seen[rank]}",
                             line=line)
        self._seen[rank] = line
        self._rank, self._program = rank, Program(f"rank {rank}", self._path)
        self._labels, self._waits = {}, []

    def _number(self, line, text, what, most=(1 << 63) - 1):
        """int of digits."""
        number = int(text) if len(text) < 20 else most + 1
        if number > most:
            raise InputError(self._path, f"{what} is {shorten(text)}", f"0 to {most}", line=line)
        return number

    def _label(self, line, label, task):
        if label is None:
            return
        if label in self._labels:
            raise InputError(self._path, f"label {label} comes twice in rank {self._rank}", line=line)
        self._labels[label] = task

    def _calc(self, line, match):
        label, amount, cpu = match.groups()
        time = self._number(line, amount, "calc", ((1 << 63) - 1) // self._scale)
        stream = self._number(line, cpu or "0", "cpu", NO_STREAM - 1)
        self._label(line, label, self._program.add(COMPUTE, duration=time * self._scale, stream=stream,
                                                   line=line))

    def _message(self, line, match):
        label, word, size, preposition, peer, tag, _, nic = match.groups()
        if (word == "send") != (preposition == "to"):
            raise InputError(self._path, f"'{word} ... {preposition}'", "send ... to, recv ... from",
                             line=line)
        if peer.startswith("-") or (tag or "").startswith("-"):
            raise InputError(self._path, f"{word} {'tag ' + tag if not peer.startswith('-') else peer}: any "
                             "rank or tag", "a rank and a tag from 0", line=line)
        if nic and nic.strip("0"):
            self._report.warn("NIC numbers are not kept: the fabric chooses")
        self._label(line, label, self._program.add(
            SEND if word == "send" else RECV, bytes=self._number(line, size, "size"),
            peer=self._number(line, peer, "rank", self.graph.ranks - 1),
            tag=self._number(line, tag or "0", "tag"), line=line))

    def _close(self):
        for line, task, word, before in self._waits:
            for label in (task, before):
                if label not in self._labels:
                    raise InputError(self._path, f"no label {label} in rank {self._rank}", line=line)
            self._program.depend(self._labels[task], self._labels[before], word == "irequires")
        self._report.count("tasks", len(self._program))
        self.graph.run(self._program, self._rank)
        self._program = None

    def finish(self, line):
        if self.graph is None:
            raise InputError(self._path, "has no num_ranks", "num_ranks N", line=line)
        if self._program is not None:
            raise InputError(self._path, f"ends inside of rank {self._rank}", "} (cut off?)", line=line)
        idle = [rank for rank in range(self.graph.ranks) if rank not in self._seen]
        if idle:
            raise InputError(self._path, f"rank {idle[0]} is missing" + (
                f" ({len(idle)} of {self.graph.ranks} are)" if len(idle) > 1 else ""), "a block per rank")


def read(paths, options, report):
    path = one_file(paths, "schedule")
    schedule, line = _Schedule(path, options.calc_unit, report), 1
    for line, text in _statements(path, report):
        schedule.take(line, text)
    schedule.finish(line)
    report.count("ranks", schedule.graph.ranks)
    report.count("programs", len(schedule.graph.programs))
    return schedule.graph.tables()
