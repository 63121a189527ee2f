# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""What an importer returns, and how it becomes a file."""

import contextlib
import dataclasses
import json
import os

import h5py
import numpy as np

from ..safe_hdf5 import SafeHdf5
from ..schema import Trace as ReadTrace
from ..schema import TraceError, TraceInfo
from ..trace_writer import TraceWriter
from .errors import InputError
from .trace_checks import TraceChecks

VERSION = 1
MOST_COUNT = np.iinfo(np.uint32).max
_COMPRESSED_FROM = 4096
_LEVEL = 4
_MOST_TEXT = 1000


@dataclasses.dataclass
class Trace:
    """Token copies. `iterations` yields (tokens [layer, rank, destination], tokens_in [layer, rank]
    or None), streamed; all of them with tokens_in or none. `copies` returns how many copies were
    read from the source (asked after the last iteration), None where that is not known.
    `expanded` says that source ranks were made up from a load that has none."""

    info: TraceInfo
    ranks: int
    iterations: object
    copies: object = None
    has_tokens_in: bool = False
    expanded: bool = False
    kind: str = "trace"


@dataclasses.dataclass
class Column:
    """One value per row; unit as in result files: "s", "B", "1", "text", ..."""

    name: str
    unit: str
    values: object


@dataclasses.dataclass
class Table:
    """A group of columns of equal length, such as "/flows"."""

    name: str
    columns: list
    attributes: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Tables:
    """Everything that is not a trace. `kind` is one of registry.KINDS."""

    kind: str
    tables: list
    attributes: dict = dataclasses.field(default_factory=dict)


def _reason(error):
    """Why the system refused to write, from an exception or the one it came from; else None."""
    while error is not None and not isinstance(error, OSError):
        error = error.__context__
    return None if error is None else error.strerror or str(error).split("\n", 1)[0]


@contextlib.contextmanager
def _temporary(path):
    """A name beside `path` that becomes `path` at the end, or vanishes."""
    name = f"{path}.importing"
    try:
        yield name
        os.replace(name, path)
    except (OSError, TraceError) as error:
        if (reason := _reason(error)) is None:
            raise
        raise InputError(path, f"cannot be written: {reason}") from None
    finally:
        for left in (name, name + ".partial", name + ".all"):
            with contextlib.suppress(OSError):
                os.remove(left)


def check_writable(path):
    """Before reading anything: an import of minutes must not end at a folder that is not there."""
    if os.path.isdir(path):
        raise InputError(path, "is a folder", "the name of a file")
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(path, "is a device or a pipe, which a file would replace", "the name of a file")
    probe = f"{path}.importing"
    try:
        with open(probe, "wb"):
            pass
        os.remove(probe)
    except OSError as error:
        raise InputError(path, f"cannot be written: {error.strerror or error}") from None


def write(path, thing, report, provenance):
    """Writes a Trace or Tables to `path`, all or nothing."""
    with _temporary(path) as name:
        if isinstance(thing, Trace):
            _write_trace(name, thing, report)
        else:
            _write_tables(name, thing)
        report.finish()
        with SafeHdf5(name, "r+") as file:
            file.attrs["kind"] = thing.kind
            _write_provenance(file, report, provenance)


def _clean(text):
    """Text of a foreign file as HDF5 takes it: valid UTF-8 without zeros, and not endless."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")[:_MOST_TEXT]


def _writer(path, info, ranks, has_tokens_in):
    info = dataclasses.replace(info, model=_clean(info.model), source=_clean(info.source),
                               licence=_clean(info.licence))
    return TraceWriter(path, info, ranks, with_tokens_in=has_tokens_in, recoverable=False,
                       level=_LEVEL)


def _write_trace(path, trace, report):
    checks = TraceChecks(trace, report)
    with _writer(path, trace.info, trace.ranks, trace.has_tokens_in) as writer:
        for tokens, tokens_in in trace.iterations:
            checks.add(tokens)
            writer.append(tokens, tokens_in)
    kept = checks.finish()
    if len(kept) < trace.info.layers:
        _keep_layers(path, trace, kept)


def _keep_layers(path, trace, kept):
    """Writes the file again with these layers only; runs accept no layer without tokens."""
    extra = dict(trace.info.extra)
    extra["layer_ids"] = np.asarray(extra.get("layer_ids", np.arange(trace.info.layers)),
                                    dtype=np.uint32)[kept]
    info = dataclasses.replace(trace.info, layers=len(kept), extra=extra)
    whole = path + ".all"
    os.replace(path, whole)
    with ReadTrace(whole) as source, _writer(path, info, trace.ranks, trace.has_tokens_in) as writer:
        for _, tokens, tokens_in in source.iterations():
            writer.append(tokens[kept], None if tokens_in is None else tokens_in[kept])
    os.remove(whole)


def _write_tables(path, thing):
    with SafeHdf5(path) as file:
        file.attrs["schema"] = VERSION
        for name, value in sorted(thing.attributes.items()):
            file.attrs[name] = value
        for table in thing.tables:
            _write_table(file.create_group(table.name), table)


def _write_table(group, table):
    for name, value in sorted(table.attributes.items()):
        group.attrs[name] = value
    lengths = {len(column.values) for column in table.columns}
    if len(lengths) > 1:
        raise RuntimeError(f"{table.name}: columns of lengths {sorted(lengths)}")
    for column in table.columns:
        values = column.values
        if len(values) and isinstance(values[0], str):
            values = _texts(values)
        _write_dataset(group, column.name, np.asarray(values)).attrs["unit"] = column.unit


def _write_dataset(group, name, values):
    options = {}
    if values.nbytes >= _COMPRESSED_FROM:
        options = {"compression": "gzip", "compression_opts": 9, "shuffle": True}
    return group.create_dataset(name, data=values, track_times=False, **options)


def _texts(values):
    """UTF-8, fixed length, padded with zeros: as result files hold text."""
    encoded = [value.encode("utf-8", "replace") for value in values]
    length = max([1, *map(len, encoded)])
    return np.array(encoded, dtype=h5py.string_dtype("utf-8", length))


def _write_provenance(file, report, provenance):
    group = file.create_group("provenance")
    for name, value in sorted(provenance.items()):
        group.attrs[name] = value
    group.attrs["tool"] = f"ns3-mixnet import {VERSION}"
    group.attrs["counts"] = json.dumps(report.counts, sort_keys=True)
    sources = report.sources or [("", 0, "")]
    columns = [
        Column("name", "text", [name for name, _, _ in sources]),
        Column("size", "B", np.array([size for _, size, _ in sources], dtype=np.uint64)),
        Column("sha256", "text", [digest for _, _, digest in sources]),
    ]
    _write_table(group.create_group("files"), Table("files", columns))
    if report.warnings:
        columns = [Column("text", "text", report.warnings)]
        _write_table(group.create_group("warnings"), Table("warnings", columns))
