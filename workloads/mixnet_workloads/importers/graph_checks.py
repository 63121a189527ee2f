# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Laws of /graph between ranks: members of a group run the same collectives, messages have two ends."""

import numpy as np

from .errors import InputError
from .graph_program import COMPUTE, KINDS, NONE, RECV, ROOTED, SEND


def check_collectives(graph):
    """The k-th collective of each member of a group on a set is of one kind and size."""
    runs = np.zeros((len(graph.programs), max(1, len(graph.sets))), dtype=np.int64)
    kinds_of_runs = {}
    for index, program in enumerate(graph.programs):
        for number, rows in _by_set(program):
            key = (number, *(program.columns[name][rows].tobytes()
                             for name in ("kind", "bytes")), _roots(program, rows).tobytes())
            runs[index, number] = kinds_of_runs.setdefault(key, len(kinds_of_runs) + 1)
    rooted = _rooted(graph)
    for number, (name, groups) in enumerate(graph.sets):
        per_rank = runs[graph.rank_program, number]
        outside = np.flatnonzero((graph.group_of(number) < 0) & (per_rank > 0))
        if len(outside):
            program = graph.programs[graph.rank_program[outside[0]]]
            raise InputError(program.path, f"rank {outside[0]} runs a collective of group '{name}' "
                             "but is no member", line=_line(program, number))
        _check_roots(graph, number, rooted.get(number, ()))
        for members in groups:
            different = np.flatnonzero(per_rank[members] != per_rank[members[0]])
            if len(different):
                _refuse(graph, number, int(members[0]), int(members[different[0]]))


def _by_set(program):
    kind, number = program.columns["kind"], program.columns["set"]
    rows = np.flatnonzero((number != NONE) & (kind != COMPUTE) & (kind != SEND) & (kind != RECV))
    order = rows[np.argsort(number[rows], kind="stable")]
    values, starts = np.unique(number[order], return_index=True)
    for value, part in zip(values.tolist(), np.split(order, starts[1:])):
        yield value, part


def _roots(program, rows):
    """The roots where there are any; peer means nothing for the other kinds."""
    return np.where(np.isin(program.columns["kind"][rows], ROOTED), program.columns["peer"][rows], 0)


def _rooted(graph):
    """{set: [(program, rows of its collectives in that set)]} of programs that have roots."""
    found = {}
    for index, program in enumerate(graph.programs):
        if np.isin(program.columns["kind"], ROOTED).any():
            for number, rows in _by_set(program):
                found.setdefault(number, []).append((index, rows))
    return found


def _check_roots(graph, number, rooted):
    """A root is a place in each group in which the program runs."""
    name, groups = graph.sets[number]
    sizes = np.array([len(members) for members in groups])
    of_ranks = sizes[graph.group_of(number)]  # nobody outside runs one
    smallest = np.full(len(graph.programs), np.iinfo(np.int64).max)
    np.minimum.at(smallest, graph.rank_program, of_ranks)
    for index, rows in rooted:
        program, least = graph.programs[index], int(smallest[index])
        roots = _roots(program, rows)
        bad = np.flatnonzero((roots < 0) | (roots >= least))
        if len(bad):
            raise InputError(program.path, f"root {roots[bad[0]]} in a group of '{name}' with {least} "
                             "members", f"0 to {least - 1}",
                             line=int(program.columns["line"][rows[bad[0]]]) or None)


def _line(program, number):
    rows = dict(_by_set(program))[number]
    return int(program.columns["line"][rows[0]]) or None


def _refuse(graph, number, left, right):
    """Names the first collective in which two members of a group differ."""
    described = []
    for rank in (left, right):
        program = graph.programs[graph.rank_program[rank]]
        rows = dict(_by_set(program)).get(number, np.zeros(0, np.int64))
        described.append([(KINDS[program.columns["kind"][row]], int(program.columns["bytes"][row]),
                           int(root), int(program.columns["line"][row]))
                          for row, root in zip(rows, _roots(program, rows))])
    at = next((k for k, (a, b) in enumerate(zip(*described)) if a[:3] != b[:3]),
              min(map(len, described)))
    texts = []
    for rank, steps in zip((left, right), described):
        program = graph.programs[graph.rank_program[rank]]
        texts.append(f"rank {rank} ({program.path}) " + (
            f"runs {steps[at][0]} of {steps[at][1]} B (line {steps[at][3]})" if at < len(steps)
            else f"has only {len(steps)}"))
    raise InputError(graph.path, f"collective {at + 1} of group '{graph.sets[number][0]}': "
                     + ", ".join(texts), "the same kind and size at all members")


