# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Tables whose header names their columns: long form, loads of experts, routes."""

import array
import re

import numpy as np

from .errors import InputError, shorten
from .inputs import whole_number

NAMES = {
    "iteration": ("iteration", "iter", "step", "it", "forward_pass_id"),
    "layer": ("layer", "layer_id", "layer_idx"),
    "source": ("src", "source", "source_rank", "src_rank", "from", "sender"),
    "rank": ("dst", "destination", "dest", "dst_rank", "destination_rank", "to", "receiver"),
    "expert": ("expert", "expert_id", "expert_idx"),
    "count": ("tokens", "count", "copies", "token_copies", "num_tokens", "value"),
    "share": ("prob", "share", "token_distr", "fraction", "load"),
    "bytes": ("bytes", "size_bytes"),
    "ids": ("expert_ids", "experts", "topk_ids"),
}
_WIDE = re.compile(r"(?:expert|exp|e)?[ _-]?(\d{1,5})$", re.IGNORECASE)
MOST_INDEX = 1 << 20
MOST_CELLS = 1 << 28


class Header:
    """Which column holds what; `wide` are the columns of experts 0, 1, ... in order."""

    def __init__(self, cells):
        lower = [cell.strip().lower() for cell in cells]
        self.columns = {}
        for role, names in NAMES.items():
            for name in names:
                if name in lower:
                    self.columns.setdefault(role, lower.index(name))
        numbered = {int(match[1]): column for column, cell in enumerate(lower)
                    if (match := _WIDE.match(cell))}
        count = len(numbered)
        self.wide = [numbered[i] for i in range(count)] if sorted(numbered) == list(
            range(count)) and count > 1 else []
        self.width = len(cells)

    def __contains__(self, role):
        return role in self.columns

    def cell(self, cells, role, path, line, row):
        column = self.columns[role]
        if column >= len(cells):
            raise InputError(path, f"has no column for the {role}", line=line, row=row)
        return cells[column]

    def fast(self, cells, roles):
        """The numbers of these columns where all are plain digits, else None."""
        try:
            picked = [cells[self.columns[role]] for role in roles]
            return [int(cell) for cell in picked] if all(map(str.isdigit, picked)) else None
        except (IndexError, ValueError):
            return None

    def number(self, cells, role, path, line, row, most=MOST_INDEX):
        return whole_number(self.cell(cells, role, path, line, row), path, f"the {role}", most=most,
                            line=line, row=row, column=self.columns[role] + 1)


class Sparse:
    """Counts by (iteration, layer, source, destination), one row of the file each."""

    def __init__(self, roles):
        self.roles = roles
        self._keys, self._counts = array.array("q"), array.array("q")
        self.places = self.twice = 0

    def add(self, key, count):
        self._keys.extend(key)
        self._counts.append(count)

    def array(self, path, experts=None):
        """(dense array, {role: original numbers where they are not 0, 1, ...}); counts how many
        places have a row, and how many rows name a place again."""
        if not self._counts:
            raise InputError(path, "holds no row of counts")
        keys = np.array(self._keys, dtype=np.int64).reshape(len(self._counts), -1)
        shape, gaps = [], {}
        ends = {"source": 0, "rank": 0}
        for axis, role in enumerate(self.roles):
            if role in ends:
                ends[role] = int(keys[:, axis].max()) + 1
        for axis, role in enumerate(self.roles):
            if role in ("iteration", "layer"):
                found, keys[:, axis] = np.unique(keys[:, axis], return_inverse=True)
                shape.append(len(found))
                if found[-1] != len(found) - 1:
                    gaps[role] = found
            elif role == "expert":
                shape.append(max(int(keys[:, axis].max()) + 1, experts or 0))
            else:
                both = max(ends.values()) if "rank" in self.roles else ends["source"]
                shape.append(both)
        size = int(np.prod(shape, dtype=object))
        if size > MOST_CELLS:
            raise InputError(path, f"the counts would need {size} cells {tuple(shape)}",
                             f"up to {MOST_CELLS}")
        values = np.zeros(shape, dtype=np.int64)
        flat = np.ravel_multi_index(tuple(keys.T), shape)
        seen = np.bincount(flat, minlength=size) if size <= 4 * len(flat) else np.unique(
            flat, return_counts=True)[1]
        self.places = int((seen > 0).sum())
        self.twice = len(flat) - self.places
        np.add.at(values.reshape(-1), flat, np.array(self._counts))
        return values, gaps


def expert_ids(text, path, line, row, most):
    """A list of ids in one cell: "3 17 5", "[3, 17, 5]"."""
    cells = re.split(r"[\s,;]+", text.strip("[](){} "))
    if not cells or not cells[0]:
        raise InputError(path, f"expert ids are {shorten(text)}", "such as '3 17 5'", line=line,
                         row=row)
    return [whole_number(cell, path, "an expert id", most=most - 1, line=line, row=row)
            for cell in cells]


def largest_remainder(shares, total):
    """Whole numbers in proportion to shares that add up to total; ties go to the lower index."""
    scale = shares.sum()
    exact = shares * (total / scale)
    whole = np.floor(exact).astype(np.int64)
    order = np.argsort(whole - exact, kind="stable")
    whole[order[: total - int(whole.sum())]] += 1
    return whole
