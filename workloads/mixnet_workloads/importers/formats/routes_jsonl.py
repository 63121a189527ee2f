# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: one JSON object per line, one of

    {"type":"meta","model_id":...,"top_k":...}                              taken, not needed
    {"type":"route","req_id":..,"token_idx":..,"layer":..,"topk_ids":[..]}     vLLM-style logs
    {"dataset":..,"problem_id":..,"token_idx":..,"layer":..,"experts":[..]}    Mixtral sets
    {"layer":..,"batch_id":..,"origin_rows":[..],"topk_experts":[[..],..]}     moe-balance logs

A request or problem is a sequence; where its token_idx starts again, another sequence begins.
origin_rows are source ranks and a batch_id is an iteration: such logs are not dealt.

Traps: start-up dummies (thousands of equal rows), ids that restart, layers that were not logged,
a declared number of experts that is not the one used; all are warned of."""

import numpy as np

from .. import inputs
from ..errors import InputError, shorten
from ..inputs import whole_number
from ..routes import MOST_EXPERTS, Routes, add_options # noqa: F401

NAME = "routes-jsonl"
KIND = "trace"
SUMMARY = "Routing log of single tokens, JSON Lines (vLLM-style, Mixtral sets, moe-balance)."

_ACCEPTED = ("objects with layer and topk_ids, layer and experts, or layer, origin_rows and "
             "topk_experts")
_MOST_LAYER = 100000
_MOST_CHOICES = 4096


class _Log:
    """One pass over the lines of all files."""

    def __init__(self, routes, report):
        self._routes, self._report = routes, report
        self._position, self._restarts, self._again = {}, {}, 0
        self._batches, self._skipped = {}, {}
        self.stated = {}

    def take(self, row, path, line):
        if not isinstance(row, dict):
            raise InputError(path, f"is {shorten(row)}", _ACCEPTED, line=line)
        kind = row.get("type", "route")
        if not isinstance(kind, str):
            raise InputError(path, f"type is {shorten(kind)}", "meta, route", line=line)
        if kind == "meta":
            self._meta(row, path, line)
        elif kind != "route":
            self._skipped[kind] = self._skipped.get(kind, 0) + 1
        elif "origin_rows" in row:
            self._placed(row, path, line)
        else:
            self._token(row, path, line)

    def finish(self):
        if self._again:
            self._report.warn(f"token_idx starts again {self._again} times within a request: "
                              "each time counts as another sequence")
        for kind, count in sorted(self._skipped.items()):
            self._report.warn(f"{count} rows of type {shorten(kind)} are passed over")

    def _meta(self, row, path, line):
        for name, key in (("top_k", "top_k"), ("num_experts", "experts"),
                          ("hidden_size", "hidden_size")):
            if row.get(name) is not None:
                self.stated[key] = whole_number(row[name], path, name, least=1, most=1 << 31,
                                                line=line)
        if isinstance(row.get("model_id"), str):
            self.stated["model"] = row["model_id"]

    def _ids(self, values, path, line, name):
        if not isinstance(values, list) or not 0 < len(values) <= _MOST_CHOICES:
            raise InputError(path, f"{name} is {shorten(values)}", "a list of expert ids", line=line)
        if set(map(type, values)) == {int} and 0 <= min(values) <= max(values) < MOST_EXPERTS:
            return values
        for value in values:
            if type(value) is not int or not 0 <= value < MOST_EXPERTS:
                raise InputError(path, f"{name} holds {shorten(value)}",
                                 f"expert ids from 0 to {MOST_EXPERTS - 1}", line=line)
        return values

    def _layer(self, row, path, line):
        if "layer" not in row:
            raise InputError(path, "has no 'layer'", _ACCEPTED, line=line)
        return whole_number(row["layer"], path, "layer", most=_MOST_LAYER, line=line)

    def _token(self, row, path, line):
        name = "topk_ids" if "topk_ids" in row else "experts"
        if name not in row:
            raise InputError(path, "names no experts", _ACCEPTED, line=line)
        layer = self._layer(row, path, line)
        ids = self._ids(row[name], path, line, name)
        request = row.get("req_id", row.get("problem_id"))
        key = (str(row.get("dataset", "")), str(request), layer)
        if "token_idx" in row:
            position = whole_number(row["token_idx"], path, "token_idx", line=line)
            if position <= self._position.get(key, -1):
                self._restarts[key] = self._restarts.get(key, 0) + 1
                self._again += 1
            self._position[key] = position
        sequence = self._routes.sequence((*key[:2], self._restarts.get(key, 0)))
        self._routes.add(sequence, layer, ids)

    def _placed(self, row, path, line):
        layer, ranks = self._layer(row, path, line), row["origin_rows"]
        experts = row.get("topk_experts")
        if not isinstance(ranks, list) or not isinstance(experts, list) or not ranks:
            raise InputError(path, "origin_rows and topk_experts are not lists of tokens",
                             _ACCEPTED, line=line)
        if len(ranks) != len(experts):
            raise InputError(path, f"{len(ranks)} origin_rows, but {len(experts)} topk_experts",
                             "one source rank per token", line=line)
        ranks = [whole_number(rank, path, "origin_rows", most=MOST_EXPERTS, line=line)
                 for rank in ranks]
        rows = [self._ids(ids, path, line, "topk_experts") for ids in experts]
        width = max(map(len, rows))
        ids = np.array([ids + [-1] * (width - len(ids)) for ids in rows])
        batch = self._batches.setdefault(str(row.get("batch_id", 0)), len(self._batches))
        self._routes.add_placed(batch, layer, ranks, ids)


def read(paths, options, report):
    routes = Routes(options, report, paths[0])
    log = _Log(routes, report)
    for path in paths:
        for line, text in inputs.lines(path, report):
            if text.strip():
                log.take(inputs.json_text(text, path, line), path, line)
    log.finish()
    return routes.trace("routing log (JSON Lines)", **log.stated)
