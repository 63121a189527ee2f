# Copyright (c) 2026 The ns3-mixnet authors
# SPDX-License-Identifier: GPL-2.0-only
"""Measured tables beside a model: small ones, and programs that answer by a rule."""

import contextlib
import csv
import io
import os
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "analysis"))

from mixnet_analysis.compare import main  # noqa: E402
from mixnet_analysis.measured import TableError, read_table  # noqa: E402

NCCL = "op_name,kernel_source,nccl_dtype,num_gpus,message_size,latency\n"
DEEPEP = ("node_num,hidden_size,num_token,num_topk,num_experts,dispatch_sms,dispatch_transmit_us,"
          "dispatch_notify_us,combine_sms,combine_transmit_us,combine_notify_us\n")

# A byte per nanosecond; a token 1 us out and 2 us back, twice as much with every copy.
COLLECTIVES = """\
#!/usr/bin/python3
import sys
words = dict(word[2:].split("=") for word in sys.argv[1:])
open(r"{log}", "a").write(" ".join(sys.argv[1:]) + "\\n")
first, last = (int(end[:-1]) for end in words["sizes"].split(".."))
print("size time algbw busbw")
while first <= last:
    print(first, first / 1e3, 1, 1)
    first *= 2
"""
EXCHANGE = """\
#!/usr/bin/python3
import sys
words = dict(word[2:].split("=") for word in sys.argv[1:])
open(r"{log}", "a").write(" ".join(sys.argv[1:]) + "\\n")
if words["experts"] == "7":
    sys.exit("mixnet-expert-exchange: 7 experts")
copies = 2 if words["deduplication"] == "none" else 1
print("tokens dispatch rate combine rate")
for tokens in map(int, words["tokens"].split(",")):
    print(tokens, (tokens - 1) * copies, 1, 2 * (tokens - 1) * copies, 1)
"""


class CompareTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.log = self.folder / "log"
        self.programs = []
        for name, text in (("collectives", COLLECTIVES), ("exchange", EXCHANGE)):
            path = self.folder / name
            path.write_text(text.replace("{log}", str(self.log)), encoding="utf-8")
            path.chmod(0o755)
            self.programs += [f"--{name}", str(path)]

    def write(self, text):
        path = self.folder / "table.csv"
        path.write_text(text, encoding="utf-8")
        return str(path)

    def call(self, text, *words):
        """Exit code, standard output, standard error of the command on a table."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([*self.programs, self.write(text), *words])
        return code, out.getvalue(), err.getvalue()

    def test_nccl_by_hand(self):
        """131,072 bytes take 131.072 us in the model and 262.144 us and 3 times that measured; two
        runs of 2 MiB become their mean. Sizes below 64 KiB have no column."""
        text = NCCL + ("all_reduce,NCCL,half,8,65536,0.262144\n"
                       "all_reduce,NCCL,half,8,131072,0.786432\n"
                       "all_reduce,NCCL,half,8,1048576,2\nall_reduce,NCCL,half,8,1048576,4\n"
                       "all_reduce,NCCL,half,8,4,0.005\nalltoall,NCCL,int8,2,65536,0.065536\n")
        rows = self.folder / "rows.csv"
        code, out, err = self.call(text, "--csv", str(rows))
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"all-reduce, 8 GPUs, half +2\.00 - 3\.00 +1\.43 - 1\.43\s*\n")
        self.assertRegex(out, r"all-to-all, 2 GPUs, int8 +1\.00 - 1\.00")
        asked = self.log.read_text(encoding="utf-8")
        self.assertIn("--op=all-reduce --servers=1 --gpus=8 --fabric=star --chunk=0B "
                      "--sizes=131072B..262144B", asked)
        with open(rows, newline="", encoding="utf-8") as file:
            found = {(r["shape"], r["size"]): r for r in csv.DictReader(file)}
        self.assertEqual(len(found), 5)
        self.assertEqual(found["all-reduce half 8", "8"]["ratio"], "625.0000")

    def test_deepep_with_and_without_copies(self):
        """101 tokens: the model's 100 and 200 us, twice that with every copy; notifications count. One
        token moves nothing in the model and is left out."""
        text = DEEPEP + ("1,7168,101,8,256,24,150,10,24,300,20\n1,7168,1,8,256,24,5,0,24,5,0\n"
                         "8,7168,101,8,256,4,400,0,4,800,0\n")
        code, out, err = self.call(text)
        self.assertEqual(code, 0)
        self.assertIn("4 rows move no bytes", err)
        for line in (r"dispatch, server, 1 nodes, 24 SMs +1\.60 - 1\.60",
                     r"combine, none, 1 nodes, 24 SMs +0\.80 - 0\.80",
                     r"dispatch, server, 8 nodes,  4 SMs +4\.00 - 4\.00"):
            self.assertRegex(out, line)
        asked = self.log.read_text(encoding="utf-8").splitlines()
        self.assertEqual(len(asked), 4)
        self.assertTrue(any("--servers=1 --gpus=8" in a and "--group-limit=0" in a
                            and "--tokens=1,101" in a for a in asked))
        self.assertTrue(any("--servers=8" in a and "--group-limit=4" in a for a in asked))
        code, out, _ = self.call(text, "--each", "--deduplication", "rank")
        self.assertIn("dispatch, rank, 8 nodes,  4 SMs, hidden 7168, top-8 of 256", out)
        self.assertNotIn("none", out)

    def test_what_is_no_table_is_refused(self):
        for text, says in (("", "is no table of NCCL"), (NCCL, "has no rows"),
                           (NCCL + "gather,NCCL,half,8,4,1\n", "table.csv:2: op_name is 'gather'"),
                           (NCCL + "all_reduce,NCCL,half,8,4,1\nall_reduce,NCCL,half,8,x,1\n",
                            "table.csv:3: message_size is 'x'"),
                           (NCCL + "all_reduce,NCCL,half,8,4\n", "latency is None"),
                           (NCCL + "all_reduce,NCCL,half,8,4,nan\n", "latency is 'nan'"),
                           (NCCL + "all_reduce,NCCL,half,1,4,1\n", "num_gpus is '1'"),
                           (DEEPEP + "1,7168,101,8,256,24,-1,10,24,300,20\n", "transmit_us is '-1'")):
            with self.subTest(text), self.assertRaises(TableError) as caught:
                read_table(self.write(text))
            self.assertIn(says, str(caught.exception))
        code, _, err = self.call(DEEPEP + "1,7168,101,8,7,24,150,10,24,300,20\n")
        self.assertEqual(code, 1)
        self.assertIn("mixnet: error: mixnet-expert-exchange: 7 experts", err)
        code, _, err = self.call(DEEPEP + "1,7168,1,8,256,24,5,0,24,5,0\n")
        self.assertEqual(code, 1)
        self.assertIn("has nothing to compare", err)
        with self.assertRaises(TableError):
            read_table(os.fspath(self.folder))


if __name__ == "__main__":
    unittest.main()
