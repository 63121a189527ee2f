# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Topologies, flow lists and size distributions; reports 53 and 55 of users of other simulators."""

import unittest

import h5py

from importing import ImportCase

NONE = 4294967295


class Case(ImportCase):
    def table(self, name):
        """{column: list} of a table."""
        with h5py.File(self.out, "r") as file:
            return {key: data[:].tolist() for key, data in file[name].items()
                    if isinstance(data, h5py.Dataset)}

    def attribute(self, group, name):
        with h5py.File(self.out, "r") as file:
            return file[group].attrs[name]


class HpccTopology(Case):
    """Two hosts, two switches in a row."""

    GOOD = "4 2 3\n2 3\n0 2 100Gbps 1000ns 0.000000\n1 3 100Gbps 0.001ms 0\n2 3 400Gbps 0.000025ms 0\n"

    def test_values(self):
        self.imported("hpcc-topology", self.write("t", self.GOOD))
        links = self.table("topology/links")
        self.assertEqual(links["rate"], [100 * 10**9] * 2 + [400 * 10**9])
        self.assertEqual(links["delay"], [10**6, 10**6, 25_000])
        self.assertEqual(links["line"], [3, 4, 5])
        self.assertEqual(links["scale_up"], [0, 0, 0])
        nodes = self.table("topology/nodes")
        self.assertEqual(nodes["kind"], [0, 0, 3, 3])
        self.assertEqual(nodes["host"], [0, 1, NONE, NONE])
        self.assertEqual(nodes["tier"], [0, 0, 1, 1])
        self.assertEqual(self.table("topology/servers"),
                         {"gpus": [1, 1], "first_host": [0, 1], "scale_up_rate": [0, 0]})
        self.assertEqual(self.attribute("topology", "schema"), "mixnet-topology/1")

    def test_switches_may_come_first_and_tiers_follow_from_links(self):
        """Switch 0 over switches 1 and 2, hosts 3 to 6."""
        self.imported("hpcc-topology", self.write(
            "t", "7 3 6\n0 1 2\n" + "".join(f"{a} {b} 1Gbps 1us 0\n" for a, b in (
                (0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)))))
        self.assertEqual(self.table("topology/nodes")["tier"], [2, 1, 1, 0, 0, 0, 0])
        tiers = self.table("topology/tiers")
        self.assertEqual((tiers["switches"], tiers["down"], tiers["up"]), ([2, 1], [2, 2], [1, 0]))

    def test_report_53_bad_links_name_the_line(self):
        for link, *parts in (
                ("0 1 400 1ms 0", "bad rate '400'", "400Gbps"),
                ("0 1 400Gbps 1 0", "bad delay '1'", "1000ns"),
                ("0 1 400Gbps 0,001ms 0", "bad delay '0,001ms'"),
                ("0 1 400,5Gbps 1ms 0", "bad rate '400,5Gbps'"),
                ("0 1 -4Gbps 1ms 0", "bad rate"), ("0 1 0Gbps 1ms 0", "bad rate"),
                ("0 1 nanGbps 1ms 0", "bad rate"), ("0 1 400Gbps 1xs 0", "bad delay"),
                ("0 1 400Gbps 1ms", "4 columns", "src dst rate delay error_rate"),
                ("0 1 400Gbps 1ms 0 0", "6 columns"), ("0 4 400Gbps 1ms 0", "node is '4'"),
                ("1 1 400Gbps 1ms 0", "linked to itself"), ("0 x 400Gbps 1ms 0", "node is 'x'"),
                ("0 1 400Gbps 1ms 1.5", "error rate"), ("0 1 400Gbps 1ms -0.1", "error rate")):
            text = self.GOOD.replace("1 3 100Gbps 0.001ms 0", link)
            self.refused("hpcc-topology", self.write("topology.txt", text),
                         says=("topology.txt:4:", *parts))

    def test_report_53_what_is_accepted(self):
        """CR LF, tabs, comments, a missing last line end; bytes with a warning."""
        text = ("# a comment\n" + self.GOOD).replace(" ", "\t").replace("\n", "\r\n")[:-2]
        text = text.replace("400Gbps", "50GBps").replace("2\t3\r\n", "2\t3 # switches\r\n\r\n", 1)
        self.imported("hpcc-topology", self.write("t", text))
        self.assertEqual(self.table("topology/links")["rate"], [100 * 10**9] * 2 + [400 * 10**9])
        self.assertIn("50GBps is in bytes: 400 Gb/s", self.warnings()[0])

    def test_head_is_checked(self):
        for old, new, *parts in (("4 2 3", "4 2", "t:1:", "2 columns"), ("4 2 3", "2 2 3", "t:1:"),
                                 ("4 2 3", "4 2 4", "2 switches and 3 links"),
                                 ("\n2 3\n", "\n2 2\n", "t:2:", "twice"),
                                 ("\n2 3\n", "\n2 3 1\n", "t:2:", "3 switches"),
                                 ("\n2 3\n", "\n2 9\n", "t:2:", "'9'")):
            self.refused("hpcc-topology", self.write("t", self.GOOD.replace(old, new, 1)), says=parts)
        self.imported("hpcc-topology", self.write("t", self.GOOD + "\nFirst line: node #\n"))
        self.assertIn("line 7 and what follows is left out", self.warnings()[0])

    def test_direct_links_need_no_switch(self):
        self.imported("hpcc-topology", self.write("t", "2 0 1\n\n0 1 400Gbps 1us 0\n"))
        self.assertEqual(self.table("topology/tiers")["tier"], [])

    def test_simai_servers(self):
        """Two servers of two GPUs, an NVSwitch each, one ToR."""
        links = ["0 4 2400Gbps 25ns 0", "1 4 2400Gbps 25ns 0", "2 5 2400Gbps 25ns 0",
                 "3 5 2400Gbps 25ns 0", *(f"{gpu} 6 400Gbps 500ns 0" for gpu in range(4))]
        text = "7 2 2 1 8 H100\n4 5 6\n" + "\n".join(links)
        self.imported("hpcc-topology", self.write("t", text))
        self.assertEqual(self.attribute("topology", "gpu"), "H100")
        nodes = self.table("topology/nodes")
        self.assertEqual(nodes["kind"], [1, 1, 1, 1, 2, 2, 3])
        self.assertEqual(nodes["server"], [0, 0, 1, 1, 0, 1, NONE])
        self.assertEqual(self.table("topology/links")["scale_up"], [1] * 4 + [0] * 4)
        self.assertEqual(self.table("topology/servers"), {
            "gpus": [2, 2], "first_host": [0, 2], "scale_up_rate": [2400 * 10**9] * 2})
        self.refused("hpcc-topology", self.write("t", text.replace("7 2 2", "7 3 2", 1)),
                     says=("7 - 2 - 1 = 4 GPUs do not divide into servers of 3",))
        self.refused("hpcc-topology", self.write("t", text.replace("3 5 2400", "3 4 2400")),
                     says=("t:6:", "NVSwitch 4 joins servers 0 and 1"))


