# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
import unittest

import numpy as np

import workloads_path  # noqa: F401
from recorder.bpe import BytePairs, words_of
from recorder.corpus import CorpusError, Shards, package_version

TEXT = (b"the cat sat on the mat; the other cat, thin, sat there too.\n" * 3
        + b"\tindented  twice, 1234 and \xc3\xa9t\xc3\xa9\n")


class BytePairsTest(unittest.TestCase):
    def test_words_are_the_text(self):
        self.assertEqual(b"".join(words_of(TEXT)), TEXT)

    def test_round_trip(self):
        vocabulary = BytePairs(TEXT, 300)
        for text in (TEXT, b"", b"unseen words \x00\xff stay bytes"):
            self.assertEqual(vocabulary.decode(vocabulary.encode(text)), text)
        self.assertLess(len(vocabulary.encode(TEXT)), len(TEXT) / 2)

    def test_merges_by_hand(self):
        """'abab' twice, 'ab' once: (a, b) counts 5, then (ab, ab) 2; no other pair comes twice."""
        vocabulary = BytePairs(b"abab;abab;ab", 300)
        self.assertEqual(vocabulary.size, 258)
        self.assertEqual(vocabulary.encode(b"abababab").tolist(), [257, 257])
        self.assertEqual(vocabulary.encode(b"ba").tolist(), [98, 97])

    def test_merges_are_the_most_frequent_pairs(self):
        """Independent and slow: count all pairs anew before every merge."""
        vocabulary = BytePairs(TEXT, 275)
        words = [list(word) for word in words_of(TEXT)]
        for new in range(256, 275):
            counts = {}
            for word in words:
                for pair in zip(word, word[1:]):
                    counts[pair] = counts.get(pair, 0) + 1
            best = sorted(counts, key=lambda p: (-counts[p], p))[0]
            for word in words:
                index = 0
                while index + 1 < len(word):
                    if (word[index], word[index + 1]) == best:
                        word[index : index + 2] = [new]
                    index += 1
        expected = [token for word in words for token in word]
        self.assertEqual(vocabulary.encode(TEXT).tolist(), expected)


class ShardsTest(unittest.TestCase):
    def test_every_window_once_and_by_one_shard(self):
        tokens = np.arange(7 * 12 + 3)
        shards = Shards(tokens, 3, 6, seed=1)
        seen = [set(), set(), set()]
        for _ in range(4):
            for shard, row in enumerate(shards.batch()):
                np.testing.assert_array_equal(row, np.arange(row[0], row[0] + 7))
                seen[shard].add(int(row[0]))
        self.assertEqual(set.union(*seen), set(range(0, 84, 7)))
        self.assertEqual(sum(map(len, seen)), 12)
        again = {int(row[0]) for _ in range(4) for row in shards.batch()[:1]}
        self.assertEqual(again, seen[0])

    def test_seed_decides(self):
        first, same, other = (Shards(np.arange(700), 4, 6, seed) for seed in (1, 1, 2))
        rows = [np.stack([s.batch() for _ in range(30)]) for s in (first, same, other)]
        np.testing.assert_array_equal(rows[0], rows[1])
        self.assertFalse((rows[0] == rows[2]).all())

    def test_errors(self):
        with self.assertRaisesRegex(CorpusError, "2 windows of 7 tokens for 3"):
            Shards(np.arange(20), 3, 6, seed=1)
        with self.assertRaisesRegex(CorpusError, "apt-get install no-such-package"):
            package_version("no-such-package")


if __name__ == "__main__":
    unittest.main()
