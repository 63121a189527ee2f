# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Flows as comma-separated values, units in the heading. Of an imported flow list: start, source,
destination and size, which flow-list applications read (--all: every column). Of a result: every column."""

import csv

import numpy as np

from .files import opened, table, written
from ..importers.errors import InputError

NAME = "flows"
SUMMARY = "Flows of a result or of an imported flow list as CSV."
NONE = 4294967295
_WITHOUT_FLOWS = (("iterations", "training job", "/flow_stats"),
                  ("task_summary", "task graph", "/task_kinds"))
BLOCK = 65536
_READ_BY_APPLICATIONS = (("start", "start"), ("source", "source"), ("destination", "destination"),
                         ("bytes", "size"))


def add_options(parser):
    parser.add_argument("--all", action="store_true", help="every column of an imported flow list")


def _heading(name, unit):
    return name if unit in ("1", "text", "") else f"{name} ({unit})"


def export(path, options):
    """Writes the flows; returns what they are."""
    with opened(path) as file:
        for there, what, totals in _WITHOUT_FLOWS:
            if "flows" not in file and there in file:
                raise InputError(path, f"is the result of a {what} and has no single flows",
                                 f"the result of a flow list, or a flow list; totals are in {totals}")
        columns, units = table(file, path, "flows")
        imported = str(file["flows"].attrs.get("schema", "")).startswith("mixnet-flows/")
    chosen = [(name, name) for name in columns]
    if imported and not options.all:
        if np.any(columns["trigger"] != NONE):
            raise InputError(path, "has flows that wait for triggers, which a list of starts cannot say",
                             "--all")
        chosen = list(_READ_BY_APPLICATIONS)
    rows = len(columns[chosen[0][0]])
    with written(options.output) as out:
        lines = csv.writer(out, lineterminator="\n")
        lines.writerow([_heading(shown, units[name]) for name, shown in chosen])
        for first in range(0, rows, BLOCK):
            parts = [columns[name][first : first + BLOCK] for name, _ in chosen]
            lines.writerows(zip(*(part if isinstance(part, list) else part.tolist() for part in parts)))
    return f"{rows} flows"
