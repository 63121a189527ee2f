# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Profiles and measured logs become compute and communication times."""

import gzip
import json
import unittest
from unittest import mock

import h5py

from importing import ImportCase

from mixnet_workloads.importers.kernel_classes import Classifier

NONE = 4294967295
EPOCH = 1740461679471346


class Case(ImportCase):
    def table(self, name):
        """{column: list}, text decoded."""
        with h5py.File(self.out, "r") as file:
            return {key: [v.decode() if isinstance(v, bytes) else v for v in data[:].tolist()]
                    for key, data in file["times"][name].items()}

    def classes(self):
        """{name: {column: value}}"""
        table = self.table("classes")
        return {name: {key: values[row] for key, values in table.items()}
                for row, name in enumerate(table["name"])}

    def names(self, numbers):
        known = self.table("names")["name"]
        return [None if number == NONE else known[number] for number in numbers]


def event(cat, name, ts, dur, tid=1, pid=9, **args):
    return {"ph": "X", "cat": cat, "name": name, "ts": ts, "dur": dur, "pid": pid, "tid": tid, "args": args}


def launched(number, at, name, ts, dur, thread=1, stream=7, **args):
    """A kernel and its launch."""
    return [event("cuda_runtime", "cudaLaunchKernel", at, 1, thread, correlation=number),
            event("kernel", name, ts, dur, stream, 0, correlation=number, stream=stream, **args)]


def trace(*events, rank=0):
    return {"schemaVersion": 1, "deviceProperties": [{"name": "a [GPU]", "x": [1, {"y": 2}]}],
            "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 4},
            "traceEvents": list(events), "traceName": "t"}


