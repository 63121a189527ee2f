# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Exports of results and imported files; report 64 of users of other simulators."""

import collections
import contextlib
import csv
import gzip
import io
import json
import os
import unittest

import h5py
import numpy as np

from importing import ImportCase

from mixnet_workloads.exporters.__main__ import main

NONE = 4294967295


class Case(ImportCase):
    def setUp(self):
        super().setUp()
        self.file = os.path.join(self.folder, "exported")

    def run_export(self, *words):
        """(exit code, standard error)"""
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            code = main([*map(str, words), "-o", self.file])
        return code, err.getvalue()

    def exported(self, *words):
        code, err = self.run_export(*words)
        self.assertEqual(code, 0, err)

    def export_refused(self, *words, says=()):
        code, err = self.run_export(*words)
        self.assertEqual((code, err.count("\n")), (1, 1), err)
        for part in says:
            self.assertIn(part, err)
        self.assertFalse(os.path.exists(self.file) or os.path.exists(self.file + ".exporting"))

    def result(self):
        """Two runs: operations of which two overlap, a circuit change, decisions, demands."""
        path = os.path.join(self.folder, "result.h5")
        tables = {
            "runs": {"run": [0, 1], "fabric": ["fat-tree", "mixnet/paper é"], "compute": ["roofline"] * 2},
            "iterations": {"run": [0, 1], "iteration": [0, 0], "start": [0.0, 0.0], "end": [1e-3, 2e-3]},
            "ops": {"run": [0, 0, 0, 1], "id": [0, 1, 2, 0], "predecessor": [NONE, 0, NONE, NONE],
                    "iteration": [0] * 4, "replica": [0] * 4, "stage": [0] * 4, "layer": [0, 0, NONE, 3],
                    "micro_batch": [0] * 4, "kind": ["attention", "dispatch", "combine", "attention"],
                    "backward": [0, 0, 1, 0], "critical": [1, 1, 0, 1],
                    "start": [0.0, 1e-6, 1.5e-6, 123.000000000001], "waited": [0.0] * 4,
                    "end": [1e-6, 2e-6, 3e-6, 123.000000000003]},
            "circuits": {"run": [1], "region": [0], "iteration": [0], "layer": [3], "micro_batch": [0],
                         "requested": [0.1], "held": [0.1], "drained": [0.2], "switched": [0.225],
                         "lit": [0.225], "added": [4], "removed": [4], "kept": [20], "forced": [0]},
            "decisions": {"run": [1], "time": [0.1], "region": [0], "iteration": [0], "layer": [3],
                          "micro_batch": [0], "phase": ["forward-dispatch"], "action": ["before"],
                          "why": ["it pays"], "changed": [4], "circuits": [24]},
            # columns as failure-helper.cc and recovery-recorder.cc write them
            "failures": {"run": [0, 0], "kind": ["nic", "gpu"], "element": ["0/2", "7"],
                         "action": ["down", "slow"], "value": ["", "2"], "at": [3e-3, 5e-3],
                         "detected": [13e-3, -1.0], "reacted": [13e-3, -1.0], "recovered": [14e-3, -1.0],
                         "noop": [0, 0], "over_budget": [0, 0], "moves": [3, 0], "moved": [9, 0],
                         "frames_lost": [0, 0], "resent": [0, 0], "note": ["", "over before"]},
            "recoveries": {"run": [0], "failures": ["0"], "failed": [3e-3], "detected": [13e-3],
                           "resumed": [5.0], "iteration": [0], "resumed_at": [0], "iterations_lost": [0],
                           "stopped": [0], "action": ["rank 3 to GPU 64"]},
            "demand": {"run": [0] * 4, "iteration": [0] * 4, "layer": [1] * 4, "replica": [0] * 4,
                       "stage": [0] * 4, "source": [0, 0, 1, 1], "destination": [0, 1, 0, 1],
                       "bytes": [1, 2, 3, 5_000_000_000]},
            "controller_demand": {"run": [0, 1, 1, 1, 1], "region": [0, 0, 1, 1, 1],
                                  "decision": [1, 1, 0, 1, 1], "iteration": [0, 0, 0, 2, 2],
                                  "what": ["seen", "seen", "average", "predicted", "seen"],
                                  "matrix": [0, 0, 1, 2, 2], "transposed": [0, 0, 0, 0, 1]},
            "controller_bytes": {"run": [0, 1, 1, 1, 1], "matrix": [0, 0, 1, 2, 2], "source": [1, 0, 5, 4, 6],
                                 "destination": [0, 1, 4, 6, 5], "bytes": [9, 8, 7, 2**53 + 1, 3]},
        }
        with h5py.File(path, "w") as file:
            file.attrs["schema"] = "mixnet-result/1"
            for name, columns in tables.items():
                for key, values in columns.items():
                    if isinstance(values[0], str):
                        values = np.array([value.encode() for value in values])
                    file.create_dataset(f"{name}/{key}", data=values).attrs["unit"] = "1"
        return path


