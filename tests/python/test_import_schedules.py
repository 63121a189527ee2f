# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Chakra traces and GOAL schedules become task graphs; report 57 of users of other simulators."""

import gzip
import json
import struct
import unittest
import unittest.mock

from graph_reading import GraphCase

from mixnet_workloads.importers import graph_checks, protobuf
from mixnet_workloads.importers.graph_program import COMPUTE, KINDS, Program
from mixnet_workloads.importers.graph_tables import Graph

COMP, SEND, RECV, COLL = 4, 5, 6, 7


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value & (1 << 64) - 1)


def block(field, content):
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def attribute(name, field, value):
    """field: 9 int64, 13 uint64, 27 bool, 29 string ..."""
    content = block(field, value) if isinstance(value, (str, bytes)) else number(field, value)
    return block(10, block(1, name) + content)


def node(identity, kind, *parts, name="n", after=()):
    """Proto3 leaves out what is 0."""
    content = (number(1, identity) if identity else b"") + block(2, name) + number(3, kind)
    if after:
        content += block(5, b"".join(varint(a) for a in after))
    return content + b"".join(parts)


def trace(*nodes):
    records = [block(1, "0.0.4"), *nodes]
    return b"".join(varint(len(record)) + record for record in records)


def collective(identity, kind, size, *parts, field=9, after=()):
    return node(identity, COLL, attribute("comm_type", 9, kind), attribute("comm_size", field, size),
                *parts, after=after)


