# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: files of torch.save, with PyTorch installed (Debian: python3-torch), one of

    {"logical_count": [step, layer, expert], "rank": ...}    SGLang, recorder mode stat
    {"records": [{"rank", "forward_pass_id", "global_physical_count": [layer, slot]}, ...],
     "last_physical_to_logical_map": [layer, slot]}          mode per_pass, one file per rank
    the same with "topk_ids_of_layer": [layer, token, choice]   mode per_token, one file per rank
    a tensor                                                 with --axes, as in format npy

Files are read with weights_only: nothing in them is run. Records say their rank, which becomes the
source rank, and their forward pass, which becomes the iteration.

Traps: logical_count has no source rank (see --expand); unused steps of its buffer and dense layers
are zero and left out; replicas of an expert (slots) are added up; the DeepEP modes count what the
experts of a rank received, not who sent it: these have no source rank either."""

import numpy as np

from .. import dense, torch_files
from ..errors import InputError, shorten
from ..inputs import whole_number
from ..routes import MOST_EXPERTS

NAME = "sglang-pt"
KIND = "trace"
SUMMARY = "Expert distributions of SGLang, and other tensors of counts (.pt)."

add_options = dense.add_options


class _Records:
    """Counts [layer, expert] by (pass, rank), of all files."""

    def __init__(self, report):
        self._report = report
        self._parts, self._tokens, self.top_k = {}, 0, None
        self._slots = {}  # per rank: first and last slot that has a count, number of slots

    def take(self, content, path):
        records, slots = content["records"], content.get("last_physical_to_logical_map")
        if not isinstance(records, (list, tuple)) or not records:
            raise InputError(path, "records is not a list of passes, or is empty")
        if slots is not None:
            slots = dense.integral(torch_files.array(slots, path, "last_physical_to_logical_map"),
                                   path, "last_physical_to_logical_map")
        for number, record in enumerate(records):
            what = f"records[{number}]"
            if not isinstance(record, dict):
                raise InputError(path, f"{what} is {shorten(type(record).__name__)}", "a dict")
            key = tuple(whole_number(record.get(name, -1), path, f"{what}['{name}']",
                                     most=1 << 40) for name in ("forward_pass_id", "rank"))
            counts = self._counts(record, slots, path, what, key[1])
            if key in self._parts:
                raise InputError(path, f"{what}: pass {key[0]} of rank {key[1]} comes twice")
            self._parts[key] = counts

    def _counts(self, record, slots, path, what, rank):
        if "topk_ids_of_layer" in record:
            ids = torch_files.array(record["topk_ids_of_layer"], path, what)
            return self._bincount(ids, slots, path, what)
        if "global_physical_count" not in record:
            raise InputError(path, f"{what} holds {shorten(', '.join(map(str, record)))}",
                             "global_physical_count or topk_ids_of_layer")
        counts = torch_files.array(record["global_physical_count"], path, what)
        if counts.ndim != 2:
            raise InputError(path, f"{what} has the shape {counts.shape}", "layer, slot")
        counts = dense.integral(counts, path, what)
        used = np.flatnonzero(counts.any(axis=0))
        if used.size:
            first, last, _ = self._slots.get(rank, (used[0], used[-1], 0))
            self._slots[rank] = min(first, used[0]), max(last, used[-1]), counts.shape[1]
        return _to_logical(counts, slots, path, what)

    def counts_receivers(self):
        """Whether every rank counts its own slots only: what its experts received, as the DeepEP
        modes of the recorder do, instead of what its tokens chose."""
        ranks = 1 + max(key[1] for key in self._parts)
        return ranks > 1 and bool(self._slots) and all(
            rank * slots // ranks <= first and last < (rank + 1) * slots // ranks
            for rank, (first, last, slots) in self._slots.items())

    def _bincount(self, ids, slots, path, what):
        if ids.ndim != 3 or ids.dtype.kind not in "iu":
            raise InputError(path, f"{what} has the shape {ids.shape}", "layer, token, choice")
        ids = ids.astype(np.int64)
        written = np.flatnonzero((ids > 0).any(axis=(0, 1)))
        if ids.shape[1] > 1 and written.size:  # columns beyond the model's top-k are not written
            ids = ids[..., : written[-1] + 1]
        width = slots.shape[1] if slots is not None else int(ids.max(initial=0)) + 1
        if ids.min(initial=0) < -1 or ids.max(initial=0) >= min(width, MOST_EXPERTS):
            raise InputError(path, f"{what} names slot {ids.min()} or {ids.max()}",
                             f"-1 to {min(width, MOST_EXPERTS) - 1}")
        self.top_k = max(self.top_k or 1, ids.shape[2])
        self._tokens += ids.shape[1]
        counts = np.zeros((len(ids), width), dtype=np.int64)
        for layer, chosen in enumerate(ids):
            if chosen.any():  # a layer of zeros was never written: it is dense
                counts[layer] = np.bincount(chosen[chosen >= 0], minlength=width)
        return _to_logical(counts, slots, path, what)

    def __bool__(self):
        return bool(self._parts)

    def array(self, path):
        """[iteration, layer, source, expert]"""
        passes = sorted({key[0] for key in self._parts})
        ranks = sorted({key[1] for key in self._parts})
        if ranks != list(range(len(ranks))):
            raise InputError(path, f"records of the ranks {shorten(str(ranks))}",
                             "files of all ranks from 0")
        width = max(part.shape[1] for part in self._parts.values())
        layers = {len(part) for part in self._parts.values()}
        if len(layers) > 1:
            raise InputError(path, f"records have {sorted(layers)} layers", "all as many")
        values = np.zeros((len(passes), layers.pop(), len(ranks), width), dtype=np.int64)
        index = {number: position for position, number in enumerate(passes)}
        for (number, rank), part in self._parts.items():
            values[index[number], :, rank, : part.shape[1]] = part
        missing = len(passes) * len(ranks) - len(self._parts)
        if missing:
            self._report.warn(f"{missing} passes of a rank are not in the files and count as empty")
        if self._tokens:
            self._report.count("tokens", self._tokens)
        return values


def _to_logical(counts, slots, path, what):
    """Slots to experts; without a map they are the same."""
    if slots is None:
        return counts
    if slots.shape != counts.shape:
        raise InputError(path, f"{what} has the shape {counts.shape}, the map of slots {slots.shape}")
    if slots.max() >= MOST_EXPERTS:
        raise InputError(path, f"the map of slots names expert {slots.max()}",
                         f"0 to {MOST_EXPERTS - 1}")
    result = np.zeros((len(counts), int(slots.max()) + 1), dtype=np.int64)
    np.add.at(result, (np.arange(len(counts))[:, None], slots), counts)
    return result


def read(paths, options, report):
    arrays, axes, records = [], None, _Records(report)
    for path in paths:
        content = torch_files.load(path, report)
        if isinstance(content, dict) and "records" in content:
            records.take(content, path)
        elif isinstance(content, dict) and "logical_count" in content:
            counts = torch_files.array(content["logical_count"], path, "logical_count")
            if counts.ndim not in (2, 3):
                raise InputError(path, f"logical_count has the shape {counts.shape}",
                                 "[step,] layer, expert")
            axes = ("iteration", "layer", "expert")[3 - counts.ndim:]
            arrays.append(dense.Array.of(counts, "logical_count"))
        elif isinstance(content, dict):
            raise InputError(path, f"is a dict with the keys {shorten(', '.join(map(str, content)))}",
                             "logical_count, records")
        else:
            arrays.append(dense.Array.of(torch_files.array(content, path, "the file"), "tensor"))
    if records:
        if arrays:
            raise InputError(paths[0], "files of different recorder modes", "one mode")
        values, axes = records.array(paths[0]), ("iteration", "layer", "source", "expert")
        if records.counts_receivers():
            report.warn("each rank counts its own experts only: what they received (DeepEP modes), "
                        "not who sent it; the ranks are added up")
            values, axes = values.sum(axis=2), ("iteration", "layer", "expert")
        arrays = [dense.Array.of(values, "records")]
    stated = {"top_k": records.top_k} if records.top_k else {}
    return dense.trace(arrays, options, report, "PyTorch expert distribution", paths[0], axes,
                       **stated)
