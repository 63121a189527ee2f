# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Logs of single tokens: dealing to source ranks and iterations against plain loops."""

import base64
import io
import json
import lzma
import os
import sys
import tarfile
import types
import unittest
from unittest import mock

import numpy as np

from importing import ImportCase

from mixnet_workloads.importers.formats import flame_moe
from mixnet_workloads.schema import Trace

EXPERTS, TOP_K, LAYERS = 12, 3, (1, 2, 5)


def sequences(count=7, seed=3, least=2, most=9):
    """[sequence][token][layer] -> ids, all different in a token."""
    random = np.random.Generator(np.random.PCG64(seed))
    return [[{layer: random.permutation(EXPERTS)[:TOP_K].tolist() for layer in LAYERS}
             for _ in range(random.integers(least, most))] for _ in range(count)]


def jsonl(log, interleaved=False):
    """A vLLM-style log; interleaved: sequences take turns, as a server batches them."""
    rows = []
    for number, tokens in enumerate(log):
        for index, token in enumerate(tokens):
            for layer, ids in token.items():
                rows.append((index if interleaved else number, number, index, {
                    "type": "route", "req_id": f"r{number}", "token_idx": index, "layer": layer,
                    "topk_ids": ids, "topk_weights": [0.1] * TOP_K}))
    rows.sort(key=lambda row: row[:3])
    return "".join(json.dumps(row[3]) + "\n" for row in rows)


def expected(log, ep, place):
    """Counts by loops; place(sequence, token, number of the token in its layer) -> (i, rank)."""
    cells, number = {}, {layer: 0 for layer in LAYERS}
    for s, tokens in enumerate(log):
        for t, token in enumerate(tokens):
            for layer, ids in token.items():
                iteration, rank = place(s, t, number[layer])
                number[layer] += 1
                for expert in ids:
                    key = iteration, LAYERS.index(layer), rank, expert
                    cells[key] = cells.get(key, 0) + 1
    result = np.zeros((1 + max(k[0] for k in cells), len(LAYERS), ep, EXPERTS), dtype=int)
    for key, count in cells.items():
        result[key] = count
    return result


