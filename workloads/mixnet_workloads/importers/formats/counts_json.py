# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: JSON values that hold counts, each one of

    {"logical_count": [[...]], "rank": ...}     SGLang dumps: [step,] layer, expert
    {"layers": [[[...]]], "topk":..., "hidden_size":..., ...}   pair matrices of layers
    {"matrices": [[[...]]], "pairs": [...]}     pairs of experts in two layers
    [[...]]                                     nested lists with --axes

Objects whose keys are 0, 1, 2, ... count as lists. Several files, and several values in a file (one
per line), follow each other in time.

Traps: SGLang counts have no source rank (see --expand), their unused steps and dense layers
are zero and left out. Pairs of experts say where tokens go that
come straight from the expert of the layer before: the source rank is the rank of that expert, which
--ep N makes of N groups of experts."""

import numpy as np

from .. import dense, inputs, nested
from ..errors import InputError, shorten
from ..inputs import whole_number

NAME = "counts-json"
KIND = "trace"
SUMMARY = "Counts as nested JSON (SGLang dumps, pair matrices, pairs of experts)."

add_options = dense.add_options
_STATED = (("topk", "top_k"), ("top_k", "top_k"), ("hidden_size", "hidden_size"),
           ("experts", "experts"), ("num_experts", "experts"),
           ("bytes_per_element", "bytes_per_element"))


def _stated(value, path):
    found = {}
    for name, key in _STATED:
        if isinstance(value.get(name), (int, float)):
            found[key] = whole_number(value[name], path, name, least=1, most=1 << 31)
    if isinstance(value.get("model"), str):
        found["model"] = value["model"]
    if "deduplicated" in str(value.get("unit", "")):
        found["deduplicated"] = True
    return found


def _folded(pairs, options):
    """Pairs of experts [layer, expert, expert]: rows folded into source ranks."""
    experts = pairs.shape[1]
    ranks = options.ep or dense.DEFAULT_EP
    if not 1 < ranks <= experts:
        raise InputError("import", f"--ep {ranks} of {experts} experts", f"2 to {experts}")
    starts = [-(-rank * experts // ranks) for rank in range(ranks)]
    return np.add.reduceat(pairs, starts, axis=1)


def _content(value, path, options, report):
    """(array, axes or None, stated) of one file."""
    if isinstance(value, list):
        return nested.array(value, path, ""), None, {}
    if not isinstance(value, dict):
        raise InputError(path, f"is {shorten(value)}", "an object or nested lists")
    stated = _stated(value, path)
    if "logical_count" in value:
        counts = nested.array(value["logical_count"], path, "logical_count")
        if counts.ndim not in (2, 3):
            raise InputError(path, f"logical_count has the shape {counts.shape}",
                             "[step,] layer, expert")
        return counts, ("iteration", "layer", "expert")[3 - counts.ndim:], stated
    if "matrices" in value:
        pairs = nested.array(value["matrices"], path, "matrices")
        if pairs.ndim != 3 or pairs.shape[1] != pairs.shape[2]:
            raise InputError(path, f"matrices has the shape {pairs.shape}", "pair, expert, expert")
        report.warn("pairs of experts: the source rank is that of the expert in the layer before, "
                    "as if tokens did not return in between")
        return _folded(pairs, options), ("layer", "source", "expert"), stated
    for name in ("layers", "counts", "tokens", "matrix"):
        if name in value:
            counts = nested.array(value[name], path, name)
            if isinstance(value.get("ep"), int) and counts.ndim >= 2 and \
                    value["ep"] != counts.shape[-2]:
                report.warn(f"ep {value['ep']} is declared, the matrices have {counts.shape[-2]} "
                            "rows")
            return counts, None, stated
    raise InputError(path, f"is an object with the keys {shorten(', '.join(value))}",
                     "logical_count, layers, matrices, counts, tokens, matrix")


def _values(path, report):
    """Yields (place, value): the one value of a file, or one per line where the first line is one."""
    text = inputs.text(path, report)
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > 1:
        try:
            inputs.json_text(lines[0][1], path)
        except InputError:
            lines = []
    if len(lines) > 1:
        for number, line in lines:
            yield f"{path}:{number}", inputs.json_text(line, path, number)
    else:
        yield path, inputs.json_text(text, path)


def read(paths, options, report):
    arrays, axes, stated = [], None, {}
    for place, value in (pair for path in paths for pair in _values(path, report)):
        counts, axes, found = _content(value, place, options, report)
        stated.update(found)
        arrays.append(dense.Array.of(counts))
    if axes is not None and options.axes is not None:
        axes = dense.choose_axes(options.axes, arrays[0].shape, paths[0], "the counts")
    return dense.trace(arrays, options, report, "JSON counts", paths[0], axes, **stated)
