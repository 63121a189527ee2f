# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The routing-trace schema and its reader: one HDF5 file, without timestamps.

/tokens     uint32 [iteration, layer, source rank, destination], token copies
/tokens_in  uint32 [iteration, layer, source rank], tokens a rank fed to the layer (optional)

Attributes of /tokens describe the job that was recorded, see TraceInfo. A token that a gate sends
to top_k experts is top_k copies. Other integer types are read when no value is negative or needs
more than 32 bits.

Law: sum over destinations of tokens[i, l, r, :] = top_k * tokens_in[i, l, r]; with the attribute
`dropped` (capacity limits) or `deduplicated` (one copy per destination) it is "at most".
"""

import dataclasses
import os

import h5py
import numpy as np

SCHEMA_VERSION = 1
DESTINATIONS = ("expert", "rank")
CHUNK_BYTES = 64 * 1024
BLOCK_BYTES = 64 * 1024 * 1024

TEXT = ("destination", "model", "source", "licence")
COUNTS = ("top_k", "hidden_size", "bytes_per_element", "experts", "layers")
FLAGS = ("dropped", "deduplicated")


class TraceError(ValueError):
    """A trace is not what the schema says; the text names file, dataset or attribute, value."""


@dataclasses.dataclass(frozen=True)
class TraceInfo:
    """What was recorded. top_k 0: not known. Sizes: hidden_size in elements, bytes_per_element in bytes per element
    of the activation that a token copy carries. `source` says how it was recorded."""

    model: str
    top_k: int
    hidden_size: int
    bytes_per_element: int
    experts: int
    layers: int
    source: str
    licence: str
    destination: str = "expert"
    dropped: bool = False
    deduplicated: bool = False
    extra: dict = dataclasses.field(default_factory=dict)

    @property
    def copy_bytes(self):
        """Bytes of one token copy on the wire, payload only."""
        return self.hidden_size * self.bytes_per_element


def check_rows(path, info, iteration, tokens, tokens_in):
    """The law of the file's head, for one iteration."""
    copies = tokens.sum(axis=2, dtype=np.int64)
    expected = tokens_in.astype(np.int64) * info.top_k
    at_most = info.dropped or info.deduplicated
    bad = copies > expected if at_most else copies != expected
    if bad.any():
        layer, rank = (int(v) for v in np.argwhere(bad)[0])
        relation = "at most" if at_most else "exactly"
        raise TraceError(
            f"{path}: /tokens: iteration {iteration}, layer {layer}, source rank {rank}: "
            f"{copies[layer, rank]} copies, expected {relation} {expected[layer, rank]} "
            f"(tokens_in {tokens_in[layer, rank]} x top_k {info.top_k}); a gate that drops or "
            "de-duplicates needs the attribute 'dropped' or 'deduplicated'"
        )
    if info.deduplicated and (tokens > tokens_in[..., None]).any():
        layer, rank, to = (int(v) for v in np.argwhere(tokens > tokens_in[..., None])[0])
        raise TraceError(
            f"{path}: /tokens: iteration {iteration}, layer {layer}, source rank {rank}: "
            f"{tokens[layer, rank, to]} of {tokens_in[layer, rank]} different tokens go to "
            f"destination {to}")


