# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layer lines of a SimAI workload as one program, and the groups of its ranks."""

import numpy as np

from .errors import InputError
from .graph_program import CLASSES, COMPUTE, KINDS, PHASES, RECV, SEND

COMMUNICATIONS = {"ALLREDUCE": "all-reduce", "ALLGATHER": "all-gather",
                  "REDUCESCATTER": "reduce-scatter", "ALLTOALL": "all-to-all",
                  "BROADCAST": "broadcast"}
SUFFIXES = {"EP": "ep", "DP": "dp", "DP_EP": "dp_ep"}
_CLASS = {"tp": "tp", "ep": "ep", "dp": "dp", "dp_ep": "dp", "world": "other"}
_PS = 1000 # a ns


def groups_of(sizes, tp_outside=False):
    """{set: groups of ranks}; rank = ((stage x DP) + replica) x TP + index, EP ranks = replicas that
    follow each other. tp_outside: the replicas of an index follow each other."""
    ranks = np.arange(sizes["gpus"], dtype=np.uint32)
    inner = sizes["dp"] // sizes["ep"], sizes["ep"]
    if tp_outside:
        cube = np.moveaxis(ranks.reshape(sizes["pp"], sizes["tp"], *inner), 1, 3)
    else:
        cube = ranks.reshape(sizes["pp"], *inner, sizes["tp"])

    def along(*axes):
        kept = [axis for axis in range(4) if axis not in axes]
        width = int(np.prod([cube.shape[axis] for axis in axes]))
        return cube.transpose(*kept, *axes).reshape(-1, width)

    return {"tp": along(3), "ep": along(2), "dp": along(1, 2), "dp_ep": along(1), "pp": along(0),
            "world": ranks[None, :]}


class _Line:
    """Adds tasks that follow each other."""

    def __init__(self, program, graph, sets):
        self._program, self._graph, self._sets = program, graph, sets
        self.last = ()

    def compute(self, layer, index, time, phase, what):
        name, _, _, number = layer
        self.last = (self._program.add(
            COMPUTE, self.last, duration=time * _PS, stream=0, phase=PHASES.index(phase), layer=index,
            name=self._graph.name(f"{name} {what}"), line=number),)

    def communicate(self, layer, index, communication, phase):
        """@returns the task; what follows waits for it only when the caller sets `last`."""
        name, _, _, number = layer
        kind, group, size = communication
        return self._program.add(
            KINDS.index(kind), self.last, bytes=size, set=self._sets[group],
            traffic_class=CLASSES.index(_CLASS[group]), phase=PHASES.index(phase), layer=index,
            name=self._graph.name(f"{name} {kind} {group}"), line=number)

    def hand_over(self, kind, to, size, phase):
        """A send or recv between stages; what follows waits for a recv only."""
        task = self._program.add(kind, self.last, bytes=size, set=self._sets["pp"], peer=to,
                                 traffic_class=CLASSES.index("pp"), phase=PHASES.index(phase),
                                 name=self._graph.name(f"{KINDS[kind]} between stages"))
        if kind == RECV:
            self.last = (task,)

    def update(self, layer, index, after):
        name, _, time, number = layer
        return self._program.add(
            COMPUTE, (after,), duration=time * _PS, phase=PHASES.index("update"), layer=index,
            name=self._graph.name(f"{name} update"), line=number)


def _recomputed(path, head, count):
    """{layer that initiates: first layer to compute again}"""
    starts = {}
    checkpoints = sorted(set(head.get("checkpoints", [])))
    for key in ("checkpoints", "checkpoint_initiates"):
        for layer in head.get(key, []):
            if layer >= count:
                raise InputError(path, f"'{key}' names layer {layer}", f"0 to {count - 1}", line=1)
    for layer in head.get("checkpoint_initiates", []):
        before = [checkpoint for checkpoint in checkpoints if checkpoint < layer]
        if not before:
            raise InputError(path, f"no checkpoint before layer {layer} of 'checkpoint_initiates'",
                             "a checkpoint with a smaller number", line=1)
        starts[layer] = before[-1]
    return starts


def micro_batches(layers, count):
    """(first line, lines of one) of `count` micro-batches that follow each other: the longest lines
    whose names repeat so often; None where there are none. One micro-batch is all lines."""
    if count == 1:
        return 0, len(layers)
    _, names = np.unique([layer[0] for layer in layers], return_inverse=True)
    for length in range(len(names) // count, 0, -1):
        apart = np.flatnonzero(names[:-length] != names[length:])
        edges = np.concatenate([[-1], apart, [len(names) - length]])
        runs = np.flatnonzero(np.diff(edges) - 1 >= (count - 1) * length)
        if len(runs):
            return int(edges[runs[0]]) + 1, length
    return None


def build(program, graph, sets, head, layers, ends=None):
    """The tasks of one iteration, see formats/simai.py. ends: (first line, lines) of a micro-batch
    and whether there are stages before and after, where transfers between stages are wanted."""
    line = _Line(program, graph, sets)
    again = _recomputed(program.path, head, len(layers))
    (first, length), before, after = ends or ((0, 0), False, False)
    size = head.get("pp_comm", 0)

    def at(index, place):
        inside = length and first <= index < first + length * head.get("ga", 1)
        return inside and (index - first) % length == place

    for index, layer in enumerate(layers):
        if before and at(index, 0):
            line.hand_over(RECV, -1, size, "forward")
        _forward(line, layer, index, "forward")
        if after and at(index, length - 1):
            line.hand_over(SEND, 1, size, "forward")
    for index in reversed(range(len(layers))):
        layer = layers[index]
        if after and at(index, length - 1):
            line.hand_over(RECV, 1, size, "input-gradient")
        if index in again:
            for other in range(again[index], index):
                _forward(line, layers[other], other, "recompute")
        _backward(line, layer, index)
        if before and at(index, 0):
            line.hand_over(SEND, -1, size, "input-gradient")


def _forward(line, layer, index, phase):
    time, communication = layer[1][0]
    line.compute(layer, index, time, phase, "forward")
    if communication:
        line.last = (line.communicate(layer, index, communication, phase),)


def _backward(line, layer, index):
    time, communication = layer[1][1]
    line.compute(layer, index, time, "input-gradient", "input gradient")
    if communication:
        line.last = (line.communicate(layer, index, communication, "input-gradient"),)
    time, communication = layer[1][2]
    line.compute(layer, index, time, "weight-gradient", "weight gradient")
    if communication:
        task = line.communicate(layer, index, communication, "weight-gradient")
        if layer[2]:
            line.update(layer, index, task)
