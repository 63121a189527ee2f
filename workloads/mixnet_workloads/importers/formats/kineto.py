# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: the Chrome trace that torch.profiler exports (.json, also compressed), one file per rank:
{"traceEvents": [{"ph": "X", "cat": "kernel", "name", "ts", "dur", "args"}, ...], "distributedInfo": ...} or
the bare list. Times are microseconds, with or without decimals, read exactly (--ts-unit).

Kernels, copies and sets of the GPU are put into classes by their names: attention, gemm, dispatch,
combine, all-reduce, ... --class adds patterns that come first. A kernel belongs to the innermost
annotated range (user_annotation, such as `attn(F)`) in which it was launched: on the launching thread, else
on any thread of the process (autograd has its own). The n-th range of a name is its layer n; the N of
ProfilerStep#N is the iteration. Files are streamed: memory holds kernels and launches, not the file."""

import re
from array import array

import numpy as np

from ..annotations import Annotations
from ..errors import InputError, shorten
from ..graph_program import NONE
from ..json_events import elements
from ..kernel_classes import Classifier
from ..quantities import decimal
from ..times_tables import Times

NAME = "kineto"
KIND = "times"
SUMMARY = "PyTorch profiler traces (Kineto, Chrome JSON): compute and communication times."

KERNELS = ("kernel", "gpu_memcpy", "gpu_memset")
LAUNCHES = ("cuda_runtime", "cuda_driver", "runtime")
NANOSECONDS_FROM = 10**17
_PLAIN = re.compile(r"([0-9]{1,19})(?:\.([0-9]{1,6}))?")
_TYPE_BYTES = {"float": 4, "float32": 4, "int": 4, "int32": 4, "bfloat16": 2, "half": 2, "float16": 2,
               "long": 8, "int64": 8, "double": 8, "float64": 8, "byte": 1, "uint8": 1, "int8": 1, "bool": 1,
               "float8_e4m3fn": 1, "float8_e5m2": 1}


def add_options(parser):
    parser.add_argument("--ts-unit", choices=("us", "ns"), default=None,
                        help="unit of ts and dur (default us; ns where ts is beyond 10^17)")
    parser.add_argument("--class", action="append", dest="classes", metavar="NAME=PATTERN",
                        help="class of kernels whose name matches; NAME:communication=PATTERN for one that "
                             "communicates; may be repeated")


