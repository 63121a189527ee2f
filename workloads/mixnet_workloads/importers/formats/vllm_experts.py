# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: expert ids [token, layer, choice] of one request per file: NPY, or NPZ with
prompt_routed_experts and routed_experts (in this order); or JSON Lines, one request or response of the
server per line, with these keys, the second also in each of its choices: nested lists, or an NPY file
in base64 as the server sends it. A request, or a choice, is a sequence, see --deal.

Traps: layers count the MoE layers only; -1 is a choice that was not made."""

import base64

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


def _routed(value, path, what, line):
    """ids of one field: nested lists or base64."""
    if isinstance(value, str):
        try:
            data = base64.b64decode(value, validate=True)
        except ValueError:
            raise InputError(path, f"{what} is {shorten(value)}", "lists, or NPY in base64",
                             line=line) from None
        array = npy.from_bytes(data, f"{path}:{line}", what)
        value = np.stack(list(array.blocks())) if array.shape and array.shape[0] else np.zeros(0)
    else:
        value = nested.array(value, path, f"{what} of line {line}")
    return _check(value, path, what, line)


def _of_lines(path, report):
    """The requests, or choices of responses, of a JSON Lines file."""
    for line, text in inputs.lines(path, report):
        if not text.strip():
            continue
        row = inputs.json_text(text, path, line)
        places = [row] if isinstance(row, dict) else []
        if places and isinstance(row.get("choices"), list):
            places += [choice for choice in row["choices"] if isinstance(choice, dict)]
        found = [[_routed(place[key], path, key, line) for key in KEYS if place.get(key)]
                 for place in places]
        found = [parts for parts in found if parts]
        if not found:
            raise InputError(path, "names no routed experts", " and ".join(KEYS), line=line)
        if len(found) > 1 and places[0].get(KEYS[0]):
            found = [found[0] + found[1], *found[2:]]  # the prompt counts once
        for number, parts in enumerate(found):
            yield parts, (line, number)


def read(paths, options, report):
    routes = Routes(options, report, paths[0])
    shape = None
    for path in paths:
        with inputs.stream(path, report) as file:
            text = file.read(1) in (b"{", b" ", b"\n", b"\xef")
        for parts, place in (_of_lines if text else _of_arrays)(path, report):
            sequence, line = routes.sequence((path, place)), place and place[0]
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
