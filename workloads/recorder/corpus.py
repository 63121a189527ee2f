# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Text that Debian packages install, cut into disjoint shards, one per EP rank."""

import subprocess

import numpy as np


class CorpusError(ValueError):
    """A package is not installed or holds no text."""


def package_version(package):
    """Installed version of a Debian package, for the record."""
    try:
        run = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True,
                             text=True, check=False)
    except FileNotFoundError:
        raise CorpusError("no dpkg-query: this is no Debian machine") from None
    if run.returncode != 0 or not run.stdout:
        raise CorpusError(f"package {package} is not installed: apt-get install {package}")
    return run.stdout


def _documents(package, wanted):
    run = subprocess.run(["dpkg-query", "-L", package], capture_output=True, text=True, check=True)
    texts = []
    for path in sorted(filter(wanted, run.stdout.split("\n"))):
        with open(path, "rb") as file:
            text = file.read()
        if b"\0" not in text:
            texts.append(text)
    if not texts:
        raise CorpusError(f"package {package} holds no text of the kind looked for")
    return texts


def perl_pods():
    """The manual of Perl: technical English with code."""
    return _documents("perl-doc", lambda path: path.endswith(".pod"))


def fortunes():
    """Quotations, jokes, definitions: general English."""
    prefix = "/usr/share/games/fortunes/"
    return _documents("fortunes", lambda path: path.startswith(prefix) and "." not in
                      path[len(prefix):])


class Shards:
    """Windows of `length` + 1 tokens, shuffled once and dealt to the shards like cards.

    No two shards share a window, and text of every document reaches every shard, as a shuffling
    data loader gives it to the ranks of a real job. When a shard has read all its windows it reads
    them again in another order.
    """

    def __init__(self, tokens, shards, length, seed):
        windows = len(tokens) // (length + 1)
        if windows < shards:
            raise CorpusError(f"{windows} windows of {length + 1} tokens for {shards} shards")
        self._data = np.asarray(tokens[: windows * (length + 1)]).reshape(windows, length + 1)
        self._random = np.random.Generator(np.random.PCG64(seed))
        order = self._random.permutation(windows)
        self._order = [order[shard::shards].copy() for shard in range(shards)]
        self._next = [0] * shards

    def batch(self):
        """[shards, length + 1] token ids: the next window of every shard."""
        rows = []
        for shard, order in enumerate(self._order):
            if self._next[shard] == len(order):
                self._random.shuffle(order)
                self._next[shard] = 0
            rows.append(order[self._next[shard]])
            self._next[shard] += 1
        return self._data[rows].astype(np.int64)
