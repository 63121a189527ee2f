# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: a number of nodes, then as many node numbers, over any number of lines: the nodes whose ports
HPCC records. As for the original reader, what follows is no part of the list; it is warned of."""

import numpy as np

from .. import inputs
from ..errors import InputError
from ..output import Column, Table, Tables
from ..words import one_file, word_lines

NAME = "hpcc-trace"
KIND = "node list"
SUMMARY = "trace.txt of HPCC: nodes to record."


def read(paths, options, report):
    path = one_file(paths, "list of nodes")
    declared, nodes, line = None, {}, 1
    for line, words in word_lines(path, report):
        if declared is None:
            declared = inputs.whole_number(words[0], path, "number of nodes", most=1 << 24, line=line)
            words = words[1:]
        if len(nodes) == declared and words:
            report.warn(f"{declared} nodes are declared: line {line} and what follows is left out")
            break
        for word in words[: declared - len(nodes)]:
            number = inputs.whole_number(word, path, "node", most=(1 << 32) - 2, line=line)
            if number in nodes:
                raise InputError(path, f"node {number} comes twice, first in line {nodes[number]}",
                                 line=line)
            nodes[number] = line
    if declared is None or len(nodes) < declared:
        raise InputError(path, f"holds {len(nodes)} nodes", f"{declared}, as declared (cut off?)",
                         line=line)
    report.count("nodes", len(nodes))
    table = Table("/nodes", [Column("id", "1", np.array(list(nodes), dtype="<u8"))],
                  {"schema": "mixnet-nodes/1"})
    return Tables("node list", [table])
