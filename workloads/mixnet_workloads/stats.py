# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Statistics of a routing trace.

    ./mixnet trace TRACE.h5 [--ep 8,16,32] [--rate 400Gbps] [--per-layer] [--each] [--json]

Definitions. An all-to-all is one (iteration, layer); its pair matrix P[s][d] counts token copies
from EP rank s to EP rank d. Experts (and, with `--sources fold`, source ranks) fold into EP ranks
in contiguous groups: expert e of E lives on rank floor(e * EP / E).

load             copies an expert receives in a layer, added up over the iterations
gini             of the loads of a layer's experts: 0 all equal, 1 - 1/E one expert takes all;
                 sum_i (2 i - E - 1) x_i / (E sum x) for loads x sorted upwards; mean over layers
skew             largest over mean: of expert loads, or of the columns of P (receive skew)
top-30 % share   part of the off-diagonal copies carried by the largest round(0.3 n) of the
                 n = EP (EP - 1) ordered pairs; 0.3 when all are equal. "summed": P added up over
                 the iterations, mean over layers; "single": every all-to-all by itself, mean
correlation      Pearson, averaged over all cases in which it is defined:
  receive, next iteration   columns of P, same layer, iterations i and i + 1
  receive, next layer       columns of P, same iteration, layers l and l + 1
  pairs, next iteration     all EP * EP entries of P, same layer, iterations i and i + 1
bytes            copies * hidden_size * bytes_per_element, off-diagonal (what leaves the rank)
lower bound      of an all-to-all: the largest of all ranks' bytes sent and received, over the
                 rate that one EP rank has in each direction. `uniform` is the same bytes with
                 all entries of a row equal (then the rank that sends most decides). Dispatch;
                 combine is its transpose and equal to it.
