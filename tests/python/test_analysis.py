# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Figures read the result schema, and their parts add up to the iteration."""

import contextlib
import io
import os
import sys
import tempfile
import unittest

import h5py
import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "analysis"))

from mixnet_analysis.__main__ import main  # noqa: E402
from mixnet_analysis.figures import breakdown  # noqa: E402
from mixnet_analysis.result import Result, ResultError  # noqa: E402

SECONDS = ("start", "end", "compute", "exposed_tp", "exposed_ep", "exposed_pp", "exposed_dp",
           "exposed_other", "waiting_for_circuits")


def write_result(path, iterations=2):
    """A result of two runs with the columns that figures read."""
    with h5py.File(path, "w") as file:
        file.attrs["schema"] = "mixnet-result/1"
        runs = file.create_group("runs")
        for name, values in (("fabric", [b"fat-tree", b"mixnet"]), ("compute", [b"roofline"] * 2)):
            runs[name] = np.array(values)
        runs["run"] = np.arange(2, dtype=np.uint32)
        table = file.create_group("iterations")
        count = 2 * iterations
        table["run"] = np.repeat(np.arange(2, dtype=np.uint32), iterations)
        for index, name in enumerate(SECONDS):
            table[name] = np.full(count, 0.01 * index)
            table[name].attrs["unit"] = "s"
        table["end"][...] = table["start"][...] + 1.0


class AnalysisTest(unittest.TestCase):
    """The package on results that the test writes itself."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.path = os.path.join(self._folder.name, "result.h5")

    def run_main(self, *arguments):
        """Call the command; returns exit code and standard error."""
        error = io.StringIO()
        with contextlib.redirect_stderr(error), contextlib.redirect_stdout(io.StringIO()):
            code = main(list(arguments))
        return code, error.getvalue()

    def test_parts_add_up_to_the_iteration(self):
        write_result(self.path)
        with Result(self.path) as result:
            self.assertEqual(result.unit("iterations", "compute"), "s")
            self.assertEqual(list(result.table("runs")["fabric"]), ["fat-tree", "mixnet"])
            total, parts = breakdown(result.table("iterations"), 1)
        self.assertAlmostEqual(total, 1.0)
        self.assertAlmostEqual(sum(parts.values()), total)
        self.assertAlmostEqual(parts["compute"], 0.02)
        self.assertAlmostEqual(parts["exposed_ep"], 0.04 - 0.08)
        self.assertGreater(parts["idle"], 0)

    def test_figures_in_both_formats(self):
        write_result(self.path)
        for kind in ("png", "svg"):
            self.assertEqual(self.run_main(self.path, "--format", kind)[0], 0)
            figure = os.path.join(self._folder.name, f"iterations.{kind}")
            self.assertGreater(os.path.getsize(figure), 5000)

    def test_results_without_iterations_are_no_error(self):
        write_result(self.path, iterations=0)
        code, error = self.run_main(self.path)
        self.assertEqual(code, 0)
        self.assertIn("nothing to draw", error)

    def test_results_without_the_table_are_no_error(self):
        write_result(self.path)
        with h5py.File(self.path, "a") as file:
            del file["iterations"]
        self.assertEqual(self.run_main(self.path),
                         (0, f"{self.path}: no iteration has ended, nothing to draw\n"))

    def test_one_figure_is_not_drawn_over_another(self):
        paths = []
        for name in ("a", "b"):
            folder = os.path.join(self._folder.name, name, "same")
            os.makedirs(folder)
            paths.append(os.path.join(folder, "result.h5"))
            write_result(paths[-1])
        target = os.path.join(self._folder.name, "figures")
        code, error = self.run_main(*paths, "--output", target)
        self.assertEqual(code, 1)
        self.assertIn("several results would draw", error)
        self.assertFalse(os.path.exists(target))
        self.assertEqual(self.run_main(*paths)[0], 0)

    def test_files_that_are_no_result_are_named(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("no HDF5")
        code, error = self.run_main(self.path)
        self.assertEqual(code, 1)
        self.assertIn(self.path, error)
        with h5py.File(self.path, "w") as file:
            file.attrs["schema"] = "other/7"
        with self.assertRaisesRegex(ResultError, "other/7"):
            Result(self.path)


if __name__ == "__main__":
    unittest.main()
