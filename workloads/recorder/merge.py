# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Joins the parts that the processes of a distributed job recorded, one source rank each.

    python3 -m recorder.merge part0.h5 part1.h5 ... -o trace.h5
"""

import argparse
import contextlib
import dataclasses
import sys

import numpy as np

from mixnet_workloads.schema import Trace, TraceError
from mixnet_workloads.trace_writer import TraceWriter


def merge(parts, output):
    """Parts in any order; every rank once, all of one job and equal length."""
    with contextlib.ExitStack() as stack:
        traces = [stack.enter_context(Trace(path)) for path in parts]
        ordered = _in_rank_order(traces)
        about = [_common(trace.info) for trace in ordered]
        for trace, info in zip(ordered, about):
            if dataclasses.replace(info, dropped=about[0].dropped) != about[0]:
                raise TraceError(f"{trace.path}: attributes differ from {ordered[0].path}")
            if trace.shape[0] != ordered[0].shape[0]:
                raise TraceError(
                    f"{trace.path}: {trace.shape[0]} iterations, {ordered[0].path} has "
                    f"{ordered[0].shape[0]}"
                )
        info = dataclasses.replace(about[0], dropped=any(i.dropped for i in about))
        with TraceWriter(output, info, len(ordered)) as writer:
            for rows in zip(*(trace.iterations() for trace in ordered)):
                tokens = np.concatenate([tokens for _, tokens, _ in rows], axis=1)
                tokens_in = np.concatenate([fed for _, _, fed in rows], axis=1)
                writer.append(tokens, tokens_in)


def _in_rank_order(traces):
    by_rank = {}
    for trace in traces:
        rank = trace.info.extra.get("part_rank")
        if rank is None or not trace.has_tokens_in:
            raise TraceError(f"{trace.path}: not a part of a trace (recorded with rank=)")
        if int(rank) in by_rank:
            raise TraceError(f"{trace.path}: rank {rank} is given twice")
        by_rank[int(rank)] = trace
    ranks = int(traces[0].info.extra["part_ranks"])
    for trace in traces:
        if int(trace.info.extra["part_ranks"]) != ranks:
            raise TraceError(f"{trace.path}: a part of {trace.info.extra['part_ranks']} ranks, "
                             f"{traces[0].path} is one of {ranks}")
    for rank in range(ranks):
        if rank not in by_rank:
            raise TraceError(f"rank {rank} of {ranks} is missing")
    return [by_rank[rank] for rank in range(ranks)]


def _common(info):
    """The description without what is a part's own."""
    extra = {k: v for k, v in info.extra.items() if k not in ("part_rank", "part_ranks")}
    return dataclasses.replace(info, extra=extra)


def main(argv=None):
    parser = argparse.ArgumentParser(prog="recorder.merge", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", metavar="PART.h5")
    parser.add_argument("-o", "--output", required=True, metavar="TRACE.h5")
    options = parser.parse_args(argv)
    try:
        merge(options.parts, options.output)
    except TraceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
