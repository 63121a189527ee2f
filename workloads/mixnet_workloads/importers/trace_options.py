# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Options and description that all importers of traces share."""

import json
import os

from ..schema import TraceInfo
from .errors import InputError

MODELS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "models")
ASSUMED_HIDDEN_SIZE = 4096


def positive(text):
    """argparse type: a whole number above 0."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


positive.__name__ = "whole number above 0"


def add(parser):
    """Adds the options that describe the recorded job."""
    group = parser.add_argument_group("the recorded job")
    group.add_argument("--model", metavar="NAME",
                       help="a name, or a preset of workloads/models, which then gives experts, "
                            "top-k and hidden size")
    group.add_argument("--experts", type=positive, metavar="E",
                       help="experts of the model (default: what the file says or uses)")
    group.add_argument("--top-k", type=positive, metavar="K",
                       help="experts per token (default: what the file says or uses)")
    group.add_argument("--hidden-size", type=positive, metavar="H",
                       help="elements of a token (default: of the file, of the preset, or "
                            f"{ASSUMED_HIDDEN_SIZE} with a warning)")
    group.add_argument("--bytes-per-element", type=positive, metavar="B", default=None,
                       help="bytes of an element on the wire (default: of the file, or 2)")
    group.add_argument("--licence", metavar="TEXT", help="licence of the data")


def preset(name):
    """A preset of workloads/models, or nothing where the name is only a name."""
    path = os.path.join(MODELS, f"{name}.json")
    if name and os.path.basename(name) == name and os.path.isfile(path):
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    return {}


def describe(options, report, source, layers, experts=None, top_k=None, model=None,
             hidden_size=None, bytes_per_element=None, path="options", **changes):
    """The TraceInfo of a trace: options first, then what the file says, then the preset.

    Named arguments are what the file says; None where it says nothing. A top-k that nobody knows
    is 0: counts are copies, and no law ties them to tokens.
    """
    known = preset(options.model)

    def pick(name, stated, key, default):
        asked = getattr(options, name)
        if asked is not None and stated is not None and asked != stated:
            flag = "--" + name.replace("_", "-")
            report.warn(f"{flag} {asked}: the file says {stated}; {asked} is used")
        for value in (asked, stated, known.get(key)):
            if value is not None:
                return value
        return default

    size = pick("hidden_size", hidden_size, "hiddenSize", None)
    if size is None:
        size = ASSUMED_HIDDEN_SIZE
        report.warn(f"hidden size unknown, {size} assumed: it only scales the bytes that "
                    "'./mixnet trace' prints (--hidden-size H)")
    info = TraceInfo(
        model=options.model or model or "unknown",
        top_k=pick("top_k", top_k, "topK", 0),
        hidden_size=size,
        bytes_per_element=pick("bytes_per_element", bytes_per_element, "bytesPerElement", 2),
        experts=pick("experts", experts, "experts", None),
        layers=layers, source=source, licence=options.licence or "not stated", **changes
    )
    if info.top_k == 0:
        report.warn("top-k unknown: counts stay what they are, but tokens cannot be told from "
                    "copies (--top-k K, or --model with a preset)")
    if info.top_k > info.experts:
        raise InputError(path, f"top-k {info.top_k} of {info.experts} experts",
                         f"1 to {info.experts}")
    return info
