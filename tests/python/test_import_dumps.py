# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Dumps of serving and training frameworks: TensorRT-LLM, Megatron, SGLang (.pt)."""

import importlib.util
import io
import json
import sys
import unittest
from unittest import mock

import numpy as np

from importing import ImportCase

COUNTS = np.random.Generator(np.random.PCG64(8)).integers(0, 900, (2, 3, 4, 6))
HAVE_TORCH = importlib.util.find_spec("torch") is not None


def safetensors(tensors, dtype="I32"):
    header, body = {"__metadata__": {"a": "b"}}, b""
    for name, values in tensors.items():
        data = values.astype({"I32": "<i4", "I64": "<i8"}[dtype]).tobytes()
        header[name] = {"dtype": dtype, "shape": list(values.shape),
                        "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


class TensorRtLlm(ImportCase):
    def folder_of(self, skip=()):
        for rank in range(4):
            tensors = {f"{50 + i}_{3 + l}": COUNTS[i, l, rank] for i in range(2) for l in range(3)
                       if (i, l, rank) not in skip}
            self.write(f"d/rank{rank}.safetensors", safetensors(tensors, ["I32", "I64"][rank % 2]))
        self.write("d/cooccurrence_rank0.safetensors", b"not read")
        self.write("d/meta_info.json", json.dumps({"num_experts": 6, "num_experts_per_token": 2}))
        return f"{self.folder}/d"

    def test_counts(self):
        self.imported("tensorrt-llm", self.folder_of())
        np.testing.assert_array_equal(self.tokens(), COUNTS)
        info = self.info()
        self.assertEqual((info.top_k, info.experts), (2, 6))
        self.assertEqual(info.extra["layer_ids"].tolist(), [3, 4, 5])

    def test_missing_tensors_are_warned_of(self):
        self.imported("tensorrt-llm", self.folder_of(skip={(1, 2, 3)}))
        self.assertIn("1 of 24 tensors are missing", " ".join(self.warnings()))

    def test_refusals(self):
        folder = self.folder_of()
        good = safetensors({"50_3": COUNTS[0, 0, 0]})
        for content, *says in (
            (b"short", "ends early"), (good[:-1], "bytes"), (b"\xff" * 64, "ends early"),
            (good.replace(b'"I32"', b'"BF9"'), "'BF9'"), (good.replace(b"[6]", b"[7]"), "shape"),
            (good.replace(b"50_3", b"5x_3"), "ITERATION_LAYER"),
            (safetensors({"50_3": COUNTS[0, 0, 0][:5]}), "5 experts"),
            (good.replace(b"data_offsets", b"dato_offsets"), "not described"),
            ((2).to_bytes(8, "little") + b"[]", "no object"),
        ):
            with self.subTest(says):
                self.write("d/rank2.safetensors", content)
                self.refused("tensorrt-llm", folder, says=["rank2.safetensors", *says])
        self.write("d/rank9.safetensors", good)
        self.refused("tensorrt-llm", folder, says=["all ranks from 0"])


class Megatron(ImportCase):
    def files(self, tensors):
        paths = []
        for number, tensor in enumerate(tensors):
            out = io.BytesIO()
            np.save(out, tensor)
            paths.append(self.write(f"t{number}.npy", out.getvalue()))
        return paths

    def test_tensor_parallel_shards_are_added(self):
        shards = np.stack([COUNTS, COUNTS[::-1]], axis=2)  # iteration, layer, tp, ep, expert
        self.imported("megatron", *self.files(shards.reshape(6, 2, 4, 6)), "--layers", 3)
        np.testing.assert_array_equal(self.tokens(), COUNTS + COUNTS[::-1])

    def test_one_shard_and_json(self):
        self.imported("megatron", *self.files(COUNTS.reshape(6, 4, 6)), "--layers", 3)
        np.testing.assert_array_equal(self.tokens(), COUNTS)
        self.imported("megatron", self.write("t.json", json.dumps(COUNTS[0, 0].tolist())))
        np.testing.assert_array_equal(self.tokens()[0, 0], COUNTS[0, 0])

    def test_refusals(self):
        paths = self.files(COUNTS.reshape(6, 4, 6))
        self.refused("megatron", *paths, "--layers", 4, says=["6 files"])
        self.refused("megatron", *paths, *self.files([COUNTS[0, 0, :3]]), says=["(3, 6)"])
        self.refused("megatron", *self.files([COUNTS]), says=["(2, 3, 4, 6)"])


@unittest.skipUnless(HAVE_TORCH, "PyTorch is not installed")
class SglangPt(ImportCase):
    def save(self, name, content):
        import torch
        out = io.BytesIO()
        torch.save(content, out)
        return self.write(name, out.getvalue())

    def tensor(self, values, dtype="int32"):
        import torch
        return torch.from_numpy(np.ascontiguousarray(values)).to(getattr(torch, dtype))

    def test_stat(self):
        steps = np.zeros((6, 3, 6), dtype=int)
        steps[:2] = COUNTS.sum(axis=2)
        path = self.save("s.pt", {"rank": 0, "logical_count": self.tensor(steps),
                                  "average_utilization_rate_over_window": None})
        self.refused("sglang-pt", path, says=["--expand"])
        self.imported("sglang-pt", path, "--expand", "equal", "--ep", 4)
        np.testing.assert_array_equal(self.tokens().sum(axis=2), COUNTS.sum(axis=2))

    def test_per_pass_with_replicas(self):
        """8 slots for 6 experts: slots 6 and 7 are replicas of experts 1 and 4."""
        slots = np.tile([0, 1, 2, 3, 4, 5, 1, 4], (3, 1))
        physical = np.concatenate([COUNTS, COUNTS[..., [1, 4]]], axis=3)
        logical = COUNTS.copy()
        logical[..., [1, 4]] *= 2
        paths = [self.save(f"r{rank}.pt", {
            "records": [{"forward_pass_id": 10 * i, "rank": rank, "gatherer_key": "primary",
                         "global_physical_count": self.tensor(physical[i, :, rank])}
                        for i in range(2)],
            "last_physical_to_logical_map": self.tensor(slots)}) for rank in range(4)]
        self.imported("sglang-pt", *paths)
        np.testing.assert_array_equal(self.tokens(), logical)
        self.refused("sglang-pt", *paths[1:], says=["all ranks from 0"])
        self.refused("sglang-pt", *paths, paths[0], says=["comes twice"])

    def test_what_experts_received_has_no_source_rank(self):
        """DeepEP modes: rank r of 2 counts its own slots 3 r to 3 r + 2."""
        load = COUNTS[:, :, 0] + 1
        paths = []
        for rank in range(2):
            local = np.zeros_like(load)
            local[..., 3 * rank : 3 * rank + 3] = load[..., 3 * rank : 3 * rank + 3]
            paths.append(self.save(f"r{rank}.pt", {"records": [
                {"forward_pass_id": i, "rank": rank,
                 "global_physical_count": self.tensor(local[i])} for i in range(2)]}))
        self.refused("sglang-pt", *paths, says=["no source rank"])
        self.imported("sglang-pt", *paths, "--expand", "equal", "--ep", 4)
        np.testing.assert_array_equal(self.tokens().sum(axis=2), load)
        self.assertIn("what they received", " ".join(self.warnings()))

    def test_per_token(self):
        random = np.random.Generator(np.random.PCG64(1))
        ids = random.integers(0, 6, (2, 3, 5, 2))  # rank, layer, token, choice
        ids[0, 0], ids[1, 0] = 0, -1  # a dense layer: its part of the buffer was never written
        # nor are the columns beyond the top-k of the model
        buffers = [np.pad(ids[rank], ((0, 0), (0, 0), (0, 3)), constant_values=-rank)
                   for rank in range(2)]
        paths = [self.save(f"r{rank}.pt", {
            "records": [{"forward_pass_id": 3, "rank": rank,
                         "topk_ids_of_layer": self.tensor(buffers[rank])}],
            "last_physical_to_logical_map": self.tensor(np.tile(np.arange(6), (3, 1)))})
            for rank in range(2)]
        self.imported("sglang-pt", *paths)
        expected = np.zeros((3, 2, 6), dtype=int)
        for rank, layer, token, choice in np.ndindex(ids.shape):
            if layer:
                expected[layer, rank, ids[rank, layer, token, choice]] += 1
        np.testing.assert_array_equal(self.tokens()[0], expected[1:])
        self.assertEqual(self.info().top_k, 2)
        self.assertIn("1 of 3 layers hold no token", " ".join(self.warnings()))

    def test_a_tensor(self):
        self.imported("sglang-pt", self.save("t.pt", self.tensor(COUNTS, "float64")))
        np.testing.assert_array_equal(self.tokens(), COUNTS)

    def test_nothing_in_a_file_is_run(self):
        import torch
        out = io.BytesIO()
        torch.save({"logical_count": _Evil(f"{self.folder}/ran")}, out)
        path = self.write("evil.pt", out.getvalue())
        self.refused("sglang-pt", path, says=["torch.load refuses"])

    def test_refusals(self):
        good = self.save("s.pt", {"logical_count": self.tensor(COUNTS.sum(axis=2))})
        with open(good, "rb") as file:
            data = file.read()
        for content in (data[:100], data[: len(data) // 2], b"no pickle", b"\x80\x02x"):
            self.refused("sglang-pt", self.write("bad.pt", content), says=["bad.pt"])
        self.refused("sglang-pt", self.save("x.pt", {"other": 1}), says=["logical_count"])
        self.refused("sglang-pt", self.save("x.pt", {"records": []}), says=["records"])
        self.refused("sglang-pt", self.save("x.pt", {"records": [{"rank": 0}]}),
                     says=["forward_pass_id"])


class _Evil:
    def __init__(self, path):
        self._path = path

    def __reduce__(self):
        return (open, (self._path, "w"))


class WithoutTorch(ImportCase):
    def test_it_says_what_to_do(self):
        with mock.patch.dict(sys.modules, {"torch": None}):
            self.refused("sglang-pt", self.write("s.pt", b"PK\3\4"),
                         says=["needs PyTorch", "python3-torch", "format npy"])


if __name__ == "__main__":
    unittest.main()
