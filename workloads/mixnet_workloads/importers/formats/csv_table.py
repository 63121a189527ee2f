# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: seen from the first row, or chosen with --layout:

    square    rows of numbers: N x N counts, source rank x destination rank; an empty line ends a
              matrix, several follow each other in time
    labelled  the same with a header and a first column of labels
    long      a header with names: [iteration,] [layer,] source, destination or expert, tokens;
              'layer,expert,count' without source ranks needs --expand
    loads     a header layer,e0,e1,...: counts of experts, needs --expand
    routes    a header layer_id,expert_ids: one token per row, ids separated by blanks (llama.cpp)

Comma, semicolon, tab or blanks; quotes; LF or CR LF; byte order mark; comments (#); empty cells at
the end of rows; cells 'None' or '-' are counts of 0 in matrices (with a warning). A bytes column gives
the size of a copy. Columns prob, share or token_distr instead of counts need --copies.

Traps: bandwidths and times are no counts (refused with row and column); layers that are not 0, 1, 2
... keep their numbers in the attribute layer_ids."""

import itertools

import numpy as np

from .. import dense, routes, squares, table_columns, tables, trace_options
from ..errors import InputError, shorten
from ..inputs import whole_number

NAME = "csv"
KIND = "trace"
SUMMARY = "CSV or TSV: square, labelled, long form, loads of experts, routes of tokens."
LAYOUTS = ("auto", "square", "labelled", "long", "loads", "routes")


def add_options(parser):
    routes.add_options(parser)
    parser.add_argument("--layout", choices=LAYOUTS, default="auto", help="default: auto")
    parser.add_argument("--layers", type=trace_options.positive, metavar="L", default=1,
                        help="square and labelled: L matrices make an iteration (default 1)")
    parser.add_argument("--expand", choices=("equal",), help="counts without source ranks: every "
                        "one of --ep ranks (default 8) sends the same share")
    parser.add_argument("--copies", type=trace_options.positive, metavar="C",
                        help="with shares instead of counts: token copies of a layer and iteration "
                        "(of each source rank, where there are some)")
    parser.set_defaults(axes=None)


def _layout(options, cells, path, line):
    if options.layout != "auto":
        return options.layout
    header = table_columns.Header(cells)
    if "ids" in header and "layer" in header:
        return "routes"
    if ("rank" in header or "expert" in header) and ("count" in header or "share" in header):
        return "long"
    if header.wide and "layer" in header:
        return "loads"
    if all(tables.number_like(cell) for cell in cells):
        return "square"
    if not all(tables.number_like(cell) for cell in cells[1:]) or not cells[0]:
        return "labelled"
    raise InputError(path, f"begins with {shorten(', '.join(cells))}: which layout is it?",
                     "--layout " + ", ".join(LAYOUTS[1:]), line=line)


class _Matrices:
    """Rows of one file to square matrices."""

    def __init__(self, path, report, labelled):
        self._path, self._report, self._labelled = path, report, labelled
        self._rows, self._header = [], None

    def take(self, line, cells):
        """A row that is not empty."""
        if self._labelled and self._header is None:
            self._header = cells
            return
        self._rows.append(self._counts(cells[1:] if self._labelled else cells, line))

    def end(self):
        """The matrix that an empty line or the end of the file closes, or None."""
        rows, self._rows, self._header = self._rows, [], None
        return np.stack(rows) if rows else None

    def _width(self, cells):
        """Columns of counts: as in the rows before; a header may or may not name the labels."""
        if self._rows:
            return len(self._rows[0])
        if self._labelled and len(cells) < len(self._header):
            return len(self._header) - 1
        return len(cells)

    def _counts(self, cells, line):
        row, width = len(self._rows) + 1, self._width(cells)
        if len(cells) > width:
            raise InputError(self._path, f"has {len(cells)} counts, the rows above have {width}",
                             line=line, row=row)
        cells = cells + [""] * (width - len(cells))  # empty ones at the end were cut off
        nothing = [cell.lower() in tables.NOTHING for cell in cells]
        if all(nothing) and width > 1:
            raise InputError(self._path, "holds no count at all", line=line, row=row)
        if any(nothing):
            self._report.count("cells without a number", sum(nothing))
            cells = ["0" if none else cell for none, cell in zip(nothing, cells)]
        return squares.row_of(cells, self._path, int(self._labelled), line=line, row=row)


def _matrices(paths, options, report, labelled):
    ranks = None
    for path in paths:
        parser = _Matrices(path, report, labelled)
        for line, cells in itertools.chain(tables.rows(path, report), [(None, [])]):
            if cells:
                parser.take(line, cells)
            elif (matrix := parser.end()) is not None:
                squares.check(matrix, path, options.ep, ranks, "the matrix", line)
                ranks = len(matrix)
                yield matrix
    if report.counts.get("cells without a number"):
        report.warn(f"{report.counts['cells without a number']} cells without a number count as 0")


class _Long:
    """Long form, loads and shares to one dense array."""

    def __init__(self, header, options, path):
        self.header, self._options, self._path = header, options, path
        if header.wide and "layer" in header and "count" not in header and "share" not in header:
            self.roles = [role for role in ("iteration", "layer") if role in header] + ["expert"]
            self._wide = header.wide
        else:
            to = "rank" if "rank" in header else "expert"
            self.roles = [r for r in ("iteration", "layer", "source") if r in header] + [to]
            self._wide = None
            if to not in header or not ("count" in header or "share" in header):
                raise InputError(path, "the header names no destination or no counts",
                                 "columns such as layer,src,dst,tokens or layer,expert,count")
        self._shares = self._wide is None and "count" not in header
        if self._shares and options.copies is None:
            raise InputError(path, "holds shares, not counts", "--copies C")
        self.sparse = table_columns.Sparse(self.roles)
        self._plain = [*self.roles, "share" if self._shares else "count"]
        self._plain += ["bytes"] if "bytes" in header and not self._shares else []
        self.copy_bytes = set()

    def take(self, cells, path, line, row):
        if len(cells) > self.header.width:
            raise InputError(path, f"has {len(cells)} columns, the header {self.header.width}",
                             line=line, row=row)
        number = self.header.number
        if self._wide:
            key = [number(cells, role, path, line, row) for role in self.roles[:-1]]
            for expert, column in enumerate(self._wide):
                cell = cells[column] if column < len(cells) else ""
                count = whole_number(cell, path, "a count", most=squares.MOST_CELL, line=line,
                                     row=row, column=column + 1)
                self.sparse.add((*key, expert), count)
            return
        numbers = self.header.fast(cells, self._plain)
        if not self._shares and numbers and max(numbers) < table_columns.MOST_INDEX:
            self._add(numbers[: len(self.roles)], *numbers[len(self.roles):])
            return
        key = tuple(number(cells, role, path, line, row) for role in self.roles)
        if self._shares:
            self.sparse.add(key, self._share(cells, path, line, row))
            return
        count = number(cells, "count", path, line, row, most=squares.MOST_CELL)
        amount = number(cells, "bytes", path, line, row, most=(1 << 63) - 1) \
            if "bytes" in self.header else 0
        self._add(key, count, amount)

    def _add(self, key, count, amount=0):
        self.sparse.add(key, count)
        if count and amount and len(self.copy_bytes) < 3:
            self.copy_bytes.add(amount / count)

    def _share(self, cells, path, line, row):
        text = self.header.cell(cells, "share", path, line, row)
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value <= 1e9:
            raise InputError(path, f"the share is {shorten(text)}", "a number from 0", line=line,
                             row=row, column=self.header.columns["share"] + 1)
        return round(value * 2**30)

    def values(self, experts):
        values, gaps = self.sparse.array(self._path, experts)
        if self._shares:
            flat = values.reshape(-1, values.shape[-1])
            for row in flat:
                if row.any():
                    row[:] = table_columns.largest_remainder(row.astype(float), self._options.copies)
        return values, gaps


def _read_long(paths, options, report):
    table, gaps = None, {}
    for path in paths:
        rows = tables.rows(path, report)
        _, cells = next((line, cells) for line, cells in rows if cells)
        header = table_columns.Header(cells)
        if table is None:
            table = _Long(header, options, path)
        elif header.columns != table.header.columns or header.wide != table.header.wide:
            raise InputError(path, "has another header than the file before")
        for row, (line, cells) in enumerate(rows, 1):
            if cells:
                table.take(cells, path, line, row)
                report.count("rows", 1)
    known = options.experts or trace_options.preset(options.model).get("experts")
    values, gaps = table.values(known)
    if table.sparse.twice:
        report.warn(f"{table.sparse.twice} rows name a place that an earlier row named: added up")
    if values.size > table.sparse.places:
        report.warn(f"{values.size - table.sparse.places} of {values.size} combinations of "
                    f"{', '.join(table.roles)} have no row and count as 0 (cut off?)")
    stated = {}
    if len(table.copy_bytes) == 1 and (size := next(iter(table.copy_bytes))).is_integer():
        element = options.bytes_per_element or 2
        if size >= element and size % element == 0:
            stated["hidden_size"] = int(size) // element
    elif table.copy_bytes:
        report.warn("the bytes column is not in proportion to the counts")
    if "layer" in gaps:
        stated["extra"] = {"layer_ids": gaps["layer"].astype(np.uint32)}
    return dense.trace([dense.Array.of(values)], options, report, "table (CSV)", paths[0],
                       tuple(table.roles), **stated)


def _read_routes(paths, options, report):
    collected = routes.Routes(options, report, paths[0])
    for path in paths:
        rows = tables.rows(path, report)
        header = table_columns.Header(next(cells for _, cells in rows if cells))
        if "ids" not in header or "layer" not in header:
            raise InputError(path, "the header names no layer or no expert ids",
                             "layer_id,expert_ids")
        for row, (line, cells) in enumerate(rows, 1):
            if cells:
                layer = header.number(cells, "layer", path, line, row, most=100000)
                ids = table_columns.expert_ids(
                    header.cell(cells, "ids", path, line, row), path, line, row,
                    options.experts or routes.MOST_EXPERTS)
                collected.add(0, layer, ids)
    return collected.trace("table of routes (CSV)")


_BELONG = (
    ("routes", "deal", "auto"), ("routes", "sequences_per_iteration", None),
    ("routes", "tokens_per_iteration", None), ("routes", "deduplicate", False),
    ("routes", "skip_repeated", None), ("long loads", "expand", None), ("long", "copies", None),
    ("square labelled", "layers", 1),
)


def _check_options(options, layout, path):
    """An option of another layout would be passed over in silence."""
    for layouts, name, default in _BELONG:
        if layout not in layouts.split() and getattr(options, name) != default:
            raise InputError(path, f"--{name.replace('_', '-')} does not go with the layout "
                             f"{layout}", "with " + " and ".join(layouts.split()))


def read(paths, options, report):
    line, cells = next((line, cells) for line, cells in tables.rows(paths[0], report) if cells)
    layout = _layout(options, cells, paths[0], line)
    _check_options(options, layout, paths[0])
    if layout == "routes":
        return _read_routes(paths, options, report)
    if layout in ("long", "loads"):
        return _read_long(paths, options, report)
    matrices = _matrices(paths, options, report, layout == "labelled")
    return squares.trace(matrices, options, report, f"table (CSV, {layout})", paths[0])
