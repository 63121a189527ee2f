# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Sequences of square matrices (source rank x destination rank) as traces."""

import itertools

import numpy as np

from . import trace_options
from .errors import InputError
from .inputs import whole_number
from .output import Trace

MOST_CELL = np.iinfo(np.uint32).max


def add_options(parser):
    """Options of formats that hold square matrices."""
    trace_options.add(parser)
    parser.add_argument("--ep", type=trace_options.positive, metavar="N",
                        help="EP ranks that are expected: another size is refused")
    parser.add_argument("--layers", type=trace_options.positive, metavar="L", default=1,
                        help="matrices follow each other layer by layer, L of them make an "
                             "iteration (default 1: every matrix is an iteration)")


def row_of(cells, path, labels=0, **place):
    """int64 counts of one row given as texts; place: line, row; labels: columns before them."""
    try:
        values = np.array(list(map(int, cells)), dtype=np.int64)
        if values.size == 0 or (values.min() >= 0 and values.max() <= MOST_CELL):
            return values
    except (ValueError, OverflowError):
        pass
    return np.array(
        [whole_number(cell, path, "a count", most=MOST_CELL, column=column, **place)
         for column, cell in enumerate(cells, 1 + labels)], dtype=np.int64)


def check(matrix, path, ep, ranks=None, what="the matrix", line=None):
    """Square, of the size asked for, and of the size of those before."""
    rows, columns = matrix.shape
    if rows != columns:
        raise InputError(path, f"{what} has {rows} rows and {columns} columns",
                         "source ranks x as many destination ranks", line=line)
    if rows < 2:
        raise InputError(path, f"{what} is 1 x 1", "2 x 2 and larger", line=line)
    if ep is not None and rows != ep:
        raise InputError(path, f"{what} is {rows} x {rows}, but --ep asks for {ep} ranks; a job "
                         "with another EP degree reads the trace by the rule in the manual",
                         f"--ep {rows} or none", line=line)
    if ranks is not None and rows != ranks:
        raise InputError(path, f"{what} is {rows} x {rows}, those before are {ranks} x {ranks}",
                         line=line)


def trace(matrices, options, report, source, path, **stated):
    """A Trace of an iterator of checked int64 matrices, streamed."""
    matrices = iter(matrices)
    first = next(matrices, None)
    if first is None:
        raise InputError(path, "holds no matrix")
    ranks = first.shape[0]
    stated.setdefault("experts", ranks)
    info = trace_options.describe(options, report, source, options.layers, path=path,
                                  destination="rank", **stated)
    read = [0]

    def counted():
        for matrix in itertools.chain([first], matrices):
            report.count("matrices", 1)
            read[0] += int(matrix.sum())
            yield matrix

    def iterations():
        pending = []
        for matrix in counted():
            pending.append(matrix)
            if len(pending) == options.layers:
                yield np.stack(pending), None
                pending = []
        if pending:
            total = report.counts["matrices"]
            raise InputError(path, f"{total} matrices are not a multiple of --layers "
                             f"{options.layers}")

    return Trace(info, ranks, iterations(), copies=lambda: read[0])
