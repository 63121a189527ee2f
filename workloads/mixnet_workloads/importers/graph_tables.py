# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The schema /graph: programs, which rank runs which, and groups of ranks (doc/schemas.rst).

Ranks that do the same share one program, so a job of 9,216 ranks that run one program costs the tasks
of one. Groups come in sets; the groups of a set have no rank in common, so "the group of set s that I
am in" is one thing, and a program can name it without naming a rank.
"""

import numpy as np

from .errors import InputError
from .graph_checks import check_collectives, check_messages
from .graph_program import CLASSES, FIELDS, KINDS, NONE, PHASES
from .output import Column, Table, Tables

SCHEMA = "mixnet-graph/1"


class Graph:
    """Collects sets, programs and names; tables() checks and returns the schema."""

    def __init__(self, ranks, path):
        self.ranks, self.path = ranks, path
        self.programs, self.rank_program = [], np.full(ranks, NONE, dtype="<u4")
        self.sets = []
        self._names, self._known, self._sets = {}, {}, {}

    def name(self, text):
        """Number of a name."""
        return self._names.setdefault(text, len(self._names))

    def add_set(self, name, groups):
        """Number of a new set of disjoint groups, each a sequence of ranks in the order that counts."""
        members = [np.asarray(group, dtype="<u4") for group in groups]
        everyone = np.concatenate(members) if members else np.zeros(0, "<u4")
        if len(everyone) and everyone.max() >= self.ranks:
            raise InputError(self.path, f"group '{name}' names rank {everyone.max()}",
                             f"0 to {self.ranks - 1}")
        if len(np.unique(everyone)) != len(everyone):
            raise InputError(self.path, f"group '{name}' names a rank twice")
        self.sets.append((name, members))
        self._sets[name] = len(self.sets) - 1
        return len(self.sets) - 1

    def find_set(self, name):
        """Number of a set, None where there is none of this name."""
        return self._sets.get(name)

    def group_of(self, number):
        """[rank] -> group within set `number`, -1 where a rank is in none."""
        place = np.full(self.ranks, -1, dtype=np.int64)
        for index, members in enumerate(self.sets[number][1]):
            place[members] = index
        return place

    def run(self, program, ranks):
        """These ranks run this program; equal programs are kept once."""
        frozen = program.freeze()
        key = frozen.digest()
        if key not in self._known:
            self._known[key] = len(self.programs)
            self.programs.append(frozen)
        self.rank_program[ranks] = self._known[key]

    def tables(self, **attributes):
        """The file. @raises InputError when messages or collectives do not match between ranks."""
        idle = np.flatnonzero(self.rank_program == NONE)
        if len(idle):
            raise InputError(self.path, f"rank {idle[0]} has no program", "tasks for every rank")
        check_collectives(self)
        check_messages(self)
        head = {"schema": SCHEMA, "ranks": np.uint64(self.ranks), **attributes}
        return Tables("task graph", [
            Table("/graph", [Column("rank_program", "1", self.rank_program)], head),
            self._tasks(), *self._programs(), *self._groups(),
        ])

    def _tasks(self):
        columns = []
        for name, kind, unit, _ in FIELDS:
            parts = [program.columns[name] for program in self.programs]
            columns.append(Column(name, unit, np.concatenate(parts).astype(kind, copy=False)))
        words = {"kinds": KINDS, "phases": PHASES, "traffic_classes": CLASSES}
        return Table("/graph/tasks", columns,
                     {name: ",".join(values) for name, values in words.items()})

    def _programs(self):
        starts = _starts([len(program) for program in self.programs])
        counts = [np.diff(program.first) for program in self.programs]
        before = np.concatenate([program.before for program in self.programs])
        on_start = np.concatenate([program.on_start for program in self.programs])
        yield Table("/graph/programs", [Column("first_task", "1", starts)])
        yield Table("/graph/program_names", [
            Column("name", "text", [program.name for program in self.programs])])
        yield Table("/graph/dependencies", [
            Column("first", "1", _starts(np.concatenate(counts)))])
        yield Table("/graph/dependencies/on", [
            Column("task", "1", before), Column("start", "1", on_start)])
        yield Table("/graph/names", [Column("name", "text", list(self._names) or [""])])

    def _groups(self):
        groups = [members for _, set_groups in self.sets for members in set_groups]
        yield Table("/graph/sets", [Column("name", "text", [name for name, _ in self.sets] or [""])])
        yield Table("/graph/sets/groups", [
            Column("first", "1", _starts([len(set_groups) for _, set_groups in self.sets]))])
        yield Table("/graph/groups", [Column("first", "1", _starts(list(map(len, groups))))])
        yield Table("/graph/groups/members", [
            Column("rank", "1", np.concatenate(groups) if groups else np.zeros(0, "<u4"))])


def _starts(lengths):
    starts = np.zeros(len(lengths) + 1, dtype="<u8")
    starts[1:] = np.cumsum(np.asarray(lengths, dtype=np.uint64))
    return starts
