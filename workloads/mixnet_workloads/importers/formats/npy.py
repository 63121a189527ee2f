# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: an array of counts in NPY (versions 1 to 3) or NPZ (stored, deflated, zip64): 2-D to 4-D,
any integer or float type with whole values, any byte order, C or Fortran order. Several files follow
each other in time. Scalars named topk or top_k in an NPZ are taken.

Traps: Python objects are never unpickled; an NPZ with several arrays needs --array; the axes of
arrays that are not square must be given with --axes."""

from .. import dense, npy
from ..errors import InputError

NAME = "npy"
KIND = "trace"
SUMMARY = "NPY or NPZ array of counts, 2-D to 4-D, axes in any order."


def add_options(parser):
    dense.add_options(parser)
    parser.add_argument("--array", metavar="NAME", help="array of an NPZ (default: the only one "
                        "with two dimensions or more)")


def _choose(found, name, path):
    large = {key: array for key, array in found.items() if len(array.shape) >= 2}
    if name is None and len(large) == 1:
        return next(iter(large.values()))
    if name in found and name is not None:
        return found[name]
    names = ", ".join(f"{key} {array.shape}" for key, array in found.items())
    wanted = "which array?" if name is None else f"no array '{name}'"
    raise InputError(path, f"{wanted} It holds {names}", "--array NAME")


def _top_k(found):
    for name in ("topk", "top_k"):
        array = found.get(name)
        if array is not None and array.shape == ():
            return array
    return None


def read(paths, options, report):
    arrays, stated = [], {}
    for path in paths:
        found = npy.arrays(path, report)
        arrays.append(_choose(found, options.array, path) if len(found) > 1 or options.array
                      else next(iter(found.values())))
        scalar = _top_k(found)
        if scalar is not None:
            value = int(dense.integral(npy.scalar(scalar), path, "topk"))
            if value > 0:
                stated["top_k"] = value
    return dense.trace(arrays, options, report, "NumPy array", paths[0], **stated)
