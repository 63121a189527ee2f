# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
"""Every scratch program runs as it is and prints something: users start from them."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def built_programs():
    """Program by source name, from the ns-3 tree that holds the command-line tool."""
    run = os.environ.get("MIXNET_RUN")
    if not run:
        return {}
    build = pathlib.Path(run).parents[3]
    return {
        source.stem: next((build / "scratch" / "mixnet").glob(f"ns3*-{source.stem}*"), None)
        for source in sorted((ROOT / "scratch").glob("*.cc"))
    }


@unittest.skipUnless(os.environ.get("MIXNET_RUN"), "MIXNET_RUN names no program")
class ScratchPrograms(unittest.TestCase):
    def test_each_runs_with_its_defaults(self):
        programs = built_programs()
        self.assertGreater(len(programs), 4)
        for name, program in programs.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                self.assertIsNotNone(program, "not built")
                done = subprocess.run(
                    [program], cwd=folder, capture_output=True, text=True, timeout=300, check=False
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(done.stdout.strip(), "printed nothing")
                self.assertEqual(os.listdir(folder), [], "left files behind")


if __name__ == "__main__":
    unittest.main()
