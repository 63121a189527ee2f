# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: JSON lines {"type": "time", "iteration", "rank", "tp_rank", "pp_rank", "dp_rank", "perf": {name:
{"total", "avg", "max", "min", "cnt"}}}, times in ms (SmartMoE's .profiler files); one file or many. Lines of
other types are counted and left out.

Each timer of a line is one sample that sums up cnt measurements. A timer communicates when its name says
so (all-reduce, send, recv, a2a, sync, ...)."""

import re
from fractions import Fraction

import numpy as np

from .. import inputs
from ..errors import InputError, shorten
from ..graph_program import NONE
from ..times_tables import Times

NAME = "megatron-timers"
KIND = "times"
SUMMARY = "Megatron timers as JSON lines."
_COMMUNICATION = re.compile(r"all.?reduce|all.?gather|reduce.?scatter|all.?to.?all|a2a|send|recv|broadcast|"
                            r"comm|sync|dispatch|combine", re.IGNORECASE)
_PS = 10**9 # a ms
_KEYS = ("total", "avg", "max", "min", "cnt")


def _ps(value, path, line, what):
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e9
    if not good:
        raise InputError(path, f"{what} is {shorten(value)}", "a number of ms from 0", line=line)
    return round(Fraction(repr(value)) * _PS)


def _timer(times, path, line, name, perf, place):
    """Adds a sample; returns whether avg x cnt differs from total."""
    if not isinstance(perf, dict) or "total" not in perf:
        raise InputError(path, f"timer '{name}' is {shorten(perf)}", "an object with " + ", ".join(_KEYS),
                         line=line)
    count = inputs.whole_number(perf.get("cnt", 1), path, f"'cnt' of '{name}'", line=line)
    total = _ps(perf["total"], path, line, f"'total' of '{name}'")
    if not count:
        return False
    stated = _ps(perf.get("avg", perf["total"] / count), path, line, f"'avg' of '{name}'") * count
    odd = abs(stated - total) > max(total, stated) // 100 + count * 10**6
    most = _ps(perf.get("max", perf["total"] / count), path, line, f"'max' of '{name}'")
    least = _ps(perf.get("min", perf["total"] / count), path, line, f"'min' of '{name}'")
    if least > most:
        raise InputError(path, f"timer '{name}': min is above max", line=line)
    times.add(times.classify(name, _COMMUNICATION.search(name) is not None), name, total, count=count,
              least=least, most=most, **place)
    return odd


def _whole(entry, key, path, line):
    return inputs.whole_number(entry.get(key, 0), path, f"'{key}'", most=NONE - 1, line=line)


def read(paths, options, report):
    times, others, stages, odd = Times(paths[0]), 0, 0, 0
    for path in paths:
        for line, text in inputs.lines(path, report):
            if not text.strip():
                continue
            entry = inputs.json_text(text, path, line)
            if not isinstance(entry, dict):
                raise InputError(path, f"is {shorten(entry)}", '{"type": "time", ...}', line=line)
            if entry.get("type", "time") != "time":
                others += 1
                continue
            if not isinstance(entry.get("perf"), dict):
                raise InputError(path, "has no 'perf'", '"perf": {name: {"total": ms, ...}}', line=line)
            place = {"iteration": _whole(entry, "iteration", path, line),
                     "rank": _whole(entry, "rank", path, line)}
            stages = max(stages, _whole(entry, "pp_rank", path, line) + 1)
            for name, perf in entry["perf"].items():
                odd += _timer(times, path, line, name, perf, place)
    if odd:
        report.warn(f"{odd} timers have an avg x cnt that differs from total by more than 1 %: total is used")
    if others:
        report.warn(f"{others} lines of other types are left out")
    return times.tables(report, timed=False, pp=np.uint64(stages))
