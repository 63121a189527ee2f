# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Statistics of a routing trace as text, and rates with their units."""

import re


def parse_rate(text):
    """Bytes per second from '400Gbps', '400 Gb/s' or '50GB/s'; a bare number is an error."""
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)(bps|b/s|Bps|B/s)\s*", text)
    if not match or float(match[1]) == 0:
        raise ValueError(f"rate '{text}': expected a number and a unit, such as 400Gbps or 50GB/s")
    scale = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[match[2]]
    return float(match[1]) * scale / (8 if match[3][0] == "b" else 1)


def format_bytes(amount):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024 or unit == "GiB":
            return f"{amount:.4g} {unit}"
        amount /= 1024


def format_time(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1 or unit == "us":
            return f"{seconds * scale:.4g} {unit}"


def report(result, rate=None, per_layer=False, each=False):
    """The text that the command prints."""
    first, last = result["iterations"]
    lines = [
        f"{result['file']}: {result['model']}",
        f"  iterations {first} to {last - 1}, {result['layers']} layers, "
        f"{result['source_ranks']} source ranks, {result['destinations']} "
        f"{result['destination']}s, top-{result['top_k'] or 'k not known'}, {result['copies']} "
        "token copies of "
        f"{result['copy_bytes']} B",
        f"  row sums: {result['row_sums']}",
        *_provenance_lines(result["provenance"]),
        f"  {result['destination']} load, mean over layers: gini {result['gini']:.3f}, skew "
        f"{result['skew']:.2f}; never used: {result['unused']}",
    ]
    if per_layer:
        lines += _layer_lines(result, rate)
    for r in result["ranks"]:
        lines += _rank_lines(r, rate, result["tokens_per_rank"])
        if each:
            lines += _each_lines(r, rate, first)
    return "\n".join(lines)


def _provenance_lines(provenance):
    if provenance is None:
        return []
    form, files, warnings = provenance
    names = ", ".join(files[:4]) + (f" and {len(files) - 4} more" if len(files) > 4 else "")
    return [f"  imported from {names} ({form})", *(f"  warning: {text}" for text in warnings)]


def _layer_lines(result, rate):
    """A line per layer; bounds are means over the iterations."""
    lines = ["  layer   gini   skew" + "".join(
        f"  top-30% EP{r['ep']}" + (f"  bound EP{r['ep']}" if rate else "")
        for r in result["ranks"])]
    for layer, (g, s) in enumerate(zip(result["gini_by_layer"], result["skew_by_layer"])):
        line = f"  {layer:>5}  {g:.3f}  {s:5.2f}"
        for r in result["ranks"]:
            width = len(str(r["ep"]))
            line += f"  {r['top30_summed_by_layer'][layer]:>{10 + width}.3f}"
            if rate:
                line += f"  {format_time(r['bound_bytes_by_layer'][layer] / rate):>{8 + width}}"
        lines.append(line)
    return lines


def _each_lines(r, rate, first):
    """A line per all-to-all, for spreadsheets; bytes and seconds."""
    lines = ["iteration,layer,ep,most sent (B),most received (B),lower bound (s)"]
    pairs = zip(r["sent_bytes_each"], r["received_bytes_each"])
    for iteration, (sent, received) in enumerate(pairs, first):
        lines += [f"{iteration},{layer},{r['ep']},{out:.0f},{into:.0f},{max(out, into) / rate:.9g}"
                  for layer, (out, into) in enumerate(zip(sent, received))]
    return lines


def _rank_lines(r, rate, tokens):
    scaled = f" at {tokens} tokens a rank" if tokens else ""
    lines = [
        f"EP {r['ep']}",
        f"  receive skew: {r['receive_skew_summed']:.2f} summed, "
        f"{r['receive_skew_single']:.2f} single (largest {r['receive_skew_single_max']:.2f})",
        f"  top-30 % pair share: {r['top30_summed']:.3f} summed, {r['top30_single']:.3f} single",
        f"  correlation: receive next iteration {r['receive_next_iteration']:.2f}, next layer "
        f"{r['receive_next_layer']:.2f}; pairs next iteration {r['pairs_next_iteration']:.2f}",
        f"  bytes of one all-to-all{scaled}: a rank sends {format_bytes(r['sent_bytes_mean'])} "
        f"(most {format_bytes(r['sent_bytes_max'])}), receives at most "
        f"{format_bytes(r['received_bytes_max'])}",
    ]
    if rate:
        lines.append(
            f"  lower bound of one all-to-all: mean {format_time(r['bound_bytes_mean'] / rate)}, "
            f"largest {format_time(r['bound_bytes_max'] / rate)}, uniform "
            f"{format_time(r['uniform_bound_bytes_mean'] / rate)}"
        )
    return lines