class Kineto(Case):
    def events(self):
        at = EPOCH
        return [
            event("user_annotation", "ProfilerStep#3", at, 1000), event("user_annotation", "attn(F)", at, 100),
            event("user_annotation", "inner", at + 50, 20), event("user_annotation", "attn(F)", at + 200, 100),
            {"ph": "M", "name": "process_name", "args": {"name": "python"}},
            event("cpu_op", "aten::mm", at, 5),
            *launched(1, at + 10, "flash_fwd_kernel", at + 500, 100),
            *launched(2, at + 60, "sm90_xmma_gemm_bf16", at + 600, 50),
            *launched(3, at + 250, "void ep::dispatch<8>(int4*)", at + 620, 80, stream=27),
            *launched(4, at + 260, "void ep::dispatch<8>(int4*)", at + 800, 40, thread=2, stream=27),
            event("kernel", "lonely", at + 900, 5, 7, 0, correlation=99, stream=7),
        ]

    def test_classes(self):
        self.imported("kineto", self.write("t.json", json.dumps(trace(*self.events()))))
        classes = self.classes()
        self.assertEqual(set(classes), {"attention", "gemm", "dispatch", "other"})
        dispatch = classes["dispatch"]
        self.assertEqual({key: dispatch[key] for key in (
            "communication", "count", "total", "mean", "median", "min", "max", "busy")}, {
            "communication": 1, "count": 2, "total": 120 * 10**6, "mean": 60 * 10**6,
            "median": 40 * 10**6, "min": 40 * 10**6, "max": 80 * 10**6, "busy": 120 * 10**6})
        with h5py.File(self.out, "r") as file:
            self.assertEqual(file["times"].attrs["device"], "a [GPU]")
            self.assertEqual(file["times"].attrs["world_size"], 4)

    def test_overlap(self):
        """Computation from 0 to 10 and 20 to 30, communication from 5 to 25 and 28 to 40 us."""
        kernels = ((0, 10, "gemm"), (20, 10, "gemm"), (5, 20, "nccl_allreduce"), (28, 12, "nccl_allreduce"))
        self.imported("kineto", self.write("t.json", json.dumps(trace(*(
            event("kernel", name, EPOCH + ts, dur) for ts, dur, name in kernels)))))
        with h5py.File(self.out, "r") as file:
            self.assertEqual([int(file["times"].attrs[name]) // 10**6 for name in (
                "compute_ps", "communication_ps", "exposed_ps")], [20, 32, 20])

    def test_ranges(self):
        """The innermost on the launching thread, else of the process; layers count by name."""
        self.imported("kineto", self.write("t.json", json.dumps(trace(*self.events()))))
        samples = self.table("samples")
        self.assertEqual(self.names(samples["annotation"]), ["attn(F)", "inner", "attn(F)", "attn(F)", None])
        self.assertEqual(samples["layer"], [0, 0, 1, 1, NONE])
        self.assertEqual(samples["iteration"], [3, 3, 3, 3, NONE])
        self.assertEqual(samples["start"], [0, 100 * 10**6, 120 * 10**6, 300 * 10**6, 400 * 10**6])
        layers = self.table("layers")
        rows = list(zip(self.names(layers["annotation"]), layers["layer"], layers["kernels"],
                        layers["compute"], layers["communication"]))
        self.assertEqual(rows, [("attn(F)", 0, 1, 100 * 10**6, 0), ("inner", 0, 1, 50 * 10**6, 0),
                                ("attn(F)", 1, 2, 0, 120 * 10**6)])
        self.assertIn("1 kernels without a launch", self.warnings()[0])

    def test_decimals_are_exact(self):
        """A double of an epoch in us has steps of a quarter of a microsecond; the text has ns."""
        text = json.dumps(trace(*launched(1, EPOCH, "k", 0, 0), *launched(2, EPOCH, "k", 1, 1)))
        text = text.replace('"ts": 0, "dur": 0', f'"ts": {EPOCH}.001, "dur": 12.345')
        text = text.replace('"ts": 1, "dur": 1', f'"ts": {EPOCH}.043, "dur": 1e1')
        self.imported("kineto", self.write("t.json", text))
        samples = self.table("samples")
        self.assertEqual(samples["start"], [0, 42_000])
        self.assertEqual(samples["duration"], [12_345_000, 10_000_000])

    def test_nanoseconds(self):
        path = self.write("t.json", json.dumps(trace(*launched(1, EPOCH * 1000, "k", EPOCH * 1000, 17))))
        self.imported("kineto", path)
        self.assertEqual(self.table("samples")["duration"], [17_000])
        self.assertIn("taken for ns", self.warnings()[0])

    def test_streams_in_small_pieces(self):
        """Whatever the size of the pieces that are read, the same comes out."""
        data = json.dumps(trace(*self.events()), indent=1).encode("utf-8")
        self.imported("kineto", self.write("t.json", data))
        expected = self.table("samples")
        for size in (1, 7, 100):
            with mock.patch("mixnet_workloads.importers.json_events.CHUNK", size):
                self.imported("kineto", self.write("t.json", gzip.compress(data)))
            self.assertEqual(self.table("samples"), expected)

    def test_bare_list_that_is_not_closed(self):
        text = json.dumps(self.events())
        self.imported("kineto", self.write("t.json", text[:-1]))
        self.assertTrue(any("not closed" in text for text in self.warnings()))
        self.assertEqual(len(self.table("samples")["start"]), 5)

    def test_two_ranks(self):
        paths = [self.write(f"{rank}.json", json.dumps(trace(*self.events(), rank=rank))) for rank in (5, 2)]
        self.imported("kineto", *paths)
        self.assertEqual(self.table("samples")["rank"], [2] * 5 + [5] * 5)
        self.assertEqual(self.classes()["dispatch"]["busy"], 240 * 10**6)
        self.refused("kineto", paths[0], self.write("x.json", json.dumps(trace(*self.events(), rank=5))),
                     says=("x.json", "rank 5"))

    def test_nccl_bytes_and_own_classes(self):
        self.imported("kineto", self.write("t.json", json.dumps(trace(*launched(
            1, 5, "ncclDevKernel_AllGather_RING_LL", 10, 5, dtype="BFloat16", **{
                "In msg nelems": 5_000_000_000, "Group size": 8}), *launched(2, 5, "mine", 20, 5)))),
            "--class", "own:communication=^mi")
        classes = self.classes()
        self.assertEqual((classes["all-gather"]["bytes"], classes["all-gather"]["ranks"]),
                         (10_000_000_000, 8))
        self.assertEqual(classes["own"]["communication"], 1)

    def test_refusals(self):
        good = json.dumps(trace(*self.events()), indent=1)
        for text, *parts in (
                (good.replace("traceEvents", "events"), "no 'traceEvents'"),
                (good.replace('"dur": 100,', '"dur": -1,', 1), "event 2", "'dur'"),
                (good.replace('"dur": 100,', '"dur": NaN,', 1), "NaN"),
                (good.replace('"dur": 100,', '"dur": "x",', 1), "'dur' is 'x'"),
                (good.replace('"cat": "kernel"', '"cat": "other"'), "none of", "is a kernel"),
                (good.replace('"ph"', 'ph', 1), "t.json:", "is not JSON"),
                (good.replace("},\n  {", "}\n  {", 1), "t.json:"),
                (good.replace(f'"ts": {EPOCH + 900}', '"ts": 5'), "days"), ("[1]", "event 1 is 1"),
                ('"text"', "'\"'"), ("{", "cut off"), ("[]", "none of 0 events")):
            self.refused("kineto", self.write("t.json", text), says=parts)
        line = good[: good.index('"dur": 100,')].count("\n") + 1
        self.refused("kineto", self.write("t.json", good.replace('"dur": 100,', '"dur": ,,', 1)),
                     says=(f"t.json:{line}:",))

    def test_deepseek_kernels_have_their_classes(self):
        classify = Classifier()
        for name, expected in (
                ("void dpsk::ep::internode::dispatch<false, 8, true, 8>(int4*, float*", ("dispatch", True)),
                ("void dpsk::ep::internode::combine<false, 8>(int4*", ("combine", True)),
                ("void dpsk::ep::internode::notify_dispatch<false, 8>(int const*", ("ep-notify", True)),
                ("void dpsk::ep::cuda::get_dispatch_layout<256, 32, 8>(long const*", ("ep-layout", False)),
                ("void cutlass::device_kernel<flash::FlashAttnBwd<", ("attention", False)),
                ("void cutlass::device_kernel<dpsk::grouped_gemm::cuda::fp8::GemmKernel>(", ("gemm", False)),
                ("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(", ("reduce-scatter", True)),
                ("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", ("send-recv", True)),
                ("void at::native::reduce_kernel<512, 1>", ("reduction", False)),
                ("Memcpy DtoD (Device -> Device)", ("memory", False))):
            self.assertEqual(classify(name), expected, name)


