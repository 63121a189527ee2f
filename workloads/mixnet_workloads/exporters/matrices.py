# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Matrices as NPY. Of a result: the dispatch matrices of /demand, bytes, uint64 [iteration, layer, replica,
source, destination] (layers that were not recorded are 0). With --controllers: what regional controllers saw or
planned for, bytes, uint64 [row, source, destination], servers counted from the first of --region; the rows are
those of /controller_demand that --run, --region, --iteration, --decision and --what choose, in their order. Of a
token trace: copies, uint32 [iteration, layer, source rank, destination]."""

import numpy as np

from mixnet_analysis.result import Result

from .files import opened, table, written
from ..importers.errors import InputError

NAME = "matrices"
SUMMARY = "Demand matrices of a result, or the counts of a token trace, as NPY."
WHAT = ("seen", "predicted", "iteration", "average", "standing")
MOST = 2 * 10**9  # bytes of an array
_AXES = ("iteration", "layer", "replica", "source", "destination")


def add_options(parser):
    parser.add_argument("--run", type=int, metavar="N", help="run of a result (default the first that has "
                        "any)")
    parser.add_argument("--controllers", action="store_true", help="what controllers saw and planned for")
    parser.add_argument("--region", type=int, default=0, metavar="N", help="region of the controller "
                        "(default 0)")
    parser.add_argument("--iteration", type=int, metavar="N", help="this iteration only (default all)")
    parser.add_argument("--decision", type=int, metavar="N", help="this decision only, 0: before the run "
                        "(default all)")
    parser.add_argument("--what", choices=WHAT, help="these only (default all)")


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


def _controllers(path, options):
    with Result(path) as result:
        if "controller_demand" not in result:
            raise InputError(path, "has no /controller_demand", "a result of a fabric with controllers")
        rows = result.table("controller_demand")
        runs = np.unique(rows["run"])
        run = int(runs[0]) if options.run is None else options.run
        chosen = [(source, destination, values) for row, source, destination, values
                  in result.controller_demand(run, options.region)
                  if all(getattr(options, key) in (None, row[key]) for key in ("iteration", "decision", "what"))]
    if not chosen:
        raise InputError(path, f"/controller_demand has no such matrix in run {run}, region {options.region}",
                         f"runs {', '.join(map(str, runs.tolist()))}, regions 0 to "
                         f"{int(np.max(rows['region']))}, fewer conditions")
    every = np.concatenate([servers for row in chosen for servers in row[:2]])
    first = int(every.min()) if len(every) else 0
    servers = int(every.max()) - first + 1 if len(every) else 1
    if 8 * len(chosen) * servers**2 > MOST:
        raise InputError(path, f"{len(chosen)} matrices of {servers} servers are more than {MOST} B",
                         "--iteration, --decision or --what to choose some")
    values = np.zeros((len(chosen), servers, servers), dtype=np.uint64)
    for place, (source, destination, cells) in enumerate(chosen):
        values[place, source - first, destination - first] = cells
    return values, f", from server {first}"


def export(path, options):
    """Writes the array, a trace iteration by iteration; returns its shape."""
    note = ""
    with opened(path) as file:
        if "tokens" in file:
            values = file["tokens"]
        elif options.controllers:
            values, note = _controllers(path, options)
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
        return f"{values.dtype} {list(values.shape)}{note}"
