# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Differences of two results that the test writes itself."""

import contextlib
import io
import os
import shutil
import tempfile
import unittest

import h5py
import numpy as np

from test_analysis import write_result

from mixnet_analysis.diff import main


class DiffTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.first = os.path.join(folder.name, "a", "result.h5")
        self.second = os.path.join(folder.name, "b", "result.h5")
        os.makedirs(os.path.dirname(self.first))
        write_result(self.first)
        with h5py.File(self.first, "r+") as file:
            self.table(file, "settings", name=[b"seed", b"rate"], value=[b"1", b"400Gbps"],
                       unit=[b"1", b"text"])
            self.table(file, "inputs", file=[b"t.h5"], hash=[b"11"])
            self.table(file, "links", bytes=np.array([100, 200, 300], dtype=np.uint64))
            file["links/bytes"].attrs["unit"] = "B"
        shutil.copytree(os.path.dirname(self.first), os.path.dirname(self.second))

    @staticmethod
    def table(result, table, **columns):
        for column, values in columns.items():
            result[f"{table}/{column}"] = np.array(values)

    def diff(self, *options):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([self.first, self.second, *options])
        return code, out.getvalue().splitlines(), err.getvalue()

    def change(self, name, values):
        with h5py.File(self.second, "r+") as file:
            file[name][...] = values

    def test_equal_results_in_either_spelling(self):
        self.assertEqual(self.diff(), (0, ["no difference"], ""))
        self.first = os.path.dirname(self.first)
        self.assertEqual(self.diff()[1], ["no difference"])

    def test_settings_and_inputs(self):
        self.change("settings/value", [b"2", b"400Gbps"])
        self.change("inputs/file", [b"u.h5"])
        _, lines, _ = self.diff()
        self.assertEqual(lines, ["settings (value, unit):", "  seed: 1 -> 2", "inputs (hash):",
                                 "  t.h5: 11 -> (absent)", "  u.h5: (absent) -> 11"])

    def test_iterations(self):
        with h5py.File(self.first) as file:
            end = file["iterations/end"][...]
        self.change("iterations/end", end + [0, 0, 0, 0.5])
        _, lines, _ = self.diff()
        # Iterations last 1 s; run 1 is mixnet with roofline, its second iteration 1.5 s.
        self.assertEqual(lines[0], "iterations:")
        self.assertEqual(lines[1:], ["  mixnet/roofline, iteration 1: length 1 -> 1.5  (+50 %)"])

    def test_tables(self):
        self.change("links/bytes", [100, 250, 300])
        self.assertEqual(self.diff()[1], ["tables:", "  /links: bytes in 1 of 3 rows (up to 20 %)"])
        with h5py.File(self.second, "r+") as file:
            del file["links/bytes"]
            file["links/bytes"] = np.zeros(2)
            self.table(file, "drops", frames=[1])
        self.assertEqual(self.diff()[1], ["tables:", "  /drops: only in B", "  /links: 3 and 2 rows"])

    def test_long_lists_are_cut(self):
        for path, value in ((self.first, 0), (self.second, 1)):
            with h5py.File(path, "r+") as file:
                del file["settings"]
                self.table(file, "settings", name=[f"s{i:02}".encode() for i in range(30)],
                           value=[str(value).encode()] * 30, unit=[b"1"] * 30)
        _, lines, _ = self.diff("--rows", "7")
        self.assertEqual((len(lines), lines[-1]), (9, "  ... and 23 more (--rows)"))

    def test_mistakes_are_one_line(self):
        second = self.second
        for path, says in ((second + "x", "no such file"), (__file__, "HDF5")):
            self.second = path
            code, lines, err = self.diff()
            self.assertEqual((code, lines, err.count("\n")), (1, [], 1))
            self.assertIn(says, err)


if __name__ == "__main__":
    unittest.main()