class HpccFlows(Case):
    def test_values_and_order(self):
        self.imported("hpcc-flow", self.write("f", "2\n5 1 3 100 5000000000 2.000000001\n1 0 2 9 1 2\n"))
        flows = self.table("flows")
        self.assertEqual(flows["source"], [5, 1])
        self.assertEqual(flows["bytes"], [5_000_000_000, 1])
        self.assertEqual(flows["start"], [2_000_000_001_000, 2 * 10**12])
        self.assertEqual((flows["priority"], flows["port"]), ([3, 2], [100, 9]))
        self.assertEqual(self.attribute("flows", "hosts"), 6)
        self.assertIn("line 3 starts before the line above", self.warnings()[0])

    def test_conweave(self):
        self.imported("hpcc-flow", self.write("f", "2\n5 1 3 7000 2\n1 0 100 9 2\n"))
        flows = self.table("flows")
        self.assertEqual((flows["priority"], flows["port"], flows["bytes"]),
                         ([3, 0], [0, 100], [7000, 9]))

    def test_declared_number(self):
        path = self.write("f", "1\n5 1 3 100 7 2\n1 0 3 100 9 2\n\nsrc0 dst0 3 dst_port0 size0 start0\n")
        self.imported("hpcc-flow", path)
        self.assertEqual(self.table("flows")["bytes"], [7])
        self.assertIn("--all takes it", self.warnings()[0])
        self.imported("hpcc-flow", path, "--all")
        self.assertEqual(self.table("flows")["bytes"], [7, 9])
        self.refused("hpcc-flow", self.write("f", "3\n5 1 3 100 7 2\n"), says=("holds 1", "3"))

    def test_refusals(self):
        self.imported("hpcc-flow", self.write("f", "1\n5 1 3 100 7\n"))
        for line in ("5 1 3 100", "5 5 3 100 7 2", "5 1 3 100 0 2", "5 1 3 100 7 -2", "5 1 3 100 7.5 2",
                     "5 1 3 100 7 2s", "-1 1 3 100 7 2", "5 1 3 100 7 2 9", "5 1 3 100 7 inf"):
            self.refused("hpcc-flow", self.write("f", f"1\n{line}\n"), says=("f:2:",))

    def test_node_list(self):
        self.imported("hpcc-trace", self.write("t", "3\r\n4 5\r\n6\r\n\r\nNode IDs\r\n"))
        self.assertEqual(self.table("nodes")["id"], [4, 5, 6])
        self.refused("hpcc-trace", self.write("t", "3\n4 5\n"), says=("holds 2 nodes",))
        self.refused("hpcc-trace", self.write("t", "3\n4 5 4\n"), says=("t:2:", "twice"))


