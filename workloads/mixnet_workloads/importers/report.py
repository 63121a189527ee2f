# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""What is told while importing: warnings, counts, sources, progress."""

import hashlib
import os
import sys
import time

from .errors import InputError

BLOCK = 1 << 20
MOST_WARNINGS = 50


class Report:
    """Collects warnings, counts and the files read; shows progress on standard error."""

    def __init__(self, quiet=False, stream=None):
        self._stream = stream or sys.stderr
        self._quiet = quiet
        self._live = not quiet and self._stream.isatty()
        self._shown = False
        self._last = time.monotonic()
        self._sources = {}
        self._left_out = 0
        self.warnings = []
        self.counts = {}

    @property
    def sources(self):
        """[(name, bytes, SHA-256)] in the order of first reading."""
        return [(name, size, digest) for name, size, digest in self._sources.values()]

    def warn(self, text):
        """Something that can be used but should be looked at."""
        if text in self.warnings:
            return
        if len(self.warnings) >= MOST_WARNINGS:
            self._left_out += 1
            return
        self.warnings.append(text)
        self.say(f"warning: {text}")

    def finish(self):
        """Ends the progress line, and says how many warnings were left out."""
        self._clear()
        if self._left_out:
            self.warnings.append(f"{self._left_out} more warnings are left out")
            self.say(f"warning: {self.warnings[-1]}")
            self._left_out = 0

    def count(self, name, number):
        """Adds to a figure about the source."""
        self.counts[name] = self.counts.get(name, 0) + int(number)

    def say(self, text):
        self._clear()
        if not self._quiet:
            print(f"mixnet: {text}", file=self._stream)

    def add_source(self, path):
        """Puts a file into the provenance; by name, size and content."""
        if path in self._sources:
            return
        digest, size = hashlib.sha256(), 0
        try:
            with open(path, "rb") as file:
                while block := file.read(BLOCK):
                    digest.update(block)
                    size += len(block)
        except OSError as error:
            raise InputError(path, f"cannot be read: {error.strerror or error}") from None
        name = os.path.basename(os.path.normpath(path))
        self._sources[path] = (name, size, digest.hexdigest())

    def progress(self, path, done, total):
        """At most one line a second, on terminals only."""
        if not self._live:
            return
        now = time.monotonic()
        if now - self._last < 1:
            return
        self._last = now
        share = f"{100 * done // total} %" if total else f"{done}"
        print(f"\r\033[Kmixnet: reading {os.path.basename(path)}: {share}", end="",
              file=self._stream, flush=True)
        self._shown = True

    def _clear(self):
        if self._shown:
            print("\r\033[K", end="", file=self._stream, flush=True)
            self._shown = False
