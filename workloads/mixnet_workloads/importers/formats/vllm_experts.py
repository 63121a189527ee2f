# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: expert ids [token, layer, choice] of one request per file: NPY, or NPZ with
prompt_routed_experts and routed_experts (in this order); or JSON Lines, one request per line, with
these keys. A request is a sequence, see --deal.

Traps: layers count the MoE layers only; -1 is a choice that was not made."""

import numpy as np

from .. import inputs, nested, npy
from ..errors import InputError, shorten
from ..routes import MOST_EXPERTS, Routes, add_options # noqa: F401

NAME = "vllm-experts"
KIND = "trace"
SUMMARY = "Routed experts that vLLM returns with a request (NPY, NPZ, JSON Lines)."

KEYS = ("prompt_routed_experts", "routed_experts")


def _check(ids, path, what, line=None):
    if ids.ndim != 3 or ids.dtype.kind not in "iu":
        raise InputError(path, f"{what} has the shape {tuple(ids.shape)} of {ids.dtype}",
                         "whole numbers [token, layer, choice]", line=line)
    return ids.astype(np.int64)


def _of_arrays(path, report):
    """The one request of an NPY or NPZ file."""
    found = npy.arrays(path, report)
    names = [name for name in KEYS if name in found] or [
        name for name, array in found.items() if len(array.shape) == 3 or len(found) == 1]
    if not names:
        raise InputError(path, f"holds {shorten(', '.join(found))}", "arrays [token, layer, choice]")
    parts = []
    for name in names:
        array = found[name]
        if len(array.shape) != 3:
            raise InputError(path, f"{name or 'the array'} has the shape {array.shape}", "[token, layer, choice]")
        if array.shape[0]:
            parts.append(_check(np.stack(list(array.blocks())), path, name or "array"))
    yield parts, None


def _of_lines(path, report):
    """The requests of a JSON Lines file."""
    for line, text in inputs.lines(path, report):
        if not text.strip():
            continue
        row = inputs.json_text(text, path, line)
        if not isinstance(row, dict) or not any(row.get(key) for key in KEYS):
            raise InputError(path, "names no routed experts", " and ".join(KEYS), line=line)
        yield [_check(nested.array(row[key], path, f"{key} of line {line}"), path, key, line)
               for key in KEYS if row.get(key)], line


def read(paths, options, report):
    routes = Routes(options, report, paths[0])
    shape = None
    for path in paths:
        with inputs.stream(path, report) as file:
            text = file.read(1) in (b"{", b" ", b"\n", b"\xef")
        for parts, line in (_of_lines if text else _of_arrays)(path, report):
            sequence = routes.sequence((path, line))
            for ids in parts:
                if shape not in (None, ids.shape[1:]):
                    raise InputError(path, f"{ids.shape[1:]} layers and choices", f"{shape}, as "
                                     "before", line=line)
                shape = ids.shape[1:]
                if ids.size and not -1 <= ids.min() <= ids.max() < MOST_EXPERTS:
                    raise InputError(path, f"expert {ids.min()} or {ids.max()}",
                                     f"-1 to {MOST_EXPERTS - 1}", line=line)
                for layer in range(shape[0]):
                    routes.add_block(sequence, layer, ids[:, layer])
    return routes.trace("routed experts of vLLM")
