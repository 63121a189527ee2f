# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: Parquet files with a column indices (a list of expert ids per token), one file per
iteration and layer. The numbers in the name say which: iter..._layer... in any spelling; else the last
two numbers. Needs pyarrow, which Debian 12 does not package (pip install pyarrow).

Tokens of a file are dealt in contiguous parts: of n tokens, token t goes to rank floor(t N / n)."""

import os
import re

import numpy as np

from ..errors import InputError, shorten
from ..routes import DEFAULT_EP, Routes, add_options # noqa: F401

NAME = "flame-moe"
KIND = "trace"
SUMMARY = "FLAME-MoE routing (Parquet, one file per iteration and layer)."

_NUMBERS = re.compile(r"(iter\w*?|step|layer|l)?[ _.=-]*(\d{1,9})", re.IGNORECASE)


def place(path):
    """(iteration, layer) of a file's name and folder."""
    name = os.path.join(*os.path.normpath(path).split(os.sep)[-2:])
    found = _NUMBERS.findall(os.path.splitext(name)[0])
    named = {word.lower()[:4]: int(number) for word, number in found if word}
    layer = named.get("laye", named.get("l"))
    iteration = named.get("iter", named.get("step"))
    if layer is None or iteration is None:
        if len(found) < 2:
            raise InputError(path, "the name does not say iteration and layer",
                             "such as iter_1000_layer_3.parquet")
        iteration, layer = (int(number) for _, number in found[-2:])
    return iteration, layer


def _indices(path, report):
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise InputError(path, "needs pyarrow, which this Python does not have",
                         "pip install pyarrow; or save indices as NPY [token, layer, choice] and "
                         "use format vllm-experts") from None
    report.add_source(path)
    try:
        column = parquet.read_table(path, columns=["indices"])["indices"].to_pylist()
    except (ArrowException, KeyError, OSError) as error:
        reason = shorten(str(error).split("\n", 1)[0], 120)
        raise InputError(path, f"no column indices can be read: {reason}", "Parquet") from None
    widths = {len(ids) for ids in column if ids is not None}
    if len(widths) != 1 or None in column:
        raise InputError(path, "tokens have lists of different lengths", "top-k ids each")
    return np.array(column, dtype=np.int64)


def read(paths, options, report):
    ep = options.ep = options.ep or DEFAULT_EP
    routes = Routes(options, report, paths[0])
    places = sorted((*place(path), path) for path in paths)
    numbers = sorted({iteration for iteration, _, _ in places})
    for (iteration, layer, path), after in zip(places, [*places[1:], None]):
        if after is not None and after[:2] == (iteration, layer):
            raise InputError(after[2], f"iteration {iteration}, layer {layer} is also in {path}")
        ids = _indices(path, report)
        if len(ids) < ep:
            raise InputError(path, f"{len(ids)} tokens for {ep} source ranks")
        ranks = np.arange(len(ids)) * ep // len(ids)
        routes.add_placed(numbers.index(iteration), layer, ranks, ids)
    return routes.trace("FLAME-MoE routing")