def check_messages(graph):
    """The k-th send from a to b with a tag meets the k-th receive, of the same size."""
    sends, receives = _messages(graph, SEND), _messages(graph, RECV)
    if not len(sends["bytes"]) and not len(receives["bytes"]):
        return
    sends, receives = _sorted(sends), _sorted(receives)
    both = min(len(sends["bytes"]), len(receives["bytes"]))
    same = np.ones(both, dtype=bool)
    for name in ("from", "to", "tag", "bytes"):
        same &= sends[name][:both] == receives[name][:both]
    if len(sends["bytes"]) == len(receives["bytes"]) and same.all():
        return
    at = int(np.argmin(same)) if both and not same.all() else both
    key = [tuple(int(part[name][at]) for name in ("from", "to", "tag"))
           if at < len(part["bytes"]) else (1 << 65,) for part in (sends, receives)]
    if key[0] == key[1]:
        problem = (f"sends {sends['bytes'][at]} B, the receive (line {receives['line'][at]}) "
                   f"expects {receives['bytes'][at]} B")
        part = sends
    else:
        part, problem = ((sends, "is sent but never received") if key[0] < key[1]
                         else (receives, "is received but never sent"))
    message = f"message from rank {part['from'][at]} to {part['to'][at]}, tag {part['tag'][at]}"
    program = graph.programs[graph.rank_program[part["rank"][at]]]
    raise InputError(program.path, f"{message}: {problem}", "a receive for every send",
                     line=int(part["line"][at]) or None)


def _messages(graph, kind):
    parts = {name: [] for name in ("from", "to", "tag", "bytes", "line", "rank")}
    rows = [np.flatnonzero(program.columns["kind"] == kind) for program in graph.programs]
    places = {}
    for rank, index in enumerate(graph.rank_program.tolist()):
        if not len(rows[index]):
            continue
        program, chosen = graph.programs[index], rows[index]
        columns = {name: program.columns[name][chosen] for name in ("tag", "bytes", "line")}
        peer = _peers(graph, places, rank, program, chosen)
        here = np.full(len(chosen), rank, dtype=np.int64)
        columns["from"], columns["to"] = (here, peer) if kind == SEND else (peer, here)
        columns["rank"] = here
        for name, values in columns.items():
            parts[name].append(values)
    return {name: np.concatenate(values) if values else np.zeros(0, np.int64)
            for name, values in parts.items()}


def _peers(graph, places, rank, program, rows):
    """Ranks at the other ends: absolute, or counted from one's own place in a group."""
    number, peer = program.columns["set"][rows], program.columns["peer"][rows].astype(np.int64)
    for value in np.unique(number[number != NONE]).tolist():
        if value not in places:
            places[value] = graph.group_of(value)
        mine = places[value][rank]
        members = graph.sets[value][1][mine] if mine >= 0 else np.zeros(0, "<u4")
        chosen = number == value
        target = peer[chosen] + np.flatnonzero(members == rank).sum()
        bad = np.flatnonzero((target < 0) | (target >= len(members)))
        if len(bad):
            raise InputError(program.path, f"rank {rank}: no member {target[bad[0]]} in its group of "
                             f"'{graph.sets[value][0]}'",
                             line=int(program.columns["line"][rows[chosen][bad[0]]]) or None)
        peer[chosen] = members[target]
    bad = np.flatnonzero((peer < 0) | (peer >= graph.ranks))
    if len(bad):
        raise InputError(program.path, f"rank {rank}: no rank {peer[bad[0]]}",
                         f"0 to {graph.ranks - 1}",
                         line=int(program.columns["line"][rows[bad[0]]]) or None)
    return peer


def _sorted(part):
    order = np.lexsort((part["tag"], part["to"], part["from"]))
    return {name: values[order] for name, values in part.items()}
