# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
"""The delay study of a small job against its closed form."""

import os
import unittest

import h5py

from study_case import STUDY, WORKLOADS, Case

from mixnet_studies.description import seconds


@unittest.skipUnless(os.environ.get("MIXNET_RUN"), "MIXNET_RUN names no program")
class DelayLawTest(Case):
    """Iteration time against switching delay, in closed form.

    One pipeline stage, one region: its operations follow one another, so a wait is a delay of the
    iteration. With L layers and M micro-batches whose plans all differ, the passes F0 B0 F1 B1 ...
    ask for a plan 2 L M times; the backward pass begins with the layer with which the forward pass
    has ended, whose plan is lit, so (2 L - 1) M of them change circuits. Of these, under `paper`,
    L M begin a forward all-to-all, which waits for the whole delay d, and (L - 1) M backward ones
    were asked for when the operation before began, a time h earlier:

        T(d) = T(0) + L M d + (L - 1) M max(0, d - h)

    h is the attention of a layer backwards with its two TP collectives. Under `previous` the forward
    plan is begun after the dispatch and hides behind the experts, e long in (layer, micro-batch):

        T(d) = T(0) + sum of max(0, d - e) over L M + (L - 1) M max(0, d - h)

    flat until the least of e and h. Nothing drains: no traffic is under way when circuits change.
    """

    LAYERS, BATCHES = 3, 2
    DELAYS = ("1us", "100us", "350us", "400us", "1ms", "2ms", "25ms", "1s", "10s")

    def setUp(self):
        super().setUp()
        self.workloads = WORKLOADS
        self.write("scenario.json", {
            "schema": "mixnet-scenario/1",
            "model": {"preset": "mixtral-8x7b", "layers": self.LAYERS},
            "parallel": {"dp": 1, "tp": 8, "pp": 1, "ep": 8},
            "batch": {"microBatchSize": 1, "microBatches": self.BATCHES},
            "gate": {"type": "trace", "trace": "traces/small-moe-64e-top6.h5"},
            "cluster": {"preset": "h100-400g", "servers": 8},
            "fabrics": ["fat-tree"],
        })
        fabrics = [{"name": policy, "set": {"fabrics": [{"type": "mixnet", "policy": policy}]}}
                   for policy in ("paper", "previous", "gain")]
        self.write("study.json", {**STUDY, "set": {}, "axes": [
            {"name": "fabric", "values": [{"name": "fat-tree", "without": ["delay"]}, *fabrics]},
            {**STUDY["axes"][1], "values": list(self.DELAYS)}],
            "reference": {"fabric": "fat-tree"}})

    def lengths(self, run, kinds):
        """From the records of a run: by (layer, micro-batch, backward) the sum over `kinds`."""
        found = {}
        with h5py.File(self.folder / "out" / "runs" / run / "result.h5") as file:
            ops = {name: column[...] for name, column in file["ops"].items()}
        for i, kind in enumerate(ops["kind"]):
            key = (ops["layer"][i], ops["micro_batch"][i], ops["backward"][i])
            found.setdefault(key, []).append((kind.decode(), ops["end"][i] - ops["start"][i]))
        return {key: self.between(parts, kinds) for key, parts in found.items()}

    @staticmethod
    def between(parts, kinds):
        names = [name for name, _ in parts]
        first = next((i for i in range(len(names)) if names[i:i + len(kinds)] == kinds), None)
        return None if first is None else sum(t for _, t in parts[first:first + len(kinds)])

    def test_flat_until_compute_hides_it_then_a_wait_per_changed_plan(self):
        code, _, error = self.call(self.study, f"--program={os.environ['MIXNET_RUN']}",
                                   f"--output={self.folder / 'out'}", "--jobs=2")
        self.assertEqual(code, 0, error)
        with h5py.File(self.folder / "out" / "table.h5") as file:
            table = {name: column[...] for name, column in file["runs"].items()}
        rows = {(f.decode(), d): i for i, (f, d) in enumerate(zip(table["fabric"], table["delay"]))
                if d == d}
        forward, backward = self.LAYERS * self.BATCHES, (self.LAYERS - 1) * self.BATCHES
        attention = self.lengths("paper_1us",
                                 ["tensor-collective", "attention", "tensor-collective"])
        hides = [t for (layer, _, back), t in attention.items() if back and 0 < layer < 99]
        self.assertEqual(len(hides), backward)
        experts = self.lengths("previous_1us",
                               ["tensor-collective", "expert", "tensor-collective"])
        behind = [t for (layer, _, back), t in experts.items() if not back and layer < 99]
        self.assertEqual(len(behind), forward)
        # The delays lie on both sides of every knee.
        self.assertTrue(350e-6 < min(hides) and max(hides) < 400e-6 < 1e-3 < min(behind) < 2e-3)

        def late(d, times):
            return sum(max(0.0, d - t) for t in times)

        start = {p: table["iteration"][rows[p, 1e-6]] for p in ("paper", "previous", "gain")}
        start["paper"] -= forward * 1e-6
        for delay in map(seconds, self.DELAYS):
            expected = {
                "paper": start["paper"] + forward * delay + late(delay, hides),
                "previous": start["previous"] + late(delay, behind) + late(delay, hides),
                "gain": start["gain"],
            }
            for policy, value in expected.items():
                row = rows[policy, delay]
                self.assertAlmostEqual(table["iteration"][row], value, delta=1e-9 * (1 + value))
                changes = 0 if policy == "gain" else forward + backward
                self.assertEqual(table["reconfigurations"][row], changes)
        summary = (self.folder / "out" / "summary.txt").read_text("utf-8")
        for policy in ("paper", "previous"):
            self.assertRegex(summary, rf"\n  {policy} .* {forward + backward}\.00\n")


if __name__ == "__main__":
    unittest.main()
