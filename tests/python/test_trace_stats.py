# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
import contextlib
import io
import json
import math
import os
import tempfile
import unittest

import numpy as np

from workloads_path import write

from mixnet_workloads import stats
from mixnet_workloads.schema import Trace


class Formulas(unittest.TestCase):
    def test_gini(self):
        self.assertEqual(stats.gini([3, 3, 3, 3]), 0)
        # One of n takes all: 1 - 1/n. Loads 1, 3: mean difference 2 over 2 * mean 2, half of the
        # ordered pairs differ: 0.25.
        self.assertAlmostEqual(float(stats.gini([0, 0, 0, 8])), 0.75)
        self.assertAlmostEqual(float(stats.gini([3, 1])), 0.25)
        self.assertEqual(float(stats.gini([0, 0])), 0)

    def test_gini_is_the_mean_difference(self):
        """Independent definition: mean |x_i - x_j| over 2 * mean."""
        loads = np.random.Generator(np.random.PCG64(3)).integers(0, 50, 17).astype(float)
        apart = np.abs(loads[:, None] - loads[None, :]).mean() / (2 * loads.mean())
        self.assertAlmostEqual(float(stats.gini(loads)), apart)

    def test_skew(self):
        np.testing.assert_allclose(stats.skew([[2, 2], [3, 1], [0, 0]]), [1, 1.5, 1])

    def test_top_pair_share(self):
        # 4 ranks, 12 ordered pairs, the largest round(3.6) = 4: here 10 each, the others 5. The
        # diagonal never leaves the rank and must not count.
        pairs = np.full((4, 4), 5)
        np.fill_diagonal(pairs, 1000)
        pairs[0, 1] = pairs[1, 2] = pairs[2, 3] = pairs[3, 0] = 10
        self.assertAlmostEqual(float(stats.top_pair_share(pairs)), 40 / 80)
        even = np.ones((8, 8))
        self.assertAlmostEqual(float(stats.top_pair_share(even)), 17 / 56)
        self.assertTrue(math.isnan(stats.top_pair_share(np.eye(4))))

    def test_correlation(self):
        a = np.array([1.0, 2.0, 4.0])
        np.testing.assert_allclose(stats.correlation(a, 3 * a + 1), 1)
        np.testing.assert_allclose(stats.correlation(a, -a), -1)
        self.assertTrue(np.isnan(stats.correlation(a, np.ones(3))))
        b = np.array([5.0, 1.0, 2.0])
        self.assertAlmostEqual(float(stats.correlation(a, b)), np.corrcoef(a, b)[0, 1])

    def test_fold_is_contiguous_and_keeps_totals(self):
        for size in range(1, 20):
            for parts in range(1, size + 1):
                values = np.arange(1, size + 1)
                owner = [e * parts // size for e in range(size)]
                expected = [sum(v for v, o in zip(values, owner) if o == p) for p in range(parts)]
                np.testing.assert_array_equal(stats.fold(values, parts, 0), expected)

    def test_rates_have_units(self):
        self.assertEqual(stats.parse_rate("400Gbps"), 50e9)
        self.assertEqual(stats.parse_rate("50 GB/s"), 50e9)
        self.assertEqual(stats.parse_rate("1.6Tb/s"), 200e9)
        for text in ("400", "Gbps", "-4Gbps", "0Gbps", "4 Gbit", ""):
            with self.assertRaises(ValueError):
                stats.parse_rate(text)


class Traces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "trace.h5")

    def compute(self, **options):
        with Trace(self.path) as trace:
            return stats.compute(trace, **options)

    def test_uniform(self):
        write(self.path, np.full((3, 2, 8, 16), 4))
        result = self.compute()
        self.assertEqual(result["row_sums"], "exactly tokens_in x top_k")
        self.assertEqual([r["ep"] for r in result["ranks"]], [8])
        self.assertEqual((result["gini"], result["skew"], result["unused"]), (0, 1, 0))
        ranks = result["ranks"][0]
        self.assertAlmostEqual(ranks["top30_summed"], 17 / 56)
        self.assertTrue(math.isnan(ranks["receive_next_iteration"]))
        # 16 experts on 8 ranks, 8 copies a pair of 8 B, 7 of the 8 pairs leave the rank.
        for name in ("sent_bytes_mean", "sent_bytes_max", "received_bytes_max", "bound_bytes_max",
                     "uniform_bound_bytes_mean"):
            self.assertEqual(ranks[name], 7 * 8 * 8, name)

    def test_a_hot_rank_by_hand(self):
        # 2 ranks, 4 experts: ranks send (6, 0 | 1, 1) and (5, 1 | 0, 2).
        write(self.path, np.array([[[[6, 0, 1, 1], [5, 1, 0, 2]]]]))
        result = self.compute(degrees=[2])
        ranks = result["ranks"][0]
        # Columns 12 and 4; off-diagonal 2 and 6 copies of 8 B: the busier direction has 6.
        self.assertAlmostEqual(ranks["receive_skew_single"], 12 / 8)
        self.assertEqual(ranks["bound_bytes_max"], 48)
        self.assertEqual(ranks["sent_bytes_mean"], (16 + 48) / 2)
        self.assertEqual(ranks["uniform_bound_bytes_mean"], 32)
        # At 400 tokens a rank (800 copies): 3/4 of rank 1's 800 copies leave it.
        scaled = self.compute(degrees=[2], tokens=400)["ranks"][0]
        self.assertAlmostEqual(scaled["bound_bytes_max"], 0.75 * 800 * 8)

    def test_the_busier_direction_bounds(self):
        """Layer 0 gathers to rank 0, layer 1 scatters from it: 8 copies of 8 B, in then out."""
        gather = np.array([[2, 0, 0], [4, 0, 0], [4, 0, 0]])
        scatter = np.array([[2, 4, 4], [0, 0, 0], [0, 0, 0]])
        write(self.path, np.stack([gather, scatter])[None])
        ranks = self.compute(degrees=[3])["ranks"][0]
        self.assertEqual((ranks["bound_bytes_mean"], ranks["bound_bytes_max"]), (64, 64))
        self.assertEqual((ranks["sent_bytes_max"], ranks["received_bytes_max"]), (64, 64))
        # The busiest sender sends 4 copies when gathering, all 8 when scattering.
        self.assertEqual(ranks["sent_bytes_each"], [[32, 64]])
        self.assertEqual(ranks["received_bytes_each"], [[64, 32]])
        self.assertEqual(ranks["bound_bytes_by_layer"], [64, 64])
        code, text, _ = self.command("--each", "--ep", "3", "--rate", "80Gbps")
        self.assertEqual(code, 0)
        self.assertEqual(text.splitlines()[-2:], ["0,0,3,32,64,6.4e-09", "0,1,3,64,32,6.4e-09"])

    def test_against_plain_loops(self):
        """All numbers of one EP degree on random counts, by loops over single all-to-alls."""
        random = np.random.Generator(np.random.PCG64(7))
        counts = 2 * random.integers(0, 20, (5, 3, 8, 12)) * random.integers(0, 3, (3, 1, 12))
        write(self.path, counts)
        pairs = np.zeros((5, 3, 4, 4))
        for i, l, r, e in np.ndindex(counts.shape):
            pairs[i, l, r // 2, e // 3] += counts[i, l, r, e]

        def pearson(cases):
            return np.mean([np.corrcoef(a.ravel(), b.ravel())[0, 1] for a, b in cases])

        def top(matrix):
            away = sorted((matrix[s, d] for s in range(4) for d in range(4) if s != d))
            return sum(away[-4:]) / sum(away)

        columns = pairs.sum(axis=2)
        each = [(i, l) for i in range(5) for l in range(3)]
        expected = {
            "receive_next_iteration": pearson(
                [(columns[i, l], columns[i + 1, l]) for i, l in each if i < 4]),
            "receive_next_layer": pearson(
                [(columns[i, l], columns[i, l + 1]) for i, l in each if l < 2]),
            "pairs_next_iteration": pearson(
                [(pairs[i, l], pairs[i + 1, l]) for i, l in each if i < 4]),
            "top30_single": np.mean([top(pairs[i, l]) for i, l in each]),
            "top30_summed": np.mean([top(pairs[:, l].sum(axis=0)) for l in range(3)]),
            "receive_skew_single": np.mean(
                [columns[i, l].max() / columns[i, l].mean() for i, l in each]),
            "receive_skew_single_max": max(
                columns[i, l].max() / columns[i, l].mean() for i, l in each),
            "uniform_bound_bytes_mean": np.mean(
                [8 * pairs[i, l].sum(axis=1).max() * 3 / 4 for i, l in each]),
        }
        ranks = self.compute(degrees=[4])["ranks"][0]
        for name, value in expected.items():
            self.assertAlmostEqual(ranks[name], value, msg=name)
        # Guard: the cases must differ, or a mixed-up pairing would pass.
        self.assertGreater(len({round(v, 3) for v in expected.values()}), 7)

    def test_correlations_tell_layers_from_iterations(self):
        """Columns that stay in time and are opposite in adjacent layers: +1 and -1."""
        up = np.array([2, 4, 6, 8])
        layers = np.stack([np.tile(up, (4, 1)), np.tile(10 - up, (4, 1))])
        write(self.path, np.stack([layers, 3 * layers, 2 * layers]))
        ranks = self.compute(degrees=[4])["ranks"][0]
        self.assertAlmostEqual(ranks["receive_next_iteration"], 1)
        self.assertAlmostEqual(ranks["pairs_next_iteration"], 1)
        self.assertAlmostEqual(ranks["receive_next_layer"], -1)

    def test_sources(self):
        """4 source ranks on 2 EP ranks: sums of neighbours, or the first two alone."""
        counts = np.zeros((1, 1, 4, 2), dtype=int)
        counts[0, 0] = [[2, 0], [0, 4], [0, 8], [0, 16]]
        write(self.path, counts)
        self.assertEqual(self.compute(degrees=[2])["ranks"][0]["sent_bytes_max"], 4 * 8)
        first = self.compute(degrees=[2], sources="first")["ranks"][0]
        self.assertEqual(first["sent_bytes_max"], 0)
        self.assertEqual(first["receive_skew_single"], 4 / 3)

    def test_experts_fold_first(self):
        counts = np.zeros((1, 1, 2, 8), dtype=int)
        counts[..., :2] = 4
        write(self.path, counts)
        result = self.compute(degrees=[2], experts=4)
        self.assertEqual(result["destinations"], 4)
        self.assertAlmostEqual(result["skew"], 4.0)
        self.assertAlmostEqual(result["gini"], 0.75)
        self.assertEqual(result["unused"], 3)

    def test_bad_requests(self):
        write(self.path, np.full((3, 2, 8, 16), 4))
        for options in ({"degrees": [16]}, {"degrees": [1]}, {"experts": 17}, {"first": 3},
                        {"first": 0, "last": 4}):
            with self.subTest(options), self.assertRaises(ValueError):
                self.compute(**options)

    def command(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = stats.main([self.path, *arguments])
        return code, out.getvalue(), err.getvalue()

    def test_command(self):
        write(self.path, np.full((3, 2, 8, 16), 4))
        code, text, _ = self.command("--per-layer", "--rate", "80Gbps")
        self.assertEqual(code, 0)
        # 448 B at 10 GB/s
        self.assertIn("mean 0.0448 us", text)
        self.assertIn("bound EP8", text)
        self.assertRegex(text, r"\n +1  0.000   1.00 +0.304 +0.0448 us\n")
        code, text, _ = self.command("--json", "--ep", "4,8", "--iterations", "1:3")
        self.assertEqual(code, 0)
        ranks = json.loads(text, parse_constant=self.fail)["ranks"]
        self.assertEqual([r["ep"] for r in ranks], [4, 8])
        self.assertIsNone(ranks[0]["receive_next_iteration"])

    def test_command_errors_are_one_line(self):
        code, out, err = self.command()
        self.assertEqual((code, out), (1, ""))
        self.assertIn("no such file", err)
        write(self.path, np.full((3, 2, 8, 16), 4))
        for arguments in (("--rate", "400"), ("--ep", "x"), ("--ep", "64"), ("--tokens", "0"),
                          ("--iterations", "3"), ("--iterations", "2:9"), ("--experts", "99")):
            with self.subTest(arguments):
                code, out, err = self.command(*arguments)
                self.assertEqual((code, out, err.count("\n")), (1, "", 1))
                self.assertIn(self.path, err)
        for arguments in (("--bogus",), ("--sources", "all"), ("--experts", "x")):
            with self.subTest(arguments):
                code, out, err = self.command(*arguments)
                self.assertEqual((code, out, err.count("\n")), (1, "", 1))


if __name__ == "__main__":
    unittest.main()
