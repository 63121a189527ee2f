# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Reads /graph by its published schema, independently of the code that writes it."""

import h5py

from importing import ImportCase

NONE = 4294967295
UNKNOWN = 18446744073709551615


class Graph:
    """A task graph; tasks of all programs are numbered through."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            group = file["graph"]
            self.attributes = dict(group.attrs)
            self.columns = {name: group["tasks"][name][:] for name in group["tasks"]}
            words = group["tasks"].attrs
            self._kinds, self._phases = words["kinds"].split(","), words["phases"].split(",")
            self.rank_program = group["rank_program"][:].tolist()
            self.first_task = group["programs/first_task"][:].tolist()
            self._first = group["dependencies/first"][:].tolist()
            self._on = group["dependencies/on/task"][:].tolist()
            self._start = group["dependencies/on/start"][:].tolist()
            self._set_names = [name.decode() for name in group["sets/name"][:]]
            self._sets = group["sets/groups/first"][:].tolist()
            self._groups = group["groups/first"][:].tolist()
            self._members = group["groups/members/rank"][:].tolist()
            self._names = [name.decode() for name in group["names/name"][:]]
        assert self.attributes["schema"] == "mixnet-graph/1"
        assert self._first[-1] == len(self._on) and self._groups[-1] == len(self._members)
        assert self.first_task[-1] == self.tasks and len(self._first) == self.tasks + 1

    @property
    def ranks(self):
        return int(self.attributes["ranks"])

    @property
    def programs(self):
        return len(self.first_task) - 1

    @property
    def tasks(self):
        return len(self.columns["kind"])

    def column(self, name):
        return self.columns[name]

    def set_names(self):
        return self._set_names[: len(self._sets) - 1]

    def groups(self, name):
        """Groups of a set, as lists of ranks."""
        number = self._set_names.index(name)
        return [self._members[self._groups[g] : self._groups[g + 1]]
                for g in range(self._sets[number], self._sets[number + 1])]

    def after(self, task, on_start=0):
        """What a task waits for, counted within its program."""
        span = range(self._first[task], self._first[task + 1])
        return [self._on[i] for i in span if self._start[i] == on_start]

    def name(self, task):
        number = self.columns["name"][task]
        return None if number == NONE else self._names[number]

    def tasks_of(self, rank):
        program = self.rank_program[rank]
        return range(self.first_task[program], self.first_task[program + 1])

    def describe(self, task):
        """(kind, duration or None, bytes, set or None, phase, waits for the end of)"""
        value = {name: int(values[task]) for name, values in self.columns.items()}
        return (self._kinds[value["kind"]],
                None if value["duration"] == UNKNOWN else value["duration"], value["bytes"],
                None if value["set"] == NONE else self._set_names[value["set"]],
                self._phases[value["phase"]], self.after(task))


class GraphCase(ImportCase):
    """Tests of one format, FORMAT, that becomes a task graph."""

    FORMAT = None

    def imported(self, *arguments):
        return super().imported(self.FORMAT, *arguments)

    def refused(self, path, *parts):
        super().refused(self.FORMAT, path, says=parts)

    def graph(self):
        return Graph(self.out)