class Trace:
    """A trace opened for reading; use as a context manager.

    Holds at most BLOCK_BYTES of counts, or one iteration where that is larger.
    """

    def __init__(self, path):
        self.path = os.fspath(path)
        self._file = _open(self.path)
        try:
            self._tokens = self._dataset("tokens", 4)
            self._tokens_in = self._dataset("tokens_in", 3) if "tokens_in" in self._file else None
            self.info = self._read_info()
            self._check_shapes()
        except BaseException:
            self._file.close()
            raise

    @property
    def shape(self):
        """(iterations, layers, source ranks, destinations)"""
        return self._tokens.shape

    @property
    def provenance(self):
        """(format, [file names], [warnings]) of an imported trace, else None."""
        try:
            group = self._file["provenance"]
            parts = [group[name][:] if name in group else [] for name in
                     ("files/name", "warnings/text")]
            files, warnings = ([text.decode("utf-8", "replace") for text in part] for part in parts)
            return str(group.attrs["format"]), files, warnings
        except (KeyError, TypeError, AttributeError, OSError):
            return None

    @property
    def has_tokens_in(self):
        return self._tokens_in is not None

    def iterations(self, first=0, last=None):
        """Yields (iteration, tokens [layer, rank, destination], tokens_in or None), checked."""
        last = self.shape[0] if last is None else last
        size = 4 * int(np.prod(self.shape[1:]))
        chunk = self._tokens.chunks[0] if self._tokens.chunks else 1
        step = max(1, min(chunk, BLOCK_BYTES // size))
        start = first
        while start < last:
            stop = min(last, (start // step + 1) * step)
            tokens = self._read(self._tokens, start, stop)
            fed = None if self._tokens_in is None else self._read(self._tokens_in, start, stop)
            for index in range(stop - start):
                row = None if fed is None else fed[index]
                if row is not None:
                    check_rows(self.path, self.info, start + index, tokens[index], row)
                yield start + index, tokens[index], row
            start = stop

    def validate(self):
        """Reads everything once; TraceError at the first row that breaks the law."""
        for _ in self.iterations():
            pass

    def close(self):
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _read(self, data, first, last):
        try:
            values = data[first:last]
        except OSError as error:
            raise TraceError(
                f"{self.path}: {data.name}: iterations {first} to {last - 1} cannot be read "
                f"(damaged file): {error}"
            ) from None
        if values.dtype != np.uint32:
            if values.min() < 0 or values.max() > np.iinfo(np.uint32).max:
                raise TraceError(
                    f"{self.path}: {data.name}: a value in iterations {first} to {last - 1} is "
                    "negative or above 4294967295, expected counts"
                )
            values = values.astype(np.uint32)
        return values

    def _dataset(self, name, dimensions):
        data = self._file.get(name)
        if not isinstance(data, h5py.Dataset):
            raise TraceError(f"{self.path}: dataset /{name} is missing")
        if data.dtype.kind not in "iu":
            raise TraceError(f"{self.path}: /{name}: type {data.dtype}, expected uint32")
        if data.ndim != dimensions or 0 in data.shape:
            raise TraceError(
                f"{self.path}: /{name}: shape {data.shape}, expected {dimensions} dimensions, "
                "none of them empty: [iteration, layer, source rank"
                + (", destination]" if dimensions == 4 else "]")
            )
        return data

    def _attribute(self, name):
        if name not in self._tokens.attrs:
            raise TraceError(f"{self.path}: /tokens: attribute '{name}' is missing")
        value = self._tokens.attrs[name]
        return value.decode("utf-8") if isinstance(value, bytes) else value

    def _read_info(self):
        if "schema" in self._tokens.attrs and self._attribute("schema") != SCHEMA_VERSION:
            raise TraceError(
                f"{self.path}: /tokens: attribute 'schema' = {self._attribute('schema')}, "
                f"this program reads {SCHEMA_VERSION}"
            )
        values = {name: self._attribute(name) for name in TEXT + COUNTS}
        for name in TEXT:
            if not isinstance(values[name], str):
                raise TraceError(
                    f"{self.path}: /tokens: attribute '{name}' = {values[name]!r}, expected text"
                )
        for name in COUNTS:
            number = values[name]
            unknown = name == "top_k" and self._tokens_in is None
            if not isinstance(number, (int, np.integer)) or number < (0 if unknown else 1):
                raise TraceError(
                    f"{self.path}: /tokens: attribute '{name}' = {number!r}, expected a whole "
                    f"number above 0{', or 0 when it is not known' if unknown else ''}"
                )
            values[name] = int(number)
        if values["destination"] not in DESTINATIONS:
            raise TraceError(
                f"{self.path}: /tokens: attribute 'destination' = '{values['destination']}', "
                "accepted: expert, rank"
            )
        flags = {name: bool(self._tokens.attrs.get(name, 0)) for name in FLAGS}
        known = {"schema", *values, *flags}
        extra = {name: self._attribute(name) for name in self._tokens.attrs if name not in known}
        return TraceInfo(**values, **flags, extra=extra)

    def _check_shapes(self):
        info, shape = self.info, self.shape
        if info.layers != shape[1]:
            raise TraceError(
                f"{self.path}: /tokens: attribute 'layers' = {info.layers}, but the second extent "
                f"is {shape[1]}"
            )
        if info.destination == "expert" and info.experts != shape[3]:
            raise TraceError(
                f"{self.path}: /tokens: attribute 'experts' = {info.experts}, but the last extent "
                f"is {shape[3]}"
            )
        if info.top_k > info.experts:
            raise TraceError(
                f"{self.path}: /tokens: attribute 'top_k' = {info.top_k} is more than "
                f"'experts' = {info.experts}"
            )
        if self._tokens_in is not None and self._tokens_in.shape != shape[:3]:
            raise TraceError(
                f"{self.path}: /tokens_in: shape {self._tokens_in.shape}, expected {shape[:3]}"
            )


def _open(path):
    if os.path.isdir(path):
        raise TraceError(f"{path}: is a folder, expected an HDF5 trace")
    if not os.path.exists(path):
        raise TraceError(f"{path}: no such file")
    if os.path.getsize(path) == 0:
        raise TraceError(f"{path}: is empty, expected an HDF5 trace")
    try:
        return h5py.File(path, "r")
    except OSError as error:
        raise TraceError(f"{path}: cannot be read as HDF5 ({error})") from None
