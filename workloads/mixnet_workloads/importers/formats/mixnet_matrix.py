# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: [[a,b,...],[...],...], nested lists of N rows of N counts; row = source rank, column =
destination rank, unit = token copies. Blanks and line breaks anywhere; several matrices follow each
other (one per line, or in an outer list), also over several files, and become iterations, or layers
with --layers.

Traps: the row sum is whatever it is (the original reader divides by 32768 whatever the file says),
and N is never wrapped around an EP degree."""

import re

import numpy as np

from .. import inputs, squares
from ..errors import InputError, shorten

NAME = "mixnet-matrix"
KIND = "trace"
SUMMARY = "MixNet weight matrix, one or many per file."

add_options = squares.add_options
_PIECES = re.compile(r"[\[\]]|[^\[\]]+")
_MOST_DEPTH = 5


class _Parser:
    """Bracket by bracket; feed() yields (line, matrix as a list of rows) when one is complete."""

    def __init__(self, path):
        self._path = path
        self._depth, self._row, self._rows, self._line = 0, None, [], None
        self._matrices = 0

    def feed(self, line, text):
        for piece in _PIECES.findall(text):
            if piece == "[":
                self._open(line)
            elif piece == "]":
                yield from self._close(line)
            elif self._row is not None:
                self._row.append(piece)
            elif piece.strip(" \t,;"):
                raise InputError(self._path, f"unexpected {shorten(piece.strip())}",
                                 "[[a,b,...],[...],...]", line=line)

    def end(self, line):
        if self._depth:
            raise InputError(self._path, "the file ends inside of a matrix (cut off?)", line=line)

    def _open(self, line):
        if self._row is not None and "".join(self._row).strip():
            raise InputError(self._path, "a list begins inside of a row", line=line)
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise InputError(self._path, "lists are nested too deeply", "[[a,b,...],...]",
                             line=line)
        self._row = []
        self._line = self._line or line

    def _close(self, line):
        if not self._depth:
            raise InputError(self._path, "']' without '['", line=line)
        self._depth -= 1
        if self._row is not None:
            self._rows.append(self._numbers("".join(self._row), line))
            self._row = None
        elif self._rows:
            self._matrices += 1
            yield self._line, np.stack(self._rows)
            self._rows, self._line = [], None

    def _numbers(self, text, line):
        number = len(self._rows) + 1
        if self._depth == 0:
            raise InputError(self._path, "a row stands alone", "[[a,b,...],[...],...]", line=line)
        cells = text.split(",") if text.strip() else []
        row = squares.row_of(cells, self._path, line=line, row=number)
        if self._rows and len(row) != len(self._rows[0]):
            raise InputError(self._path, f"has {len(row)} columns, the rows above have "
                             f"{len(self._rows[0])}", line=line, row=number)
        return row


def _matrices(paths, options, report):
    ranks = None
    for path in paths:
        parser, line, found = _Parser(path), 0, 0
        for line, text in inputs.lines(path, report):
            for start, matrix in parser.feed(line, text):
                found += 1
                squares.check(matrix, path, options.ep, ranks, f"matrix {found}", start)
                ranks = matrix.shape[0]
                yield matrix
        parser.end(line)
        if not found:
            raise InputError(path, "holds no matrix", "[[a,b,...],[...],...]")


def read(paths, options, report):
    matrices = _matrices(paths, options, report)
    return squares.trace(matrices, options, report, "MixNet weight matrix", paths[0])
