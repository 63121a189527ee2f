# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
"""The module's walls: folder ranks, header names, file sizes, licence lines, style."""

import collections
import pathlib
import re
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULE = ROOT / "contrib" / "mixnet"
RANKS = {
    "helper": 9,
    "record": 8,
    "scenario": 8,
    "moe": 7,
    "collective": 6,
    "failure": 6,
    "optical": 5,
    "routing": 4,
    "rdma": 4,
    "fabric": 3,
    "flow": 3,
    "contract": 2,
    "cost": 2,
    "topology": 1,
    "io": 1,
    "base": 0,
}
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)


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


def folder_of(path):
    return path.parent.name


class LayoutTest(unittest.TestCase):
    maxDiff = None

    def test_files_lie_in_ranked_folders(self):
        sources = module_sources()
        self.assertGreater(len(sources), 10)
        strangers = [str(path) for path in sources if folder_of(path) not in RANKS]
        self.assertEqual(strangers, [])

    def test_includes_go_downwards_only(self):
        owner = {path.name: folder_of(path) for path in module_sources() if path.suffix == ".h"}
        wrong = []
        across = 0
        for path in module_sources():
            here = folder_of(path)
            for quote, name in INCLUDE.findall(path.read_text(encoding="utf-8")):
                there = owner.get(name.rpartition("/")[2])
                if there is None or quote == "<":
                    continue
                if name.startswith("ns3/"):
                    across += 1
                    if RANKS[there] >= RANKS[here]:
                        wrong.append(f"{path.relative_to(MODULE)} ({here}) includes {name} ({there})")
                elif there != here:
                    wrong.append(f"{path.relative_to(MODULE)} includes {name} of {there} without ns3/")
        self.assertEqual(wrong, [])
        self.assertGreater(across, 5)

    def test_header_names_are_unique(self):
        count = collections.Counter(path.name for path in module_sources() if path.suffix == ".h")
        self.assertEqual([name for name, times in count.items() if times > 1], [])

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

    def test_models_do_not_print(self):
        printing = re.compile(r"std::(cout|cerr)|[^a-zA-Z_:]f?printf\(")
        wrong = [
            str(path.relative_to(ROOT))
            for path in module_sources()
            if printing.search(path.read_text(encoding="utf-8"))
        ]
        self.assertEqual(wrong, [])

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
