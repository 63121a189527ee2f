# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
"""What tests of studies share: a folder with a study, and the command."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "analysis"))

from mixnet_studies.__main__ import main  # noqa: E402

WORKLOADS = ROOT / "workloads"

SCENARIO = {"schema": "mixnet-scenario/1", "name": "x", "model": "little", "fabrics": ["fat-tree"]}

STUDY = {
    "schema": "mixnet-study/1",
    "title": "A title",
    "about": "What it is about.",
    "scenario": "scenario.json",
    "set": {"iterations": 2},
    "axes": [
        {"name": "fabric", "values": [
            {"name": "packet", "set": {"fabrics": ["fat-tree"]}, "without": ["delay"]},
            {"name": "optical one", "set": {"fabrics": ["mixnet"]}, "columns": {"ports": 48}}]},
        {"name": "delay", "key": "optical.switchingDelay", "unit": "s",
         "values": ["1us", "10ms", "1s"]},
    ],
    "reference": {"fabric": "packet"},
    "figure": {"kind": "lines", "x": "delay", "y": "iteration", "lines": "fabric",
               "slope": "waits per iteration"},
}


class Case(unittest.TestCase):
    """A folder with a study, its scenario and its workloads."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.workloads = self.folder / "workloads"
        (self.workloads / "models").mkdir(parents=True)
        (self.workloads / "models" / "little.json").write_text("{}", encoding="utf-8")
        self.write("scenario.json", SCENARIO)
        self.study = self.write("study.json", STUDY)

    def write(self, name, value):
        path = self.folder / name
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return str(path)

    def call(self, *words):
        """The command; returns exit code, standard output and standard error."""
        out, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            code = main([*words, f"--workloads={self.workloads}"])
        return code, out.getvalue(), error.getvalue()
