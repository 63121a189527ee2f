# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: the CSV that AICB writes while it measures, perhaps behind a line of ranks:

    comm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional,_elapsed_time,algbw,busbw,count

Columns are found by name; None and empty cells are unknown. Rows with an _elapsed_time become samples of the
class TYPE GROUP ("all-reduce tp"), computations of the class of their stage; epoch_end begins the next
iteration. The unit of _elapsed_time is the one that agrees with msg_size / algbw (GB/s), else ms
(--time-unit)."""

import csv
from fractions import Fraction

from .. import inputs
from ..errors import InputError, shorten
from ..quantities import decimal
from ..graph_program import NONE
from ..times_tables import Times
from ..words import one_file

NAME = "aicb-log"
KIND = "times"
SUMMARY = "Measured log (CSV) of AICB: compute and communication times."

NEEDED = ("comm_type", "_elapsed_time")
_UNITS = {"us": 10**6, "ms": 10**9, "s": 10**12}
_UNKNOWN = ("", "none", "nan", "null", "-1")


def add_options(parser):
    parser.add_argument("--time-unit", choices=tuple(_UNITS), default=None,
                        help="unit of _elapsed_time (default: by algbw, else ms)")


def _rows(path, report):
    """(line, {column: cell}); lines before the header are skipped when they are no header."""
    header, line = None, 1
    for line, text in inputs.lines(path, report):
        if not text.strip():
            continue
        try:
            cells = [cell.strip() for cell in next(csv.reader([text], strict=True))]
        except csv.Error as error:
            raise InputError(path, f"is no CSV: {error}", line=line) from None
        if header is None:
            if all(name in cells for name in NEEDED):
                header = cells
            elif line > 20:
                break
            continue
        if len(cells) != len(header):
            raise InputError(path, f"{len(cells)} cells", f"{len(header)}, as in the header", line=line)
        yield line, dict(zip(header, cells))
    if header is None:
        raise InputError(path, "has no header", ", ".join(NEEDED) + ", ...", line=line)


def _number(path, line, row, name):
    """An exact number from 0, None where the cell says nothing."""
    text = row.get(name, "")
    if text.lower() in _UNKNOWN:
        return None
    number, rest = decimal(text)
    if number is None or rest or number < 0:
        raise InputError(path, f"{name} is {shorten(text)}", "a number from 0, or None", line=line)
    return number


def _plain(text):
    """all-reduce of CommType.all_reduce, tp of CommGroup.tp_group"""
    word = text.rsplit(".", 1)[-1].strip().lower()
    return (word[:-6] if word.endswith("_group") else word).replace("_", "-")


class _Log:
    """Rows with times; the unit is decided when all are known."""

    def __init__(self, path):
        self._path, self._found, self._votes = path, [], dict.fromkeys(_UNITS, 0)
        self._iteration, self._untimed = 0, 0

    def take(self, line, row):
        kind = _plain(row["comm_type"])
        if kind == "epoch-end":
            self._iteration += 1
            return
        time = _number(self._path, line, row, "_elapsed_time")
        if time is None:
            self._untimed += 1
            return
        size = None if kind == "computation" else _number(self._path, line, row, "msg_size")
        ranks = _number(self._path, line, row, "comm_group_size") or 0
        if (size or 0) >= 1 << 63 or ranks >= NONE:
            raise InputError(self._path, f"size {shorten(row.get('msg_size', ''))} or group of {ranks}",
                             "less than 2^63 B, less than 2^32 ranks", line=line)
        bandwidth = _number(self._path, line, row, "algbw")
        if size and bandwidth and time:
            for unit, ps in _UNITS.items():
                ratio = size / (time * Fraction(ps, 10**12)) / (bandwidth * 10**9)
                self._votes[unit] += Fraction(9, 10) < ratio < Fraction(10, 9)
        label = row.get("stage") or kind if kind == "computation" else " ".join(
            [kind, *filter(None, [_plain(row.get("comm_group", ""))])])
        self._found.append((label, kind != "computation", int(ranks), row.get("stage") or label, time,
                            int(size or 0), self._iteration, line))

    def times(self, asked, report):
        unit = asked or max(_UNITS, key=lambda name: (self._votes[name], name == "ms"))
        if not asked and not self._votes[unit]:
            report.warn("no row says the unit of _elapsed_time (by algbw): ms is assumed (--time-unit)")
        if self._untimed:
            report.warn(f"{self._untimed} rows have no _elapsed_time and are left out")
        times = Times(self._path)
        for label, communication, ranks, name, time, size, iteration, line in self._found:
            duration = round(time * _UNITS[unit])
            if duration >= 1 << 62:
                raise InputError(self._path, f"_elapsed_time is {float(time):g} {unit}", "days at most",
                                 line=line)
            times.add(times.classify(label, communication, ranks), name, duration, bytes=size,
                      iteration=iteration)
        return times, unit


def read(paths, options, report):
    path = one_file(paths, "log")
    log = _Log(path)
    for line, row in _rows(path, report):
        log.take(line, row)
    times, unit = log.times(options.time_unit, report)
    return times.tables(report, timed=False, time_unit=unit)
