# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: files expert_weights_LAYER.txt, alone, in a folder, or in a tar archive (compressed or
not). One line per sequence: expert ids separated by tabs (tokens x top-k of them), two tabs, as many
gate weights. top-k is 6 unless --top-k says otherwise.

Traps: layer numbers begin at 1 (layer 0 is dense); every layer must hold the same sequences."""

import os
import re
import tarfile

import numpy as np

from .. import inputs
from ..errors import InputError
from ..inputs import whole_number
from ..routes import MOST_EXPERTS, Routes, add_options # noqa: F401

NAME = "esft"
KIND = "trace"
SUMMARY = "ESFT folders of expert_weights_LAYER.txt (DeepSeek-V2-Lite)."
FOLDERS = True

_NAME = re.compile(r"expert_weights_(\d{1,5})\.txt(\.gz|\.xz|\.bz2)?$")


def _members(path, report):
    """Yields (label, group, layer, lines) of every file of weights."""
    if os.path.isdir(path):
        names = sorted(name for name in os.listdir(path) if _NAME.match(name))
        for name in names:
            full = os.path.join(path, name)
            yield full, path, int(_NAME.match(name)[1]), inputs.lines(full, report)
    elif _NAME.match(os.path.basename(path)):
        layer = int(_NAME.match(os.path.basename(path))[1])
        yield path, os.path.dirname(path), layer, inputs.lines(path, report)
    else:
        yield from _archive(path, report)


def _archive(path, report):
    with inputs.stream(path, report) as file:
        try:
            with tarfile.open(fileobj=file, mode="r|") as archive:
                for member in archive:
                    match = _NAME.match(os.path.basename(member.name))
                    if member.isfile() and match:
                        label = f"{path}:{member.name}"
                        content = archive.extractfile(member)
                        yield (label, os.path.dirname(member.name), int(match[1]),
                               inputs.decoded(content, label))
        except tarfile.TarError as error:
            raise InputError(path, f"is not a tar archive, or is damaged: {error}",
                             "expert_weights_LAYER.txt, folders and archives of them") from None


def _tokens(text, top_k, experts, path, line):
    """ids [token, choice] of one sequence."""
    ids, separator, weights = text.partition("\t\t")
    cells = ids.split("\t")
    if not separator:
        raise InputError(path, "has no two tabs between ids and weights", line=line)
    if weights.count("\t") + 1 != len(cells):
        raise InputError(path, f"{len(cells)} expert ids, but {weights.count(chr(9)) + 1} weights",
                         line=line)
    if len(cells) % top_k:
        raise InputError(path, f"{len(cells)} expert ids are not a multiple of top-k {top_k}",
                         "another --top-k", line=line)
    try:
        values = np.array(list(map(int, cells)), dtype=np.int64)
    except (ValueError, OverflowError):
        values = None
    if values is None or values.min() < 0 or values.max() >= experts:
        values = [whole_number(cell, path, "an expert id", most=experts - 1, line=line,
                               column=column) for column, cell in enumerate(cells, 1)]
    return np.array(values, dtype=np.int64).reshape(-1, top_k)


def read(paths, options, report):
    collected = Routes(options, report, paths[0])
    top_k = options.top_k or 6
    experts = options.experts or MOST_EXPERTS
    lengths = {}
    for path in paths:
        for label, group, layer, lines in _members(path, report):
            mine, parts, sequences = [], [], []
            for line, text in lines:
                if not text.strip():
                    raise InputError(label, "is an empty line", "one sequence per line", line=line)
                ids = _tokens(text, top_k, experts, label, line)
                sequences.append(np.full(len(ids), collected.sequence((group, line))))
                parts.append(ids)
                mine.append(len(ids))
            report.count("files", 1)
            if not parts:
                raise InputError(label, "is empty")
            collected.add_block(np.concatenate(sequences), layer, np.concatenate(parts))
            _same_sequences(lengths, group, label, mine)
    if not lengths:
        raise InputError(paths[0], "holds no expert_weights_LAYER.txt")
    return collected.trace("ESFT expert weights", top_k=top_k)


def _same_sequences(lengths, group, label, mine):
    other, expected = lengths.setdefault(group, (label, mine))
    if len(mine) != len(expected):
        raise InputError(label, f"{len(mine)} sequences, {other} has {len(expected)}")
    for line, (here, there) in enumerate(zip(mine, expected), 1):
        if here != there:
            raise InputError(label, f"{here} tokens, {other} has {there}", line=line)
