# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: num_global_tokens_per_expert, [tp, ep, expert] or [ep, expert], one tensor per file: NPY,
.pt (with PyTorch) or JSON. The tensor-parallel shards of a rank are added up. Files follow each
other layer by layer, --layers L of them make an iteration.

Traps: shards are added because each holds its own part of the sequence; with replicated activations
give one shard ([ep, expert])."""

import numpy as np

from .. import dense, inputs, nested, npy, torch_files, trace_options
from ..errors import InputError

NAME = "megatron"
KIND = "trace"
SUMMARY = "Megatron's num_global_tokens_per_expert, one tensor per file."


def add_options(parser):
    trace_options.add(parser)
    dense.add_shape_options(parser)
    parser.add_argument("--layers", type=trace_options.positive, default=1, metavar="L",
                        help="files of an iteration, layer by layer (default 1)")
    parser.set_defaults(axes=None)


def _tensor(path, report):
    with inputs.stream(path, report) as file:
        head = file.read(6)
    if head == b"\x93NUMPY":
        array = npy.arrays(path, report)[""]
        values = np.stack(list(array.blocks())) if array.shape else np.zeros(0)
    elif head[:2] == b"PK" or head[:1] == b"\x80":
        values = torch_files.array(torch_files.load(path, report), path, "the file")
    else:
        values = nested.array(inputs.json_file(path, report), path, "")
    if values.ndim not in (2, 3) or 0 in values.shape:
        raise InputError(path, f"has the shape {values.shape}", "[tp, ep, expert], [ep, expert]")
    values = dense.integral(values, path, "the tensor")
    return values.sum(axis=0) if values.ndim == 3 else values


def read(paths, options, report):
    if len(paths) % options.layers:
        raise InputError(paths[-1], f"{len(paths)} files are not a multiple of --layers "
                         f"{options.layers}")
    tensors = []
    for path in paths:
        tensors.append(_tensor(path, report))
        if tensors[-1].shape != tensors[0].shape:
            raise InputError(path, f"has {tensors[-1].shape} ranks and experts, {paths[0]} has "
                             f"{tensors[0].shape}")
    report.count("tensors", len(tensors))
    values = np.stack(tensors).reshape(-1, options.layers, *tensors[0].shape)
    return dense.trace([dense.Array.of(values, "tensors")], options, report,
                       "Megatron num_global_tokens_per_expert", paths[0],
                       ("iteration", "layer", "source", "expert"))
