# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Lines of words, as the simulators' text formats have them."""

from . import inputs
from .errors import InputError


def word_lines(path, report):
    """(line number, words) of lines that hold any; # begins a comment."""
    for number, text in inputs.lines(path, report):
        words = text.split("#", 1)[0].split()
        if words:
            yield number, words


def one_file(paths, what):
    """The only path."""
    if len(paths) != 1:
        raise InputError(paths[1], "is a second file", f"one {what}")
    return paths[0]


def expect(words, count, path, line, meaning):
    """Exactly so many words."""
    if len(words) != count:
        raise InputError(path, f"{len(words)} columns", f"{count}: {meaning}", line=line)
