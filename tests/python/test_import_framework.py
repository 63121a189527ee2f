# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""What every import promises, shown on the simplest format."""

import bz2
import contextlib
import gzip
import hashlib
import io
import json
import lzma
import os
import subprocess
import sys
import unittest
from unittest import mock

import h5py
import numpy as np

from importing import ImportCase

from mixnet_workloads import stats
from mixnet_workloads.importers import InputError, inputs, output, registry
from mixnet_workloads.importers.__main__ import main
from mixnet_workloads.importers.report import Report

MATRIX = "[[1,2],[3,4]]\n"


class Registry(unittest.TestCase):
    def test_every_format_is_complete(self):
        known = registry.all_formats()
        self.assertIn("mixnet-matrix", known)
        for name, module in known.items():
            self.assertEqual(module.NAME, name)
            self.assertIn(module.KIND, registry.KINDS)
            self.assertTrue(module.SUMMARY and "\n" not in module.SUMMARY, name)
            self.assertTrue(module.__doc__, name)
            out = io.StringIO()
            with contextlib.redirect_stdout(out), self.assertRaises(SystemExit) as left:
                main([name, "--help"])
            self.assertEqual(left.exception.code, 0)
            self.assertTrue(out.getvalue().startswith(f"usage: ./mixnet import {name}"))
            self.assertIn(f"Becomes: {module.KIND}", out.getvalue())

    def test_list_says_what_each_becomes(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(main(["--list"]), 0)
        lines = out.getvalue().splitlines()
        self.assertEqual(len(lines), len(registry.all_formats()))
        for line, (name, module) in zip(lines, registry.all_formats().items()):
            self.assertEqual(line.split()[0], name)
            self.assertIn(f"  {module.KIND}  ", line)


class Output(ImportCase):
    def test_compression_is_seen_by_content(self):
        for name, data in (("a", MATRIX.encode()), ("b", gzip.compress(MATRIX.encode())),
                           ("c.txt", lzma.compress(MATRIX.encode())),
                           ("d", bz2.compress(MATRIX.encode()))):
            self.imported("mixnet-matrix", self.write(name, data))
            np.testing.assert_array_equal(self.tokens(), [[[[1, 2], [3, 4]]]])

    def test_provenance(self):
        packed = gzip.compress(MATRIX.encode())
        path = self.write("sub/m.gz", packed)
        self.imported("mixnet-matrix", path, "--model", "mine", "--quiet")
        with h5py.File(self.out, "r") as file:
            self.assertEqual(file.attrs["kind"], "trace")
            about = file["provenance"]
            self.assertEqual(about.attrs["format"], "mixnet-matrix")
            self.assertEqual(json.loads(about.attrs["options"]), {"layers": 1, "model": "mine"})
            self.assertEqual(json.loads(about.attrs["counts"]), {"copies": 10, "matrices": 1})
            self.assertEqual(about["files/name"][:].tolist(), [b"m.gz"])
            self.assertEqual(about["files/size"][:].tolist(), [len(packed)])
            self.assertEqual(about["files/sha256"][0].decode(),
                             hashlib.sha256(packed).hexdigest())
            self.assertEqual(about["files/size"].attrs["unit"], "B")

    def test_statistics_repeat_what_an_import_warned_of(self):
        alike = "[[3,5],[3,5]]"
        self.imported("mixnet-matrix", self.write("m.txt", alike), "--hidden-size", 8, "--top-k", 1)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(stats.main([self.out]), 0)
        self.assertIn("imported from m.txt (mixnet-matrix)\n  warning: 1 of 1", out.getvalue())

    def test_same_input_same_bytes(self):
        """Wherever the files lie."""
        images = []
        for folder in ("here", "there/below"):
            self.imported("mixnet-matrix", self.write(f"{folder}/m.txt", MATRIX))
            with open(self.out, "rb") as file:
                images.append(file.read())
        self.assertEqual(images[0], images[1])

    def test_damaged_compression_is_refused(self):
        for pack in (gzip.compress, lzma.compress, bz2.compress):
            data = pack(MATRIX.encode() * 50)
            with self.subTest(pack):
                self.refused("mixnet-matrix", self.write("cut", data[:-9]), says=["damaged", "cut"])
                broken = data[:20] + bytes([data[20] ^ 255]) + data[21:]
                self.refused("mixnet-matrix", self.write("cut", broken), says=["damaged"])

    def test_field_report_49_output_that_cannot_be_written(self):
        """A missing, read-only or full place is one sentence, and said before reading."""
        path = self.write("m.txt", MATRIX)
        self.out = os.path.join(self.folder, "missing", "out.h5")
        self.refused("mixnet-matrix", path, says=[self.out, "No such file or directory"])
        self.out = self.folder
        self.refused("mixnet-matrix", path, says=["is a folder"])
        self.out = os.path.join(self.folder, "pipe")
        os.mkfifo(self.out)
        self.refused("mixnet-matrix", path, says=["is a device or a pipe"])
        os.remove(self.out)
        self.out = os.path.join(self.folder, "out.h5")
        denied = mock.patch("builtins.open", side_effect=PermissionError(13, "Permission denied"))
        with denied, self.assertRaises(InputError) as caught:
            output.check_writable(self.out)
        self.assertIn("Permission denied", str(caught.exception))
        full = mock.patch.object(output, "_write_provenance",
                                 side_effect=OSError(28, "No space left on device"))
        with full:
            self.refused("mixnet-matrix", path, says=["No space left on device"])

    def test_field_report_49_a_disk_that_fills_up(self):
        """A limit of file size stands in for the full disk; the HDF5 library alone crashes here."""
        random = np.random.Generator(np.random.PCG64(1))
        np.save(self.write("a.npy", ""), random.integers(0, 1 << 30, (40, 2, 8, 8)))
        program = (
            "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
            "resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2); "
            "from mixnet_workloads.importers.__main__ import main; sys.exit(main(sys.argv[2:]))")
        places = os.path.dirname(os.path.dirname(stats.__file__))
        codes = []
        for size in (0, 50, 2500, 10000, 25000, 1 << 20):
            done = subprocess.run(
                [sys.executable, "-c", program, str(size), "npy", f"{self.folder}/a.npy", "-o",
                 self.out, "--quiet"], stderr=subprocess.PIPE, text=True, check=False,
                env={**os.environ, "PYTHONPATH": places, "PYTHONDONTWRITEBYTECODE": "1"})
            codes.append(done.returncode)
            if done.returncode:
                self.assertEqual(done.stderr,
                                 f"mixnet: error: {self.out}: cannot be written: File too large\n")
                self.assertEqual(os.listdir(self.folder), ["a.npy"])
        self.assertEqual(codes, [1, 1, 1, 1, 1, 0])

    def test_an_old_output_survives_a_failure(self):
        self.imported("mixnet-matrix", self.write("good", MATRIX))
        with open(self.out, "rb") as file:
            before = file.read()
        self.refused("mixnet-matrix", self.write("bad", MATRIX * 3 + "[[1,2],[3,x]]"), says=["bad:4"])
        with open(self.out, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_wrong_commands_are_one_line(self):
        path = self.write("m.txt", MATRIX)
        empty = self.write("empty", "")
        self.refused("mixnet-matrix", self.folder, says=["is a folder"])
        self.refused("mixnet-matrix", empty, says=["is empty"])
        self.refused("mixnet-matrix", path + "x", says=["no such file"])
        self.refused("mixnet-matrix", "/dev/null", says=["not a regular file"])
        self.refused("mixnet-matrix", path, "--ep", "0", says=["--ep"])
        self.refused("mixnet-matrix", path, "--fast", says=["--fast"])
        self.refused("mixnet-matrix", says=["FILE"])
        self.refused("nothing", path, says=["no format 'nothing'", "mixnet-matrix"])
        self.out = path
        self.refused("mixnet-matrix", path, says=["is an input, too"])

    def test_interrupt_leaves_nothing(self):
        path = self.write("m.txt", MATRIX)
        with mock.patch.object(output, "_write_provenance", side_effect=KeyboardInterrupt):
            self.assertEqual(self.command("mixnet-matrix", path)[0], 130)
        self.assertEqual(os.listdir(self.folder), ["m.txt"])


class Lines(ImportCase):
    def lines(self, content):
        return list(inputs.lines(self.write("t", content), Report(quiet=True)))

    def test_line_ends_and_byte_order_mark(self):
        self.assertEqual(self.lines(b"\xef\xbb\xbfa\r\nb\n\nc"), [(1, "a"), (2, "b"), (3, ""),
                                                                  (4, "c")])

    def test_what_is_not_text_is_refused_with_its_line(self):
        for content, says in ((b"a\n\xff\n", ":2"), (b"a\nb\n\0", ":3"), (b"\xff\xfea\0", "t:1")):
            with self.assertRaises(InputError) as caught:
                self.lines(content)
            self.assertIn(says, str(caught.exception))

    def test_lines_have_a_limit(self):
        path = self.write("t", "ok\n" + "x" * 100)
        with self.assertRaises(InputError) as caught:
            list(inputs.lines(path, Report(quiet=True), limit=50))
        self.assertIn("t:2", str(caught.exception))

    def test_json(self):
        for text, says in (("[1,\n2,,3]", ":2: column 3"), ("[" * 100000, "nested too deeply"),
                           ("[NaN]", "NaN"), ("[" + "9" * 5000 + "]", "not JSON")):
            with self.assertRaises(InputError) as caught:
                inputs.json_text(text, "f")
            self.assertIn(says, str(caught.exception))

    def test_whole_numbers(self):
        for value in (7, "7", " 7 ", 7.0, "7.0", "7e0"):
            self.assertEqual(inputs.whole_number(value, "f", "x"), 7)
        self.assertEqual(inputs.whole_number("123456789012345678", "f", "x"), 123456789012345678)
        for value in ("", "x", "-1", -1, 1.5, "1_0", True, None, "nan", "inf", "9" * 30, 1e300):
            with self.subTest(value), self.assertRaises(InputError):
                inputs.whole_number(value, "f", "x")

    def test_progress_on_terminals_only(self):
        path = self.write("t", "line\n" * 1000)
        terminal = io.StringIO()
        terminal.isatty = lambda: True
        seconds = iter(range(1000))
        with mock.patch("time.monotonic", lambda: 2 * next(seconds)):
            report = Report(stream=terminal)
            list(inputs.lines(path, report))
            report.finish()
            quiet = Report(stream=io.StringIO())
            list(inputs.lines(path, quiet))
        self.assertRegex(terminal.getvalue(), r"\r.*mixnet: reading t: \d+ %")
        self.assertTrue(terminal.getvalue().endswith("\r\033[K"))
        self.assertEqual(quiet._stream.getvalue(), "")

    def test_warnings_are_kept_once_and_limited(self):
        report = Report(quiet=True)
        for number in range(100):
            report.warn(f"w{number}")
            report.warn("w0")
        report.finish()
        self.assertEqual(len(report.warnings), 51)
        self.assertIn("50 more", report.warnings[-1])


if __name__ == "__main__":
    unittest.main()
