# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
"""python3 -m mixnet_analysis.compare --collectives PROGRAM --exchange PROGRAM TABLE.csv

Measured collectives beside the model's, which is asked for the same operations and sizes."""

import argparse
import csv
import dataclasses
import subprocess
import sys

from .measured import ELEMENT_BYTES, TableError, read_table

CLASSES = {
    "nccl": (("64K-512K", 1 << 16), ("1M-8M", 1 << 20), ("16M-64M", 1 << 24),
             ("128M and more", 1 << 27)),
    "deepep": (("1-127", 1), ("128-1023", 128), ("1024-4095", 1024), ("4096 and more", 4096)),
}
UNIT = {"nccl": "bytes", "deepep": "tokens"}


@dataclasses.dataclass
class Result:
    """A measured row and the model's answer. `level`: of de-duplication, "" for NCCL."""

    row: object
    level: str
    seconds: float

    @property
    def ratio(self):
        return self.row.seconds / self.seconds


def _ask(words):
    """The numbers that a program prints, line by line."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise TableError(done.stderr.strip() or f"{words[0]}: exit code {done.returncode}")
    return [[float(word) for word in line.split()] for line in done.stdout.splitlines()[1:]]


def _nccl(program, case, rows):
    """Sizes double in the program: one run for all that one of them leads to by doubling."""
    operation, dtype, gpus = case.shape
    assert dtype in ELEMENT_BYTES
    left = {row.size for row in rows}
    times = {}
    while left:
        last = first = min(left)
        while last * 2 in left:
            last *= 2
        for line in _ask([program, f"--op={operation}", "--servers=1", f"--gpus={gpus}",
                          "--fabric=star", "--chunk=0B", f"--sizes={first}B..{last}B"]):
            times[int(line[0])] = line[1] / 1e6
        left -= set(times)
    return [Result(row, "", times[row.size]) for row in rows]


def _deepep(program, case, rows, options):
    nodes, hidden, top_k, experts = case.shape
    tokens = sorted({row.size for row in rows})
    found = []
    for level in options.deduplication:
        limit = min(options.group_limit, nodes)
        lines = _ask([program, f"--servers={nodes}", f"--gpus={options.gpus}",
                      f"--hidden={hidden}", f"--top-k={top_k}", f"--experts={experts}",
                      f"--group-limit={0 if limit == nodes else limit}",
                      f"--scale-up={options.scale_up}", f"--deduplication={level}",
                      "--tokens=" + ",".join(map(str, tokens))])
        times = {int(line[0]): {"dispatch": line[1] / 1e6, "combine": line[3] / 1e6}
                 for line in lines}
        found += [Result(row, level, times[row.size][row.way]) for row in rows]
    return found


def compare(rows, options):
    """A Result per row (DeepEP: and level)."""
    cases = {}
    for row in rows:
        cases.setdefault(row.case, []).append(row)
    results = []
    for case in sorted(cases):
        results += (_nccl(options.collectives, case, cases[case]) if case.kind == "nccl"
                    else _deepep(options.exchange, case, cases[case], options))
    instant = [r for r in results if r.seconds <= 0]
    if instant:
        print(f"{len(instant)} rows move no bytes between GPUs in the model: left out",
              file=sys.stderr)
    return [r for r in results if r.seconds > 0]


def label(result, each):
    """The line of the table that a result goes to."""
    row, shape = result.row, result.row.case.shape
    if row.case.kind == "nccl":
        return (f"{shape[0]}, {shape[2]} GPUs, {shape[1]}",)
    text = (f"{row.way}, {result.level}, {shape[0]} nodes", f"{row.sms:2} SMs")
    return text + ((f"hidden {shape[1]}, top-{shape[2]} of {shape[3]}",) if each else ())


def table(results, each):
    """Lines: measured over model, least and most of every class of sizes."""
    kind = results[0].row.case.kind
    lines = {}
    for result in results:
        name = [n for n, least in CLASSES[kind] if least <= result.row.size][-1:]
        if name:
            lines.setdefault(", ".join(label(result, each)), {}).setdefault(
                name[0], []).append(result.ratio)
    if not lines:
        return [f"no row has {CLASSES[kind][0][1]} {UNIT[kind]}"]
    width = max(len(line) for line in lines)
    head = "".join(f"{name:>16}" for name, _ in CLASSES[kind])
    text = [f"measured time / model's, by {UNIT[kind]}", " " * width + head]
    for line, classes in lines.items():
        cells = (f"{min(c):.2f} - {max(c):.2f}" if c else "" for c in
                 (classes.get(name, []) for name, _ in CLASSES[kind]))
        text.append(f"{line:<{width}}" + "".join(f"{cell:>16}" for cell in cells))
    return text


def write(path, results):
    """All of it as CSV."""
    try:
        with open(path, "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(("kind", "shape", "way", "sms", "deduplication", "size", "measured_us",
                          "model_us", "ratio"))
            for r in results:
                out.writerow((r.row.case.kind, " ".join(map(str, r.row.case.shape)), r.row.way,
                              r.row.sms, r.level, r.row.size, f"{r.row.seconds * 1e6:.3f}",
                              f"{r.seconds * 1e6:.3f}", f"{r.ratio:.4f}"))
    except OSError as error:
        raise TableError(f"{path}: cannot be written: {error}") from error


def main(words=None):
    parser = argparse.ArgumentParser(prog="mixnet compare", description=__doc__.split("\n")[-1])
    parser.add_argument("tables", nargs="+", metavar="TABLE.csv")
    parser.add_argument("--collectives", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--exchange", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--deduplication", nargs="+", choices=("none", "rank", "server"),
                        default=("server", "none"))
    parser.add_argument("--group-limit", type=int, default=4)
    parser.add_argument("--gpus", type=int, default=8)
    parser.add_argument("--scale-up", default="3600Gbps")
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--csv")
    options = parser.parse_intermixed_args(words)
    try:
        results = []
        for path in options.tables:
            found = compare(read_table(path), options)
            if not found:
                raise TableError(f"{path}: has nothing to compare")
            print("\n".join([path] + table(found, options.each)))
            results += found
        if options.csv:
            write(options.csv, results)
    except TableError as error:
        print(f"mixnet: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
