# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: `size percent` per line, both rising, percent from 0 to 100 (or a share from 0 to 1):
percent of the flows have at most this many bytes; between lines it is linear. A first percent above 0
is the share of flows of exactly the first size."""

from fractions import Fraction

import numpy as np

from .. import inputs
from ..errors import InputError, shorten
from ..output import Column, Table, Tables
from ..quantities import decimal
from ..words import expect, one_file, word_lines

NAME = "size-cdf"
KIND = "size distribution"
SUMMARY = "Flow-size distributions such as WebSearch (HPCC, conweave)."


def _rows(path, report):
    sizes, shares, line = [], [], 1
    for line, words in word_lines(path, report):
        expect(words, 2, path, line, "size percent")
        size = inputs.whole_number(words[0], path, "size", line=line)
        share, rest = decimal(words[1])
        if share is None or rest or not 0 <= share <= 100:
            raise InputError(path, f"bad percent {shorten(words[1])}", "0 to 100", line=line)
        if sizes and (size < sizes[-1] or share < shares[-1]):
            raise InputError(path, f"{words[0]} {words[1]} is below the line above", "rising values",
                             line=line)
        sizes.append(size)
        shares.append(share)
    if len(sizes) < 2 or shares[-1] not in (1, 100):
        raise InputError(path, f"ends at {float(shares[-1]) if shares else 0:g}", "100 (or 1) percent in the "
                         "last of two or more lines", line=line)
    return sizes, [share / shares[-1] for share in shares]


def read(paths, options, report):
    path = one_file(paths, "distribution")
    sizes, shares = _rows(path, report)
    mean = shares[0] * sizes[0] + sum(
        (shares[i] - shares[i - 1]) * Fraction(sizes[i] + sizes[i - 1], 2) for i in range(1, len(sizes)))
    report.count("sizes", len(sizes))
    return Tables("size distribution", [Table("/distribution", [
        Column("size", "B", np.array(sizes, dtype="<u8")),
        Column("probability", "1", np.array([float(share) for share in shares]))],
        {"schema": "mixnet-distribution/1", "mean": float(mean)})])