class HtsimMatrix(Case):
    def test_report_55_numbers_are_exact(self):
        """Picoseconds beyond 2^24, bytes beyond 2^31."""
        path = self.write("m", "Nodes 4\nConnections 1\n1->2 id 7 start 123456789012 size 5000000000\n")
        self.imported("htsim-cm", path)
        flows = self.table("flows")
        self.assertEqual((flows["id"], flows["start"], flows["bytes"]),
                         ([7], [123456789012], [5_000_000_000]))
        self.imported("htsim-cm", path, "--start-unit", "us")
        self.assertEqual(self.table("flows")["start"], [123456789012 * 10**6])

    GOOD = ("# a comment\nNodes 4\nConnections 4\nTriggers 2\nFailures 1\n"
            "0->1 id 1 start 0 size 10 send_done_trigger 5\n"
            "1->2 id 2 trigger 5 size 20 recv_done_trigger 6 prio 3\n"
            "2->3 start 1e3 size 30 recv_done_trigger 6\n"
            "3->0 trigger 6 size 40\n"
            "trigger id 5 oneshot\ntrigger id 6 barrier count 2\n"
            "failure switch_type AGG switch_id 3 link_id 1\n")

    def test_triggers_and_failures(self):
        self.imported("htsim-cm", self.write("m", self.GOOD))
        flows = self.table("flows")
        self.assertEqual(flows["trigger"], [NONE, 0, NONE, 1])
        self.assertEqual(flows["send_done"], [0, NONE, NONE, NONE])
        self.assertEqual(flows["recv_done"], [NONE, 1, 1, NONE])
        self.assertEqual(flows["id"], [1, 2, 3, 4], "connections without an id get a free one")
        self.assertEqual(flows["start"], [0, 0, 1000, 0])
        self.assertEqual(self.table("triggers"),
                         {"id": [5, 6], "kind": [0, 2], "count": [0, 2], "line": [10, 11]})
        self.assertEqual(self.table("failures"),
                         {"tier": [2], "switch": [3], "link": [1], "line": [12]})
        self.assertEqual(self.attribute("flows", "hosts"), 4)

    def test_multishot_starts_one_at_a_time(self):
        text = ("Nodes 3\nConnections 3\nTriggers 1\n0->1 start 0 size 1 recv_done_trigger 1\n"
                "1->2 trigger 1 size 1 recv_done_trigger 1\n2->0 trigger 1 size 1\n"
                "trigger id 1 multishot\n")
        self.imported("htsim-cm", self.write("m", text))
        self.refused("htsim-cm", self.write("m", text.replace("trigger 1 size 1 recv_done_trigger 1",
                                                              "trigger 1 size 1")),
                     says=("m:7:", "needs 2"))

    def test_refusals(self):
        for old, new, *parts in (
                ("Connections 4", "Connections 5", "4 connections", "says 5"),
                ("Triggers 2\n", "", "2 triggers", "says 0"),
                ("0->1 id 1", "0->4 id 1", "m:6:", "destination is '4'"),
                ("0->1 id 1", "0->0 id 1", "itself"),
                ("0->1 id 1", "0->1 id 0", "m:6:", "'id' is '0'"),
                ("0->1 id 1", "0->1 id 2", "m:7:", "id 2 comes twice, first in line 6"),
                ("start 0 size 10", "size 10", "m:6:", "neither"),
                ("start 0 size 10", "start 0 trigger 5 size 10", "m:6:", "both"),
                ("start 0 size 10", "start 0", "m:6:", "no 'size'"),
                ("start 0 size 10", "start 0 size", "m:6:"),
                ("start 0 size 10", "start 0 size 0", "m:6:", "'0'"),
                ("start 0 size 10", "start 0 bytes 10", "m:6:", "'bytes'"),
                ("send_done_trigger 5", "send_done_trigger 9", "m:6:", "no trigger 9"),
                ("send_done_trigger 5", "", "m:10:", "never fires"),
                ("count 2", "count 3", "m:11:", "activated by 2", "needs 3"),
                ("oneshot", "sometimes", "m:10:", "oneshot"),
                ("AGG", "AGGREGATE", "m:12:", "TOR, AGG, CORE"),
                ("0->1 id 1 start 0", "0->1 id 1 trigger 6", "never starts"),
                ("# a comment", "a comment", "m:1:", "unknown line")):
            self.assertIn(old, self.GOOD)
            self.refused("htsim-cm", self.write("m", self.GOOD.replace(old, new)), says=parts)


