# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Matrices as NPY. Of a result: the dispatch matrices of /demand, bytes, uint64 [iteration, layer, replica,
source, destination] (layers that were not recorded are 0). Of a token trace: copies, uint32 [iteration,
layer, source rank, destination]."""

import numpy as np

from .files import opened, table, written
from ..importers.errors import InputError

NAME = "matrices"
SUMMARY = "Demand matrices of a result, or the counts of a token trace, as NPY."
_AXES = ("iteration", "layer", "replica", "source", "destination")


def add_options(parser):
    parser.add_argument("--run", type=int, metavar="N", help="run of a result (default the first that has "
                        "any)")


def _demand(file, path, options):
    columns, _ = table(file, path, "demand")
    runs = np.unique(columns["run"])
    run = int(runs[0]) if options.run is None else options.run
    mine = columns["run"] == run
    if not mine.any():
        raise InputError(path, f"/demand has no run {run}", ", ".join(map(str, runs.tolist())))
    places = [np.asarray(columns[axis])[mine] for axis in _AXES]
    values = np.zeros([int(place.max()) + 1 for place in places], dtype=np.uint64)
    values[tuple(places)] = np.asarray(columns["bytes"])[mine]
    return values


def export(path, options):
    """Writes the array, a trace iteration by iteration; returns its shape."""
    with opened(path) as file:
        if "tokens" in file:
            values = file["tokens"]
        elif "demand" in file:
            values = _demand(file, path, options)
        else:
            raise InputError(path, "has neither /demand nor /tokens", "a result or a token trace")
        with written(options.output, binary=True) as out:
            np.lib.format.write_array_header_1_0(out, {
                "descr": np.lib.format.dtype_to_descr(values.dtype), "fortran_order": False,
                "shape": values.shape})
            for iteration in range(len(values)):
                out.write(np.ascontiguousarray(values[iteration]).tobytes())
        return f"{values.dtype} {list(values.shape)}"
