# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Damaged copies of small files in every format of traces: they import, or one line refuses them."""

import copy
import importlib.util
import io
import json
import os
import random
import unittest

import numpy as np

from importing import ImportCase

ROUNDS = 40
PIECES = (b"-", b"9" * 25, b"nan", b",", b"\t", b"\n", b"[", b"]", b'"', b"\0", b"\xff", b"1e308",
          b"{}", b"null", b"inf", b"0x10", b"\r", b"\xef\xbb\xbf", b"#", b" ")


def mutated(data, draw):
    """One damaged copy: cut, bits flipped, piece put in, part lost, doubled or made noise."""
    content, at = bytearray(data), draw.randrange(len(data))
    until = min(len(data), at + draw.randrange(1, 60))
    kind = draw.randrange(6)
    if kind == 0:
        del content[at:]
    elif kind == 1:
        for _ in range(draw.randrange(1, 5)):
            content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    elif kind == 2:
        content[at:at] = draw.choice(PIECES)
    elif kind == 3:
        del content[at:until]
    elif kind == 4:
        content[at:at] = content[at:until]
    else:
        content[at:until] = bytes(draw.randrange(256) for _ in range(at, until))
    return bytes(content)


def samples():
    """(format, file name, content, options)"""
    counts = np.random.Generator(np.random.PCG64(1)).integers(0, 99, (2, 2, 3, 3))
    matrix = "[" + ",".join(str(row.tolist()) for row in counts[0, 0]) + "]"
    yield "mixnet-matrix", "m.txt", (matrix + "\n" + matrix).encode(), ()
    yield "csv", "s.csv", "\n".join(",".join(map(str, r)) for r in counts[0, 0]).encode(), ()
    long = "iteration,layer,src,dst,tokens,bytes\n" + "".join(
        f"{i},{l},{s},{d},{c},{c * 8}\n" for (i, l, s, d), c in np.ndenumerate(counts))
    yield "csv", "l.csv", long.encode(), ()
    yield "csv", "r.csv", b"layer_id,expert_ids\n" + b"0,1 2\n0,3 4\n" * 9, ("--ep", "2")
    for save in (np.save, np.savez, np.savez_compressed):
        out = io.BytesIO()
        save(out, counts)
        yield "npy", "a.npy", out.getvalue(), ()
    yield "counts-json", "c.json", json.dumps({"topk": 2, "layers": counts[0].tolist()}).encode(), ()
    rows = [{"type": "route", "req_id": q, "token_idx": t, "layer": l, "topk_ids": [q, 4 + t]}
            for q in range(3) for t in range(2) for l in range(2)]
    yield "routes-jsonl", "r.jsonl", "\n".join(map(json.dumps, rows)).encode(), ("--ep", "3")
    line = "0\t1\t2\t3\t\t0.1\t0.2\t0.3\t0.4\n"
    yield "esft", "expert_weights_3.txt", (line * 3).encode(), ("--ep", "2", "--top-k", "2")
    out = io.BytesIO()
    np.save(out, counts[..., 0].astype(np.int16))
    yield "vllm-experts", "v.npy", out.getvalue(), ("--ep", "2", "--deal", "tokens")
    yield "megatron", "t.json", json.dumps(counts[0].tolist()).encode(), ()
    if importlib.util.find_spec("torch"):
        import torch
        out = io.BytesIO()
        torch.save(torch.from_numpy(counts), out)
        yield "sglang-pt", "t.pt", out.getvalue(), ()


ODD = (None, True, [], {}, "", "x", -1, 1.5, 2**40, 2**70, 1e308, [[1]], {"0": 1}, [None], "0", 0)


def with_odd_value(value, draw):
    """JSON in which one value, somewhere, is another one or missing."""
    value = copy.deepcopy(value)
    inside, key = None, None
    while isinstance(value if inside is None else inside[key], (dict, list)):
        outer = value if inside is None else inside[key]
        keys = list(outer) if isinstance(outer, dict) else list(range(len(outer)))
        if not keys or (inside is not None and draw.random() < 0.2):
            break
        inside, key = outer, draw.choice(keys)
    if draw.random() < 0.2:
        del inside[key]
    else:
        inside[key] = copy.deepcopy(draw.choice(ODD))
    return value


class Mutations(ImportCase):
    def test_json_with_odd_values(self):
        square = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
        cases = (
            ("routes-jsonl", ("--ep", "2"), [
                {"type": "meta", "model_id": "m", "top_k": 2, "num_experts": 8},
                {"type": "route", "req_id": "r", "token_idx": 0, "layer": 0, "topk_ids": [1, 2]},
                {"dataset": "d", "problem_id": 1, "layer": 1, "experts": [0, 3]},
                {"layer": 0, "batch_id": 1, "origin_rows": [0], "topk_experts": [[0, 1]]}]),
            ("counts-json", (), [{"model": "m", "topk": 2, "ep": 3, "layers": [square, square]}]),
            ("counts-json", ("--expand", "equal"), [{"rank": 0, "logical_count": [square]}]),
            ("vllm-experts", ("--ep", "2", "--deal", "tokens"), [
                {"prompt_routed_experts": [[[0, 1]]], "routed_experts": [[[0, 1]], [[0, 1]]]}]),
        )
        refused = 0
        for number, (form, options, rows) in enumerate(cases):
            draw = random.Random(number)
            for _ in range(ROUNDS):
                text = "\n".join(json.dumps(row) for row in with_odd_value(rows, draw)) or "[]"
                path = self.write("j.json", text)
                with self.subTest((form, text)):
                    code, _, err = self.command(form, path, "--quiet", *options)
                    self.assertIn(code, (0, 1), err)
                    self.assertEqual(err.count("\n"), code, err)
                    refused += code
        self.assertGreater(refused, ROUNDS)

    def test_damaged_copies(self):
        outcomes = {}
        for number, (form, name, content, options) in enumerate(samples()):
            draw = random.Random(number)
            for _ in range(ROUNDS):
                path = self.write(name, mutated(content, draw) or b"\n")
                with self.subTest((form, name, open_bytes(path)[:200])):
                    code, out, err = self.command(form, path, "--quiet", *options)
                    self.assertIn(code, (0, 1), err)
                    self.assertEqual(out, "")
                    self.assertEqual(err.count("\n"), code, err)
                    self.assertEqual(os.path.exists(self.out), code == 0)
                    self.assertEqual(len(os.listdir(self.folder)), 2 - code)
                    outcomes[form, code] = outcomes.get((form, code), 0) + 1
                    if code == 0:
                        self.tokens()
                        os.remove(self.out)
                os.remove(path)
        for form, _ in list(outcomes):
            self.assertGreater(outcomes.get((form, 1), 0), ROUNDS // 4, f"{form}: nothing refused")

    def test_the_undamaged_files_import(self):
        for form, name, content, options in samples():
            with self.subTest((form, name)):
                self.imported(form, self.write(name, content), *options)


def open_bytes(path):
    with open(path, "rb") as file:
        return file.read()


if __name__ == "__main__":
    unittest.main()
