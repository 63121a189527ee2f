# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
"""Rules for the text of source files: size, licence, format, names that ns-3 does not have."""

import pathlib
import re
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULE = ROOT / "contrib" / "mixnet"


def module_sources():
    return sorted(
        path
        for folder in ("model", "helper")
        for path in (MODULE / folder).rglob("*")
        if path.suffix in (".h", ".cc")
    )


def all_sources():
    others = [
        path
        for pattern in (
            "contrib/mixnet/test/*.cc",
            "contrib/mixnet/examples/*.cc",
            "scratch/*.cc",
            "tests/*.cc",
            "tests/*.h",
            "tests/bench/*.cc",
            "tests/bench/*.h",
        )
        for path in sorted(ROOT.glob(pattern))
    ]
    return module_sources() + others


class StyleTest(unittest.TestCase):
    maxDiff = None

    def test_header_names_do_not_hide_those_of_ns3(self):
        tree = ROOT / "build" / "ns-3" / "src"
        if not tree.is_dir():
            self.skipTest("no prepared ns-3 tree")
        theirs = {path.name for path in tree.glob("*/*/*.h")}
        self.assertGreater(len(theirs), 300)
        ours = {path.name for path in module_sources() if path.suffix == ".h"}
        self.assertEqual(sorted(ours & theirs), [])

    def test_files_are_short(self):
        long_files = [
            f"{path.relative_to(ROOT)}: {lines} lines"
            for path in all_sources()
            if (lines := path.read_text(encoding="utf-8").count("\n")) >= 400
        ]
        self.assertEqual(long_files, [])

    def test_files_name_their_licence(self):
        bare = [
            str(path.relative_to(ROOT))
            for path in all_sources()
            if "SPDX-License-Identifier: GPL-2.0-only" not in path.read_text(encoding="utf-8")[:400]
        ]
        self.assertEqual(bare, [])

    def test_explicit_source_lists_are_current(self):
        if not (MODULE / "sources.cmake").exists():
            self.skipTest("the module globs its sources")
        done = subprocess.run([ROOT / "scripts" / "sources", "--check"], check=False)
        self.assertEqual(done.returncode, 0)

    def test_format(self):
        tool = shutil.which("clang-format-14") or shutil.which("clang-format")
        if tool is None:
            self.skipTest("no clang-format")
        version = subprocess.run([tool, "--version"], stdout=subprocess.PIPE, text=True, check=True)
        if not re.search(r"version 1[4-6]\.", version.stdout):
            self.skipTest("ns-3's style file wants clang-format 14 to 16")
        done = subprocess.run(
            [tool, "--dry-run", "--ferror-limit=1", *map(str, all_sources())],
            stderr=subprocess.PIPE,
            text=True,
            check=True,
            cwd=ROOT,
        )
        wrong = sorted(set(re.findall(r"^(/[^:\n]*):\d+:\d+: warning", done.stderr, re.MULTILINE)))
        self.assertEqual(wrong, [], "clang-format -i would change these")


if __name__ == "__main__":
    unittest.main()
