# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Byte-pair encoding, small and deterministic: enough for a language model of a few minutes."""

import collections
import re

import numpy as np

_WORDS = re.compile(rb" ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+")


def words_of(text):
    """Pieces of `text` (bytes) that no merge may cross; joined they are the text again."""
    return _WORDS.findall(text)


def _merge(symbols, pair, new):
    out, index = [], 0
    while index < len(symbols):
        if tuple(symbols[index : index + 2]) == pair:
            out.append(new)
            index += 2
        else:
            out.append(symbols[index])
            index += 1
    return out


class BytePairs:
    """A vocabulary of `size` tokens: the 256 bytes, then merges of the most frequent pair.

    Ties go to the smaller pair of token ids, so the same text gives the same vocabulary.
    """

    def __init__(self, text, size):
        self.size = size
        self._merges = {}
        self._cache = {}
        counts = collections.Counter(words_of(text))
        self._words = [(list(word), count) for word, count in sorted(counts.items())]
        self._pairs = collections.Counter()
        self._where = collections.defaultdict(set)
        for index in range(len(self._words)):
            self._account(index, +1)
        for new in range(256, size):
            if not self._learn(new):
                break
        self.size = 256 + len(self._merges)
        del self._words, self._pairs, self._where

    def _account(self, index, sign):
        symbols, count = self._words[index]
        for pair in zip(symbols, symbols[1:]):
            self._pairs[pair] += sign * count
            if sign > 0:
                self._where[pair].add(index)

    def _learn(self, new):
        if not self._pairs:
            return False
        pair, count = max(self._pairs.items(), key=lambda kv: (kv[1], -kv[0][0], -kv[0][1]))
        if count < 2:
            return False
        self._merges[pair] = new
        for index in sorted(self._where.pop(pair)):
            self._account(index, -1)
            symbols, weight = self._words[index]
            self._words[index] = (_merge(symbols, pair, new), weight)
            self._account(index, +1)
        del self._pairs[pair]
        return True

    def _encode_word(self, word):
        symbols = list(word)
        while len(symbols) > 1:
            known = [p for p in zip(symbols, symbols[1:]) if p in self._merges]
            if not known:
                break
            pair = min(known, key=self._merges.get)
            symbols = _merge(symbols, pair, self._merges[pair])
        return symbols

    def encode(self, text):
        """Token ids (int32) of `text` (bytes)."""
        ids = []
        for word in words_of(text):
            if word not in self._cache:
                self._cache[word] = self._encode_word(word)
            ids.extend(self._cache[word])
        return np.asarray(ids, dtype=np.int32)

    def decode(self, ids):
        """The bytes that `ids` stand for."""
        parts = {new: pair for pair, new in self._merges.items()}

        def expand(token):
            return bytes([token]) if token < 256 else b"".join(map(expand, parts[token]))

        return b"".join(expand(int(token)) for token in ids)
