# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
"""Trace sources name signatures that exist: a typedef with a comment, in the class they name."""

import pathlib
import re
import unittest

MODULE = pathlib.Path(__file__).resolve().parents[2] / "contrib" / "mixnet"
SOURCE = re.compile(r'\.AddTraceSource\(\s*"(\w+)",(.*?)"(ns3::[\w:]+)"\)', re.DOTALL)
OUTSIDE = {"ns3::Packet::TracedCallback"}


def typedefs(text):
    """Names of commented function typedefs of a header, as Class::Name."""
    found = set()
    current = None
    previous = ""
    for line in text.splitlines():
        if match := re.match(r"(?:class|struct) (\w+)[^;]*$", line):
            current = match.group(1)
        if (match := re.search(r"typedef void \(\*(\w+)\)", line)) and "//" in previous + line:
            found.add(f"ns3::{current}::{match.group(1)}")
        previous = line
    return found


class TraceSignatureTest(unittest.TestCase):
    def test_signatures_resolve(self):
        known = set(OUTSIDE)
        for path in MODULE.rglob("*.h"):
            known |= typedefs(path.read_text(encoding="utf-8"))
        used = {
            (name, signature)
            for path in MODULE.rglob("*.cc")
            for name, _, signature in SOURCE.findall(path.read_text(encoding="utf-8"))
        }
        self.assertGreater(len(used), 15, "the check looks at real files")
        self.assertEqual(sorted(pair for pair in used if pair[1] not in known), [])

    def test_the_check_sees_missing_typedefs(self):
        text = "class Foo : public Object\n{\n    /// Signature.\n    typedef void (*ATracedCallback)(int);\n"
        self.assertEqual(typedefs(text), {"ns3::Foo::ATracedCallback"})
        self.assertEqual(typedefs(text.replace("    /// Signature.\n", "")), set())


if __name__ == "__main__":
    unittest.main()
