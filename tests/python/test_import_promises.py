# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Promises that hold for task graphs, flow lists, topologies and times alike."""

import os
import re
import unittest

import h5py

from importing import ImportCase
from workloads_path import ROOT

from mixnet_workloads.importers import registry

SAMPLES = {
    "simai": "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 "
             "all_gpus: 4\n1\nx -1 10 ALLREDUCE 64 20 NONE 0 30 ALLREDUCE 8 100\n",
    "goal": "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\ncalc 5\n}\n",
    "hpcc-topology": "3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n",
    "hpcc-flow": "1\n0 1 3 100 1000 2\n",
    "hpcc-trace": "1\n0\n",
    "htsim-cm": "Nodes 2\nConnections 1\n0->1 start 0 size 10\n",
    "htsim-topo": "Nodes 4\nTiers 2\nPodsize 4\nTier 0\nDownlink_speed_Gbps 1\nRadix_Down 2\nRadix_Up 1\n"
                  "Downlink_Latency_ns 1\nTier 1\nDownlink_speed_Gbps 1\nRadix_Down 2\n"
                  "Downlink_Latency_ns 1\n",
    "size-cdf": "0 0\n100 100\n",
    "kineto": '{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2, "args": {}}]}',
    "megatron-timers": '{"iteration": 1, "rank": 0, "perf": {"forward": {"total": 5}}}\n',
    "aicb-log": "comm_type,_elapsed_time\nCommType.all_reduce,5\n",
}


class Promises(ImportCase):
    def test_same_input_same_bytes_wherever_it_lies(self):
        for name, text in SAMPLES.items():
            contents = []
            for folder in ("a", "b/c"):
                self.imported(name, self.write(f"{folder}/file", text))
                with open(self.out, "rb") as file:
                    contents.append(file.read())
            self.assertEqual(contents[0], contents[1], name)

    def test_every_column_has_a_unit_and_every_schema_a_version(self):
        for name, text in SAMPLES.items():
            self.imported(name, self.write("file", text))
            with h5py.File(self.out, "r") as file:
                self.assertEqual(file.attrs["kind"], registry.get(name).KIND)
                schemas = [group.attrs["schema"] for key, group in file.items() if "schema" in group.attrs]
                self.assertEqual(len(schemas), 1, name)
                self.assertRegex(schemas[0], r"mixnet-[a-z]+/1")
                bare = []
                file.visititems(lambda key, data: bare.append(key) if isinstance(data, h5py.Dataset)
                                and "unit" not in data.attrs else None)
                self.assertEqual(bare, [], name)

    def test_every_cut_is_refused_or_read(self):
        """Files that end early never end the program, and never leave a half-written output."""
        for name, text in SAMPLES.items():
            for size in range(1, len(text), 3):
                code, _, err = self.command(name, self.write("cut", text[:size]))
                self.assertIn(code, (0, 1), f"{name}, {size} bytes: {err}")
                self.assertEqual(os.path.exists(self.out), code == 0)
                if not code:
                    os.remove(self.out)

    def test_every_changed_word_is_refused_or_read(self):
        """Each number and word of each sample becomes something else, in turn."""
        for name, text in SAMPLES.items():
            for word in re.finditer(r"[\w.]+", text):
                for other in ("-1", "x", "18446744073709551616", "9223372036854775807", ""):
                    changed = text[: word.start()] + other + text[word.end() :]
                    code, _, err = self.command(name, self.write("changed", changed), "--quiet")
                    self.assertIn(code, (0, 1), f"{name}: {changed}: {err}")
                    self.assertEqual(err.count("\n"), code, err)

    def test_the_manual_names_every_format(self):
        path = os.path.join(ROOT, "contrib", "mixnet", "doc", "importers.rst")
        with open(path, encoding="utf-8") as file:
            manual = file.read()
        missing = [name for name in registry.all_formats() if f"``{name}``" not in manual]
        self.assertEqual(missing, [])
        self.assertLessEqual(set(SAMPLES), set(registry.all_formats()))


if __name__ == "__main__":
    unittest.main()
