# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Read result.h5 (doc/results.rst): groups are tables, their datasets are columns with a unit."""

import h5py
import numpy as np

SCHEMA = "mixnet-result/1"


class ResultError(Exception):
    """A file that is no result; the message names the file and what is wrong."""


class Result:
    """The tables of one result file, read when asked for.

    >>> Result("result.h5").table("iterations")["end"]   # seconds of simulated time
    """

    def __init__(self, path):
        """Open path (a result.h5); raises ResultError naming the file."""
        self.path = path
        try:
            self._file = h5py.File(path, "r")
        except OSError as error:
            raise ResultError(f"{path}: cannot be read as HDF5: {error}") from error
        schema = self._file.attrs.get("schema", b"")
        schema = schema.decode() if isinstance(schema, bytes) else schema
        if schema != SCHEMA:
            raise ResultError(f"{path}: schema is {schema!r}; accepted: {SCHEMA!r}")

    def __contains__(self, name):
        return name in self._file

    def names(self):
        """Names of all tables."""
        return [name for name, group in self._file.items() if isinstance(group, h5py.Group)]

    def table(self, name):
        """Columns of a table by name; text columns become str arrays."""
        if name not in self._file:
            raise ResultError(f"{self.path}: has no table {name!r}")
        columns = {}
        for key, data in self._file[name].items():
            values = data[...]
            if values.dtype.kind == "S":
                values = np.array([v.decode() for v in values], dtype=object)
            columns[key] = values
        return columns

    def unit(self, table, column):
        """Unit of a column, e.g. "s" or "B"."""
        unit = self._file[table][column].attrs.get("unit", "1")
        return unit.decode() if isinstance(unit, bytes) else unit

    def controller_demand(self, run, region, block=1 << 20):
        """Yields (row, source, destination, bytes) for every matrix that the controller of a region of a run saw or
        planned for (doc/results.rst): row is a dict of columns of /controller_demand, the others are arrays by server
        pair. Reads /controller_bytes in blocks of rows that rise with the matrices asked for."""
        rows = self.table("controller_demand")
        chosen = np.flatnonzero((rows["run"] == run) & (rows["region"] == region))
        cells = self._cells(run, np.unique(rows["matrix"][chosen]), block)
        starts, ends = (np.searchsorted(cells["matrix"], rows["matrix"][chosen], side)
                        for side in ("left", "right"))
        for row, start, end in zip(chosen, starts, ends):
            ways = ["source", "destination"]
            if rows["transposed"][row]:
                ways.reverse()
            yield ({key: values[row] for key, values in rows.items()}, cells[ways[0]][start:end],
                   cells[ways[1]][start:end], cells["bytes"][start:end])

    def _cells(self, run, matrices, block):
        """Rows of /controller_bytes of these matrices of a run; the table is in order of run and matrix."""
        group = self._file["controller_bytes"] if "controller_bytes" in self else {"run": ()}
        keys = ("matrix", "source", "destination", "bytes")
        parts = [{key: np.zeros(0, np.uint64) for key in keys}]
        for first in range(0, len(group["run"]), block):
            span = slice(first, first + block)
            number = group["matrix"][span]
            keep = (group["run"][span] == run) & np.isin(number, matrices)
            if keep.any():
                parts.append({key: group[key][span][keep] for key in keys})
        return {key: np.concatenate([part[key] for part in parts[1:] or parts]) for key in keys}

    def close(self):
        """Close the file."""
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
