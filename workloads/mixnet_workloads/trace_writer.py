# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Writes routing traces by the schema of schema.py."""

import dataclasses
import os

import numpy as np

from .safe_hdf5 import SafeHdf5
from .schema import (
    CHUNK_BYTES, COUNTS, DESTINATIONS, FLAGS, SCHEMA_VERSION, TEXT, TraceError, check_rows)


def _chunk_shape(layer_ranks, destinations):
    """Chunks hold one layer of several iterations: readers walk iterations of a layer, and the
    gzip filter wants tens of kilobytes. Wide traces are split along the ranks."""
    row = 4 * destinations
    ranks = max(1, min(layer_ranks, 16 * CHUNK_BYTES // row))
    return (max(1, CHUNK_BYTES // (row * ranks)), 1, ranks, destinations)


class TraceWriter:
    """Writes a trace iteration by iteration; equal calls give equal bytes.

    The file appears under its own name only in close(); until then `path + ".partial"` holds what
    was flushed and is itself a readable trace. An exception inside `with` keeps that file.
    `with_tokens_in=False` writes no /tokens_in: the rows are then bound to no number of tokens.
    `recoverable=False` writes every chunk once and at once, for data that can be read again: a
    crash leaves nothing of use. `level` is that of gzip.
    """

    def __init__(self, path, info, ranks, flush_every=16, with_tokens_in=True, recoverable=True,
                 level=9):
        if info.destination not in DESTINATIONS:
            raise TraceError(f"{path}: destination '{info.destination}', accepted: expert, rank")
        if info.top_k < 1 and with_tokens_in:
            raise TraceError(f"{path}: top_k {info.top_k}: tokens times top-k are checked, "
                             "expected 1 or more")
        self.path = os.fspath(path)
        self.partial = self.path + ".partial"
        self.iterations = 0
        self._info = info
        self._ranks = ranks
        self._flush_every, self._recoverable, self._level = flush_every, recoverable, level
        self._pending = []
        self._file, self._storage = None, _create(self.partial)
        self._file = self._storage.file
        self._destinations = info.experts if info.destination == "expert" else ranks
        self._names = ("tokens", "tokens_in") if with_tokens_in else ("tokens",)
        self._add_datasets(self._file)
        if not recoverable:
            self._flush_every = max(self._file[name].chunks[0] for name in self._names)

    def append(self, tokens, tokens_in=None):
        """Adds one iteration: tokens [layer, rank, destination], tokens_in [layer, rank]."""
        expected = (self._info.layers, self._ranks, self._destinations)
        given = (tokens,) if tokens_in is None else (tokens, tokens_in)
        shapes = [values.shape for values in given]
        if shapes != [expected, expected[:2]][: len(self._names)]:
            raise TraceError(
                f"{self.path}: iteration {self.iterations} has shapes "
                f"{' and '.join(map(str, shapes))}, expected {expected} and {expected[:2]}"
            )
        if tokens_in is not None:
            check_rows(self.path, self._info, self.iterations, tokens, tokens_in)
        self._pending.append([values.astype(np.uint32) for values in given])
        self.iterations += 1
        if len(self._pending) >= self._flush_every:
            self.flush()

    def flush(self):
        """Makes everything appended so far survive a crash of the program."""
        if not self._pending:
            return
        first = self.iterations - len(self._pending)
        for name, values in zip(self._names, zip(*self._pending)):
            data = self._file[name]
            data.resize(self.iterations, axis=0)
            data[first:] = np.stack(values)
        self._pending.clear()
        if self._recoverable:
            self._file.flush()
        self._check_storage()

    def mark_dropped(self):
        """The gate dropped tokens: from here on rows may hold fewer copies than tokens x top_k."""
        self._info = dataclasses.replace(self._info, dropped=True)
        self._file["tokens"].attrs["dropped"] = 1

    def close(self):
        """Writes the final file: chunks in order, no gaps left by flushing."""
        if self._file is None:
            return
        self.flush()
        if not self._recoverable:
            self.keep_partial()
            os.replace(self.partial, self.path)
            return
        final = self.path + ".closing"
        try:
            with _create(final) as target:
                self._add_datasets(target)
                step = target["tokens"].chunks[0]
                for name in self._names:
                    target[name].resize(self.iterations, axis=0)
                    for first in range(0, self.iterations, step):
                        target[name][first : first + step] = self._file[name][first : first + step]
        except OSError as error:
            raise _refused(final, error) from None
        self.keep_partial()
        os.replace(final, self.path)
        os.remove(self.partial)

    def keep_partial(self):
        """Closes without a final file: what was recorded stays in `path + ".partial"`."""
        if self._file is not None:
            try:
                self.flush()
            finally:
                self._file = None
                try:
                    self._storage.close()
                except OSError as error:
                    raise _refused(self.partial, error) from None

    def _check_storage(self):
        try:
            self._storage.check()
        except OSError as error:
            raise _refused(self.partial, error) from None

    def _add_datasets(self, file):
        _add_datasets(file, self._info, self._ranks, self._destinations, self._names, self._level)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None:
            self.close()
        else:
            self.keep_partial()


def _create(path):
    try:
        return SafeHdf5(path)
    except OSError as error:
        raise _refused(path, error) from None


def _refused(path, error):
    return TraceError(f"{path}: cannot be written: {error.strerror or error}")


def _add_datasets(file, info, ranks, destinations, names, level):
    options = {"dtype": "<u4", "compression": "gzip", "compression_opts": level, "shuffle": True,
               "track_times": False}
    chunks = _chunk_shape(ranks, destinations)
    shape = (info.layers, ranks, destinations)
    file.create_dataset("tokens", (0, *shape), maxshape=(None, *shape), chunks=chunks, **options)
    if "tokens_in" in names:
        rows = (max(1, CHUNK_BYTES // (4 * info.layers * ranks)), info.layers, ranks)
        file.create_dataset(
            "tokens_in", (0, *shape[:2]), maxshape=(None, *shape[:2]), chunks=rows, **options
        )
    _write_attributes(file["tokens"], info)


def _write_attributes(data, info):
    data.attrs["schema"] = SCHEMA_VERSION
    for name in TEXT + COUNTS:
        data.attrs[name] = getattr(info, name)
    for name in FLAGS:
        if getattr(info, name):
            data.attrs[name] = 1
    for name, value in sorted(info.extra.items()):
        data.attrs[name] = value
