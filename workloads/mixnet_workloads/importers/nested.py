# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Nested lists and objects of counts, as JSON holds them, to arrays."""

import numpy as np

from .errors import InputError, shorten

MOST_DEPTH = 6
_LARGEST = np.iinfo(np.int64).max


def array(value, path, what):
    """int64 array of nested lists of one shape; objects with keys 0..n-1 count as lists."""
    shape = _shape(value, path, what)
    flat = []
    _flatten(value, shape, (), path, what, flat)
    return np.array(flat, dtype=np.int64).reshape(shape)


def _as_list(value, path, what, index):
    if not isinstance(value, dict):
        return value
    names = sorted(value, key=lambda name: (len(name), name))
    if names != [str(i) for i in range(len(names))]:
        raise InputError(path, f"{what}{list(index) if index else ''} is an object with the keys "
                         f"{shorten(', '.join(names))}", "lists, or the keys 0, 1, 2, ...")
    return [value[name] for name in names]


def _shape(value, path, what):
    shape = []
    while isinstance(value, (list, dict)):
        value = _as_list(value, path, what, shape)
        shape.append(len(value))
        if not value or len(shape) > MOST_DEPTH:
            raise InputError(path, f"{what} is empty, or nested more than {MOST_DEPTH} deep")
        value = value[0]
    if not shape:
        raise InputError(path, f"{what} is {shorten(value)}", "nested lists of counts")
    return tuple(shape)


def _flatten(value, shape, index, path, what, flat):
    value = _as_list(value, path, what, index)
    if not isinstance(value, list) or len(value) != shape[0]:
        length = len(value) if isinstance(value, list) else shorten(value)
        raise InputError(path, f"{what}{list(index)} is ragged: {length}", f"{shape[0]} entries")
    if len(shape) > 1:
        for position, part in enumerate(value):
            _flatten(part, shape[1:], (*index, position), path, what, flat)
        return
    for position, number in enumerate(value):
        if isinstance(number, float) and number.is_integer() and abs(number) <= 2**53:
            number = int(number)
        if type(number) is not int or not 0 <= number <= _LARGEST:
            raise InputError(path, f"{what}{[*index, position]} is {shorten(number)}",
                             "whole numbers from 0")
        flat.append(number)