class HtsimTopology(Case):
    TWO = ("Nodes 8\nTiers 2\nPodsize 8\n\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 4\nRadix_Up 2\n"
           "Downlink_Latency_ns 1000\nSwitch_Latency_ns 5\nOversubscribed 2\nQueue_Down 1000\n"
           "Tier 1\nDownlink_speed_Gbps 100\nRadix_Down 2\nDownlink_Latency_ns 2000\n")

    def test_leaf_spine(self):
        """Two ToRs of four hosts, two spines."""
        self.imported("htsim-topo", self.write("t", self.TWO))
        links = self.table("topology/links")
        self.assertEqual(links["a"], [*range(8), 8, 8, 9, 9])
        self.assertEqual(links["b"], [8] * 4 + [9] * 4 + [10, 11, 10, 11])
        self.assertEqual(links["delay"], [10**6] * 8 + [2 * 10**6] * 4)
        self.assertEqual(self.table("topology/nodes")["delay"], [0] * 8 + [5000, 5000, 0, 0])
        self.assertEqual(self.table("topology/tiers")["queue_down"], [1000, 0])
        self.assertEqual(self.warnings(), [])

    def test_three_tiers_are_a_fat_tree(self):
        """k = 4: 16 hosts, 8 ToRs, 8 aggregation and 4 core switches, each pod joined to each core."""
        tier = "Tier {}\nDownlink_speed_Gbps 100\nRadix_Down 2\nRadix_Up 2\nDownlink_Latency_ns 1\n"
        text = ("Nodes 16\nTiers 3\nPodsize 4\n" + tier.format(0) + tier.format(1)
                + "Tier 2\nDownlink_speed_Gbps 100\nRadix_Down 4\nDownlink_Latency_ns 1\n")
        self.imported("htsim-topo", self.write("t", text))
        tiers = self.table("topology/tiers")
        self.assertEqual((tiers["switches"], tiers["down"], tiers["up"]),
                         ([8, 8, 4], [2, 2, 4], [2, 2, 0]))
        links = self.table("topology/links")
        pairs = set(zip(links["a"], links["b"]))
        self.assertEqual((len(links["a"]), len(pairs)), (48, 48))
        for core in range(32, 36):
            pods = {(a - 24) // 2 for a, b in pairs if b == core}
            self.assertEqual(pods, {0, 1, 2, 3})

    def test_refusals(self):
        for old, new, *parts in (
                ("Nodes 8", "Nodes 9", "9 / 8"), ("Radix_Down 4", "Radix_Down 3", "8 / 3"),
                ("Radix_Down 2", "Radix_Down 8", "ToRs x Radix_Up / Radix_Down = 4 / 8"),
                ("Radix_Up 2", "Radix_Up 99999999999", "t:8:"), ("Nodes 8", "Nodes 999999999999", "nodes"),
                ("Tiers 2", "Tiers 4", "2 or 3 tiers"), ("Tier 1", "Tier 2", "t:13:"),
                ("Radix_Up 2\n", "", "no 'Radix_Up'"), ("speed_Gbps 100", "speed_Gbps fast", "t:6:"),
                ("Latency_ns 1000", "Latency_us 1", "t:9:", "unknown key"),
                ("Latency_ns 1000", "Latency_ns 0.00001", "t:9:", "bad")):
            self.assertIn(old, self.TWO)
            self.refused("htsim-topo", self.write("t", self.TWO.replace(old, new, 1)), says=parts[:1])
        self.imported("htsim-topo", self.write("t", self.TWO.replace("subscribed 2", "subscribed 4")))
        self.assertIn("Oversubscribed 4, rates and radixes give 2", self.warnings()[0])


class SizeDistribution(Case):
    def test_mean_of_the_linear_pieces(self):
        """Half of the flows from 0 to 100 B, half from 100 to 300 B: 50 / 2 + 200 / 2."""
        self.imported("size-cdf", self.write("d", "0 0\n100 50\n300 100\n"))
        self.assertEqual(self.table("distribution"),
                         {"size": [0, 100, 300], "probability": [0.0, 0.5, 1.0]})
        self.assertEqual(self.attribute("distribution", "mean"), 125.0)
        self.imported("size-cdf", self.write("d", "0 0\n100 0.5\n300 1\n"))
        self.assertEqual(self.attribute("distribution", "mean"), 125.0)

    def test_refusals(self):
        for text, *parts in (("0 0\n100 50\n", "ends at 50"), ("0 0\n9 20\n8 100\n", "d:3:"),
                             ("0 0\n9 20\n10 10\n", "d:3:"), ("0 0\n9 120\n", "d:2:"),
                             ("0 0 0\n", "d:1:", "3 columns"), ("a 0\n", "d:1:")):
            self.refused("size-cdf", self.write("d", text), says=parts)


if __name__ == "__main__":
    unittest.main()
