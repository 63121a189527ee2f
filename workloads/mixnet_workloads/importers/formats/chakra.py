# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: one file per rank, NAME.RANK.et (protobuf messages with length prefixes, by MLCommons'
et_def.proto) or NAME.RANK.json ({"workload_graph": [{"Id", "Name", "NodeType", "runtime", "data_deps",
"comm_type", ...}]}), and optionally comm_group.json, {"1": [0, 1, ...], ...}. Give all files, or the folder
that holds them.

Computation: duration_micros, else num_ops and tensor_size. Communication: comm_type, comm_size (of an
all-gather: of one rank, as ASTRA-sim reads it), pg_name, comm_src, comm_dst, comm_tag; integers of every
type. What is missing is 0, so a node without id is node 0. Collectives without pg_name are over all
ranks. Computations of the GPU run one at a time, so do those of the CPU (is_cpu_op, which a node without it
is, as for Chakra's own reader). Equal ranks share a program. In messages, the number behind a file's name
counts its records."""

import os
import re

import numpy as np

from .. import inputs
from ..chakra_nodes import TYPES, json_nodes, nodes
from ..errors import InputError, shorten
from ..graph_program import COMPUTE, KINDS, NO_STREAM, RECV, SEND, UNKNOWN, Program
from ..graph_tables import Graph

NAME = "chakra"
KIND = "task graph"
SUMMARY = "Chakra execution traces (.et), one per rank."
FOLDERS = True

COLLECTIVES = ("all-reduce", "reduce", "all-gather", "gather", "scatter", "broadcast", "all-to-all",
               "reduce-scatter", "reduce-scatter", "barrier")
GATHERING = ("all-gather", "gather")
_FILE = re.compile(r"(.*?)\.?(\d+)\.(et|json)(\.gz|\.xz|\.bz2)?", re.ASCII)
_PS = 10**6 # a microsecond
_MOST = (1 << 63) - 1


def _ranks(paths):
    """([path of rank 0, 1, ...], path of the groups or None)"""
    found, groups, prefix = {}, None, None
    for path in paths:
        match = _FILE.fullmatch(os.path.basename(path))
        if not match and path.endswith(".json"):
            if groups:
                raise InputError(path, "is a second file of groups", "one comm_group.json")
            groups = path
            continue
        if not match:
            raise InputError(path, "has no rank in its name", "NAME.RANK.et, comm_group.json")
        rank = int(match[2])
        if prefix not in (None, match[1]) or rank in found:
            raise InputError(path, f"rank {rank} of '{match[1]}' beside "
                             f"{os.path.basename(found.get(rank, next(iter(found.values()))))}",
                             "files of one trace")
        prefix = match[1]
        found[rank] = path
    missing = [rank for rank in range(max(found, default=0) + 1) if rank not in found]
    if missing:
        raise InputError(paths[0], f"no file of rank {missing[0]}"
                         + (f" ({len(missing)} ranks are missing)" if len(missing) > 1 else ""),
                         f"NAME.RANK.et of ranks 0 to {max(found, default=0)}")
    return [found[rank] for rank in sorted(found)], groups


def _listed(paths):
    files = []
    for path in paths:
        if os.path.isdir(path):
            inside = [os.path.join(path, name) for name in sorted(os.listdir(path))]
            files += [name for name in inside
                      if _FILE.fullmatch(os.path.basename(name)) or name.endswith("comm_group.json")]
        else:
            files.append(path)
    if not files:
        raise InputError(paths[0], "holds no traces", "files NAME.RANK.et")
    return files


def _groups(path, graph, report):
    """{name: (set, size)}; groups of one size without a common rank share a set, so that ranks that
    differ in the group alone have equal programs."""
    content = inputs.json_file(path, report)
    if not isinstance(content, dict):
        raise InputError(path, "is no object", '{"name": [ranks], ...}')
    pools, place = [], {}
    for name, members in content.items():
        if not isinstance(members, list) or not members:
            raise InputError(path, f"group '{name}' is {shorten(members)}", "a list of ranks")
        ranks = [inputs.whole_number(rank, path, f"rank of group '{name}'", most=graph.ranks - 1)
                 for rank in members]
        if len(set(ranks)) < len(ranks):
            raise InputError(path, f"group '{name}' names a rank twice")
        for pool in pools:
            if pool["size"] == len(ranks) and not pool["used"][ranks].any():
                break
        else:
            pool = {"size": len(ranks), "used": np.zeros(graph.ranks, bool), "names": [], "groups": []}
            pools.append(pool)
        pool["used"][ranks] = True
        pool["names"].append(name)
        pool["groups"].append(ranks)
    for pool in pools:
        more = f" and {len(pool['names']) - 1} more" if len(pool["names"]) > 1 else ""
        number = graph.add_set(f"group {pool['names'][0]}{more}", pool["groups"])
        place.update({name: (number, pool["size"], set(ranks))
                      for name, ranks in zip(pool["names"], pool["groups"])})
    return place


class _Rank:
    """Turns the nodes of one file into a program."""

    def __init__(self, path, rank, graph, groups, report):
        self._path, self._rank, self._graph = path, rank, graph
        self._groups, self._report = groups, report
        self._program = Program(f"rank {rank}", path)
        self._where, self._before = {}, []

    def read(self):
        form = _FILE.fullmatch(os.path.basename(self._path))[3]
        for node in (json_nodes if form == "json" else nodes)(self._path, self._report):
            if node.number in self._where:
                raise InputError(self._path, f"node {node.number} comes twice", line=node.record)
            self._where[node.number] = self._add(node)
            self._before.append((node, node.before))
        if not self._where:
            raise InputError(self._path, "holds no nodes")
        for node, before in self._before:
            for number in dict.fromkeys(before):
                if number not in self._where:
                    raise InputError(self._path, f"node {node.number} '{node.name}' waits for node "
                                     f"{number}, which is not there", "dependencies on nodes of this file",
                                     line=node.record)
                self._program.depend(self._where[node.number], self._where[number])
        return self._program

    def _number(self, node, name, most=_MOST, default=0):
        value = node.attributes.get(name)
        if value is None:
            return default
        return inputs.whole_number(value, self._path, f"'{name}' of node {node.number}", 0, most,
                                   line=node.record)

    def _add(self, node):
        kind = TYPES[node.type] if node.type < len(TYPES) else str(node.type)
        if kind in ("INVALID", str(node.type)):
            raise InputError(self._path, f"node {node.number} has type {node.type}",
                             "1 to 7: " + ", ".join(TYPES[1:]), line=node.record)
        common = {"name": self._graph.name(node.name), "line": node.record}
        if kind == "COMM_COLL":
            return self._collective(node, common)
        if kind in ("COMM_SEND", "COMM_RECV"):
            end = "comm_dst" if kind == "COMM_SEND" else "comm_src"
            return self._program.add(
                SEND if kind == "COMM_SEND" else RECV, peer=self._number(node, end, (1 << 31) - 1),
                bytes=self._number(node, "comm_size"), tag=self._number(node, "comm_tag"), **common)
        return self._computation(node, kind, common)

    def _computation(self, node, kind, common):
        micros = node.duration or self._number(node, "runtime", (1 << 63) // _PS)
        if micros >= (1 << 63) // _PS:
            raise InputError(self._path, f"node {node.number} takes {micros} us", "less than 2^63 ps",
                             line=node.record)
        flops, size = self._number(node, "num_ops"), self._number(node, "tensor_size")
        unknown = not micros and kind != "METADATA" and (flops or size)
        stream = NO_STREAM if kind != "COMP" else 1 if node.attributes.get("is_cpu_op", True) else 0
        return self._program.add(COMPUTE, duration=UNKNOWN if unknown else micros * _PS, flops=flops,
                                 bytes=size, stream=stream, **common)

    def _collective(self, node, common):
        number = self._number(node, "comm_type")
        if number >= len(COLLECTIVES):
            raise InputError(self._path, f"node {node.number} has comm_type {number}",
                             f"0 to {len(COLLECTIVES) - 1}", line=node.record)
        for name in ("comm_type", "comm_size"):
            if name not in node.attributes and COLLECTIVES[number] != "barrier":
                self._report.warn(f"{os.path.basename(self._path)}: collectives without '{name}': 0")
        group, size = self._group(node)
        kind = COLLECTIVES[number]
        total = 0 if kind == "barrier" else self._number(node, "comm_size") * (
            size if kind in GATHERING else 1)
        if total > _MOST:
            raise InputError(self._path, f"node {node.number} gathers {total} B", "less than 2^63",
                             line=node.record)
        return self._program.add(KINDS.index(kind), bytes=total, set=group,
                                 peer=self._number(node, "root", (1 << 31) - 1), **common)

    def _group(self, node):
        name = node.attributes.get("pg_name")
        if name is None or name == "":
            if not all(node.attributes.get("involved_dim") or [True]):
                self._report.warn("collectives over some dimensions only (involved_dim): the files do not "
                                  "say which ranks these are; all ranks are taken")
            world = self._graph.find_set("world")
            if world is None:
                world = self._graph.add_set("world", [range(self._graph.ranks)])
            return world, self._graph.ranks
        if str(name) not in self._groups:
            raise InputError(self._path, f"node {node.number} is over group {shorten(str(name))}",
                             ", ".join(self._groups) or "groups of a comm_group.json among the files",
                             line=node.record)
        number, size, members = self._groups[str(name)]
        if self._rank not in members:
            raise InputError(self._path, f"node {node.number} is over group '{name}', which has no rank "
                             f"{self._rank}", line=node.record)
        return number, size


def read(paths, options, report):
    files, group_file = _ranks(_listed(paths))
    graph = Graph(len(files), files[0])
    groups = _groups(group_file, graph, report) if group_file else {}
    for rank, path in enumerate(files):
        program = _Rank(path, rank, graph, groups, report).read()
        report.count("tasks", len(program))
        graph.run(program, rank)
    report.count("ranks", len(files))
    report.count("programs", len(graph.programs))
    return graph.tables()
