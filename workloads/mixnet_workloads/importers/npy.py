# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""NPY and NPZ files, streamed along the first axis; never unpickled."""

import io
import zipfile
import zlib

import numpy as np

from . import inputs
from .dense import Array
from .errors import InputError, shorten

MOST_BYTES = inputs.WHOLE_LIMIT
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)


def _header(file, path, label):
    """(shape, fortran order, dtype); the file stands behind it afterwards."""
    try:
        version = np.lib.format.read_magic(file)
        if version not in ((1, 0), (2, 0), (3, 0)):
            raise ValueError(f"version {version}")
        if version == (1, 0):
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
        else:
            shape, fortran, dtype = np.lib.format.read_array_header_2_0(file)
    except InputError:
        raise
    except Exception as error: # numpy parses text here: whatever goes wrong is the file's fault
        reason = shorten(str(error).split("\n", 1)[0], 100)
        raise InputError(path, f"{label}: no NPY header: {reason}", "NPY version 1 to 3") from None
    if dtype.hasobject:
        raise InputError(path, f"{label}: Python objects are never unpickled",
                         "arrays of numbers; save with an integer dtype")
    return shape, fortran, dtype


def _take(file, size, path, label):
    """Exactly so many bytes; a header that promises more than there is costs no memory."""
    parts, left = [], size
    while left:
        part = file.read(min(left, 1 << 24))
        if not part:
            raise InputError(path, f"{label} ends early: {left} of {size} bytes are missing")
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _blocks(file, shape, fortran, dtype, path, label):
    if fortran and len(shape) > 1:
        size = int(np.prod(shape, dtype=object)) * dtype.itemsize
        if size > MOST_BYTES:
            raise InputError(path, f"{label}: {size} bytes in Fortran order", f"up to {MOST_BYTES}, "
                             "or C order")
        values = np.frombuffer(_take(file, size, path, label), dtype=dtype)
        yield from values.reshape(shape, order="F")
    elif not shape:
        yield np.frombuffer(_take(file, dtype.itemsize, path, label), dtype=dtype)[0]
    else:
        size = int(np.prod(shape[1:], dtype=object)) * dtype.itemsize
        if size > MOST_BYTES:
            raise InputError(path, f"{label}: {size} bytes per index of the first axis",
                             f"up to {MOST_BYTES}")
        for _ in range(shape[0]):
            values = np.frombuffer(_take(file, size, path, label), dtype=dtype)
            yield values.reshape(shape[1:])
    if file.read(1):
        raise InputError(path, f"{label}: more data than the shape {shape} needs")


def _array(opened, path, label):
    """`opened` is called for each reading: once for the header, once for the data."""
    with opened() as file:
        shape, _, _ = _header(file, path, label)

    def blocks():
        with opened() as file:
            yield from _blocks(file, *_header(file, path, label), path, label)

    return Array(shape, blocks, label)


def from_bytes(data, path, label):
    """Array of an NPY file in memory."""
    return _array(lambda: io.BytesIO(data), path, label)


def scalar(array):
    """The value of an Array without axes."""
    return next(array.blocks())


def arrays(path, report):
    """{name: Array} of an NPY file (one, named by "") or an NPZ archive; Arrays may be scalars."""
    with inputs.stream(path, report) as file:
        magic = file.read(6)
    if magic[:6] == b"\x93NUMPY":
        return {"": _array(lambda: inputs.stream(path, report), path, "array")}
    if magic[:2] == b"PK":
        return _archive(path, report)
    raise InputError(path, f"begins with {magic!r}", "NPY, NPZ")


def _archive(path, report):
    with open(path, "rb") as file:
        plain = file.read(2) == b"PK"
    source = path if plain else io.BytesIO(inputs.whole(path, report))
    found = {}
    try:
        archive = zipfile.ZipFile(source)
        names = [name for name in archive.namelist() if name.endswith(".npy")]
    except _DAMAGE as error:
        raise InputError(path, f"is not a readable zip archive: {error}", "NPY, NPZ") from None
    for name in names:
        def opened(name=name):
            try:
                return _Member(archive.open(name), f"{path}:{name}")
            except _DAMAGE as error:
                raise InputError(path, f"{name} cannot be read: {error}") from None
        found[name[:-4]] = _array(opened, path, name[:-4])
    if not found:
        raise InputError(path, "holds no array", "a zip archive of NPY files")
    return found


class _Member:
    """A file of an archive; damage becomes InputError."""

    def __init__(self, file, label):
        self._file, self._label = file, label

    def read(self, size=-1):
        try:
            return self._file.read(size)
        except _DAMAGE as error:
            raise InputError(self._label, f"is damaged: {error}") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()
