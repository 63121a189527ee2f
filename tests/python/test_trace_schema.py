# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
import os
import tempfile
import unittest
from unittest import mock

import h5py
import numpy as np

from workloads_path import info, write

from mixnet_workloads import stats
from mixnet_workloads.schema import Trace, TraceError
from mixnet_workloads.trace_writer import TraceWriter


def sample(iterations=5, layers=2, ranks=3, experts=4, seed=1):
    """Random counts whose row sums are even, as top_k = 2 needs."""
    random = np.random.Generator(np.random.PCG64(seed))
    counts = random.integers(0, 9, (iterations, layers, ranks, experts))
    counts[..., 0] += counts.sum(axis=-1) % 2
    return counts


class Folder(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.path = os.path.join(self._folder.name, "trace.h5")

    def refused(self, *parts):
        """Reading the trace must fail and name every part."""
        with self.assertRaises(TraceError) as caught:
            with Trace(self.path) as trace:
                trace.validate()
        for part in (self.path, *parts):
            self.assertIn(str(part), str(caught.exception))


class RoundTrip(Folder):
    def test_values_and_attributes(self):
        counts = sample()
        write(self.path, counts, model="a model", extra={"note": "kept"})
        with Trace(self.path) as trace:
            self.assertEqual(trace.shape, counts.shape)
            self.assertEqual(trace.info.model, "a model")
            self.assertEqual(trace.info.copy_bytes, 8)
            self.assertEqual(trace.info.extra, {"note": "kept"})
            read = [(i, t, fed) for i, t, fed in trace.iterations()]
        self.assertEqual([i for i, _, _ in read], [0, 1, 2, 3, 4])
        np.testing.assert_array_equal(np.stack([t for _, t, _ in read]), counts)
        np.testing.assert_array_equal(np.stack([f for _, _, f in read]) * 2, counts.sum(axis=3))

    def test_part_of_the_iterations(self):
        """The reader takes a few iterations at a time: every start and end gives the same rows."""
        counts = sample(iterations=9)
        write(self.path, counts)
        three = mock.patch("mixnet_workloads.schema.BLOCK_BYTES", 3 * 4 * counts[0].size)
        with three, Trace(self.path) as trace:
            for first in range(9):
                for last in range(first + 1, 10):
                    rows = [t for _, t, _ in trace.iterations(first, last)]
                    np.testing.assert_array_equal(np.stack(rows), counts[first:last])

    def test_same_calls_same_bytes(self):
        """Whatever the flushing, without timestamps."""
        counts = sample(iterations=40)
        images = []
        for flush_every in (1, 7, 100):
            with TraceWriter(self.path, info(), 3, flush_every) as writer:
                for iteration in counts:
                    writer.append(iteration, iteration.sum(axis=2) // 2)
            with open(self.path, "rb") as file:
                images.append(file.read())
        self.assertEqual(len(set(images)), 1)
        with h5py.File(self.path) as file:
            for name in ("tokens", "tokens_in"):
                self.assertEqual(file[name].dtype, np.uint32)
                self.assertEqual(file[name].compression, "gzip")
                self.assertTrue(file[name].shuffle)
                self.assertEqual(h5py.h5g.get_objinfo(file[name].id).mtime, 0)

    def test_an_exception_keeps_what_was_recorded(self):
        counts = sample()
        with self.assertRaises(KeyboardInterrupt):
            with TraceWriter(self.path, info(), 3) as writer:
                for iteration in counts[:3]:
                    writer.append(iteration, iteration.sum(axis=2) // 2)
                raise KeyboardInterrupt
        self.assertEqual(os.listdir(self._folder.name), ["trace.h5.partial"])
        with Trace(self.path + ".partial") as trace:
            rows = [t for _, t, _ in trace.iterations()]
        np.testing.assert_array_equal(np.stack(rows), counts[:3])

    def test_nothing_but_the_trace_is_left(self):
        write(self.path, sample())
        self.assertEqual(os.listdir(self._folder.name), ["trace.h5"])


class Refused(Folder):
    def damage(self, change):
        write(self.path, sample())
        with h5py.File(self.path, "r+") as file:
            change(file)

    def test_files_that_are_no_trace(self):
        self.refused("no such file")
        open(self.path, "wb").close()
        self.refused("empty")
        with open(self.path, "wb") as file:
            file.write(bytes(range(256)) * 8)
        self.refused("HDF5")
        self.path = self._folder.name
        self.refused("folder")

    def test_truncated_file(self):
        write(self.path, sample(iterations=200))
        size = os.path.getsize(self.path)
        for kept in (size - 1, size // 2, 100):
            os.truncate(self.path, kept)
            self.refused()

    def test_missing_parts(self):
        for name in ("destination", "model", "top_k", "hidden_size", "bytes_per_element",
                     "experts", "layers", "source", "licence"):
            with self.subTest(name):
                self.damage(lambda file, n=name: file["tokens"].attrs.__delitem__(n))
                self.refused(f"'{name}'", "missing")
        self.damage(lambda file: file.__delitem__("tokens"))
        self.refused("/tokens", "missing")

    def test_values_that_make_no_sense(self):
        for name, value in (("top_k", 0), ("top_k", 5), ("top_k", 2.5), ("hidden_size", -1),
                            ("experts", 8), ("layers", 3), ("destination", "node"), ("model", 7),
                            ("schema", 99)):
            with self.subTest(name=name, value=value):
                self.damage(lambda file, n=name, v=value: file["tokens"].attrs.__setitem__(n, v))
                self.refused(f"'{name}'", value)

    def test_top_k_may_be_unknown_where_tokens_are(self):
        def change(file):
            file["tokens"].attrs["top_k"] = 0
            del file["tokens_in"]

        self.damage(change)
        with Trace(self.path) as trace:
            trace.validate()
            self.assertEqual(trace.info.top_k, 0)
            with self.assertRaisesRegex(ValueError, "--tokens.*top-k"):
                stats.compute(trace, tokens=10)
            self.assertIn("top-k not known", stats.report(stats.compute(trace)))
        self.damage(lambda file: change(file) or file["tokens"].attrs.__setitem__("top_k", -1))
        self.refused("'top_k' = ", "not known")
        with self.assertRaisesRegex(TraceError, "top_k 0"):
            TraceWriter(self.path, info(top_k=0), 4)

    def test_type_and_shape(self):
        def replace(values):
            def change(file):
                about = dict(file["tokens"].attrs)
                del file["tokens"]
                file["tokens"] = values
                file["tokens"].attrs.update(about)

            return change

        self.damage(replace(np.ones((5, 2, 3, 4))))
        self.refused("/tokens", "float64", "uint32")
        self.damage(replace(np.ones((5, 2, 3), dtype=np.uint32)))
        self.refused("/tokens", "(5, 2, 3)", "4 dimensions")
        self.damage(replace(np.ones((0, 2, 3, 4), dtype=np.uint32)))
        self.refused("/tokens", "empty")
        self.damage(replace(np.ones((6, 2, 3, 4), dtype=np.uint32)))
        self.refused("/tokens_in", "(6, 2, 3)")

    def test_other_integers(self):
        """As other programs write them: read when they are counts, else refused."""
        for kind, value, accepted in (("i8", 3, True), ("u2", 3, True), ("i4", -1, False),
                                      ("u8", 2**32, False)):
            with self.subTest(kind):
                counts = np.full((5, 2, 3, 4), value, dtype=kind)

                def change(file, counts=counts):
                    about = dict(file["tokens"].attrs)
                    del file["tokens"], file["tokens_in"]
                    file["tokens"] = counts
                    file["tokens"].attrs.update(about)

                self.damage(change)
                if accepted:
                    with Trace(self.path) as trace:
                        rows = np.stack([t for _, t, _ in trace.iterations()])
                    np.testing.assert_array_equal(rows, counts)
                else:
                    self.refused("/tokens", "negative")

    def test_row_sums(self):
        def change(file):
            file["tokens"][3, 1, 2, 0] += 1

        self.damage(change)
        self.refused("/tokens", "iteration 3", "layer 1", "source rank 2")

    def test_dropped_tokens_are_at_most(self):
        write(self.path, sample())
        with h5py.File(self.path, "r+") as file:
            row = file["tokens"][0, 0, 0]
            row[row.argmax()] -= 1
            file["tokens"][0, 0, 0] = row
        self.refused("exactly")
        with h5py.File(self.path, "r+") as file:
            file["tokens"].attrs["dropped"] = 1
        with Trace(self.path) as trace:
            trace.validate()
        with h5py.File(self.path, "r+") as file:
            file["tokens"][0, 0, 0, 0] += 5
        self.refused("at most")

    def test_a_token_is_once_on_a_rank(self):
        write(self.path, sample())
        with h5py.File(self.path, "r+") as file:
            file["tokens"].attrs["deduplicated"] = 1
            fed = int(file["tokens_in"][0, 0, 0])
            file["tokens"][:] = np.minimum(file["tokens"][:], file["tokens_in"][:][..., None])
            file["tokens"][0, 0, 0] = [fed, 0, 0, 0]
        with Trace(self.path) as trace:
            trace.validate()
        with h5py.File(self.path, "r+") as file:
            file["tokens"][0, 0, 0] = [fed + 1, 0, 0, 0]
        self.refused("different tokens go to destination 0")

    def test_writer_refuses_a_broken_law(self):
        with self.assertRaises(TraceError):
            with TraceWriter(self.path, info(), 3) as writer:
                writer.append(np.ones((2, 3, 4), dtype=int), np.ones((2, 3), dtype=int))
        with self.assertRaises(TraceError):
            TraceWriter(os.path.join(self.path, "no", "folder.h5"), info(), 3)


if __name__ == "__main__":
    unittest.main()