class MegatronTimers(Case):
    def line(self, iteration=1, rank=0, **perf):
        timers = {"forward-compute": {"total": 10.5, "avg": 5.25, "max": 6, "min": 4.5, "cnt": 2}, **perf}
        return json.dumps({"type": "time", "iteration": iteration, "rank": rank, "tp_rank": 0, "pp_rank": 1,
                           "dp_rank": 0, "perf": timers}) + "\n"

    def test_timers(self):
        sync = {"grads-all-reduce": {"total": 3, "avg": 3, "max": 3, "min": 3, "cnt": 1}}
        self.imported("megatron-timers", self.write("t", '{"type": "memory"}\n' + self.line() + self.line(
            2, 1, **sync)))
        classes = self.classes()
        self.assertEqual([classes["forward-compute"][key] for key in (
            "count", "total", "mean", "median", "min", "max", "busy", "communication")],
            [4, 21 * 10**9, 5_250_000_000, 5_250_000_000, 4_500_000_000, 6 * 10**9, 0, 0])
        self.assertEqual(classes["grads-all-reduce"]["communication"], 1)
        samples = self.table("samples")
        self.assertEqual((samples["iteration"], samples["rank"]), ([1, 2, 2], [0, 1, 1]))
        self.assertIn("1 lines of other types", self.warnings()[0])

    def test_refusals(self):
        good = self.line()
        self.imported("megatron-timers", self.write("t", good.replace("10.5", "99")))
        self.assertIn("1 timers have an avg x cnt", self.warnings()[0])
        for old, new, *parts in (("10.5", '"x"', "t:1:", "'total'"), ("10.5", "-1", "'total'"),
                                 ('"cnt": 2', '"cnt": 2.5', "'cnt'"),
                                 ('"min": 4.5', '"min": 7', "min is above max"),
                                 ("perf", "pref", "no 'perf'"), ("}}}", "}}", "t:1:", "not JSON")):
            self.refused("megatron-timers", self.write("t", good.replace(old, new)), says=parts)


class AicbLog(Case):
    HEAD = ("[rank0 ~ rank7]\ncomm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional,"
            "_elapsed_time,algbw,busbw,count\n")
    ROW = "CommType.all_reduce,CommGroup.tp_group,8,1000000,forward.mlp,None,None,,{},{},17.5,1\n"

    def test_rows(self):
        """1 MB at 10 GB/s is 0.1 ms."""
        text = (self.HEAD + self.ROW.format("0.1", "10") + "CommType.epoch_end,,,,,,,,,,,\n"
                + self.ROW.format("0.2", "5") + self.ROW.format("None", "None")
                + 'computation,None,None,"((4096, 1, 1536), (1536, 8))",forward.attn,None,None,,2,None,None,1\n')
        self.imported("aicb-log", self.write("l", text.replace("\n", "\r\n")))
        classes = self.classes()
        reduce = classes["all-reduce tp"]
        self.assertEqual([reduce[key] for key in ("count", "total", "bytes", "ranks", "communication")],
                         [2, 300_000_000, 2_000_000, 8, 1])
        self.assertEqual(classes["forward.attn"]["total"], 2 * 10**9)
        self.assertEqual(self.table("samples")["iteration"], [0, 1, 1])
        self.assertIn("1 rows have no _elapsed_time", self.warnings()[0])

    def test_unit_follows_bandwidth(self):
        for time, unit in (("100", "us"), ("0.1", "ms"), ("0.0001", "s")):
            self.imported("aicb-log", self.write("l", self.HEAD + self.ROW.format(time, "10")))
            self.assertEqual(self.classes()["all-reduce tp"]["total"], 100_000_000, unit)
        self.imported("aicb-log", self.write("l", self.HEAD + self.ROW.format("7", "None")), "--time-unit", "us")
        self.assertEqual(self.classes()["all-reduce tp"]["total"], 7_000_000)

    def test_refusals(self):
        good = self.HEAD + self.ROW.format("0.1", "10")
        for old, new, *parts in (("0.1,10", "fast,10", "l:3:", "_elapsed_time is 'fast'"),
                                 ("17.5,1", "17.5", "l:3:", "11 cells"), ("comm_type", "kind", "no header"),
                                 ("0.1,10", "None,10", "holds no times"), ("1000000", "1e6x", "msg_size")):
            self.refused("aicb-log", self.write("l", good.replace(old, new)), says=parts)


if __name__ == "__main__":
    unittest.main()