class Perfetto(Case):
    def events(self):
        def refuse(name):
            raise ValueError(name)

        with open(self.file, "rb") as file:
            text = file.read()
        events = json.loads((gzip.decompress(text) if text[:1] == b"\x1f" else text).decode("utf-8"),
                            parse_constant=refuse)
        return events["traceEvents"]

    def tracks(self):
        """{(process, track): [event]}"""
        names, tracks = {}, collections.defaultdict(list)
        for event in self.events():
            if event["ph"] == "M" and event["name"].endswith("_name"):
                names[event["pid"], event.get("tid")] = event["args"]["name"]
            elif event["ph"] != "M":
                tracks[names[event["pid"], None], names[event["pid"], event["tid"]]].append(event)
        return tracks

    def test_report_64_a_viewer_can_read_it(self):
        """Valid UTF-8 and JSON, times that never fall on a track, no negative durations, no overlap on a
        track, circuits as tracks."""
        self.exported("perfetto", self.result())
        tracks = self.tracks()
        self.assertGreater(len(tracks), 8)
        for events in tracks.values():
            for event in events:
                self.assertGreaterEqual(event.get("dur", 0), 0)
            for before, event in zip(events, events[1:]):
                self.assertGreaterEqual(event["ts"], before["ts"] + before.get("dur", 0))
        circuits = tracks["run 1 mixnet/paper é, roofline: circuits", "region 0"]
        self.assertEqual([(event["name"], event["ts"], event["dur"]) for event in circuits],
                         [("drain", 100_000.0, 100_000.0), ("switch", 200_000.0, 25_000.0)])

    def test_operations(self):
        self.exported("perfetto", self.result(), "--run", "0")
        tracks = self.tracks()
        self.assertFalse(any("run 1" in process for process, _ in tracks))
        process = "run 0 fat-tree, roofline: replica 0, stage 0"
        self.assertEqual([event["name"] for event in tracks[process, "compute"]], ["attention L0 m0"])
        self.assertEqual([event["name"] for event in tracks[process, "EP"]], ["dispatch L0 m0"])
        self.assertEqual([event["name"] for event in tracks[process, "EP (2)"]], ["combine B m0"])
        self.assertEqual(tracks[process, "EP"][0]["args"]["predecessor"], 0)
        self.assertEqual(len(tracks["run 0 fat-tree, roofline", "critical path"]), 2)

    def test_failures_and_recoveries(self):
        self.exported("perfetto", self.result())
        tracks = self.tracks()
        down, slow = tracks["run 0 fat-tree, roofline", "failures"]
        self.assertEqual((down["name"], down["ts"], down["ph"]), ("nic 0/2 down", 3000.0, "i"))
        self.assertEqual(down["args"], {"detected_us": 13000.0, "reacted_us": 13000.0,
                                        "recovered_us": 14000.0, "moves": 3, "note": ""})
        self.assertEqual((slow["name"], slow["args"]), ("gpu 7 slow 2", {"moves": 0, "note": "over before"}))
        (still,) = tracks["run 0 fat-tree, roofline", "recoveries"]
        self.assertEqual((still["name"], still["ts"], still["dur"]), ("rank 3 to GPU 64", 3000.0, 4997000.0))
        self.exported("perfetto", self.result(), "--iteration", "0")
        self.assertNotIn(("run 0 fat-tree, roofline", "failures"), self.tracks())

    def test_times_keep_picoseconds(self):
        self.exported("perfetto", self.result())
        with open(self.file, encoding="utf-8") as file:
            text = file.read()
        self.assertIn('"dur":0.000002,"ts":123000000.000001', text)

    def test_operations_that_were_cut_off(self):
        """No end, or no number: JSON stays valid, durations do not become negative."""
        path = self.result()
        with h5py.File(path, "r+") as file:
            file["ops/end"][:] = [0.0, 0.0, np.nan, np.inf]
            file["ops/waited"][:] = [np.nan, np.inf, 0, 0]
        self.exported("perfetto", path)
        for events in self.tracks().values():
            for event in events:
                self.assertGreaterEqual(event.get("dur", 0), 0)

    def test_compressed_and_repeatable(self):
        self.file += ".json.gz"
        path = self.result()
        contents = []
        for _ in range(2):
            self.exported("perfetto", path)
            with open(self.file, "rb") as file:
                contents.append(file.read())
        self.assertEqual(contents[0], contents[1])
        self.assertGreater(len(self.events()), 10)

    def test_task_graph(self):
        """A dispatch of 5 kB at 40 Gb/s takes a microsecond; the last computation waits for it."""
        self.imported("goal", self.write("s", "num_ranks 2\nrank 0 {\na: calc 1000\nb: send 5000b to 1\n"
                                         "b requires a\nc: calc 10\nc requires b\nd: calc 500\n}\n"
                                         "rank 1 {\nrecv 5000b from 0\n}\n"))
        self.exported("perfetto", self.out, "--rate", "40Gbps")
        tracks = self.tracks()
        compute = tracks["rank 0 (1 ranks)", "compute"]
        self.assertEqual([(event["ts"], event["dur"]) for event in compute],
                         [(0, 1.0), (1.0, 0.5), (2.0, 0.01)])
        self.assertEqual(tracks["rank 0 (1 ranks)", "send"][0]["ts"], 1.0)

    def graph_result(self, **changes):
        """Two ranks: one computes, sends twice, the other receives both; the second one had arrived before."""
        path = os.path.join(self.folder, "graph.h5")
        tables = {
            "runs": {"run": [0], "fabric": ["fat-tree"]}, "task_summary": {"run": [0]},
            "task_list": {"task": [0, 1, 2, 3, 4], "kind": ["compute", "send", "send", "recv", "recv"],
                          "name": ["attention", "", "", "", "late"], "set": [""] * 5,
                          "bytes": [0, 7, 8, 7, 8], "tag": [0, 3, 3, 3, 3], "line": [1, 2, 3, 1, 2]},
            "tasks": {"run": [0] * 5, "rank": [0, 0, 0, 1, 1], "task": [0, 2, 1, 3, 4],
                      "peer": [NONE, 1, 1, 0, 0], "start": [0.0, 5e-6, 2e-6, 0.0, 9e-6],
                      "end": [2e-6, 6e-6, 4e-6, 4e-6, 9e-6]}, **changes}
        with h5py.File(path, "w") as file:
            for name, columns in tables.items():
                for key, values in (columns or {}).items():
                    if isinstance(values[0], str):
                        values = np.array([value.encode() for value in values])
                    file.create_dataset(f"{name}/{key}", data=values)
        return path

    def test_result_of_a_task_graph(self):
        self.exported("perfetto", self.graph_result())
        tracks = self.tracks()
        self.assertEqual([event["name"] for event in tracks["run 0 fat-tree: rank 0", "compute"]], ["attention"])
        sent = tracks["run 0 fat-tree: rank 0", "communication"]
        received = tracks["run 0 fat-tree: rank 1", "communication"]
        self.assertEqual([(event["ph"], event["ts"]) for event in sent],
                         [("X", 2.0), ("s", 2.0), ("X", 5.0), ("s", 5.0)])
        self.assertEqual([(event["ph"], event["ts"]) for event in received],
                         [("X", 0.0), ("f", 2.0), ("X", 9.0), ("f", 9.0)])
        self.assertEqual([event["id"] for event in sent if event["ph"] == "s"],
                         [event["id"] for event in received if event["ph"] == "f"])
        self.assertEqual((received[0]["args"]["bytes"], received[0]["args"]["peer"]), (7, 0))
        self.exported("perfetto", self.graph_result(), "--rank", "1")
        self.assertEqual({process for process, _ in self.tracks()}, {"run 0 fat-tree: rank 1"})

    def test_result_of_a_task_graph_without_tasks(self):
        self.export_refused("perfetto", self.graph_result(tasks=None), says=("record.tasks=all",))
        self.export_refused("perfetto", self.graph_result(), "--iteration", "0", says=("no iterations",))
        self.export_refused("perfetto", self.graph_result(), "--run", "1", says=("has no run 1",))

    def test_refusals(self):
        path = self.result()
        self.export_refused("perfetto", path, "--run", "7", says=("has no run 7", "0, 1"))
        self.export_refused("perfetto", path, "--iteration", "7", says=("no events",))
        self.export_refused("perfetto", path + "x", says=("no such file",))
        self.export_refused("perfetto", self.write("x.h5", "text"), says=("HDF5",))
        self.export_refused("chrome", path, says=("perfetto, flows, matrices",))


