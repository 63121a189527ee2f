# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The architecture holds: folders include lower ranks only, header names are unique in ns-3."""

import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULE = os.path.join(ROOT, "contrib", "mixnet")
RANK = {
    "base": 0,
    "topology": 1, "io": 1,
    "contract": 2, "cost": 2,
    "fabric": 3, "flow": 3,
    "routing": 4, "rdma": 4,
    "optical": 5,
    "collective": 6, "failure": 6,
    "job": 7,
    "gate": 8, "compute": 8,
    "training": 9,
    "recovery": 10,
    "record": 11, "scenario": 11,
    "helper": 12,
}
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^">]+)[">]', re.MULTILINE)


def folders():
    """Yield (folder, path) of every role folder, helper/ among them."""
    model = os.path.join(MODULE, "model")
    for name in sorted(os.listdir(model)):
        yield name, os.path.join(model, name)
    yield "helper", os.path.join(MODULE, "helper")


def sources():
    """Yield (folder, file name, text) of every source file of the module's model and helper."""
    for folder, path in folders():
        for name in sorted(os.listdir(path)):
            if name.endswith((".h", ".cc")):
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    yield folder, name, file.read()


def violations(texts):
    """List what breaks the rank rule in an iterable of (folder, name, text)."""
    texts = list(texts)
    home = {name: folder for folder, name, _ in texts if name.endswith(".h")}
    found = []
    for folder, name, text in texts:
        for quote, target in INCLUDE.findall(text):
            where = f"{folder}/{name} includes {target}"
            if target.startswith("ns3/") and target[4:] in home:
                other = home[target[4:]]
                if other == folder:
                    found.append(f"{where}: same folder, write it without ns3/")
                elif RANK[other] >= RANK[folder]:
                    found.append(f"{where}: {other} ({RANK[other]}) is not below "
                                 f"{folder} ({RANK[folder]})")
            elif quote == '"' and not target.startswith("ns3/") and home.get(target) != folder:
                found.append(f"{where}: not in this folder, write ns3/{target}")
    return found


class StructureTest(unittest.TestCase):
    """Rules of the manual's architecture page, checked on the files themselves."""

    def test_every_folder_has_a_rank(self):
        self.assertEqual([f for f, _ in folders() if f not in RANK], [])
        self.assertGreater(len(list(sources())), 50, "the check looks at real files")

    def test_includes_point_downwards(self):
        self.assertEqual(violations(sources()), [])

    def test_the_check_sees_violations(self):
        texts = [("base", "low.h", '#include "ns3/high.h"\n'), ("training", "high.h", ""),
                 ("flow", "peer.h", '#include "ns3/other.h"\n'), ("fabric", "other.h", ""),
                 ("training", "user.cc", '#include "low.h"\n#include "ns3/high.h"\n')]
        self.assertEqual(len(violations(texts)), 4)

    def test_header_names_are_unique(self):
        names = [name for _, name, _ in sources() if name.endswith(".h")]
        self.assertEqual(sorted(set(n for n in names if names.count(n) > 1)), [])

    def test_licence_lines(self):
        missing = [f"{folder}/{name}" for folder, name, text in sources()
                   if "SPDX-License-Identifier: GPL-2.0-only" not in text[:300]]
        self.assertEqual(missing, [])

    def test_models_do_not_print_or_draw_from_the_c_library(self):
        pattern = re.compile(r"std::c(out|err)|\bprintf\(|\brand\(|\bsrand\(|random_device")
        found = [f"{folder}/{name}" for folder, name, text in sources()
                 if folder not in ("helper", "record") and pattern.search(text)]
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main()