class Dealing(ImportCase):
    def check(self, log, options, ep, place, **change):
        self.imported("routes-jsonl", self.write("log", jsonl(log, **change)), "--experts", EXPERTS,
                      "--ep", ep, *options)
        result = expected(log, ep, place)
        np.testing.assert_array_equal(self.tokens(), result)
        with Trace(self.out) as trace:
            self.assertTrue(trace.has_tokens_in)
            trace.validate()
            self.assertEqual(trace.info.extra["layer_ids"].tolist(), list(LAYERS))
            self.assertEqual(trace.info.top_k, TOP_K)

    def test_sequences_in_turn(self):
        self.check(sequences(), (), 4, lambda s, t, n: (0, s % 4))
        self.check(sequences(), (), 4, lambda s, t, n: (0, s % 4), interleaved=True)

    def test_sequences_make_iterations(self):
        log = sequences(12)
        self.check(log, ("--sequences-per-iteration", 2), 3, lambda s, t, n: (s // 6, s % 3))

    def test_what_does_not_fill_an_iteration_is_left_out(self):
        log = sequences(7)
        self.imported("routes-jsonl", self.write("log", jsonl(log)), "--experts", EXPERTS, "--ep", 3,
                      "--sequences-per-iteration", 1)
        np.testing.assert_array_equal(
            self.tokens(), expected(log[:6], 3, lambda s, t, n: (s // 3, s % 3)))
        left = len(log[6]) * len(LAYERS) * TOP_K
        self.assertIn(f"{left} copies at the end", " ".join(self.warnings()))

    def test_tokens_in_turn(self):
        log = sequences(3)
        self.check(log, ("--deal", "tokens"), 4, lambda s, t, n: (0, n % 4))
        self.check(log, (), 4, lambda s, t, n: (0, n % 4))
        self.assertIn("3 sequences for 4 source ranks", " ".join(self.warnings()))

    def test_tokens_make_iterations(self):
        log = sequences(5, least=4, most=5)  # 4 tokens each: 20 in all
        self.check(log, ("--deal", "tokens", "--tokens-per-iteration", 2), 2,
                   lambda s, t, n: (n // 4, n % 2))
        self.check(log[:4], ("--tokens-per-iteration", 2), 2,
                   lambda s, t, n: (t // 2 + 2 * (s // 2), s % 2))

    def test_small_batches_change_nothing(self):
        """The buffer of rows is an internal matter."""
        log = sequences(9)
        images = []
        for batch in (1, 7, 1 << 15):
            with mock.patch("mixnet_workloads.importers.routes.BATCH", batch):
                self.imported("routes-jsonl", self.write("log", jsonl(log)), "--experts", EXPERTS,
                              "--ep", 2, "--tokens-per-iteration", 3)
            images.append(self.tokens())
        for image in images[1:]:
            np.testing.assert_array_equal(image, images[0])

    def test_one_copy_per_rank(self):
        log, ep = sequences(), 4
        self.imported("routes-jsonl", self.write("log", jsonl(log)), "--experts", EXPERTS, "--ep",
                      ep, "--deduplicate")
        counts = np.zeros((1, len(LAYERS), ep, ep), dtype=int)
        for s, tokens in enumerate(log):
            for token in tokens:
                for layer, ids in token.items():
                    for to in {expert * ep // EXPERTS for expert in ids}:
                        counts[0, LAYERS.index(layer), s % ep, to] += 1
        np.testing.assert_array_equal(self.tokens(), counts)
        self.assertTrue(self.info().deduplicated)
        self.refused("routes-jsonl", self.write("log", jsonl(log)), "--deduplicate",
                     says=["--experts"])

    def test_options_that_exclude_each_other(self):
        path = self.write("log", jsonl(sequences()))
        for options in (("--sequences-per-iteration", 1, "--tokens-per-iteration", 1),
                        ("--sequences-per-iteration", 1, "--deal", "tokens"),
                        ("--sequences-per-iteration", 9), ("--deal", "sequences", "--ep", 8),
                        ("--experts", 4), ("--top-k", 2)):
            with self.subTest(options):
                self.refused("routes-jsonl", path, *options)


class Jsonl(ImportCase):
    def rows(self, *rows):
        return self.write("log", "".join(json.dumps(row) + "\n" for row in rows))

    def test_mixtral_sets(self):
        rows = [{"dataset": d, "problem_id": p, "token_idx": t, "layer": l, "experts": [p, 2 + t],
                 "gating_probs": [0.6, 0.4]}
                for d in ("a", "b") for p in range(2) for l in range(2) for t in range(3)]
        self.imported("routes-jsonl", self.rows(*rows), "--ep", 4)
        tokens = self.tokens()
        # Problem p of set d is sequence 2 d + p: three copies for expert p, one each for 2, 3, 4.
        for rank in range(4):
            one = [0, 0, 1, 1, 1]
            one[rank % 2] += 3
            np.testing.assert_array_equal(tokens[0, :, rank], [one, one])

    def test_moe_balance_knows_its_ranks(self):
        rows = [{"layer": 0, "batch_id": 9, "origin_rows": [0, 0], "topk_experts": [[0, 1], [1, 2]]},
                {"layer": 0, "batch_id": 4, "origin_rows": [2, 1], "topk_experts": [[3, 0], [1, 2]]}]
        self.imported("routes-jsonl", self.rows(*rows))
        np.testing.assert_array_equal(self.tokens()[:, 0], [
            [[1, 2, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]], [[0, 0, 0, 0], [0, 1, 1, 0], [1, 0, 0, 1]]])
        self.refused("routes-jsonl", self.rows(*rows), "--ep", 2, says=["source rank 2"])
        self.refused("routes-jsonl", self.rows(*rows, {"layer": 0, "experts": [1, 2]}),
                     says=["some tokens have a source rank"])
        rows[0]["origin_rows"] = [0]
        self.refused("routes-jsonl", self.rows(*rows), says=["log:1", "1 origin_rows"])

    def test_field_report_59_a_dirty_log(self):
        """A meta line, thousands of equal start-up rows, token_idx that restarts, 60 experts where
        64 are claimed: imports, says all of it, and can leave the dummies out."""
        dummy = {"type": "route", "req_id": "r1", "layer": 0, "topk_ids": [43, 5, 7, 58],
                 "topk_weights": [0.1, 0.05, 0.04, 0.03]}
        random = np.random.Generator(np.random.PCG64(2))
        real = [random.permutation(60)[:4].tolist() for _ in range(240)]
        rows = [{"type": "meta", "model_id": "some/model", "top_k": 4, "layers_logged": [0]}]
        rows += [{**dummy, "token_idx": i} for i in range(1000)]
        for start in range(0, 240, 24):
            rows += [{**dummy, "token_idx": i, "topk_ids": real[start + i]} for i in range(24)]
        path = self.write("log.xz", lzma.compress(
            "".join(json.dumps(row) + "\n" for row in rows).encode()))
        self.imported("routes-jsonl", path)
        info, said = self.info(), " ".join(self.warnings())
        self.assertEqual((info.model, info.top_k, info.experts), ("some/model", 4, 60))
        self.assertEqual(self.tokens().sum(), 1240 * 4)
        self.assertIn("984 of 1240 rows follow 16 or more equal ones", said)
        self.assertIn("starts again 10 times", said)
        self.assertIn("60 are used", said)
        self.imported("routes-jsonl", path, "--skip-repeated", "--experts", 64)
        self.assertEqual(self.tokens().sum(), 256 * 4)
        self.assertIn("4 of 64 experts are never used: 60, 61, 62, 63", " ".join(self.warnings()))
        self.imported("routes-jsonl", path, "--skip-repeated", 1)
        self.assertEqual(self.tokens().sum(), 241 * 4)
        self.assertEqual(int(self.tokens()[..., 43].sum()),
                         1 + sum(43 in ids for ids in real))

    def test_declared_counts_that_do_not_match(self):
        row = {"layer": 0, "experts": [0, 1], "problem_id": 0}
        path = self.rows({"type": "meta", "top_k": 4}, row, {"type": "other"}, row,
                         {**row, "experts": [1, 1, 2]})
        self.imported("routes-jsonl", path, "--ep", 2)
        said = " ".join(self.warnings())
        self.assertIn("top-k 4 is declared, tokens choose up to 3", said)
        self.assertIn("tokens choose 2 to 3 experts", said)
        self.assertIn("1 choices name an expert that the same token chose", said)
        self.assertIn("1 rows of type 'other'", said)
        self.assertTrue(self.info().dropped)

    def test_odd_names_are_written(self):
        rows = [{"type": "meta", "model_id": "a\0b\ud800" + "x" * 100000},
                *({"layer": 0, "experts": [0, 1], "req_id": {"a": [i]}} for i in range(3))]
        self.imported("routes-jsonl", self.rows(*rows), "--ep", 3)
        self.assertTrue(self.info().model.startswith("ab?x"))
        name = os.fsencode(self.folder) + b"/\xff.jsonl"
        os.rename(self.rows(*rows), name)
        self.imported("routes-jsonl", os.fsdecode(name), "--ep", 3)

    def test_refusals_name_the_line(self):
        good = '{"layer":0,"experts":[0,1],"problem_id":0}\n'
        for bad, *says in (
            ('{"layer":0,"experts":[0,', "not JSON"), ("7", "is 7"), ('{"layer":0}', "no experts"),
            ('{"experts":[0]}', "no 'layer'"), ('{"layer":0,"experts":[]}', "a list of expert ids"),
            ('{"layer":0,"experts":[0,-1]}', "-1"), ('{"layer":0,"experts":[0,1.5]}', "1.5"),
            ('{"layer":0,"experts":[0,true]}', "True"), ('{"layer":-1,"experts":[0]}', "layer is -1"),
            ('{"layer":0,"experts":[99999999999]}', "99999999999"),
            ('{"layer":0,"experts":[0],"token_idx":"x"}', "token_idx"),
            ('{"layer":0,"experts":"abc"}', "a list of expert ids"),
            ('{"type":"meta","top_k":0}', "top_k is 0"), ('{"type":[1]}', "type is [1]"),
            ('{"layer":0,"origin_rows":[0],"topk_experts":7}', "lists of tokens"),
        ):
            with self.subTest(bad):
                self.refused("routes-jsonl", self.write("log", good + bad + "\n" + good),
                             says=["log:2", *says])

    def test_csv_of_routes(self):
        content = "layer_id,expert_ids\n" + "".join(
            f"{l},{t % 3} {3 + t % 2}\n" for t in range(8) for l in (0, 1))
        self.imported("csv", self.write("r.csv", content), "--ep", 4)
        counts = np.zeros((2, 4, 5), dtype=int)
        for t in range(8):
            counts[:, t % 4, t % 3] += 1
            counts[:, t % 4, 3 + t % 2] += 1
        np.testing.assert_array_equal(self.tokens()[0], counts)
        self.refused("csv", self.write("r.csv", content + "0,3 x\n"), says=["r.csv:18", "row 17"])


class Esft(ImportCase):
    def files(self, log, folder="set"):
        for layer in LAYERS:
            lines = []
            for tokens in log:
                ids = [str(e) for token in tokens for e in token[layer]]
                lines.append("\t".join(ids) + "\t\t" + "\t".join("0.1" for _ in ids))
            self.write(f"{folder}/expert_weights_{layer}.txt", "\n".join(lines) + "\n")
        self.write(f"{folder}/summary.json", "{}")
        return os.path.join(self.folder, folder)

    def archive(self, folder):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w:xz") as archive:
            archive.add(folder, "set")
        return self.write("set.tar.xz", out.getvalue())

    def test_folder_archive_and_files(self):
        log = sequences(9)
        folder = self.files(log)
        want = expected(log[:8], 4, lambda s, t, n: (s // 4, s % 4))
        paths = [os.path.join(folder, f"expert_weights_{layer}.txt") for layer in LAYERS]
        for files in ([folder], [self.archive(folder)], paths):
            self.imported("esft", *files, "--top-k", 3, "--ep", 4, "--sequences-per-iteration", 1,
                          "--experts", EXPERTS)
            np.testing.assert_array_equal(self.tokens(), want)

    def test_refusals(self):
        log = sequences(3)
        folder = self.files(log)
        victim = os.path.join(folder, "expert_weights_2.txt")
        with open(victim, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.refused("esft", folder, "--top-k", 11, says=["expert_weights_1.txt:1", "top-k 11"])
        for change, *says in (
            (lines[:2], "2 sequences", "has 3"),
            ([lines[0], lines[1].replace("\t\t", "\t"), lines[2]], ":2", "two tabs"),
            ([lines[0], lines[1] + "\t0.1", lines[2]], ":2", "weights"),
            ([lines[0], lines[2], lines[1]], ":2", "tokens"),
            (["x" + lines[0], *lines[1:]], ":1", "column 1", "expert id"),
            ([lines[0], "", *lines[1:]], ":2", "empty line"),
        ):
            if len(log[1]) == len(log[2]) and "tokens" in says:
                self.fail("the sequences must differ in length")
            with open(victim, "w", encoding="utf-8") as file:
                file.write("\n".join(change) + "\n")
            with self.subTest(says):
                self.refused("esft", folder, "--top-k", 3, "--ep", 2,
                             says=["expert_weights_2.txt", *says])
        self.refused("esft", self.write("x.tar", b"nothing"), says=["tar"])
        with open(self.archive(folder), "rb") as file:
            data = file.read()
        self.refused("esft", self.write("cut.tar.xz", data[: len(data) // 2]), says=["damaged"])


class VllmExperts(ImportCase):
    def setUp(self):
        super().setUp()
        self.log = sequences(4)

    def array(self, tokens):
        return np.array([[token[layer] for layer in LAYERS] for token in tokens], dtype=np.int16)

    def check(self, *paths):
        self.imported("vllm-experts", *paths, "--ep", 2, "--experts", EXPERTS)
        np.testing.assert_array_equal(
            self.tokens(), expected(self.log, 2, lambda s, t, n: (0, s % 2)))

    def test_arrays(self):
        paths = []
        for number, tokens in enumerate(self.log):
            out = io.BytesIO()
            ids = self.array(tokens)
            if number % 2:
                np.save(out, ids)
            else:
                np.savez(out, routed_experts=ids[1:], prompt_routed_experts=ids[:1])
            paths.append(self.write(f"r{number}", out.getvalue()))
        self.check(*paths)

    def test_json_lines(self):
        rows = [{"prompt_routed_experts": self.array(tokens)[:1].tolist(),
                 "routed_experts": self.array(tokens)[1:].tolist()} for tokens in self.log]
        self.check(self.write("r.jsonl", "\n".join(map(json.dumps, rows))))

    def test_responses_of_the_server(self):
        """Choices with NPY in base64; the prompt of an older server stands outside of them."""
        def encoded(tokens):
            out = io.BytesIO()
            np.save(out, self.array(tokens).astype(np.uint8))
            return base64.b64encode(out.getvalue()).decode()

        one, two, three, four = self.log
        rows = [{"choices": [{"routed_experts": encoded(one)}, {"routed_experts": encoded(two)}],
                 "prompt_routed_experts": None},
                {"prompt_routed_experts": self.array(three)[:1].tolist(),
                 "choices": [{"routed_experts": self.array(three)[1:].tolist()},
                             {"routed_experts": encoded(four)}]}]
        self.check(self.write("r.jsonl", "\n".join(map(json.dumps, rows))))
        for bad in ("!", "AAAA", encoded(one)[:100]):
            rows[0]["choices"][1]["routed_experts"] = bad
            self.refused("vllm-experts", self.write("r.jsonl", "\n".join(map(json.dumps, rows))),
                         says=["r.jsonl:1"])

    def test_refusals(self):
        out = io.BytesIO()
        np.save(out, np.zeros((2, 3)))
        self.refused("vllm-experts", self.write("r", out.getvalue()), says=["(2, 3)"])
        self.refused("vllm-experts", self.write("r", '{"a":1}'), says=["r:1", "routed_experts"])
        self.refused("vllm-experts", self.write("r", '{"routed_experts":[[[1],[2,3]]]}'),
                     says=["ragged"])


class Flame(ImportCase):
    def test_names(self):
        for name in ("iter_100_layer_3.parquet", "step=100/layer=3.parquet", "100/3.parquet",
                     "iteration100-layer3.parquet", "100_3.parquet"):
            self.assertEqual(flame_moe.place(os.path.join("x", name)), (100, 3), name)

    def test_without_pyarrow_it_says_what_to_do(self):
        with mock.patch.dict(sys.modules, {"pyarrow": None}):
            self.refused("flame-moe", self.write("iter_1_layer_2.parquet", b"PAR1"),
                         says=["pip install pyarrow"])

    def test_parts_of_a_file(self):
        """With a stand-in for the reader: n tokens, token t on rank t N / n."""
        ids = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [1, 3]]
        column = types.SimpleNamespace(to_pylist=lambda: ids)
        reader = types.SimpleNamespace(read_table=lambda path, columns: {"indices": column})
        fake = types.SimpleNamespace(ArrowException=ValueError, parquet=reader)
        paths = [self.write(f"iter_{i}_layer_{l}.parquet", b"x") for i in (7, 9) for l in (0, 1)]
        with mock.patch.dict(sys.modules, {"pyarrow": fake}):
            self.imported("flame-moe", *paths, "--ep", 3)
            self.refused("flame-moe", paths[0], "--ep", 7, says=["6 tokens for 7"])
        part = [[1, 2, 1, 0], [1, 0, 1, 2], [1, 1, 1, 1]]
        np.testing.assert_array_equal(self.tokens(), [[part, part], [part, part]])


if __name__ == "__main__":
    unittest.main()
