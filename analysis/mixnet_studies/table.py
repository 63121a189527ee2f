# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""One table from the results of a study's runs: CSV, HDF5 and text; the same runs, the same bytes."""

import csv
import os
import textwrap

import h5py
import numpy as np

from mixnet_analysis.result import Result

from .description import StudyError, seconds
from .runs import result_path

SCHEMA = "mixnet-study-result/1"
# Columns of /iterations that a study averages over iterations, with their unit.
MEANS = (
    ("compute", "s"), ("exposed_ep", "s"), ("waiting_for_circuits", "s"), ("dark_time", "s"),
    ("reconfigurations", "1"), ("distinct_plans", "1"), ("bytes_circuit", "B"),
    ("bytes_packet", "B"),
)
# Exposed EP communication over the iteration, and over what a rank computes or communicates of it.
SHARES = (("ep_share", "1"), ("ep_share_busy", "1"))


class Table:
    """Columns of equal length, each with a unit ("" for text), a row per run."""

    def __init__(self):
        self.columns = {}
        self.units = {}

    def add(self, name, unit, values):
        """Add a column; values are text, numbers or None (not applicable)."""
        if name in self.columns:
            raise StudyError(f"two columns of the table are called '{name}'")
        self.columns[name] = list(values)
        self.units[name] = unit

    def __len__(self):
        return len(next(iter(self.columns.values()), []))

    def heading(self, name):
        """Name with unit, as in the CSV."""
        unit = self.units[name]
        return f"{name} [{unit}]" if unit not in ("", "1") else name

    def write_csv(self, path):
        """Write all columns, shortest text of every number that reads back as the same one."""
        with open(path, "w", encoding="utf-8", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(self.heading(name) for name in self.columns)
            for row in zip(*self.columns.values()):
                out.writerow("" if v is None else repr(v) if isinstance(v, float) else v
                             for v in row)

    def write_hdf5(self, path):
        """Write the group /runs with a dataset per column; not applicable is NaN or empty text."""
        if os.path.exists(path):
            os.remove(path)
        with h5py.File(path, "w") as file:
            file.attrs["schema"] = SCHEMA
            group = file.create_group("runs")
            for name, values in self.columns.items():
                text = any(isinstance(v, str) for v in values)
                data = (np.array([(v or "").encode() for v in values]) if text else
                        np.array([np.nan if v is None else v for v in values], dtype=float))
                column = group.create_dataset(name.replace(" ", "_"), data=data, track_times=False)
                column.attrs["unit"] = "text" if text else self.units[name] or "1"


def measure(path):
    """Means over the iterations of a result's only run: the iteration time and those of MEANS."""
    with Result(path) as result:
        iterations = result.table("iterations")
        found = {"iteration": float(np.mean(iterations["end"] - iterations["start"]))}
        for name, unit in MEANS:
            if result.unit("iterations", name) != unit:
                raise StudyError(f"{path}: column {name} is not in '{unit}'")
            found[name] = float(np.mean(iterations[name]))
        busy = found["compute"] + sum(float(np.mean(iterations[name])) for name in iterations
                                      if name.startswith("exposed_"))
        found["ep_share"] = found["exposed_ep"] / found["iteration"]
        found["ep_share_busy"] = found["exposed_ep"] / busy if busy > 0 else 0.0
    return found


def collect(study, runs, output):
    """The table of finished runs: axes, columns of their values, measurements, relative time."""
    table = Table()
    measured = [measure(result_path(output, run)) for run in runs]
    table.add("run", "", [run.name for run in runs])
    for axis in study.axes:
        names = [run.choice[axis.name].name if axis.name in run.choice else None for run in runs]
        if axis.unit == "s":
            names = [None if name is None else seconds(name) for name in names]
        table.add(axis.name, axis.unit, names)
        own = dict.fromkeys(key for value in axis.values for key in value.columns)
        for key in own:
            table.add(key, "", [run.choice[axis.name].columns.get(key)
                                if axis.name in run.choice else None for run in runs])
    table.add("iteration", "s", [m["iteration"] for m in measured])
    if study.reference:
        ratios = []
        for run, mine in zip(runs, measured):
            other = study.reference_of(run, runs)
            ratios.append(None if other is None
                          else mine["iteration"] / measured[runs.index(other)]["iteration"])
        table.add("relative", "1", ratios)
    for name, unit in MEANS + SHARES:
        table.add(name, unit, [m[name] for m in measured])
    return table


def lines_of(study, runs, rows):
    """Lines of the figure: {(row, column, line): [(x, row number)]}, x None for a reference.

    rows are row numbers to look at; the order is that of the runs.
    """
    figure = study.figure
    found = {}
    for number in rows:
        choice = runs[number].choice

        def name_of(key, choice=choice):
            axis = figure.get(key)
            return choice[axis].name if axis and axis in choice else None

        place = (name_of("rows"), name_of("columns"), name_of("lines"))
        x = name_of("x")
        found.setdefault(place, []).append((x, number))
    return found


def describe_shape(xs, ys, tolerance=0.05):
    """How a line of times over times goes: the last x until which all y stay within `tolerance` of
    the first, and the rise of y over x at the end."""
    flat = xs[0]
    for x, y in zip(xs, ys):
        if abs(y - ys[0]) > tolerance * ys[0]:
            break
        flat = x
    slope = (ys[-1] - ys[-2]) / (xs[-1] - xs[-2]) if len(xs) > 1 else 0.0
    return flat, slope


def format_cell(value):
    """A value of the text table."""
    return "-" if value is None else f"{value:.5g}" if isinstance(value, float) else str(value)


def layout(rows):
    """Rows of text cells, aligned."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  " + "  ".join(c.rjust(w) if i else c.ljust(w)
                             for i, (c, w) in enumerate(zip(row, widths))).rstrip() for row in rows]


def label_of(study, table, column):
    """What a column shows, with unit: "iteration [s]", "iteration relative to fat-tree"."""
    if column == "relative":
        return f"iteration relative to {', '.join(study.reference.values())}"
    return table.heading(column)


def summarize(study, runs, table):
    """The text summary: a block per panel, a column per line; then how the lines go."""
    y = study.figure["y"]
    described = {v.name: v.columns for v in study.axis(study.figure["x"]).values}
    own = list(dict.fromkeys(key for columns in described.values() for key in columns))
    lines = lines_of(study, runs, range(len(runs)))
    out = [study.title, "", *textwrap.wrap(study.about, 100), ""]
    for panel in dict.fromkeys(place[:2] for place in lines):
        mine = {place[2]: points for place, points in lines.items() if place[:2] == panel}
        xs = list(dict.fromkeys(x for points in mine.values() for x, _ in points if x is not None))
        out.append(", ".join([p for p in panel if p] + [label_of(study, table, y)]))
        block = [[study.figure["x"], *own] + [str(name) for name in mine]]
        for x in xs:
            cells = [x] + [format_cell(described[x].get(key)) for key in own]
            for points in mine.values():
                at = dict(points)
                number = at.get(x, at.get(None))
                cells.append("-" if number is None else format_cell(table.columns[y][number]))
            block.append(cells)
        out += layout(block) + [""]
    if "slope" in study.figure:
        out += summarize_shapes(study, lines, table)
    return "\n".join(out).rstrip() + "\n"


def summarize_shapes(study, lines, table):
    """A row per swept line: flat until where, and its rise at the end."""
    block = [["line", "within 5 % until", study.figure["slope"]]]
    for place, points in lines.items():
        swept = [(x, n) for x, n in points if x is not None]
        if len(swept) < 2:
            continue
        xs = [seconds(x) for x, _ in swept]
        ys = [table.columns[study.figure["y"]][n] for _, n in swept]
        flat, slope = describe_shape(xs, ys)
        text = next(x for x, _ in swept if seconds(x) == flat)
        block.append([", ".join(p for p in place if p), text, f"{slope:.2f}"])
    return layout(block)
