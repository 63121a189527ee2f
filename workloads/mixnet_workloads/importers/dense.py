# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Arrays of counts with any order of axes as traces."""

import dataclasses
import typing

import numpy as np

from . import trace_options
from .errors import InputError, shorten
from .output import Trace
from .routes import DEFAULT_EP

AXES = ("iteration", "layer", "source", "rank", "expert", "sum")
EXACT_FLOAT = 2.0**53


def add_options(parser):
    trace_options.add(parser)
    add_shape_options(parser)
    parser.add_argument("--axes", metavar="A,B,...",
                        help=f"what the axes are, outermost first, of {', '.join(AXES)}; 'sum' adds "
                             "an axis up. Default: [iteration, layer,] source, rank where the last "
                             "two are equal, iteration,layer,source,expert with four; else to be "
                             "given")


def add_shape_options(parser):
    """Those that formats with axes of their own have, too."""
    parser.add_argument("--ep", type=trace_options.positive, metavar="N",
                        help="source ranks that are expected (another number is refused), or that "
                             f"--expand makes (default {DEFAULT_EP} then)")
    parser.add_argument("--expand", choices=("equal",),
                        help="counts without source ranks: every rank sends the same share")


@dataclasses.dataclass
class Array:
    """An array read along its first axis: blocks() yields one index after the other."""

    shape: tuple
    blocks: typing.Callable
    label: str = ""

    @classmethod
    def of(cls, values, label=""):
        return cls(values.shape, lambda: iter(values), label)


def integral(block, path, what, index=()):
    """int64 counts; floats are taken where they are whole. `index` is of the axes before."""
    if block.dtype.kind not in "iufb" or block.dtype.itemsize > 8:
        raise InputError(path, f"{what} holds {block.dtype}", "whole numbers, also as floats")
    if block.dtype.kind == "f":
        bad = ~(np.isfinite(block) & (block >= 0) & (block <= EXACT_FLOAT) & (block % 1 == 0))
    else:
        bad = (block < 0) | (block > np.iinfo(np.int64).max)
    if bad.any():
        at = tuple(int(i) for i in np.argwhere(bad)[0]) if block.ndim else ()
        raise InputError(path, f"{what}: {shorten(str(block[at]))} at {list(index + at)}",
                         "whole numbers from 0")
    return block.astype(np.int64)


def choose_axes(text, shape, path, what):
    """The axes of an array, given or by its shape."""
    square = len(shape) >= 2 and shape[-1] == shape[-2]
    if text is None:
        usual = ("iteration", "layer", "source", "rank" if square else "expert")
        if not 2 <= len(shape) <= 4 or not (square or len(shape) == 4):
            raise InputError(path, f"{what} has the shape {tuple(shape)}: what are its axes?",
                             f"--axes with {len(shape)} of {', '.join(AXES)}")
        return usual[-len(shape):]
    names = tuple(name.strip() for name in text.split(","))
    unknown = [name for name in names if name not in AXES]
    if unknown:
        raise InputError("import", f"--axes {text}: '{unknown[0]}'", ", ".join(AXES))
    if len(names) != len(shape):
        raise InputError(path, f"{what} has the shape {tuple(shape)}, --axes {text} names "
                         f"{len(names)} axes")
    single = [name for name in names if name != "sum"]
    if len(set(single)) != len(single) or len({"rank", "expert"} & set(names)) != 1:
        raise InputError("import", f"--axes {text}", "every axis once, and either rank or expert")
    return names


def equal_shares(loads, ranks):
    """loads [layer, destination] to [layer, rank, destination]: totals exact, remainders spread."""
    base, rest = np.divmod(loads, ranks)
    turn = (np.arange(ranks)[:, None] - np.arange(loads.shape[1])[None, :]) % ranks
    return base[:, None, :] + (turn[None] < rest[:, None, :])


