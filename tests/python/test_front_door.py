# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
"""What ./mixnet answers without building anything, and the helpers behind it."""

import importlib.util
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMANDS = (
    "setup run test bench import trace export report diff cost study ns3"
).split()

LINES = """\
# deb http://mirror.example.org/debian bookworm main
deb http://mirror.example.org/debian bookworm main contrib
deb [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] https://m.example.org/debian-security/ bookworm-security main # fast
deb http://mirror.example.org/debian bookworm-backports main
deb-src http://mirror.example.org/debian bookworm main
deb [signed-by=/usr/share/keyrings/docker.gpg] https://download.example.com/linux/debian bookworm stable
deb [signed-by=/usr/share/keyrings/other.gpg] https://other.example.com/debian bookworm main
deb https://packages.example.com/apt cloud-sdk-bookworm main
"""

LINES_KEPT = """\
deb-src http://mirror.example.org/debian bookworm main
deb-src [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] https://m.example.org/debian-security/ bookworm-security main
"""

STANZAS = """\
Types: deb
URIs: http://mirror.example.org/debian
Suites: bookworm bookworm-updates bookworm-backports
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: https://mirror.example.com/node_20.x
Suites: nodistro
Components: main
Signed-By: /usr/share/keyrings/nodesource.gpg

Types: deb
URIs: http://old.example.org/debian
Suites: bookworm
Components: main
Enabled: no

Types: deb deb-src
URIs: mirror+file:/etc/apt/mirrors/debian-security.list
Suites: bookworm-security
Components: main
"""

STANZAS_KEPT = """\
Types: deb-src
URIs: http://mirror.example.org/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb-src
URIs: mirror+file:/etc/apt/mirrors/debian-security.list
Suites: bookworm-security
Components: main

"""


def mixnet(*words):
    return subprocess.run(
        [ROOT / "mixnet", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        cwd=tempfile.gettempdir(),
    )


def awk(script, text):
    return subprocess.run(
        ["awk", "-v", "type=deb-src", "-f", ROOT / "scripts" / script],
        input=text,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout


def load(script):
    spec = importlib.util.spec_from_file_location(script, ROOT / "scripts" / f"{script}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class FrontDoorTest(unittest.TestCase):
    def test_every_command_has_help(self):
        overview = mixnet("--help")
        self.assertEqual(overview.returncode, 0)
        for command in COMMANDS:
            self.assertIn(f"  {command} ", overview.stdout)
            words = ("help", command) if command == "ns3" else (command, "--help")
            answer = mixnet(*words)
            self.assertEqual((command, answer.returncode), (command, 0))
            self.assertTrue(answer.stdout.startswith(f"usage: ./mixnet {command}"), answer.stdout)

    def test_help_of_run_names_every_option_of_the_program(self):
        with open(ROOT / "contrib/mixnet/examples/mixnet-run.cc", encoding="utf-8") as file:
            usage = file.read().split('R"(')[1].split(')"')[0]
        options = re.findall(r"^  (--[a-z-]+)", usage, re.MULTILINE)
        self.assertGreater(len(options), 10)
        answer = mixnet("run", "--help").stdout
        for option in options:
            if option != "--help":
                self.assertRegex(answer, rf"(?m)^  {option}\b")

    def test_mistakes_get_one_line_and_exit_code_1(self):
        for words in (
            ["fly"],
            ["setup", "--fast"],
            ["setup", "--jobs", "many"],
            ["setup", "--jobs=0"],
            ["setup", "--jobs"],
            ["setup", "--ns3="],
            ["test", "--slow"],
            ["bench", "--xml", "f"],
            ["trace"],
            ["report"],
            ["import", "x"],
            ["export"],
            ["export", "x"],
            ["diff", "a", "b"],
            ["cost"],
            ["study"],
            ["study", "all"],
            ["study", "reconfiguration-delay", "--jobs=0"],
        ):
            answer = mixnet(*words)
            self.assertEqual((words, answer.returncode), (words, 1))
            self.assertEqual(answer.stdout, "")
            lines = answer.stderr.splitlines()
            self.assertEqual(len(lines), 1, answer.stderr)
            self.assertTrue(lines[0].startswith("mixnet: error: "), answer.stderr)

    def test_studies_are_listed_and_planned_without_a_build(self):
        answer = mixnet("study", "--list")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        names = [line.split()[0] for line in answer.stdout.splitlines()]
        self.assertIn("reconfiguration-delay", names)
        for name in names:
            answer = mixnet("study", name, "--dry-run", "--iterations=3")
            self.assertEqual((answer.returncode, answer.stderr), (0, ""))
            runs = answer.stdout.splitlines()
            self.assertGreater(len(runs), 1)
            self.assertTrue(all("--iterations=3" in run for run in runs))

    def test_only_debian_entries_of_apt_are_used(self):
        self.assertEqual(awk("debian-lines.awk", LINES), LINES_KEPT)
        self.assertEqual(awk("debian-stanzas.awk", STANZAS), STANZAS_KEPT)


class SummaryTest(unittest.TestCase):
    def setUp(self):
        self.summary = load("test_summary")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = pathlib.Path(self.folder.name) / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def test_crashes_count_as_failures(self):
        text = (
            "[1/4] PASS: TestSuite mixnet-a\n"
            "2 of 5 tests passed (2 passed, 1 skipped, 1 failed, 1 crashed, 0 valgrind errors)\n"
        )
        self.assertEqual(self.summary.ns3_counts(self.write("suites.txt", text)), (2, 2))

    def test_skipped_google_tests_count_as_neither(self):
        text = '<testsuite name="x" tests="7" failures="2" disabled="1" skipped="1"></testsuite>'
        self.assertEqual(self.summary.ctest_counts(self.write("ctest.xml", text)), (3, 2))

    def test_no_output_is_no_test(self):
        self.assertEqual(self.summary.ctest_counts("/nonexistent"), (0, 0))
        self.assertEqual(self.summary.ns3_counts(self.write("suites.txt", "")), (0, 0))


class BenchTest(unittest.TestCase):
    def test_names_select_by_start_or_pattern(self):
        selected = load("bench").selected
        self.assertTrue(selected("solver/all-to-all/8", []))
        self.assertTrue(selected("solver/all-to-all/8", ["solver/"]))
        self.assertTrue(selected("packet/hops/3", ["packet/*/3"]))
        self.assertFalse(selected("packet/hops/3", ["solver/", "hops"]))


if __name__ == "__main__":
    unittest.main()
