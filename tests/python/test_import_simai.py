# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""SimAI workloads become task graphs; reports 9 and 51 of users of other simulators."""

import unittest

import numpy as np

from graph_reading import GraphCase

HEADER = ("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 2 vpp: 1 ga: 4 "
          "all_gpus: 16 checkpoints: 0 checkpoint_initiates: 0 pp_comm 50331648\n")


def layer(name="a", forward="10\tNONE\t0", inputs="20\tNONE\t0", weights="30\tNONE\t0", update=100):
    return f"{name}\t-1\t{forward}\t{inputs}\t{weights}\t{update}\n"


def workload(*layers, header=HEADER):
    return f"{header}{len(layers)}\n" + "".join(layers)


class SimAi(GraphCase):
    FORMAT = "simai"

    def test_tasks_of_one_line(self):
        """Forward, its communication, input gradient, its own, weight gradient; nobody waits for
        the last communication but the update."""
        self.imported(self.write("w", workload(layer(
            "x", "10 ALLGATHER 64", "20 REDUCESCATTER 32", "30 ALLREDUCE_DP_EP 128"))))
        graph = self.graph()
        self.assertEqual([graph.describe(task) for task in range(7)], [
            ("compute", 10_000, 0, None, "forward", []),
            ("all-gather", None, 64, "tp", "forward", [0]),
            ("compute", 20_000, 0, None, "input-gradient", [1]),
            ("reduce-scatter", None, 32, "tp", "input-gradient", [2]),
            ("compute", 30_000, 0, None, "weight-gradient", [3]),
            ("all-reduce", None, 128, "dp_ep", "weight-gradient", [4]),
            ("compute", 100_000, 0, None, "update", [5]),
        ])
        self.assertEqual(graph.attributes["pp_bytes"], 50331648)

    def test_stages_hand_over_every_micro_batch(self):
        """8 lines = 2 before, 3 micro-batches of 2 lines; 3 stages of 2 GPUs."""
        header = HEADER.replace("ga: 4 all_gpus: 16", "ga: 3 all_gpus: 6").replace(
            "NPU_group: 2 ep: 2 pp: 2", "NPU_group: 2 ep: 1 pp: 3")
        path = self.write("w", workload(*map(layer, "xyababab"), header=header))
        self.imported(path)
        graph = self.graph()
        self.assertEqual(graph.rank_program, [0, 0, 1, 1, 2, 2])
        kinds, phases, peers = (graph.column(name) for name in ("kind", "phase", "peer"))
        first = graph.first_task
        for program, (back, on) in enumerate(((False, True), (True, True), (True, False))):
            moves = [(kinds[task], phases[task], peers[task], graph.describe(task)[2:4])
                     for task in range(first[program], first[program + 1]) if kinds[task] in (6, 7)]
            there = [(7, 1, -1)] * back + [(6, 1, 1)] * on
            home = [(7, 2, 1)] * on + [(6, 2, -1)] * back
            self.assertEqual([move[:3] for move in moves], there * 3 + home * 3, program)
            self.assertEqual({move[3] for move in moves}, {(50331648, "pp")})
        # The first stage: lines x, y, then a, b, send; a recv before the gradient of the last b.
        self.assertEqual(kinds[:first[1]].tolist()[:11], [0, 0, 0, 0, 6, 0, 0, 6, 0, 0, 6])
        self.assertEqual((graph.after(5), graph.after(11), graph.after(12)), ([3], [9], [11]))
        self.imported(path, "--stages", "apart")
        self.assertEqual((self.graph().programs, self.graph().tasks), (1, 24))
        self.assertIn("no bubble", self.warnings()[0])

    def test_stages_that_cannot_be_told(self):
        self.imported(self.write("w", workload(*map(layer, "abcdefgh"))))
        self.assertIn("do not repeat 4 times", self.warnings()[0])
        self.imported(self.write("w", workload(*map(layer, "aaaaaaaa"),
                                               header=HEADER.replace("vpp: 1", "vpp: 2"))))
        self.assertIn("VPP 2", self.warnings()[0])
        self.assertEqual(int((self.graph().column("kind") == 6).sum()), 2 * 4)

    def test_backward_walks_back(self):
        self.imported(self.write("w", workload(layer("a"), layer("b"))))
        graph = self.graph()
        self.assertEqual(graph.column("layer").tolist(), [0, 1, 1, 1, 0, 0])
        self.assertEqual(graph.column("line").tolist(), [3, 4, 4, 4, 3, 3])
        self.assertEqual([graph.after(task) for task in range(6)], [[], [0], [1], [2], [3], [4]])

    def test_groups_partition_the_ranks(self):
        """16 GPUs, TP 2, PP 2: DP 4 with EP 2 inside."""
        self.imported(self.write("w", workload(layer())))
        graph = self.graph()
        groups = {name: graph.groups(name) for name in graph.set_names()}
        self.assertEqual(groups["tp"][:2], [[0, 1], [2, 3]])
        self.assertEqual(groups["ep"][:3], [[0, 2], [1, 3], [4, 6]])
        self.assertEqual(groups["dp"], [[0, 2, 4, 6], [1, 3, 5, 7], [8, 10, 12, 14], [9, 11, 13, 15]])
        self.assertEqual(groups["dp_ep"][:2], [[0, 4], [1, 5]])
        self.assertEqual(groups["pp"][0], [0, 8])
        for name, members in groups.items():
            self.assertEqual(sorted(sum(members, [])), list(range(16)), name)

    def test_every_communication_and_group(self):
        kinds = {"ALLREDUCE": "all-reduce", "ALLGATHER": "all-gather", "ALLTOALL": "all-to-all",
                 "REDUCESCATTER": "reduce-scatter", "BROADCAST": "broadcast"}
        for word, kind in kinds.items():
            for suffix, group in (("", "tp"), ("_EP", "ep"), ("_DP", "dp"), ("_DP_EP", "dp_ep")):
                self.imported(self.write("w", workload(layer(
                    forward=f"1 {word}{suffix} 8", weights=f"1 {word}{suffix} 8"))))
                graph = self.graph()
                self.assertEqual(graph.describe(1)[::3], (kind, group))
                self.assertEqual(graph.describe(4)[::3], (kind, group if suffix else "dp"))

    def test_checkpoint_is_computed_again(self):
        header = HEADER.replace("checkpoints: 0 checkpoint_initiates: 0",
                                "checkpoints: 2 0 2 checkpoint_initiates: 2 2 3")
        self.imported(self.write("w", workload(*map(layer, "abcd"), header=header)))
        graph = self.graph()
        again = [int(graph.column("layer")[task]) for task in range(graph.tasks)
                 if graph.describe(task)[4] == "recompute"]
        self.assertEqual(again, [2, 0, 1], "before layer 3: from 2; before layer 2: from 0")

    def test_report_9_counts_beyond_32_bits(self):
        """Bytes of a layer beyond 2^32, and pp_comm beyond 2^31."""
        text = workload(layer("g", "1 ALLGATHER 6467616768", "1 NONE 0", "1 REDUCESCATTER 12935233536"),
                        header=HEADER.replace("50331648", "3000000000"))
        self.imported(self.write("w", text))
        graph = self.graph()
        self.assertEqual(graph.describe(1)[2], 6467616768)
        self.assertEqual(graph.describe(4)[2], 12935233536)
        self.assertEqual(graph.attributes["pp_bytes"], 3_000_000_000)

    def test_report_51_headers_of_every_age(self):
        """Missing keys get defaults and do not shift the parse; pp_comm with and without colon."""
        old = ("HYBRID_TRANSFORMER_FWD_IN_BCKWD\tmodel_parallel_NPU_group: 8 checkpoints: 0 "
               "checkpoint_initiates: 0\n")
        self.imported(self.write("old", workload(layer(), header=old)))
        self.assertEqual(self.graph().ranks, 8)
        self.assertIn("without ep, pp, vpp, ga, all_gpus", self.warnings()[0])
        self.imported(self.write("old", workload(layer(), header=old)), "--gpus", "64")
        self.assertEqual(self.graph().ranks, 64)
        for change in (("pp_comm", "pp_comm:"), ("vpp: 1 ", "")):
            self.imported(self.write("w", workload(layer(), header=HEADER.replace(*change))))
            graph = self.graph()
            self.assertEqual((graph.ranks, graph.attributes["micro_batches"],
                              graph.attributes["pp_bytes"]), (16, 4, 50331648))

    def test_report_51_declared_lines_are_counted(self):
        good = workload(layer(), layer())
        self.refused(self.write("w", good.replace("\n2\n", "\n3\n")), "holds 2", "declares 3")
        self.refused(self.write("w", good.replace("\n2\n", "\n1\n")), "w:4:", "more than the 1")
        self.refused(self.write("w", good.replace("\n2\n", "\ntwo\n")), "w:2:", "'two'")
        self.refused(self.write("w", good[:-20]), "w:4:", "fields")

    def test_micro(self):
        text = workload("all_to_all -1 1 NONE 0 1 NONE 0 1 ALLTOALL 1048576   1        ",
                        header="MICRO\n")[:-1]
        self.refused(self.write("m", text), "policy MICRO without 'all_gpus'", "--gpus N")
        self.imported(self.write("m", text), "--gpus", "8")
        graph = self.graph()
        self.assertEqual(graph.describe(3)[:4], ("all-to-all", None, 1048576, "world"))
        self.assertEqual(graph.groups("world"), [list(range(8))])

    def test_policies_choose_groups_and_order(self):
        """MODEL is over all GPUs; MODEL_DATA has the replicas next to each other."""
        line = layer("x", "1 ALLREDUCE 8", "1 NONE 0", "1 ALLREDUCE 8")
        for policy, forward, weights in (("MODEL", "world", "dp"), ("DATA", "tp", "world"),
                                         ("HYBRID_DLRM", "world", "world"),
                                         ("HYBRID_DATA_MODEL", "tp", "dp")):
            self.imported(self.write("p", workload(line, header=f"{policy}\n")), "--gpus", "8", "--tp", "2")
            graph = self.graph()
            self.assertEqual((graph.describe(1)[3], graph.describe(4)[3]), (forward, weights), policy)
            self.assertEqual(graph.groups("tp")[0], [0, 1])
        path = self.write("p", workload(line, header="HYBRID_MODEL_DATA\n"))
        self.refused(path, "without 'all_gpus'", "--gpus N")
        self.imported(path, "--gpus", "8", "--tp", "2")
        self.assertEqual(self.graph().groups("tp"), [[0, 4], [1, 5], [2, 6], [3, 7]])
        self.assertEqual(self.graph().groups("dp"), [[0, 1, 2, 3], [4, 5, 6, 7]])

    def test_policies_of_lines_are_told(self):
        self.imported(self.write("w", workload(layer().replace("\n", "\tDATA\n"))))
        self.assertTrue(any("1 lines have a policy" in text for text in self.warnings()))

    def test_refusals_name_the_place(self):
        good = workload(layer())
        for old, new, *parts in (
                ("HYBRID", "HIBRID", "w:1:", "policy"),
                ("ga: 4", "gas: 4", "w:1:", "'gas'"),
                ("ga: 4", "ga: four", "w:1:", "'four'"),
                ("ga: 4", "ga: 4 ga: 4", "twice"),
                ("checkpoints: 0", "checkpoints: 99 1", "w:1:", "99"),
                ("checkpoint_initiates: 0", "checkpoint_initiates: 1 0", "no checkpoint before"),
                ("all_gpus: 16", "all_gpus: 18", "18 GPUs do not divide by TP 2 x PP 2 = 4"),
                ("ep: 2", "ep: 3", "DP = 16 / (2 x 2) = 4 does not divide by EP 3"),
                ("10\tNONE", "ten\tNONE", "w:3:", "field 3", "'ten'"),
                ("10\tNONE", "-1\tNONE", "w:3:", "field 3"),
                ("10\tNONE", "9223372036854775807\tNONE", "w:3:", "field 3"),
                ("10\tNONE", "10\tALLTOEVERY", "w:3:", "ALLTOALL"),
                ("10\tNONE", "10\tALLTOALL_XP", "w:3:", "_DP_EP"),
                ("10\tNONE\t0", "10\tALLTOALL\t1.5", "w:3:", "field 5"),
                ("\t100", "", "w:3:", "11 fields")):
            self.assertIn(old, good)
            self.refused(self.write("w", good.replace(old, new)), *parts)

    def test_9216_ranks_are_one_program(self):
        header = HEADER.replace("all_gpus: 16", "all_gpus: 9216")
        lines = [layer(str(i), "5 ALLTOALL_EP 100663296", "5 ALLTOALL_EP 100663296") for i in range(100)]
        self.imported(self.write("w", workload(*lines, header=header)))
        graph = self.graph()
        self.assertEqual((graph.ranks, graph.programs, graph.tasks), (9216, 1, 500))
        self.assertTrue((np.diff(graph.column("line")[:200]) >= 0).all())


if __name__ == "__main__":
    unittest.main()
