# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""./mixnet diff A.h5 B.h5 [--rows N]: settings and results that differ.

Settings and inputs are matched by name, runs by fabric, policy and compute model, iterations by
number; every other table is compared row by row. Prints nothing but one line when all is equal.
"""

import argparse
import os
import signal
import sys

import numpy as np

from .result import Result, ResultError

RUN = ("fabric", "policy", "compute")
NO_UNITS = ("text", "time", "count")
NOT_COMPARED = ("settings", "inputs", "runs", "iterations")


def _by_name(table, key, values):
    """{name: tuple of the other columns}"""
    return {str(name): tuple(str(table[column][row]) for column in values)
            for row, name in enumerate(table[key])}


def differing(first, second):
    """[(name, value in A or None, value in B or None)] of two dicts, in order of A, then B."""
    names = [*first, *(name for name in second if name not in first)]
    return [(name, first.get(name), second.get(name)) for name in names
            if first.get(name) != second.get(name)]


def run_names(result):
    """{number of the run: what tells it from the others}"""
    table = result.table("runs")
    names = {}
    for row, number in enumerate(table["run"]):
        parts = [str(table[column][row]) for column in RUN if column in table]
        name = "/".join(part for part in parts if part)
        names[int(number)] = name if name not in names.values() else f"{name} #{row}"
    return names


def iterations(result):
    """{(run, iteration, figure): number}, with the length of the iteration as a figure."""
    if "iterations" not in result:
        return {}
    table, names = result.table("iterations"), run_names(result)
    figures = {name: values for name, values in table.items() if name not in ("run", "iteration")}
    if "start" in figures and "end" in figures:
        figures = {"length": table["end"] - table["start"], **figures}
        del figures["start"], figures["end"]
    runs = table["run"]
    number = table.get("iteration", [int((runs[:row] == runs[row]).sum()) for row in range(len(runs))])
    return {(names[int(runs[row])], int(number[row]), figure): float(values[row])
            for row in range(len(runs)) for figure, values in figures.items()}


def compare_tables(first, second):
    """[(table, what differs)] of all tables that are not matched by name."""
    found = []
    names = sorted({name for result in (first, second) for name in result.names()}
                   - set(NOT_COMPARED))
    for name in names:
        if name not in first or name not in second:
            found.append((name, f"only in {'A' if name in first else 'B'}"))
            continue
        a, b = first.table(name), second.table(name)
        parts = [f"column {column} only in {'A' if column in a else 'B'}"
                 for column in sorted(set(a) ^ set(b))]
        shared = sorted(set(a) & set(b))
        rows = [len(table[shared[0]]) if shared else 0 for table in (a, b)]
        if rows[0] != rows[1]:
            parts.append(f"{rows[0]} and {rows[1]} rows")
        else:
            parts += [text for column in shared
                      if (text := _column(column, a[column], b[column], first.unit(name, column)))]
        if parts:
            found.append((name, "; ".join(parts)))
    return found


def _column(name, a, b, unit):
    """What differs between two columns of equal length, or nothing; quantities say how much."""
    if a.dtype.kind == "f" and b.dtype.kind == "f":
        apart = ~((a == b) | (np.isnan(a) & np.isnan(b)))
    else:
        apart = a != b
    count = int(np.count_nonzero(apart))
    if not count:
        return ""
    text = f"{name} in {count} of {len(a)} rows"
    if a.dtype.kind == "f" or (unit not in ("1", "text", "hash") and a.dtype.kind in "iu"):
        wide = [values[apart].astype(float) for values in (a, b)]
        scale = np.maximum(abs(wide[0]), abs(wide[1]))
        with np.errstate(invalid="ignore", divide="ignore"):
            text += f" (up to {100 * np.nanmax(abs(wide[1] - wide[0]) / scale):.3g} %)"
    return text


def _change(a, b):
    if a is None or b is None:
        return "only in " + ("B" if a is None else "A")
    relative = f"{100 * (b - a) / abs(a):+.3g} %" if a else "was 0"
    return f"{a:.6g} -> {b:.6g}  ({relative})"


def report(first, second, rows=20):
    """Lines that say what differs; empty when nothing does."""
    lines = []
    parts = (
        ("settings (value, unit)", [_by_name(r.table("settings"), "name", ("value", "unit"))
                                    if "settings" in r else {} for r in (first, second)]),
        ("inputs (hash)", [_by_name(r.table("inputs"), "file", ("hash",))
                           if "inputs" in r else {} for r in (first, second)]),
    )
    for title, (a, b) in parts:
        texts = [f"{name}: {_text(before)} -> {_text(after)}"
                 for name, before, after in differing(a, b)]
        lines += _section(title, texts, rows)
    figures = differing(iterations(first), iterations(second))
    texts = [f"{run}, iteration {number}: {figure} {_change(a, b)}"
             for (run, number, figure), a, b in sorted(figures, key=_largest_first)]
    lines += _section("iterations", texts, rows)
    texts = [f"/{name}: {text}" for name, text in compare_tables(first, second)]
    return lines + _section("tables", texts, None)


def _text(values):
    """Value and unit, where there is one."""
    if values is None:
        return "(absent)"
    value, *unit = values
    return " ".join([value, *(text for text in unit if text not in ("1", *NO_UNITS))])


def _largest_first(entry):
    """Lengths of iterations before other figures, then in the order of runs."""
    (run, number, figure), _, _ = entry
    return (figure != "length", run, number, figure)


def _section(title, texts, rows):
    if not texts:
        return []
    shown = texts if rows is None else texts[:rows]
    left = len(texts) - len(shown)
    return [f"{title}:", *(f"  {text}" for text in shown),
            *([f"  ... and {left} more (--rows)"] if left else [])]


def _open(path):
    """A result by its file or folder."""
    if not os.path.exists(path):
        raise ResultError(f"{path}: no such file")
    return Result(os.path.join(path, "result.h5") if os.path.isdir(path) else path)


def main(arguments=None):
    """Print the differences of two results; returns the exit code."""
    parser = argparse.ArgumentParser(prog="mixnet diff", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first", metavar="A.h5", help="result file, or the folder of a run")
    parser.add_argument("second", metavar="B.h5")
    parser.add_argument("--rows", type=int, default=20, metavar="N",
                        help="most lines of settings, inputs and iterations each (default 20)")
    try:
        options = parser.parse_args(arguments)
    except SystemExit as end:
        return 0 if end.code == 0 else 1
    try:
        with _open(options.first) as first, _open(options.second) as second:
            lines = report(first, second, options.rows)
    except ResultError as error:
        print(f"mixnet: error: {error}", file=sys.stderr)
        return 1
    print("\n".join(lines) if lines else "no difference")
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # "| head" ends it without a word
    sys.exit(main())
