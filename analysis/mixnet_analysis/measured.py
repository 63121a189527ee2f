# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
"""Measured tables of collectives: NCCL's (latency by operation, GPUs and size) and DeepEP's normal
kernels (dispatch and combine by tokens and SMs), as ai-dynamo/aiconfigurator publishes them."""

import csv
import dataclasses

NCCL_COLUMNS = ("op_name", "nccl_dtype", "num_gpus", "message_size", "latency")
DEEPEP_COLUMNS = ("node_num", "hidden_size", "num_token", "num_topk", "num_experts",
                  "dispatch_sms", "dispatch_transmit_us", "dispatch_notify_us",
                  "combine_sms", "combine_transmit_us", "combine_notify_us")
OPERATIONS = {"all_reduce": "all-reduce", "all_gather": "all-gather", "alltoall": "all-to-all",
              "reduce_scatter": "reduce-scatter"}
ELEMENT_BYTES = {"half": 2, "bfloat16": 2, "float": 4, "int8": 1, "fp8": 1}
MOST = 1 << 40


class TableError(Exception):
    """A table that is none, or holds what cannot be compared."""


@dataclasses.dataclass(frozen=True, order=True)
class Case:
    """What one run of a program serves. `shape`: for NCCL (operation, data type, GPUs), for
    DeepEP (nodes, hidden, top-k, experts)."""

    kind: str
    shape: tuple


@dataclasses.dataclass
class Row:
    """A time of a case. `size`: bytes of the buffer, or tokens of a GPU; `way`: "dispatch",
    "combine" or "" ; `sms`: of the kernel, 0 where nothing is said."""

    case: Case
    way: str
    sms: int
    size: int
    seconds: float


def _number(row, column, path, line, least=1, kind=int):
    text = row[column]
    try:
        value = kind(text)
    except (TypeError, ValueError):
        value = None
    if value is None or not least <= value < MOST:
        raise TableError(f"{path}:{line}: {column} is {text!r}; accepted: {least} and more")
    return value


def _known(row, column, known, path, line):
    if row[column] not in known:
        raise TableError(f"{path}:{line}: {column} is {row[column]!r}; accepted: "
                         + ", ".join(known))
    return known[row[column]]


def _nccl_rows(row, path, line):
    operation = _known(row, "op_name", OPERATIONS, path, line)
    each = _known(row, "nccl_dtype", ELEMENT_BYTES, path, line)
    gpus = _number(row, "num_gpus", path, line, least=2)
    size = each * _number(row, "message_size", path, line)
    milliseconds = _number(row, "latency", path, line, least=1e-9, kind=float)
    yield Row(Case("nccl", (operation, row["nccl_dtype"], gpus)), "", 0, size, milliseconds / 1e3)


def _deepep_rows(row, path, line):
    shape = tuple(_number(row, name, path, line)
                  for name in ("node_num", "hidden_size", "num_topk", "num_experts"))
    tokens = _number(row, "num_token", path, line)
    for way in ("dispatch", "combine"):
        micro = (_number(row, f"{way}_transmit_us", path, line, least=1e-6, kind=float)
                 + _number(row, f"{way}_notify_us", path, line, least=0, kind=float))
        yield Row(Case("deepep", shape), way, _number(row, f"{way}_sms", path, line), tokens,
                  micro / 1e6)


def read_table(path):
    """Rows of a table; equal ones (several runs) become their mean."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            names = set(reader.fieldnames or ())
            found = [rows for columns, rows in ((NCCL_COLUMNS, _nccl_rows),
                                                (DEEPEP_COLUMNS, _deepep_rows))
                     if names.issuperset(columns)]
            if not found:
                raise TableError(f"{path}: is no table of NCCL ({', '.join(NCCL_COLUMNS)}) nor of "
                                 f"DeepEP ({', '.join(DEEPEP_COLUMNS)})")
            rows = [new for row in reader for new in found[0](row, path, reader.line_num)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise TableError(f"{path}: cannot be read: {error}") from error
    if not rows:
        raise TableError(f"{path}: has no rows")
    runs = {}
    for row in rows:
        runs.setdefault((row.case, row.way, row.sms, row.size), []).append(row.seconds)
    return [Row(*key, sum(times) / len(times)) for key, times in runs.items()]
