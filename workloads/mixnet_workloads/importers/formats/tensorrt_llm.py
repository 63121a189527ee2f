# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: the folder that EXPERT_STATISTIC_PATH names, or its files: rankR.safetensors with one
tensor ITERATION_LAYER of expert counts each, and meta_info.json with num_experts and
num_experts_per_token. The rank of the file becomes the source rank.

Traps: files of all ranks from 0 must be there; with tensor parallelism and without attention data
parallelism all ranks count the same tokens, so that all rows are alike (warned of)."""

import os
import re

import numpy as np

from .. import dense, inputs, safetensors, trace_options
from ..errors import InputError, shorten
from ..inputs import whole_number
from ..routes import MOST_EXPERTS

NAME = "tensorrt-llm"
KIND = "trace"
SUMMARY = "Expert statistics of TensorRT-LLM (folder of rankR.safetensors)."
FOLDERS = True

_RANK = re.compile(r"rank(\d{1,6})\.safetensors$")
_KEY = re.compile(r"(\d{1,9})_(\d{1,6})$")


def add_options(parser):
    trace_options.add(parser)
    dense.add_shape_options(parser)
    parser.set_defaults(axes=None)


def _files(paths):
    """({rank: file}, [meta file])"""
    ranks, meta = {}, []
    for path in paths:
        inside = [os.path.join(path, name) for name in sorted(os.listdir(path))] \
            if os.path.isdir(path) else [path]
        for name in inside:
            match = _RANK.match(os.path.basename(name))
            if match and int(match[1]) in ranks:
                raise InputError(name, f"rank {int(match[1])} comes twice", "one folder")
            if match:
                ranks[int(match[1])] = name
            elif os.path.basename(name) == "meta_info.json":
                meta.append(name)
            elif name == path:
                raise InputError(path, "is another file", "rankR.safetensors, meta_info.json")
    if sorted(ranks) != list(range(len(ranks))) or not ranks:
        raise InputError(paths[0], f"holds files of the ranks {shorten(str(sorted(ranks)))}",
                         "rankR.safetensors of all ranks from 0")
    return ranks, meta


def _meta(files, report):
    stated = {}
    for path in files:
        value = inputs.json_file(path, report)
        if not isinstance(value, dict):
            raise InputError(path, f"is {shorten(value)}", "an object")
        for name, key in (("num_experts", "experts"), ("num_experts_per_token", "top_k")):
            if name in value:
                stated[key] = whole_number(value[name], path, name, least=1, most=MOST_EXPERTS)
    return stated


def read(paths, options, report):
    ranks, meta = _files(paths)
    stated = _meta(meta, report)
    counts, width = {}, stated.pop("experts", None)
    for rank, path in sorted(ranks.items()):
        for name, tensor in safetensors.load(path, report).items():
            match = _KEY.match(name)
            if not match or tensor.ndim != 1:
                raise InputError(path, f"tensor {shorten(name)} of the shape {tensor.shape}",
                                 "ITERATION_LAYER with one count per expert")
            if width is not None and len(tensor) != width:
                raise InputError(path, f"tensor {name} counts {len(tensor)} experts",
                                 f"{width}, as declared or as those before")
            width = len(tensor)
            values = dense.integral(tensor, path, f"tensor {name}")
            counts[int(match[1]), int(match[2]), rank] = values
    if not counts:
        raise InputError(paths[0], "holds no tensor")
    iterations = sorted({key[0] for key in counts})
    layers = sorted({key[1] for key in counts})
    array = np.zeros((len(iterations), len(layers), len(ranks), width), dtype=np.int64)
    for (iteration, layer, rank), values in counts.items():
        array[iterations.index(iteration), layers.index(layer), rank] = values
    missing = array[..., 0].size - len(counts)
    if missing:
        report.warn(f"{missing} of {array[..., 0].size} tensors are missing and count as empty")
    if layers != list(range(len(layers))):
        stated["extra"] = {"layer_ids": np.array(layers, dtype=np.uint32)}
    return dense.trace([dense.Array.of(array, "counts")], options, report,
                       "TensorRT-LLM expert statistics", paths[0],
                       ("iteration", "layer", "source", "expert"), **stated)
