# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
"""Shipped studies: mixnet-run accepts what they set."""

import os
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

from study_case import WORKLOADS

from mixnet_studies.description import Study, find_study, list_studies


def cover(runs):
    """A part of the runs in which every value of every axis comes at least once."""
    seen = set()
    chosen = []
    for run in runs:
        if set(run.choice.items()) - seen:
            seen |= set(run.choice.items())
            chosen.append(run)
    return chosen


@unittest.skipUnless(os.environ.get("MIXNET_RUN"), "MIXNET_RUN names no program")
class ShippedStudiesTest(unittest.TestCase):
    def check(self, name):
        study = Study(find_study(name, WORKLOADS), WORKLOADS)
        runs = cover(study.runs())
        self.assertGreaterEqual(len(runs), max(len(axis.values) for axis in study.axes))

        def dry(run):
            words = [os.environ["MIXNET_RUN"], f"--workloads={WORKLOADS}", study.scenario,
                     "--dry-run", *run.words()]
            return run.name, subprocess.run(words, capture_output=True, text=True, check=False)

        with ThreadPoolExecutor(2) as pool:
            for run, ended in pool.map(dry, runs):
                with self.subTest(study=name, run=run):
                    self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_every_value_is_accepted(self):
        for name in list_studies(WORKLOADS):
            self.check(name)


if __name__ == "__main__":
    unittest.main()