class _File:
    """One rank's trace."""

    def __init__(self, path, options, report, times):
        self._path, self._report, self._times = path, report, times
        self._classify = Classifier(options.classes or ())
        self._unit = {None: None, "us": 10**6, "ns": 1000}[options.ts_unit]
        self._first = len(times)
        self._correlations = array("q")
        self._launches = array("q"), array("q"), array("q")
        self._threads, self._annotations = {}, Annotations()
        self._number, self._origin = 0, None

    def _start(self, event):
        """ps since long before the file's first event: an epoch in ps has more than 64 bits."""
        start = self._exact(event, "ts")
        if self._origin is None:
            self._origin = start - (1 << 61)
        return self._fit(event, "ts", start - self._origin)

    def _duration(self, event):
        return self._fit(event, "dur", self._exact(event, "dur"))

    def _fit(self, event, key, value):
        if not 0 <= value < 1 << 62:
            raise InputError(self._path, f"event {self._number}: '{key}' is {shorten(event[key])}",
                             "events within days of each other")
        return value

    def _exact(self, event, key):
        value = event.get(key)
        match = _PLAIN.fullmatch(str(value))
        if match and not isinstance(value, bool):
            unit = self._unit or self._guess(int(match[1]), key)
            return int(match[1]) * unit + int((match[2] or "").ljust(6, "0")) * unit // 10**6
        number, rest = decimal(str(value))
        if number is None or rest or number < 0:
            raise InputError(self._path, f"event {self._number}: '{key}' is {shorten(value)}",
                             "a number from 0")
        return int(number * (self._unit or 10**6))

    def _guess(self, value, key):
        if key != "ts":
            return self._unit or 10**6
        self._unit = 1000 if value > NANOSECONDS_FROM else 10**6
        if self._unit == 1000:
            self._report.warn(f"{self._path}: times are taken for ns, ts is {value} (--ts-unit)")
        return self._unit

    def read(self, about):
        for self._number, event in enumerate(elements(self._path, self._report, "traceEvents", about), 1):
            if not isinstance(event, dict):
                raise InputError(self._path, f"event {self._number} is {shorten(event)}", "an object")
            if event.get("ph") == "X" and isinstance(event.get("cat"), str):
                self._take(event, event["cat"].lower())
        if len(self._times) == self._first:
            raise InputError(self._path, f"none of {self._number} events is a kernel",
                             "a trace with CUDA activities")

    def _take(self, event, category):
        arguments = event.get("args") or {}
        if not isinstance(arguments, dict):
            raise InputError(self._path, f"event {self._number}: 'args' is {shorten(arguments)}",
                             "an object")
        if category in KERNELS:
            self._kernel(event, arguments)
        elif category in LAUNCHES and isinstance(arguments.get("correlation"), int):
            thread = self._threads.setdefault((event.get("pid"), event.get("tid")), len(self._threads))
            for column, value in zip(self._launches, (arguments["correlation"], self._start(event),
                                                      thread)):
                column.append(value)
        elif category == "user_annotation":
            thread = self._threads.setdefault((event.get("pid"), event.get("tid")), len(self._threads))
            start = self._start(event)
            self._annotations.add(str(event.get("name")), start, start + self._duration(event), thread,
                                  event.get("pid"))

    def _kernel(self, event, arguments):
        name = str(event.get("name", ""))
        start = self._start(event)
        label, communication = self._classify(name)
        ranks = arguments.get("Group size") if communication else 0
        ranks = ranks if isinstance(ranks, int) and 0 < ranks < NONE else 0
        size = arguments.get("In msg nelems", 0) if communication else 0
        size = size if isinstance(size, int) and size > 0 else 0
        stream = arguments.get("stream", event.get("tid"))
        self._times.add(self._times.classify(label, communication, ranks), name, self._duration(event),
                        start, stream=stream if isinstance(stream, int) and 0 <= stream < NONE else 0,
                        bytes=size * _TYPE_BYTES.get(str(arguments.get("dtype", "")).lower(), 0))
        correlation = arguments.get("correlation", -1)
        self._correlations.append(correlation if isinstance(correlation, int) else -1)

    def finish(self, rank, communication_of):
        """Starts from the first kernel, ranges, layers."""
        mine = slice(self._first, len(self._times))
        launch, thread = self._launch_of()
        pids = {number: pid for (pid, _), number in self._threads.items()}
        chosen = self._annotations.find(launch, thread, pids)
        column = self._times.column
        column("iteration")[mine] = self._annotations.iterations(launch)
        column("rank")[mine] = rank
        start = column("start")
        start[mine] -= start[mine].min()
        for place, (name, layer) in enumerate(self._annotations.ordered()):
            inside = np.flatnonzero(chosen == place) + self._first
            if not len(inside) and name.startswith("ProfilerStep"):
                continue
            number = self._times.name(name)
            self._times.column("annotation")[inside] = number
            self._times.column("layer")[inside] = layer
            self._times.layers.append((number, layer, rank, len(inside), *communication_of(inside)))
        lost = int((launch < 0).sum())
        if lost and len(self._launches[0]):
            self._report.warn(f"{self._path}: {lost} kernels without a launch are in no annotated range")

    def _launch_of(self):
        """(ps, thread) of each kernel's launch, -1 where there is none."""
        correlation, when, thread = (np.frombuffer(column, dtype=np.int64)
                                     for column in self._launches)
        wanted = np.frombuffer(self._correlations, dtype=np.int64)
        launch, threads = np.full(len(wanted), -1), np.full(len(wanted), -1)
        if len(correlation):
            order = np.argsort(correlation, kind="stable")
            place = np.searchsorted(correlation[order], wanted)
            place[place == len(order)] = 0
            hit = correlation[order][place] == wanted
            launch[hit], threads[hit] = when[order][place][hit], thread[order][place][hit]
        return launch, threads


def read(paths, options, report):
    times, abouts = Times(paths[0]), []
    for position, path in enumerate(paths):
        file, about = _File(path, options, report, times), {}
        file.read(about)
        info = about.get("distributedInfo")
        rank = info.get("rank", position) if isinstance(info, dict) else position
        if not isinstance(rank, int) or not 0 <= rank < NONE or rank in [known for known, _ in abouts]:
            raise InputError(path, f"rank {shorten(rank)} in distributedInfo", "another rank per file")

        def split(rows):
            """(compute, communication) of samples."""
            duration = times.column("duration")[rows]
            moving = times.is_communication()[times.column("class")[rows]] if len(rows) else np.zeros(0, bool)
            return int(duration[~moving].sum()), int(duration[moving].sum())

        file.finish(rank, split)
        abouts.append((rank, about))
    head = _head(abouts)
    return times.tables(report, **head)


def _head(abouts):
    head = {"files": np.uint64(len(abouts))}
    for key in ("world_size", "backend"):
        info = abouts[0][1].get("distributedInfo")
        if isinstance(info, dict) and isinstance(info.get(key), (int, str)):
            head[key] = info[key]
    devices = abouts[0][1].get("deviceProperties")
    if isinstance(devices, list) and devices and isinstance(devices[0], dict):
        head["device"] = str(devices[0].get("name", "unknown"))
    return head
