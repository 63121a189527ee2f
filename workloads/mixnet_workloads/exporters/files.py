# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Reading what is exported, and writing files that appear whole or not at all."""

import contextlib
import gzip
import os

import h5py

from ..importers.errors import InputError


@contextlib.contextmanager
def opened(path):
    """An HDF5 file."""
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        reason = "no such file" if not os.path.exists(path) else f"cannot be read as HDF5: {error}"
        raise InputError(path, reason) from None
    with file:
        yield file


def table(file, path, name):
    """{column: array} of a table, text as str; and {column: unit}."""
    if name not in file:
        present = ", ".join(f"/{key}" for key in sorted(file) if key != "provenance")
        raise InputError(path, f"has no /{name}", f"a file that has; this one has {present}")
    columns, units = {}, {}
    for key, data in file[name].items():
        if not isinstance(data, h5py.Dataset):
            continue
        values = data[...]
        if values.dtype.kind in "SO":
            values = [value.decode("utf-8", "replace") for value in values.tolist()]
        columns[key] = values
        unit = data.attrs.get("unit", "1")
        units[key] = unit.decode() if isinstance(unit, bytes) else str(unit)
    return columns, units


@contextlib.contextmanager
def written(path, binary=False):
    """A file of text (UTF-8, LF) or bytes; .gz is compressed, without a time stamp."""
    if os.path.isdir(path):
        raise InputError(path, "is a folder", "the name of a file")
    name = f"{path}.exporting"
    try:
        with contextlib.ExitStack() as stack:
            target = stack.enter_context(open(name, "wb"))
            if path.endswith(".gz"):
                target = stack.enter_context(gzip.GzipFile("", "wb", 6, target, mtime=0))
            if binary:
                yield target
            else:
                yield _Text(target)
        os.replace(name, path)
    except OSError as error:
        raise InputError(path, f"cannot be written: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(OSError):
            os.remove(name)


class _Text:
    """Encodes text."""

    def __init__(self, target):
        self._target = target

    def write(self, text):
        self._target.write(text.encode("utf-8"))
