# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""What is checked while a trace is written: conservation, limits, suspicious content."""

import numpy as np

from .errors import InputError

MOST_COUNT = np.iinfo(np.uint32).max
MOST_COUNTS_READ = 2_000_000_000


class TraceChecks:
    """Fed every iteration; warns at the end, so that a message says how often."""

    def __init__(self, trace, report):
        self._trace, self._report = trace, report
        self._copies = self._iterations = 0
        self._alike = self._repeated = self._parts = 0
        self._loads = None
        self._last = None

    def add(self, tokens):
        """tokens [layer, rank, destination] of the next iteration, any integer type."""
        where = self._trace.info.source
        if tokens.dtype.kind not in "iu" or tokens.min(initial=0) < 0:
            raise InputError(where, f"iteration {self._iterations} holds negative counts")
        if tokens.max(initial=0) > MOST_COUNT:
            layer, rank, to = np.unravel_index(int(tokens.argmax()), tokens.shape)
            raise InputError(
                where, f"iteration {self._iterations}, layer {layer}, source rank {rank}, "
                f"destination {to}: {int(tokens.max())} copies", f"at most {MOST_COUNT}")
        loads = tokens.sum(axis=1, dtype=np.int64)
        self._loads = loads if self._loads is None else self._loads + loads
        self._copies += int(loads.sum())
        self._iterations += 1
        filled = tokens.any(axis=(1, 2))
        self._parts += int(filled.sum())
        self._alike += int((filled & (tokens == tokens[:, :1]).all(axis=(1, 2))).sum())
        if self._last is not None and filled.any() and np.array_equal(self._last, tokens):
            self._repeated += 1
        self._last = np.array(tokens)

    def finish(self):
        """After the last iteration; returns the layers that hold tokens."""
        if not self._copies:
            raise InputError(self._trace.info.source, "holds no token at all", "counts above 0")
        expected = self._trace.copies() if self._trace.copies else self._copies
        if expected != self._copies:
            raise RuntimeError(f"{expected} copies were read, {self._copies} are in the trace")
        self._report.counts["copies"] = self._copies
        self._warn_of_loads()
        if self._alike and self._trace.ranks > 1 and not self._trace.expanded:
            self._report.warn(
                f"{self._alike} of {self._parts} all-to-alls have the same row for every source "
                "rank: the source ranks may have been made up")
        if self._repeated:
            self._report.warn(
                f"{self._repeated} of {self._iterations} iterations repeat the one before")
        counts = self._loads.size * self._trace.ranks * self._iterations
        if counts > MOST_COUNTS_READ:
            self._report.warn(f"{counts} counts: a run reads at most {MOST_COUNTS_READ}; "
                              "import fewer iterations")
        return np.flatnonzero(self._loads.any(axis=1))

    def _warn_of_loads(self):
        empty = np.flatnonzero(self._loads.sum(axis=1) == 0)
        if empty.size:
            self._report.warn(
                f"{empty.size} of {len(self._loads)} layers hold no token at all and are left out "
                f"(dense ones?): {_names(empty)}")
        unused = [int((layer == 0).sum()) for layer in self._loads if layer.any()]
        if any(unused):
            what = self._trace.info.destination
            if len(unused) == 1:
                names = _names(np.flatnonzero(self._loads[self._loads.any(axis=1)][0] == 0))
                self._report.warn(f"{unused[0]} of {self._loads.shape[1]} {what}s are never used: "
                                  f"{names}")
            else:
                self._report.warn(
                    f"{what}s never used: {sum(unused)} in {sum(n > 0 for n in unused)} of "
                    f"{len(unused)} layers (of {self._loads.shape[1]} in each)")


def _names(indices):
    shown = ", ".join(str(i) for i in indices[:8])
    return shown + (", ..." if len(indices) > 8 else "")
