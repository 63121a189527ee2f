# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The safetensors format: a length, a JSON header, then the data of all tensors."""

import numpy as np

from . import inputs
from .errors import InputError, shorten

_TYPES = {"I8": "<i1", "I16": "<i2", "I32": "<i4", "I64": "<i8", "U8": "<u1", "U16": "<u2",
          "U32": "<u4", "U64": "<u8", "F16": "<f2", "F32": "<f4", "F64": "<f8"}
_MOST_HEADER = 100 << 20


def load(path, report):
    """{name: array}, in the order of the names."""
    data = inputs.whole(path, report)
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or not 2 <= size <= min(_MOST_HEADER, len(data) - 8):
        raise InputError(path, "is no safetensors file, or ends early")
    try:
        text = data[8 : 8 + size].decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(path, "the header is no text", "safetensors") from None
    header = inputs.json_text(text, path)
    if not isinstance(header, dict):
        raise InputError(path, "the header is no object", "safetensors")
    body = data[8 + size :]
    return {name: _tensor(name, entry, body, path) for name, entry in sorted(header.items())
            if name != "__metadata__"}


def _tensor(name, entry, body, path):
    what = f"tensor {shorten(name)}"
    try:
        kind, shape, (first, last) = entry["dtype"], entry["shape"], entry["data_offsets"]
        numbers = [*shape, first, last]
    except (TypeError, KeyError, ValueError):
        numbers = [None]
    if not all(type(number) is int and 0 <= number < 1 << 48 for number in numbers):
        raise InputError(path, f"{what} is not described", "dtype, shape, data_offsets")
    if kind not in _TYPES:
        raise InputError(path, f"{what} has the type {shorten(kind)}", ", ".join(_TYPES))
    dtype = np.dtype(_TYPES[kind])
    needed = int(np.prod(shape, dtype=object)) * dtype.itemsize
    if last - first != needed or last > len(body):
        raise InputError(path, f"{what}: bytes {first} to {last} of {len(body)} for the shape "
                         f"{shape}", f"{needed} bytes inside of the file")
    return np.frombuffer(body[first:last], dtype=dtype).reshape(shape)