class _Arranger:
    """Blocks of an iteration to [layer, source, destination]."""

    def __init__(self, axes, options, report, path):
        self.axes, self._path = axes, path
        self.destination = "rank" if "rank" in axes else "expert"
        self.expanded = "source" not in axes
        self._ranks = options.ep or DEFAULT_EP
        if self.expanded and options.expand is None:
            raise InputError(path, "the counts have no source rank",
                             "--expand equal --ep N: each of N ranks sends the same share")
        if options.expand is not None and not self.expanded:
            raise InputError("import", f"--expand {options.expand}: the counts have source ranks",
                             "no --expand")
        if self.expanded and self.destination == "rank":
            raise InputError("import", "--axes with rank, but without source", "expert")
        if self.expanded:
            report.warn(f"the counts have no source rank: each of {self._ranks} ranks is given the "
                        "same share; pair statistics say nothing about the job")

    def __call__(self, block):
        axes = [name for name in self.axes if name != "iteration"]
        sums = tuple(i for i, name in enumerate(axes) if name == "sum")
        block = block.sum(axis=sums) if sums else block
        axes = [name for name in axes if name != "sum"]
        order = [name for name in ("layer", "source", self.destination) if name in axes]
        block = block.transpose([axes.index(name) for name in order])
        if "layer" not in axes:
            block = block[None]
        return equal_shares(block, self._ranks) if self.expanded else block


def _iterations(array, axes, path):
    """Yields int64 blocks without the axis of iterations."""
    what = f"array {array.label}".strip()
    if axes[0] == "iteration":
        for number, block in enumerate(array.blocks()):
            yield integral(block, path, what, (number,))
        return
    parts = [integral(block, path, what, (number,)) for number, block in enumerate(array.blocks())]
    values = np.stack(parts)
    if "iteration" in axes:
        yield from np.moveaxis(values, axes.index("iteration"), 0)
    else:
        yield values


def trace(arrays, options, report, source, path, axes=None, **stated):
    """A Trace of arrays that follow each other in time, all with the same axes.

    arrays: a list; axes: their names, default --axes or by shape; stated: what the file says.
    """
    first = arrays[0]
    if 0 in first.shape:
        raise InputError(path, f"array {first.label} is empty: {tuple(first.shape)}")
    axes = axes or choose_axes(options.axes, first.shape, path, f"array {first.label}".strip())
    arrange = _Arranger(axes, options, report, path)
    read, empty, shape = [0], [0], None

    def blocks():
        for array in arrays:
            if len(array.shape) != len(first.shape):
                raise InputError(path, f"array {array.label} has the shape {tuple(array.shape)}, "
                                 f"the first has {tuple(first.shape)}")
            for block in _iterations(array, axes, path):
                tokens = arrange(block)
                if shape is not None and tokens.shape != shape:
                    raise InputError(path, f"array {array.label} makes {tokens.shape}, those before "
                                     f"make {shape} (layers, ranks, destinations)")
                if not tokens.any():
                    empty[0] += 1
                    continue
                read[0] += int(tokens.sum())
                yield tokens

    stream = blocks()
    head = next(stream, None)
    if head is None:
        raise InputError(path, "holds no token at all", "counts above 0")
    shape = head.shape
    _check_ranks(shape, arrange, options, path)
    if arrange.destination == "expert":
        stated["experts"] = _experts(shape[2], options, path)
    else:
        stated.setdefault("experts", shape[2])
    info = trace_options.describe(options, report, source, shape[0], path=path,
                                  destination=arrange.destination, **stated)

    def iterations():
        yield head, None
        for tokens in stream:
            yield tokens, None
        if empty[0]:
            report.warn(f"{empty[0]} iterations hold no token and are left out")

    return Trace(info, shape[1], iterations(), copies=lambda: read[0], expanded=arrange.expanded)


def _check_ranks(shape, arrange, options, path):
    if arrange.destination == "rank" and shape[1] != shape[2]:
        raise InputError(path, f"{shape[1]} source ranks, but {shape[2]} destination ranks",
                         "as many, or --axes with expert")
    if shape[1] < 2:
        raise InputError(path, "one source rank", "2 and more")
    if options.ep is not None and shape[1] != options.ep:
        raise InputError(path, f"{shape[1]} source ranks, but --ep asks for {options.ep}; a job "
                         "with another EP degree reads the trace by the rule in the manual",
                         f"--ep {shape[1]} or none")


def _experts(width, options, path):
    known = options.experts or trace_options.preset(options.model).get("experts")
    if known not in (None, width):
        raise InputError(path, f"{width} experts, but {known} are asked for", f"{width}")
    return width
