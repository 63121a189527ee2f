# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Makes the packages of workloads/ importable, and writes small traces for the tests."""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "workloads"), os.path.join(ROOT, "analysis")]

from mixnet_workloads.schema import TraceInfo  # noqa: E402
from mixnet_workloads.trace_writer import TraceWriter  # noqa: E402


def info(**changes):
    values = {"model": "test", "top_k": 2, "hidden_size": 4, "bytes_per_element": 2, "experts": 4,
              "layers": 2, "source": "made by a test", "licence": "CC0-1.0"}
    return TraceInfo(**{**values, **changes})


def write(path, tokens, **changes):
    """A trace of tokens [iteration, layer, rank, expert]; tokens_in follows from the row sums."""
    about = info(layers=tokens.shape[1], experts=tokens.shape[3], **changes)
    with TraceWriter(path, about, tokens.shape[2]) as writer:
        for iteration in tokens:
            writer.append(iteration, iteration.sum(axis=2) // about.top_k)