class Chakra(GraphCase):
    FORMAT = "chakra"

    def ranks(self, *contents, groups=None):
        """A folder with a file per rank."""
        for rank, content in enumerate(contents):
            self.write(f"t/x.{rank}.et", content)
        if groups is not None:
            self.write("t/comm_group.json", json.dumps(groups))
        return self.folder + "/t"

    def test_all_to_all_as_published(self):
        """The record of ASTRA-sim's 8npus_1MB_all_to_all.1.et, byte for byte."""
        record = bytes.fromhex(
            "0801 1214 616c6c5f746f5f616c6c5f386e7075735f314d42 1807"
            "520e0a0969735f6370755f6f70d80100 520d0a09636f6d6d5f747970654806"
            "520f0a09636f6d6d5f73697a6548808040")
        self.imported(self.ranks(trace(record), trace(record[2:])))
        graph = self.graph()
        self.assertEqual(graph.describe(0)[:4], ("all-to-all", None, 1048576, "world"))
        self.assertEqual((graph.ranks, graph.programs, graph.name(0)), (2, 1, "all_to_all_8npus_1MB"))
        self.assertEqual(graph.groups("world"), [[0, 1]])

    def test_integers_of_both_kinds(self):
        for field in (9, 13):
            self.imported(self.ranks(trace(collective(1, 0, 5_000_000_000, field=field))))
            self.assertEqual(self.graph().describe(0)[2], 5_000_000_000)
        self.refused(self.ranks(trace(collective(1, 0, -5))), "x.0.et:2:", "comm_size", "-5")

    def test_computation(self):
        self.imported(self.ranks(trace(
            node(0, COMP, number(7, 12)), node(1, COMP, attribute("num_ops", 9, 77),
                                               attribute("tensor_size", 13, 88), after=[0]),
            node(2, COMP, number(7, 3), attribute("is_cpu_op", 27, 0)))))
        graph = self.graph()
        self.assertEqual([graph.describe(task)[:3] for task in range(3)],
                         [("compute", 12 * 10**6, 0), ("compute", None, 88), ("compute", 3 * 10**6, 0)])
        self.assertEqual(graph.column("flops").tolist(), [0, 77, 0])
        self.assertEqual(graph.column("stream").tolist(), [1, 1, 0], "without is_cpu_op: of the CPU")
        self.assertEqual(graph.after(1), [0])

    def test_report_57_node_0_has_no_id(self):
        self.imported(self.ranks(trace(node(1, COMP, number(7, 1), after=[0]),
                                       node(0, COMP, number(7, 2)))))
        self.assertEqual(self.graph().after(0), [1])

    def test_report_57_dangling_dependency_is_named(self):
        self.refused(self.ranks(trace(node(0, COMP, number(7, 1)), node(3, COMP, after=[0, 9]))),
                     "x.0.et:3:", "node 3 'n' waits for node 9")

    def test_report_57_circle_is_named(self):
        self.refused(self.ranks(trace(node(0, COMP), node(1, COMP, after=[3]), node(2, COMP, after=[1]),
                                      node(3, COMP, after=[2]), node(4, COMP, after=[3]))),
                     "x.0.et:", "3 task(s) wait for each other", "3 -> 5 -> 4 -> 3")

    def test_messages_have_two_ends(self):
        send = node(1, SEND, attribute("comm_size", 9, 64), attribute("comm_dst", 11, 1),
                    attribute("comm_tag", 9, 7))
        receive = node(1, RECV, attribute("comm_size", 9, 64), attribute("comm_tag", 9, 7))
        self.imported(self.ranks(trace(send), trace(receive)))
        graph = self.graph()
        self.assertEqual([graph.describe(task)[0] for task in range(2)], ["send", "recv"])
        self.assertEqual(graph.column("peer").tolist(), [1, 0])
        self.refused(self.ranks(trace(send), trace(node(1, COMP))), "x.0.et:2:", "from rank 0 to 1, tag 7",
                     "never received")
        self.refused(self.ranks(trace(node(1, COMP)), trace(receive)), "x.1.et:2:", "never sent")
        smaller = receive.replace(b"\x40", b"\x3f")
        self.refused(self.ranks(trace(send), trace(smaller)), "sends 64 B", "expects 63 B")

    def test_groups(self):
        """Ranks that differ in the number of the group alone share a program; an all-gather of one
        rank's bytes becomes the size of the result."""
        def run(name):
            return trace(collective(1, 2, 100, attribute("pg_name", 29, name)))
        self.imported(self.ranks(run("1"), run("1"), run("2"), run("2"),
                                 groups={"1": [0, 1], "2": [2, 3]}))
        graph = self.graph()
        self.assertEqual((graph.programs, graph.describe(0)[:3]), (1, ("all-gather", None, 200)))
        self.assertEqual(graph.groups(graph.set_names()[0]), [[0, 1], [2, 3]])
        folder = self.folder + "/t"
        self.write("t/comm_group.json", '{"1": [0, 1], "2": [2]}')
        self.refused(folder, "x.3.et:2:", "group '2'", "no rank 3")
        self.write("t/comm_group.json", '{"1": [0, 1]}')
        self.refused(folder, "x.2.et:2:", "group '2'")
        self.write("t/comm_group.json", '{"1": [0, 9], "2": [2, 3]}')
        self.refused(folder, "rank of group '1'", "9")

    def test_members_must_agree(self):
        self.refused(self.ranks(trace(collective(1, 0, 5)), trace(collective(1, 0, 6))),
                     "collective 1 of group 'world'", "5 B", "6 B")
        self.refused(self.ranks(trace(collective(1, 0, 5), collective(2, 0, 5)),
                                trace(collective(1, 0, 5))), "collective 2", "has only 1")

    def test_root_is_a_member(self):
        def run(root):
            return trace(collective(1, 5, 64, attribute("root", 9, root)))
        self.imported(self.ranks(run(1), run(1)))
        self.assertEqual(self.graph().column("peer").tolist(), [1])
        self.refused(self.ranks(run(2), run(2)), "x.0.et:2:", "root 2", "0 to 1")
        self.refused(self.ranks(run(0), run(1)), "collective 1")

    def test_programs_are_sorted_into_groups_once(self):
        """Not once per group: 1,024 ranks with 256 groups took minutes."""
        graph = Graph(6, "x")
        sets = [graph.add_set(f"s{place}", [range(6)]) for place in range(20)]
        for rank in range(6):
            program = Program(f"rank {rank}", "x")
            program.add(COMPUTE, duration=rank + 1, line=1)
            for place in sets:
                program.add(KINDS.index("broadcast"), bytes=8, set=place, peer=5, line=2)
            graph.run(program, rank)
        with unittest.mock.patch.object(graph_checks, "_by_set", wraps=graph_checks._by_set) as sort:
            graph_checks.check_collectives(graph)
        self.assertLessEqual(sort.call_count, 2 * 6)

    def test_every_rank_is_there(self):
        folder = self.ranks(trace(node(0, COMP)), trace(node(0, COMP)))
        self.write("t/x.4.et", trace(node(0, COMP)))
        self.refused(folder, "no file of rank 2", "2 ranks are missing")
        self.refused(self.write("y/zero.et", b"\0"), "no rank in its name")
        self.write("t/other.2.et", trace(node(0, COMP)))
        self.refused(folder, "rank 0 of 'x' beside other.2.et")

    def test_compressed(self):
        self.write("g/x.0.et.gz", gzip.compress(trace(collective(1, 0, 5))))
        self.imported(self.folder + "/g")
        self.assertEqual(self.graph().tasks, 1)

    def test_json_form(self):
        """The same job in both forms gives the same tasks."""
        self.imported(self.ranks(trace(node(0, COMP, number(7, 12), attribute("num_ops", 9, 7)),
                                       collective(1, 6, 5_000_000_000, after=[0]))))
        expected = [self.graph().describe(task) for task in range(2)]
        nodes = [{"Id": 0, "Name": "n", "NodeType": 4, "is_cpu_op": True, "runtime": 12, "num_ops": 7,
                  "data_deps": []},
                 {"Id": 1, "Name": "n", "NodeType": 7, "data_deps": [0], "comm_type": 6,
                  "comm_size": 5_000_000_000}]
        path = self.write("j/x.0.json", json.dumps({"workload_graph": nodes}, indent=1))
        self.imported(path)
        self.assertEqual([self.graph().describe(task) for task in range(2)], expected)
        nodes[1]["data_deps"] = [4]
        self.refused(self.write("j/x.0.json", json.dumps({"workload_graph": nodes})), "x.0.json:2:",
                     "waits for node 4")
        nodes[1]["data_deps"] = 4
        self.refused(self.write("j/x.0.json", json.dumps({"workload_graph": nodes})), "data_deps")

    def test_damage_is_refused(self):
        good = trace(collective(1, 6, 1 << 20, after=[]))
        for size in range(1, len(good)):
            self.write("t/x.0.et", good[:size])
            code, _, err = self.command("chakra", self.folder + "/t")
            self.assertEqual(code, 1, f"cut to {size} bytes: {err}")
            self.assertIn("x.0.et", err)
        for place in range(len(good)):
            changed = bytearray(good)
            changed[place] ^= 0xFF
            self.write("t/x.0.et", bytes(changed))
            code, _, err = self.command("chakra", self.folder + "/t")
            self.assertIn(code, (0, 1), err)

    def test_types_are_checked(self):
        self.refused(self.ranks(trace(node(1, 0))), "x.0.et:2:", "type 0")
        self.refused(self.ranks(trace(node(1, 9))), "type 9")
        self.refused(self.ranks(trace(collective(1, 11, 5))), "comm_type 11")
        self.refused(self.ranks(trace(node(1, COMP), node(1, COMP))), "x.0.et:3:", "node 1 comes twice")


