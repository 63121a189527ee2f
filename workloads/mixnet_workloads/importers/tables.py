# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""CSV and TSV as rows of cells, streamed."""

import csv

from . import inputs
from .errors import InputError

MOST_CELL = 1 << 24
NOTHING = ("", "-", "none", "null", "na", "n/a")


def delimiter(line):
    """The one of tab, semicolon, comma, blank that a line uses."""
    for mark in "\t;,":
        if mark in line:
            return mark
    return " " if " " in line.strip() else ","


def rows(path, report):
    """Yields (line, cells): quotes and line breaks inside of them as in RFC 4180, comments (#) and
    the empty cells at the end of a row left out; an empty line gives no cells."""
    state = {"line": 0}

    def plain():
        for number, text in inputs.lines(path, report):
            state["line"] = number
            if not text.lstrip().startswith("#"):
                yield text + "\n"

    source = plain()
    first = []
    for text in source:
        first.append(text)
        if text.strip():
            break
    if not first or not first[-1].strip():
        raise InputError(path, "holds no row")
    mark = delimiter(first[-1])
    csv.field_size_limit(MOST_CELL)
    reader = csv.reader(_chain(first, source), delimiter=mark, skipinitialspace=True, strict=True)
    try:
        for cells in reader:
            cells = [cell.strip() for cell in cells]
            while cells and not cells[-1]:
                cells.pop()
            yield state["line"], cells
    except csv.Error as error:
        raise InputError(path, f"is not CSV: {error}", line=state["line"]) from None


def _chain(first, rest):
    yield from first
    yield from rest


def number_like(cell):
    """Whether a cell is a number or says that there is none (then it is no label)."""
    if cell.lower() in NOTHING:
        return True
    try:
        float(cell)
    except ValueError:
        return False
    return True
