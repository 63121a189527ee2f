# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Counts of token copies, filled block by block; iterations, layers, experts appear as they come."""

import numpy as np

from .errors import InputError


class Placement:
    """How tokens become source ranks and iterations: the only difference between the rules.

    place(layer, sequences, tokens) of those that deal returns (iterations, ranks), one entry per
    token, of a block of one layer; `tokens` numbers the tokens of the layer from 0.
    """

    def __init__(self, ranks, per_sequences=None, per_tokens=None):
        self.ranks = ranks
        self._per_sequences, self._per_tokens = per_sequences, per_tokens
        self._seen = {}

    def _by_tokens(self, layer, ranks):
        """Iteration of each token: so many tokens of a rank make one."""
        iterations = np.zeros(len(ranks), dtype=np.int64)
        if self._per_tokens is None:
            return iterations
        seen = self._seen.setdefault(layer, np.zeros(self.ranks, dtype=np.int64))
        for rank in np.unique(ranks):
            mine = np.flatnonzero(ranks == rank)
            iterations[mine] = (seen[rank] + np.arange(mine.size)) // self._per_tokens
            seen[rank] += mine.size
        return iterations

    def complete(self, sequences, filled):
        """How many iterations are whole. filled [iteration, layer, rank]: tokens."""
        if self._per_sequences is not None:
            return sequences // (self.ranks * self._per_sequences)
        if self._per_tokens is not None:
            whole = (filled == self._per_tokens).all(axis=(1, 2))
            return len(whole) if whole.all() else int(whole.argmin())
        return len(filled)


class BySequence(Placement):
    """Sequence q goes to rank q mod R, as a batch is dealt to data-parallel ranks."""

    def place(self, layer, sequences, _):
        ranks = sequences % self.ranks
        if self._per_sequences is not None:
            return sequences // self.ranks // self._per_sequences, ranks
        return self._by_tokens(layer, ranks), ranks


class ByToken(Placement):
    """Token t of a layer goes to rank t mod R."""

    def place(self, layer, _, tokens):
        ranks = tokens % self.ranks
        return self._by_tokens(layer, ranks), ranks


class Counts:
    """copies [iteration, layer, rank, destination] and tokens [iteration, layer, rank], sparse in
    iterations and layers while they grow."""

    def __init__(self, ranks):
        self.ranks = ranks
        self._copies, self._tokens = {}, {}
        self.width = 1  # 1 + largest destination

    def add(self, layer, iterations, ranks, ids):
        """A block of one layer: ids [token, choice], negative ones are no choice."""
        if not len(ids):
            return
        first = int(iterations.min())
        rows = (iterations - first) * self.ranks + ranks
        count = (int(iterations.max()) - first + 1) * self.ranks
        self.width = max(self.width, int(ids.max()) + 1)
        width = self.width
        chosen = ids >= 0
        keys = (rows[:, None] * width + ids)[chosen]
        copies = np.bincount(keys, minlength=count * width).reshape(-1, self.ranks, width)
        tokens = np.bincount(rows, minlength=count).reshape(-1, self.ranks)
        for offset in range(len(copies)):
            if tokens[offset].any():
                self._put(layer, first + offset, copies[offset], tokens[offset])

    def grow(self, ranks):
        """More source ranks than so far; those before keep their counts."""
        if ranks > self.ranks:
            more = ranks - self.ranks
            for key, tokens in self._tokens.items():
                self._tokens[key] = np.pad(tokens, (0, more))
                self._copies[key] = np.pad(self._copies[key], ((0, more), (0, 0)))
            self.ranks = ranks

    def _put(self, layer, iteration, copies, tokens):
        key = (iteration, layer)
        if key in self._tokens:
            self._tokens[key] += tokens
            copies[:, : self._copies[key].shape[1]] += self._copies[key]
        else:
            self._tokens[key] = tokens.astype(np.int64)
        self._copies[key] = copies.astype(np.int64)

    @property
    def layers(self):
        return sorted({layer for _, layer in self._tokens})

    @property
    def iterations(self):
        return 1 + max((iteration for iteration, _ in self._tokens), default=-1)

    def filled(self):
        """tokens [iteration, layer, rank]"""
        layers = {layer: index for index, layer in enumerate(self.layers)}
        result = np.zeros((self.iterations, len(layers), self.ranks), dtype=np.int64)
        for (iteration, layer), tokens in self._tokens.items():
            result[iteration, layers[layer]] = tokens
        return result

    def copies(self, iteration, layers, destinations):
        """copies [layer, rank, destination] of one iteration, for these layers"""
        result = np.zeros((len(layers), self.ranks, destinations), dtype=np.int64)
        for index, layer in enumerate(layers):
            part = self._copies.get((iteration, layer))
            if part is not None:
                result[index, :, : part.shape[1]] = part
        return result

    def total(self, iterations):
        """All copies of the first so many iterations."""
        return sum(int(part.sum()) for (i, _), part in self._copies.items() if i < iterations)


def one_copy_per_rank(ids, experts, ranks):
    """ids [token, choice] of experts to destination ranks, each at most once per token."""
    to = np.where(ids >= 0, ids * ranks // experts, -1)
    to.sort(axis=1)
    to[:, 1:][to[:, 1:] == to[:, :-1]] = -1
    return to


def check_ids(ids, path, most, line=None):
    """Expert ids of a block; -1 is allowed (a choice that was not made)."""
    if ids.size and (ids.min() < -1 or ids.max() >= most):
        wrong = ids[(ids < -1) | (ids >= most)][0]
        raise InputError(path, f"expert {wrong}", f"0 to {most - 1}", line=line)