class Wire(unittest.TestCase):
    """All scalar types of AttributeProto."""

    def test_scalars(self):
        minus = (1 << 64) - 3
        for index, raw, expected in (
                (0, int.from_bytes(struct.pack("<d", 1.5), "little"), 1.5),
                (1, int.from_bytes(struct.pack("<f", 2.5), "little"), 2.5),
                (2, minus, -3), (3, minus, -3), (4, 7, 7), (5, minus, minus), (6, 5, -3), (7, 5, -3),
                (8, 9, 9), (9, 9, 9), (10, (1 << 32) - 3, -3), (11, minus, -3), (12, 1, True),
                (13, b"x", "x"), (14, b"\xff", b"\xff")):
            wire = protobuf.SCALARS[index][0]
            self.assertEqual(protobuf.scalar(index, wire, raw), expected, index)
            with self.assertRaises(protobuf.Damaged):
                protobuf.scalar(index, (wire + 1) % 6, raw)

    def test_lists_packed_or_not(self):
        self.assertEqual(protobuf.scalar_list(3, block(1, varint(1) + varint(300))), [1, 300])
        self.assertEqual(protobuf.scalar_list(3, number(1, 1) + number(1, 300)), [1, 300])
        self.assertEqual(protobuf.scalar_list(0, block(1, struct.pack("<2d", 1, 2))), [1.0, 2.0])
        self.assertEqual(protobuf.scalar_list(13, block(1, "a") + block(1, "b")), ["a", "b"])
        with self.assertRaises(protobuf.Damaged):
            protobuf.scalar_list(0, block(1, b"1234567"))


