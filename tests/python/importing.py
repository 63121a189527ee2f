# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""A folder of small foreign files, and the import command on them, for tests of importers."""

import contextlib
import io
import os
import tempfile
import unittest

import h5py
import numpy as np

import workloads_path  # noqa: F401

from mixnet_workloads.importers.__main__ import main
from mixnet_workloads.schema import Trace


class ImportCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.out = os.path.join(self.folder, "out.h5")

    def write(self, name, content):
        """A file of text or bytes; returns its path."""
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    def command(self, *words):
        """(exit code, standard output, standard error) of an import to self.out."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([*map(str, words), "-o", self.out])
        return code, out.getvalue(), err.getvalue()

    def imported(self, *words):
        """Imports; returns standard error."""
        code, _, err = self.command(*words)
        self.assertEqual(code, 0, err)
        return err

    def refused(self, *words, says=()):
        """The import must fail with one line that holds every part, and leave nothing behind."""
        before = sorted(os.listdir(self.folder))
        code, out, err = self.command(*words)
        lines = [line for line in err.splitlines() if "warning: " not in line]
        self.assertEqual((code, out, len(lines)), (1, "", 1), err)
        self.assertTrue(lines[0].startswith("mixnet: error: "), err)
        for part in says:
            self.assertIn(str(part), lines[0])
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def tokens(self):
        """All counts of the imported trace, checked by the reader."""
        with Trace(self.out) as trace:
            return np.stack([tokens for _, tokens, _ in trace.iterations()]).astype(np.int64)

    def info(self):
        with Trace(self.out) as trace:
            return trace.info

    def warnings(self):
        with h5py.File(self.out, "r") as file:
            if "provenance/warnings" not in file:
                return []
            return [text.decode() for text in file["provenance/warnings/text"][:]]