"""

import argparse
import json
import signal
import sys

import numpy as np

from .schema import Trace, TraceError
from .stats_text import parse_rate, report

TOP_SHARE = 0.3


def fold(counts, parts, axis):
    """Sums `axis` into `parts` contiguous groups: index i of n goes to floor(i * parts / n)."""
    size = counts.shape[axis]
    starts = [-(-part * size // parts) for part in range(parts)]
    return np.add.reduceat(counts, starts, axis=axis, dtype=np.int64)


def gini(loads):
    """Gini coefficient along the last axis; 0 where nothing was received."""
    ordered = np.sort(np.asarray(loads, dtype=float), axis=-1)
    size = ordered.shape[-1]
    weights = 2.0 * np.arange(1, size + 1) - size - 1
    total = ordered.sum(axis=-1)
    return (ordered @ weights) / (size * np.where(total > 0, total, 1))


def skew(loads):
    """Largest over mean along the last axis; 1 where nothing was received."""
    loads = np.asarray(loads, dtype=float)
    mean = loads.mean(axis=-1)
    return np.where(mean > 0, loads.max(axis=-1) / np.where(mean > 0, mean, 1), 1.0)


def top_pair_share(pairs):
    """Share of the largest 30 % of ordered off-diagonal pairs; pairs [..., ranks, ranks]."""
    ranks = pairs.shape[-1]
    apart = ~np.eye(ranks, dtype=bool)
    values = -np.sort(-pairs[..., apart].astype(float), axis=-1)
    total = values.sum(axis=-1)
    top = values[..., : max(1, round(TOP_SHARE * values.shape[-1]))].sum(axis=-1)
    return np.where(total > 0, top / np.where(total > 0, total, 1), np.nan)


def correlation(first, second):
    """Pearson along the last axis; NaN where one side is constant."""
    a = first - first.mean(axis=-1, keepdims=True)
    b = second - second.mean(axis=-1, keepdims=True)
    scale = np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))
    return np.where(scale > 0, (a * b).sum(axis=-1) / np.where(scale > 0, scale, 1), np.nan)


class Mean:
    """Running mean and largest of values as they come; NaN are left out."""

    def __init__(self):
        self.total, self.count, self.largest = 0.0, 0, float("nan")

    def add(self, values):
        values = np.asarray(values, dtype=float).ravel()
        values = values[~np.isnan(values)]
        if values.size:
            self.total += float(values.sum())
            self.count += values.size
            self.largest = float(np.nanmax([self.largest, values.max()]))

    @property
    def value(self):
        return self.total / self.count if self.count else float("nan")


class RankStatistics:
    """Statistics of the pair matrices at one EP degree; feed it iterations in order."""

    def __init__(self, info, shape, ep, sources="fold", tokens=None):
        _, layers, ranks, destinations = shape
        self.ep, self._sources, self._tokens, self._info = ep, sources, tokens, info
        if ep < 2 or ep > ranks or ep > destinations:
            raise ValueError(
                f"EP {ep}: the trace has {ranks} source ranks and {destinations} destinations, "
                f"accepted: 2 to {min(ranks, destinations)}"
            )
        if tokens is not None and info.top_k == 0:
            raise ValueError("--tokens: the trace does not say its top-k; accepted: a trace with "
                             "it ('./mixnet import ... --top-k K')")
        if sources == "first" and info.destination == "rank":
            raise ValueError("--sources first needs a trace whose destinations are experts")
        self._pairs = np.zeros((layers, ep, ep), dtype=np.int64)
        self._last = None
        self._share, self._skew = Mean(), Mean()
        self._next_iteration, self._next_layer, self._next_pairs = Mean(), Mean(), Mean()
        self._sent, self._received, self._bound, self._uniform = Mean(), Mean(), Mean(), Mean()
        self._each = []

    def add(self, tokens):
        """tokens [layer, source rank, destination] of the next iteration."""
        kept = tokens[:, : self.ep] if self._sources == "first" else tokens
        pairs = fold(fold(kept, self.ep, axis=1), self.ep, axis=2)
        received = pairs.sum(axis=1)
        self._pairs += pairs
        self._share.add(top_pair_share(pairs))
        self._skew.add(skew(received))
        self._next_layer.add(correlation(received[:-1], received[1:]))
        flat = pairs.reshape(len(pairs), -1)
        if self._last is not None:
            self._next_pairs.add(correlation(self._last, flat))
            self._next_iteration.add(
                correlation(self._last.reshape(pairs.shape).sum(axis=1), received)
            )
        self._last = flat
        self._add_bytes(pairs)

    def _add_bytes(self, pairs):
        amounts = pairs.astype(float)
        if self._tokens is not None:
            rows = amounts.sum(axis=2, keepdims=True)
            amounts *= self._tokens * self._info.top_k / np.where(rows > 0, rows, 1)
        amounts *= self._info.copy_bytes
        away = amounts * ~np.eye(self.ep, dtype=bool)
        sent, received = away.sum(axis=2), away.sum(axis=1)
        self._sent.add(sent)
        self._received.add(received)
        self._bound.add(np.maximum(sent.max(axis=1), received.max(axis=1)))
        self._each.append(np.stack([sent.max(axis=1), received.max(axis=1)]))
        self._uniform.add(amounts.sum(axis=2).max(axis=1) * (self.ep - 1) / self.ep)

    def result(self):
        """Plain numbers; bytes where the name says so."""
        shares = top_pair_share(self._pairs)
        summed = Mean()
        summed.add(shares)
        each = np.stack(self._each)
        return {
            "ep": self.ep,
            "receive_skew_single": self._skew.value,
            "receive_skew_single_max": self._skew.largest,
            "receive_skew_summed": float(skew(self._pairs.sum(axis=1)).mean()),
            "top30_summed": summed.value,
            "top30_summed_by_layer": shares.tolist(),
            "top30_single": self._share.value,
            "receive_next_iteration": self._next_iteration.value,
            "receive_next_layer": self._next_layer.value,
            "pairs_next_iteration": self._next_pairs.value,
            "sent_bytes_mean": self._sent.value,
            "sent_bytes_max": self._sent.largest,
            "received_bytes_max": self._received.largest,
            "bound_bytes_mean": self._bound.value,
            "bound_bytes_max": self._bound.largest,
            "bound_bytes_by_layer": each.max(axis=1).mean(axis=0).tolist(),
            "sent_bytes_each": each[:, 0].tolist(),
            "received_bytes_each": each[:, 1].tolist(),
            "uniform_bound_bytes_mean": self._uniform.value,
        }


def compute(trace, degrees=None, experts=None, sources="fold", first=0, last=None, tokens=None):
    """All statistics of an open Trace as plain numbers, in one pass over the file.

    degrees  EP degrees; default those of 8, 16, 32 that the trace allows, else its source ranks
    experts  fold the destinations into so many experts first, as a model with fewer experts does
    tokens   scale every source rank to so many tokens per all-to-all before bytes are counted
    """
    shape, info = trace.shape, trace.info
    last = shape[0] if last is None else last
    if not 0 <= first < last <= shape[0]:
        raise ValueError(f"iterations {first}:{last}: the trace holds 0:{shape[0]}")
    if experts is not None and not 1 < experts <= shape[3]:
        raise ValueError(f"experts {experts}: the trace has {shape[3]}, accepted: 2 to {shape[3]}")
    shape = (*shape[:3], experts or shape[3])
    if not degrees:
        allowed = [d for d in (8, 16, 32) if d <= min(shape[2:])]
        degrees = allowed or [min(shape[2:])]
    ranks = [RankStatistics(info, shape, ep, sources, tokens) for ep in degrees]
    loads = np.zeros((shape[1], shape[3]), dtype=np.int64)
    for _, counts, _ in trace.iterations(first, last):
        if experts is not None:
            counts = fold(counts, experts, axis=2)
        loads += counts.sum(axis=1, dtype=np.int64)
        for statistics in ranks:
            statistics.add(counts)
    return {
        "file": trace.path, "model": info.model, "iterations": [first, last],
        "layers": shape[1], "source_ranks": shape[2], "destinations": shape[3],
        "destination": info.destination, "top_k": info.top_k, "copy_bytes": info.copy_bytes,
        "tokens_per_rank": tokens, "copies": int(loads.sum()),
        "row_sums": _row_sums(trace), "provenance": trace.provenance,
        "gini": float(gini(loads).mean()), "gini_by_layer": gini(loads).tolist(),
        "skew": float(skew(loads).mean()), "skew_by_layer": skew(loads).tolist(),
        "unused": int((loads == 0).sum()), "ranks": [s.result() for s in ranks],
    }


def _row_sums(trace):
    """What Trace.iterations() has checked."""
    if not trace.has_tokens_in:
        return "not checked, no /tokens_in"
    at_most = trace.info.dropped or trace.info.deduplicated
    return ("at most" if at_most else "exactly") + " tokens_in x top_k"


def _arguments(argv):
    parser = argparse.ArgumentParser(prog="mixnet trace", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", metavar="TRACE.h5")
    parser.add_argument("--ep", help="EP degrees, comma-separated (default 8,16,32)")
    parser.add_argument("--experts", type=int, help="fold to so many experts first")
    parser.add_argument("--sources", choices=("fold", "first"), default="fold",
                        help="source ranks of an EP degree below the trace's: all of them in "
                             "contiguous groups, or the first ones only (default fold)")
    parser.add_argument("--iterations", metavar="A:B", help="iterations A to B - 1 (default all)")
    parser.add_argument("--tokens", type=int, help="scale to so many tokens per rank and "
                        "all-to-all before bytes are counted (default as recorded)")
    parser.add_argument("--rate", default="400Gbps",
                        help="of one EP rank in each direction, with unit (default 400Gbps)")
    parser.add_argument("--per-layer", action="store_true", help="one line per layer")
    parser.add_argument("--each", action="store_true", help="one line per all-to-all: bytes of the "
                        "busiest ranks, lower bound")
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.error = _refuse
    return parser.parse_args(argv)


def _refuse(message):
    """argparse would end the program with 2, which means unfinished work here."""
    raise ValueError(message)


def _plain(value):
    """Undefined numbers as null: JSON has no NaN."""
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    return None if isinstance(value, float) and value != value else value


def _numbers(text, option, separator):
    try:
        return [int(part) for part in text.split(separator)]
    except ValueError:
        raise ValueError(
            f"{option} '{text}': expected whole numbers separated by '{separator}'"
        ) from None


def main(argv=None):
    try:
        options = _arguments(argv)
    except ValueError as error:
        print(f"error: {error} (see ./mixnet trace --help)", file=sys.stderr)
        return 1
    try:
        rate = parse_rate(options.rate)
        degrees = _numbers(options.ep, "--ep", ",") if options.ep else None
        span = [0, None]
        if options.iterations:
            span = _numbers(options.iterations, "--iterations", ":")
        if len(span) != 2:
            raise ValueError(f"--iterations '{options.iterations}': expected A:B")
        if options.tokens is not None and options.tokens < 1:
            raise ValueError(f"--tokens {options.tokens}: expected a number > 0")
        with Trace(options.trace) as trace:
            result = compute(trace, degrees, options.experts, options.sources, *span,
                             tokens=options.tokens)
    except TraceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except ValueError as error:
        print(f"error: {options.trace}: {error}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(_plain({**result, "rate_bytes_per_s": rate}), indent=1))
    else:
        print(report(result, rate, options.per_layer, options.each))
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # "| head" ends it without a word
    sys.exit(main())