class Goal(GraphCase):
    FORMAT = "goal"
    GOOD = ("num_ranks 2\n\nrank 0 {\n/* two\nlines */ l1: calc 1000 cpu 3 // a comment\n"
            "l2: send 5000000000b to 1 tag 5 cpu 0 nic 0\nl2 requires l1\nsend 5b to 1\n}\n"
            "rank 1 {\nl2: recv 5000000000b from 0 tag 5\nl9: recv 5b from 0\nl3: calc 7\n"
            "l3 irequires l2\nl3 requires l9\n}\n")

    def test_operations(self):
        self.imported(self.write("s", self.GOOD))
        graph = self.graph()
        self.assertEqual([graph.describe(task)[:3] for task in range(6)], [
            ("compute", 10**6, 0), ("send", None, 5_000_000_000), ("send", None, 5),
            ("recv", None, 5_000_000_000), ("recv", None, 5), ("compute", 7000, 0)])
        self.assertEqual([graph.after(task) for task in range(6)], [[], [0], [], [], [], [1]])
        self.assertEqual(graph.after(5, on_start=1), [0])
        self.assertEqual(graph.column("tag").tolist(), [0, 5, 0, 5, 0, 0])
        self.assertEqual(graph.column("peer").tolist()[1:5], [1, 1, 0, 0])
        self.assertEqual(graph.column("stream").tolist(), [3, 65535, 65535, 65535, 65535, 0])
        self.assertEqual(graph.column("line").tolist(), [5, 6, 8, 11, 12, 13])
        self.imported(self.write("s", self.GOOD), "--calc-unit", "us")
        self.assertEqual(self.graph().describe(0)[1], 10**9)

    def test_example_of_the_manual(self):
        """The arrays that the page on schemas prints."""
        self.imported(self.write("s", "num_ranks 4\nrank 0 {\na: calc 1000\nb: send 64b to 1 tag 5\n"
                                 "b requires a\n}\nrank 1 {\nb: recv 64b from 0 tag 5\nc: calc 7\n"
                                 "c irequires b\n}\nrank 2 {\ncalc 9\n}\nrank 3 {\ncalc 9\n}\n"))
        graph, none = self.graph(), 18446744073709551615
        self.assertEqual((graph.rank_program, graph.first_task), ([0, 1, 2, 2], [0, 2, 4, 5]))
        for name, values in (("kind", [0, 6, 7, 0, 0]), ("bytes", [0, 64, 64, 0, 0]),
                             ("duration", [1000000, none, none, 7000, 9000]),
                             ("peer", [0, 1, 0, 0, 0]), ("tag", [0, 5, 5, 0, 0]),
                             ("stream", [0, 65535, 65535, 0, 0])):
            self.assertEqual(graph.column(name).tolist(), values, name)
        self.assertEqual([graph.after(task) for task in range(5)], [[], [0], [], [], []])
        self.assertEqual([graph.after(task, on_start=1) for task in range(5)], [[], [], [], [0], []])
        self.assertEqual(graph.set_names(), [])

    def test_order_of_blocks_does_not_matter(self):
        head, first, second = self.GOOD.replace("rank 1", "|rank 1").replace("rank 0", "|rank 0").split("|")
        self.imported(self.write("s", self.GOOD.replace("\n", "\r\n")))
        expected = [self.graph().describe(task) for task in self.graph().tasks_of(0)]
        self.imported(self.write("s", head + second + first))
        graph = self.graph()
        self.assertEqual([graph.describe(task) for task in graph.tasks_of(0)], expected)

    def test_refusals(self):
        for old, new, *parts in (
                ("num_ranks 2", "num_ranks 3", "rank 2 is missing"),
                ("num_ranks 2\n", "", "num_ranks N first"),
                ("num_ranks 2", "num_ranks 1", "rank is '1'"),
                ("rank 1 {", "rank 0 {", "s:10:", "rank 0 comes twice, first in line 3"),
                ("l2 requires l1", "l2 requires l7", "s:7:", "no label l7 in rank 0"),
                ("l2 requires l1", "l2 requires l1\nl1 requires l2", "wait for each other", "5 -> 6"),
                ("l9: recv", "l2: recv", "s:12:", "label l2 comes twice"),
                ("send 5b to 1", "send 6b to 1", "s:8:", "sends 6 B", "expects 5 B"),
                ("send 5b to 1", "send 5b to 2", "s:8:", "rank is '2'"),
                ("send 5b to 1", "send 5b from 1", "s:8:", "send ... from"),
                ("send 5b to 1", "send 5 to 1", "s:8:", "cannot read"),
                ("send 5b to 1\n", "", "s:11:", "never sent"),
                ("from 0 tag 5", "from 0 tag 6", "never"),
                ("l9: recv 5b from 0", "l9: recv 5b from -1", "s:12:", "any rank"),
                ("calc 7", "calc 7.5", "s:13:", "cannot read"),
                ("calc 7", "calc 99999999999999999999", "s:13:", "calc is"),
                ("l3 requires l9\n}", "l3 requires l9", "ends inside of rank 1"),
                ("lines */", "lines", "ends inside of a comment")):
            self.assertIn(old, self.GOOD)
            self.refused(self.write("s", self.GOOD.replace(old, new, 1)), *parts)

    def test_nic_numbers_are_dropped_aloud(self):
        self.imported(self.write("s", self.GOOD.replace("nic 0", "nic 2")))
        self.assertIn("NIC numbers are not kept", self.warnings()[0])


if __name__ == "__main__":
    unittest.main()