class FlowsAndMatrices(Case):
    def test_flows_read_by_applications(self):
        self.imported("hpcc-flow", self.write("f", "2\n5 1 3 100 5000000000 2\n1 0 2 9 1 2.000000001\n"))
        self.exported("flows", self.out)
        with open(self.file, encoding="utf-8") as file:
            self.assertEqual(file.read(), "start (ps),source,destination,size (B)\n"
                             "2000000000000,5,1,5000000000\n2000000001000,1,0,1\n")
        self.exported("flows", self.out, "--all")
        with open(self.file, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual((rows[0]["bytes (B)"], rows[1]["port"]), ("5000000000", "9"))

    def test_triggers_are_not_lost_silently(self):
        self.imported("htsim-cm", self.write("m", "Nodes 3\nConnections 2\nTriggers 1\n0->1 start 0 size 1 "
                      "recv_done_trigger 1\n1->2 trigger 1 size 1\ntrigger id 1 oneshot\n"))
        self.export_refused("flows", self.out, says=("wait for triggers", "--all"))
        self.exported("flows", self.out, "--all")

    def test_result_without_flows(self):
        self.export_refused("flows", self.result(), says=("result of a training job", "no single flows",
                                                            "/flow_stats"))

    def test_matrices(self):
        self.exported("matrices", self.result())
        values = np.load(self.file)
        self.assertEqual((values.shape, values.dtype), ((1, 2, 1, 2, 2), np.uint64))
        self.assertEqual(values[0, 1, 0].tolist(), [[1, 2], [3, 5_000_000_000]])
        self.imported("mixnet-matrix", self.write("m", "[[1,2],[3,4]]"))
        self.exported("matrices", self.out)
        self.assertEqual(np.load(self.file).tolist(), [[[[1, 2], [3, 4]]]])

    def test_matrices_of_controllers(self):
        """Servers 4 to 6 of region 1; the last row is the one before it, read the other way."""
        path = self.result()
        self.exported("matrices", path, "--controllers", "--run", "1", "--region", "1")
        values = np.load(self.file)
        self.assertEqual((values.shape, values.dtype), ((3, 3, 3), np.uint64))
        self.assertEqual({tuple(place): int(values[tuple(place)]) for place in np.argwhere(values)},
                         {(0, 1, 0): 7, (1, 0, 2): 2**53 + 1, (1, 2, 1): 3, (2, 2, 0): 2**53 + 1,
                          (2, 1, 2): 3})
        self.exported("matrices", path, "--controllers")
        self.assertEqual(np.load(self.file).tolist(), [[[0, 0], [9, 0]]])
        for words, bytes_ in ((("--what", "seen"), 3), (("--decision", "0"), 7), (("--iteration", "0"), 7)):
            os.remove(self.file)
            self.exported("matrices", path, "--controllers", "--run", "1", "--region", "1", *words)
            values = np.load(self.file)
            self.assertEqual(len(values), 1)
            self.assertIn(bytes_, values)
        os.remove(self.file)
        self.export_refused("matrices", path, "--controllers", "--region", "7",
                            says=("run 0, region 7", "runs 0, 1"))
        self.export_refused("matrices", path, "--controllers", "--what", "guessed", says=("predicted",))


if __name__ == "__main__":
    unittest.main()
