# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""A timeline in the trace-event format of Chrome, for ui.perfetto.dev: each run has a process with its
iterations, its critical path, the decisions of its controllers, failures and recoveries; each replica and stage a process with
tracks for computation and for communication by class; and each run with circuits a process with a track per
region: draining, switching, activating. Operations that overlap on a track go to a track beside it.

Of a task graph's result (run --workload): each rank a process with its computation and its communication, from the
moment the rank was ready to take part; arrows lead from sends to what receives them.

Of an imported task graph: one process per program, each task as early as its dependencies and its stream
allow; communication is drawn with bytes / --rate and does not wait for other ranks. This shows the structure,
it simulates nothing.

Times are microseconds with six decimals (ps)."""

import numpy as np

from ..importers.errors import InputError
from . import graph_timeline, task_timeline
from .chrome_trace import Timeline
from .files import opened, table, written

NAME = "perfetto"
SUMMARY = "Timeline of a result, or of a task graph, as Chrome-trace JSON (ui.perfetto.dev)."

NONE = 4294967295
TRACKS = {"dispatch": "EP", "combine": "EP", "tensor-collective": "TP", "gradient-sync": "DP",
          "parameter-gather": "DP", "stage-transfer": "PP", "context-exchange": "CP"}
_SUFFIX = {"forward": "", "backward": " B", "weight gradient": " W", "recomputed": " R"}
_PS = 10**12
_PHASES = (("drain", "held", "drained"), ("switch", "drained", "switched"),
           ("activate", "switched", "lit"))


def add_options(parser):
    parser.add_argument("--run", type=int, metavar="N", help="this run only (default all)")
    parser.add_argument("--iteration", type=int, metavar="N", help="this iteration only (default all)")
    parser.add_argument("--rank", type=int, metavar="N", help="this rank of a task graph's result only "
                        "(default all)")
    parser.add_argument("--rate", default="400Gbps", metavar="RATE",
                        help="rate at which a task graph's communication is drawn (default 400Gbps)")


def _ps(values):
    """Seconds of a column as whole ps."""
    seconds = np.nan_to_num(np.asarray(values, dtype=np.float64), posinf=0, neginf=0)
    return np.rint(seconds * _PS).astype(np.int64).tolist()


class _Rows:
    """A table, filtered by run and iteration."""

    def __init__(self, file, path, name, options):
        columns, _ = table(file, path, name)
        count = len(next(iter(columns.values()))) if columns else 0
        keep = np.ones(count, dtype=bool)
        for key in ("run", "iteration"):
            asked = getattr(options, key)
            if asked is not None and key in columns:
                keep &= np.asarray(columns[key]) == asked
        self.rows = np.flatnonzero(keep).tolist()
        self._columns = {key: _ps(values) if name != "runs" and key in _TIMES else
                         values if isinstance(values, list) else values.tolist()
                         for key, values in columns.items()}

    def __iter__(self):
        return iter(self.rows)

    def get(self, column, row, default=None):
        return self._columns[column][row] if column in self._columns else default


_TIMES = ("start", "end", "waited", "requested", "held", "drained", "switched", "lit", "time", "at",
          "detected", "reacted", "recovered", "failed", "resumed")


def _run_names(file, path):
    """{run: name}"""
    columns, _ = table(file, path, "runs")
    return {int(run): f"run {run} {columns['fabric'][row]}, {columns['compute'][row]}"
            for row, run in enumerate(columns["run"])}


def _shown(value):
    return None if value == NONE else value


def _ops(writer, names, rows):
    for row in rows:
        kind = rows.get("kind", row)
        number = rows.get("run", row)
        run = names[number]
        passing = ("weight gradient" if rows.get("weight_gradient", row) else
                   "recomputed" if rows.get("recomputed", row) else
                   "backward" if rows.get("backward", row) else "forward")
        layer, batch = _shown(rows.get("layer", row)), _shown(rows.get("micro_batch", row))
        arguments = {key: value for key, value in (
            ("kind", kind), ("pass", passing), ("layer", layer), ("micro_batch", batch),
            ("iteration", rows.get("iteration", row)), ("id", rows.get("id", row)),
            ("predecessor", _shown(rows.get("predecessor", row))),
            ("waited_us", rows.get("waited", row, 0) / 10**6),
            ("critical", bool(rows.get("critical", row)))) if value is not None}
        name = f"{kind}{_SUFFIX[passing]}" + (
            f" L{layer}" if layer is not None else "") + (f" m{batch}" if batch is not None else "")
        start, end = rows.get("start", row), rows.get("end", row)
        process = f"{run}: replica {rows.get('replica', row)}, stage {rows.get('stage', row)}"
        writer.add(number, process, TRACKS.get(kind, "compute"), name, start, end, **arguments)
        if rows.get("critical", row):
            writer.add(number, run, "critical path", name, start, end, id=rows.get("id", row))


def _circuits(writer, names, rows):
    for row in rows:
        number = rows.get("run", row)
        arguments = {key: rows.get(key, row) for key in (
            "iteration", "layer", "micro_batch", "added", "removed", "kept", "forced")}
        for phase, begin, end in _PHASES:
            start, stop = rows.get(begin, row), rows.get(end, row)
            if stop > start or phase == "switch":
                writer.add(number, f"{names[number]}: circuits", f"region {rows.get('region', row)}",
                           phase, start, stop, **arguments)


def _decisions(writer, names, rows):
    for row in rows:
        number = rows.get("run", row)
        writer.add(number, names[number], f"decisions, region {rows.get('region', row)}",
                   f"{rows.get('action', row)}: {rows.get('why', row)}", rows.get("time", row), None,
                   **{key: rows.get(key, row) for key in (
                       "iteration", "layer", "micro_batch", "phase", "changed", "circuits",
                       "reconfiguration", "served", "replaced") if rows.get(key, row) is not None})


def _failures(writer, names, rows):
    for row in rows:
        text = " ".join(filter(None, (rows.get(key, row) for key in ("kind", "element", "action", "value"))))
        number = rows.get("run", row)
        known = {f"{key}_us": rows.get(key, row) / 10**6 for key in ("detected", "reacted", "recovered")
                 if rows.get(key, row) >= 0}
        writer.add(number, names[number], "failures", text, rows.get("at", row), None,
                   **known, moves=rows.get("moves", row), note=rows.get("note", row))


def _recoveries(writer, names, rows):
    """The time that a job stands still for lost ranks."""
    for row in rows:
        number = rows.get("run", row)
        failed, resumed = rows.get("failed", row), rows.get("resumed", row)
        writer.add(number, names[number], "recoveries", rows.get("action", row), failed,
                   None if rows.get("stopped", row) else resumed,
                   resumed_at=rows.get("resumed_at", row), iterations_lost=rows.get("iterations_lost", row))


def _result(writer, file, path, options):
    if "task_summary" in file:
        columns, _ = table(file, path, "runs")
        task_timeline.draw(writer, file, path, options,
                           dict(zip(columns["run"].tolist(), columns["fabric"])))
        return
    names = _run_names(file, path)
    if options.run is not None and options.run not in names:
        raise InputError(path, f"has no run {options.run}", ", ".join(map(str, names)))
    iterations = _Rows(file, path, "iterations", options)
    for row in iterations:
        number = iterations.get("run", row)
        writer.add(number, names[number], "iterations", f"iteration {iterations.get('iteration', row)}",
                   iterations.get("start", row), iterations.get("end", row))
    for name, use in (("ops", _ops), ("circuits", _circuits), ("decisions", _decisions),
                      ("failures", _failures), ("recoveries", _recoveries)):
        # failures belong to no iteration: they are shown with all of them
        if name in file and (name != "failures" or options.iteration is None):
            use(writer, names, _Rows(file, path, name, options))


def export(path, options):
    """Writes the timeline; returns what it holds."""
    writer = Timeline()
    with opened(path) as file:
        if "graph" in file:
            graph_timeline.draw(writer, file, options.rate)
        else:
            _result(writer, file, path, options)
    with written(options.output) as out:
        writer.write(out)
        if not writer.events:
            raise InputError(path, "has no events of that run and iteration")
    return f"{writer.events} events, open it at ui.perfetto.dev"
