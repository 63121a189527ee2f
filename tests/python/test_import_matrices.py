# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""One and the same array of counts, written in every format of arrays and tables, comes back."""

import gzip
import io
import json
import unittest
import zipfile

import numpy as np

from importing import ImportCase

COUNTS = np.random.Generator(np.random.PCG64(5)).integers(0, 70000, (3, 2, 4, 4))


def text(matrix):
    return "[" + ",".join("[" + ",".join(map(str, row)) + "]" for row in matrix) + "]"


def csv(matrix, mark=",", end="\n"):
    return "".join(mark.join(map(str, row)) + end for row in matrix)


class MixnetMatrix(ImportCase):
    def test_many_matrices(self):
        lines = "\n".join(text(m) for m in COUNTS.reshape(6, 4, 4))
        self.imported("mixnet-matrix", self.write("m", lines), "--layers", 2, "--ep", 4)
        np.testing.assert_array_equal(self.tokens(), COUNTS)
        info = self.info()
        self.assertEqual((info.destination, info.layers, info.experts), ("rank", 2, 4))

    def test_over_files_and_in_an_outer_list(self):
        first = self.write("a", text(COUNTS[0, 0]))
        rest = self.write("b", "[" + ",\n".join(text(m) for m in COUNTS.reshape(6, 4, 4)[1:]) + "]")
        self.imported("mixnet-matrix", first, rest)
        np.testing.assert_array_equal(self.tokens()[:, 0], COUNTS.reshape(6, 4, 4))

    def test_blanks_and_line_breaks(self):
        self.imported("mixnet-matrix", self.write("m", "\n [ [ 1 , 2 ],\r\n\r\n[3\n,4 ] ] \n\n"))
        np.testing.assert_array_equal(self.tokens(), [[[[1, 2], [3, 4]]]])

    def test_row_sums_are_what_they_are(self):
        """Neither 32768 nor equal."""
        self.imported("mixnet-matrix", self.write("m", "[[1,0],[5,7]]"), "--hidden-size", 8,
                      "--top-k", 2)
        self.assertEqual(self.tokens().sum(), 13)
        self.assertEqual(self.warnings(), [])

    def test_an_unknown_top_k_stays_unknown(self):
        """A matrix does not say how many experts a token took."""
        path = self.write("m", "[[1,0],[5,7]]")
        self.imported("mixnet-matrix", path, "--hidden-size", 8)
        self.assertEqual(self.info().top_k, 0)
        self.assertEqual(len(self.warnings()), 1)
        self.assertIn("top-k unknown", self.warnings()[0])
        self.assertIn("--top-k K", self.warnings()[0])
        self.imported("mixnet-matrix", path, "--model", "mixtral-8x7b", "--experts", 2)
        self.assertEqual((self.info().top_k, self.warnings()), (2, []))

    def test_refusals_name_line_row_and_column(self):
        for content, *says in (
            ("[[1,2],\n[3]]", ":2", "row 2", "1 columns"),
            ("[[1,2],[3,-4]]", ":1", "row 2, column 2", "-4"),
            ("[[1,2],[3,nan]]", "row 2, column 2", "nan"),
            ("[[1,2.5],[3,4]]", "row 1, column 2", "2.5"),
            ("[[1,2],[3,4294967296]]", "row 2, column 2", "4294967295"),
            ("[[1,2],[3," + "9" * 60 + "]]", "row 2, column 2"),
            ("[[1,2],[3,4],[5,6]]", "3 rows and 2 columns"),
            ("[[1,2],[3,4]]\n[[1]]", ":2", "1 x 1"),
            ("[[1,2],[3,4]]\n[[1,2,3],[1,2,3],[1,2,3]]", ":2", "those before are 2 x 2"),
            ("[[1,2],[3,4]", "cut off"),
            ("[[1,2],[3,4]]]", "']' without '['"),
            ("[[1,2],[3,,4]]", "row 2, column 2"),
            ("[[1,],[3,4]]", "row 1, column 2"),
            ("[1,2]", "stands alone"),
            ("hello", "unexpected 'hello'"),
            ("[[1,2],x[3,4]]", "unexpected"),
            ("[" * 99, "too deeply"),
            ("[[0,0],[0,0]]", "no token at all"),
            ("\n\n", "holds no matrix"),
        ):
            with self.subTest(content[:40]):
                self.refused("mixnet-matrix", self.write("m", content), says=says)

    def test_another_ep_degree_is_said_not_wrapped(self):
        path = self.write("m", text(COUNTS[0, 0]))
        self.refused("mixnet-matrix", path, "--ep", 8, says=["4 x 4", "--ep asks for 8"])
        self.refused("mixnet-matrix", path, path, path, "--layers", 2, says=["--layers 2"])

    def test_suspicious_matrices_are_warned_of(self):
        alike = self.write("m", text(np.tile([3, 0, 1, 2], (4, 1))))
        self.imported("mixnet-matrix", alike, alike, "--hidden-size", 8)
        said = " ".join(self.warnings())
        self.assertIn("same row for every source rank", said)
        self.assertIn("repeat the one before", said)
        self.assertIn("1 of 4 ranks are never used: 1", said)


class Csv(ImportCase):
    def check(self, content, *options, expected=COUNTS[0, 0], name="t.csv"):
        self.imported("csv", self.write(name, content), *options)
        np.testing.assert_array_equal(np.squeeze(self.tokens()), expected)

    def test_square(self):
        matrix = COUNTS[0, 0]
        for content in (csv(matrix), csv(matrix, "\t"), csv(matrix, ";"), csv(matrix, " "),
                        csv(matrix, end="\r\n"), csv(matrix, end=",,\n"), csv(matrix)[:-1],
                        "\ufeff" + csv(matrix), "# made by hand\n\n" + csv(matrix) + "# end\n",
                        csv(matrix, '","', '"\n"')[:-1].join(['"', ""]), csv(matrix, " , ")):
            with self.subTest(content[:30]):
                self.check(content)

    def test_several_square_matrices(self):
        content = "\n".join(csv(m) for m in COUNTS.reshape(6, 4, 4))
        self.check(content, "--layers", 2, expected=COUNTS)

    def test_labelled(self):
        for head in ("x,a,b,c,d", "a,b,c,d", ",a,b,c,d"):
            rows = "".join(f"r{i}," + ",".join(map(str, row)) + "\n"
                           for i, row in enumerate(COUNTS[0, 0]))
            self.check(head + "\n" + rows)

    def test_cells_without_a_number_count_as_zero_and_are_warned_of(self):
        self.check("None,5\n6,-\n", expected=[[0, 5], [6, 0]])
        self.assertIn("2 cells without a number", " ".join(self.warnings()))

    def long(self, mark=",", gap=1, end="\n"):
        yield mark.join(("iteration", "layer", "src", "dst", "tokens", "bytes")) + end
        for (i, l, s, d), count in np.ndenumerate(COUNTS):
            yield mark.join(map(str, (i, 1 + gap * l, s, d, count, count * 4096))) + end

    def test_long(self):
        for options in ({}, {"mark": "\t"}, {"end": "\r\n"}, {"gap": 7}):
            self.check("".join(self.long(**options)), expected=COUNTS)
            self.assertEqual(self.info().hidden_size, 2048)
            ids = self.info().extra["layer_ids"].tolist()
            self.assertEqual(ids, [1, 1 + options.get("gap", 1)])

    def test_columns_in_any_order_and_others_ignored(self):
        content = "note,tokens,expert,src\n'None',3,0,0\nNone,4,2,1\n\"a, b\",5,1,1\n"
        self.check(content, expected=[[3, 0, 0], [0, 5, 4]])
        self.assertEqual(self.info().destination, "expert")

    def test_a_row_longer_than_the_header_is_refused(self):
        """A decimal comma shifts all that follows."""
        path = self.write("shift.csv", "tokens,expert,src\n3,0,0\n1,5,2,1\n")
        self.refused("csv", path, says=["shift.csv:3", "has 4 columns, the header 3"])

    def test_a_table_cut_off_is_warned_of(self):
        rows = list(self.long())
        self.imported("csv", self.write("t.csv", "".join(rows[:-3])))
        self.assertIn("3 of 96 combinations", " ".join(self.warnings()))
        self.imported("csv", self.write("t.csv", "".join([*rows, rows[1]])))
        self.assertIn("1 rows name a place", " ".join(self.warnings()))

    def test_loads_need_a_word_about_source_ranks(self):
        """Equal shares, totals exact."""
        wide = self.write("w.csv", "layer,e0,e1,e2\n1,10,3,0\n2,1,1,7\n")
        narrow = self.write("n.csv", "layer,expert,count\n0,0,10\n0,1,3\n7,0,1\n7,1,1\n7,2,7\n")
        for path in (wide, narrow):
            self.refused("csv", path, says=["no source rank", "--expand equal"])
            self.imported("csv", path, "--expand", "equal", "--ep", 4)
            tokens = self.tokens()
            self.assertEqual(tokens.shape, (1, 2, 4, 3))
            np.testing.assert_array_equal(tokens.sum(axis=2)[0], [[10, 3, 0], [1, 1, 7]])
            self.assertLessEqual(int((tokens.max(axis=2) - tokens.min(axis=2)).max()), 1)
            self.assertIn("no source rank", " ".join(self.warnings()))

    def test_shares(self):
        path = self.write("s.csv", "step,layer,expert,prob\n0,0,0,0.5\n0,0,1,0.3\n0,0,2,0.2\n")
        self.refused("csv", path, "--expand", "equal", says=["--copies"])
        self.imported("csv", path, "--expand", "equal", "--ep", 2, "--copies", 101)
        # 50.5, 30.3, 20.2: the one copy that rounding down leaves goes to the largest remainder
        np.testing.assert_array_equal(self.tokens().sum(axis=(0, 1, 2)), [51, 30, 20])

    def test_refusals(self):
        for content, *says in (
            ("x,a,b\nr0,1.5,2\nr1,3,4\n", ":2", "row 1, column 2", "1.5"),
            ("1,2\n3,4,5\n", ":2", "row 2", "3 counts"),
            ("1,2\n3,x\n", ":2", "row 2, column 2", "'x'"),
            ("1,2\n3,-4\n", "row 2, column 2", "-4"),
            ("1,2,3\n4,5,6\n", "2 rows and 3 columns"),
            ("src,dst,tokens\n0,1,7\n0,1\n", ":3", "row 2", "no column for the count"),
            ("src,dst,tokens\n0,None,7\n", ":2", "row 1, column 2", "'None'"),
            ("src,dst,tokens\n0,1,nan\n", ":2", "column 3", "nan"),
            ("src,dst,tokens\n0,99999999999,1\n", "column 2"),
            ("src,dst,tokens\n0,1000000,1\n1000000,0,1\n", "cells"),
            ("src,dst,tokens\n", "no row"),
            ('1,2\n3,"4\n', "not CSV"),
            ("model,bandwidth\na,b\nc,d\n", ":2", "row 1, column 2", "'b'"),
            ("#\n\n", "no row"),
        ):
            with self.subTest(content):
                self.refused("csv", self.write("t", content), says=says)

    def test_options_of_another_layout_are_refused(self):
        path = self.write("t", csv(COUNTS[0, 0]))
        for options in (("--deduplicate",), ("--expand", "equal"), ("--copies", 3),
                        ("--tokens-per-iteration", 2)):
            self.refused("csv", path, *options, says=[options[0], "layout square"])
        self.refused("csv", self.write("t", "src,dst,tokens\n0,1,2\n"), "--layers", 2,
                     says=["--layers", "layout long"])

    def test_a_matrix_cut_off_is_not_square(self):
        self.refused("csv", self.write("t", csv(COUNTS[0, 0][:3])), says=["3 rows and 4 columns"])


def npy(array, version=(1, 0)):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, version, allow_pickle=False)
    return out.getvalue()


class Npy(ImportCase):
    def test_any_type_order_and_version(self):
        for dtype in ("<i4", ">i4", "<i8", ">i8", "<u4", "<f4", "<f8", ">f8", "<u8"):
            for order in "CF":
                for version in ((1, 0), (2, 0)):
                    with self.subTest((dtype, order, version)):
                        data = npy(np.asarray(COUNTS.astype(dtype), order=order), version)
                        self.imported("npy", self.write("a.npy", data))
                        np.testing.assert_array_equal(self.tokens(), COUNTS)
        self.imported("npy", self.write("a.npy", npy((COUNTS % 7).astype("<f2"))))
        np.testing.assert_array_equal(self.tokens(), COUNTS % 7)

    def test_two_and_three_dimensions(self):
        for array, expected in ((COUNTS[0, 0], COUNTS[:1, :1]), (COUNTS[0], COUNTS[:1])):
            self.imported("npy", self.write("a.npy", gzip.compress(npy(array))))
            np.testing.assert_array_equal(self.tokens(), expected)

    def test_axes(self):
        turned = np.transpose(COUNTS, (3, 0, 2, 1)).copy()
        self.imported("npy", self.write("a.npy", npy(turned)), "--axes",
                      "rank,iteration,source,layer")
        np.testing.assert_array_equal(self.tokens(), COUNTS)
        wide = np.concatenate([COUNTS, COUNTS], axis=3)
        self.imported("npy", self.write("a.npy", npy(wide)))
        self.assertEqual(self.info().destination, "expert")
        np.testing.assert_array_equal(self.tokens(), wide)
        self.imported("npy", self.write("a.npy", npy(COUNTS)), "--axes", "layer,sum,source,expert")
        np.testing.assert_array_equal(self.tokens(), COUNTS.sum(axis=1)[None])
        self.refused("npy", self.write("a.npy", npy(COUNTS)), "--expand", "equal",
                     says=["have source ranks"])

    def test_files_follow_in_time_and_empty_iterations_are_left_out(self):
        first, rest = self.write("a", npy(COUNTS[:1])), self.write("b", npy(COUNTS[1:]))
        zero = self.write("z", npy(np.zeros_like(COUNTS)))
        self.imported("npy", first, zero, rest)
        np.testing.assert_array_equal(self.tokens(), COUNTS)
        self.assertIn("3 iterations hold no token", " ".join(self.warnings()))

    def test_npz(self):
        for save in (np.savez, np.savez_compressed):
            out = io.BytesIO()
            save(out, traffic=COUNTS, topk=np.int64(3))
            path = self.write("a.npz", out.getvalue())
            self.imported("npy", path)
            np.testing.assert_array_equal(self.tokens(), COUNTS)
            self.assertEqual(self.info().top_k, 3)
            self.imported("npy", self.write("a.gz", gzip.compress(out.getvalue())))
            np.testing.assert_array_equal(self.tokens(), COUNTS)

    def test_npz_of_zip64(self):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            with archive.open("a.npy", "w", force_zip64=True) as file:
                file.write(npy(COUNTS))
        self.imported("npy", self.write("a.npz", out.getvalue()))
        np.testing.assert_array_equal(self.tokens(), COUNTS)

    def test_several_arrays(self):
        out = io.BytesIO()
        np.savez(out, a=COUNTS, b=COUNTS + 1)
        path = self.write("a.npz", out.getvalue())
        self.refused("npy", path, says=["which array", "a (3, 2, 4, 4)", "--array"])
        self.imported("npy", path, "--array", "b")
        np.testing.assert_array_equal(self.tokens(), COUNTS + 1)
        self.refused("npy", path, "--array", "c", says=["no array 'c'"])

    def test_refusals(self):
        good = npy(COUNTS)
        out = io.BytesIO()
        np.save(out, np.array([{}], dtype=object), allow_pickle=True)
        huge = good.replace(b"(3, 2, 4, 4), ", b"(9999999999999, 2, 4, 4), "[:14] + b"")
        self.assertNotEqual(good, huge)
        for content, *says in (
            (good[:-5], "ends early"), (good + b"x", "more data"), (good[:40], "header"),
            (huge, "array"), (out.getvalue(), "never unpickled"),
            (npy(COUNTS - 1 - COUNTS), "[0, 0, 0, 0]", "-1"),
            (npy(np.where(COUNTS == COUNTS[1, 1, 2, 3], np.nan, COUNTS)), "nan", "[1, 1, 2, 3]"),
            (npy(COUNTS + 0.5), "[0, 0, 0, 0]"),
            (npy(COUNTS.astype(complex)), "complex"),
            (npy(COUNTS.astype("S5")), "holds"),
            (npy(np.full((2, 2), 1 << 32)), "4294967296", "at most 4294967295"),
            (npy(np.ones((2, 3))), "--axes"), (npy(np.ones(4)), "--axes"),
            (npy(np.ones((0, 2, 2))), "empty"), (npy(np.zeros((2, 2))), "no token"),
            (b"PK\3\4 nonsense", "zip"), (b"{}", "begins with"),
        ):
            with self.subTest(says):
                self.refused("npy", self.write("a.npy", content), says=says)

    def test_a_damaged_member_of_an_archive(self):
        out = io.BytesIO()
        np.savez_compressed(out, a=COUNTS)
        data = bytearray(out.getvalue())
        data[120] ^= 255
        self.refused("npy", self.write("a.npz", bytes(data)), says=["a.npz"])


class CountsJson(ImportCase):
    def test_layers(self):
        value = {"model": "m", "topk": 6, "hidden_size": 64, "bytes_per_element": 1, "ep": 4,
                 "unit": "copies (deduplicated per rank)", "experts": 64,
                 "layers": COUNTS[0].tolist()}
        self.imported("counts-json", self.write("a.json", json.dumps(value, indent=1)))
        np.testing.assert_array_equal(self.tokens(), COUNTS[:1])
        info = self.info()
        self.assertEqual((info.model, info.top_k, info.copy_bytes, info.experts,
                          info.deduplicated), ("m", 6, 64, 64, True))
        value["ep"] = 8
        self.imported("counts-json", self.write("a.json", json.dumps(value)))
        self.assertIn("ep 8 is declared", " ".join(self.warnings()))

    def test_nested_lists_and_objects(self):
        self.imported("counts-json", self.write("a.json", json.dumps(COUNTS.tolist())))
        np.testing.assert_array_equal(self.tokens(), COUNTS)
        value = {"layers": {str(l): {str(s): row.tolist() for s, row in enumerate(part)}
                            for l, part in enumerate(COUNTS[0])}}
        self.imported("counts-json", self.write("a.json", json.dumps(value)))
        np.testing.assert_array_equal(self.tokens(), COUNTS[:1])

    def test_a_value_per_line(self):
        rows = [json.dumps({"layers": part.tolist()}) for part in COUNTS]
        self.imported("counts-json", self.write("a.jsonl", "\n".join(rows) + "\n\n"))
        np.testing.assert_array_equal(self.tokens(), COUNTS)
        rows[1] = rows[1].replace("]]]", "],[7]]]")
        self.refused("counts-json", self.write("a.jsonl", "\n".join(rows)), says=["a.jsonl:2: layers"])
        self.refused("counts-json", self.write("a.jsonl", "\n".join(rows[:1]) + "\n{"),
                     says=["a.jsonl:2", "not JSON"])

    def test_sglang_counts(self):
        """Unused steps of the buffer vanish, dense layers can."""
        steps = np.zeros((5, 3, 6), dtype=int)
        steps[:2, 1:] = COUNTS.ravel()[:24].reshape(2, 2, 6)
        path = self.write("a.json", json.dumps({"rank": 0, "logical_count": steps.tolist()}))
        self.refused("counts-json", path, says=["no source rank", "--expand"])
        self.imported("counts-json", path, "--expand", "equal", "--ep", 4)
        np.testing.assert_array_equal(self.tokens().sum(axis=2), steps[:2, 1:])
        self.assertEqual(self.info().extra["layer_ids"].tolist(), [1, 2])
        said = " ".join(self.warnings())
        self.assertIn("1 of 3 layers hold no token at all and are left out", said)
        self.assertIn("3 iterations hold no token", said)

    def test_pairs_of_experts_fold_their_rows(self):
        pairs = COUNTS.reshape(6, 4, 4)[:2].tolist()
        path = self.write("a.json", json.dumps({"pairs": ["0->1", "1->2"], "matrices": pairs}))
        self.imported("counts-json", path, "--ep", 2)
        expected = np.array(pairs).reshape(2, 2, 2, 4).sum(axis=2)
        np.testing.assert_array_equal(self.tokens()[0], expected)
        self.refused("counts-json", path, "--ep", 5, says=["--ep 5"])

    def test_refusals(self):
        for text, *says in (
            ('{"layers": [[[1,2],[3]]]}', "layers[0, 1]", "ragged"),
            ('{"layers": [[[1,2],[3,-1]]]}', "layers[0, 1, 1]", "-1"),
            ('{"layers": [[[1,2],[3,"x"]]]}', "layers[0, 1, 1]"),
            ('{"layers": [[[1,2],[3,true]]]}', "layers[0, 1, 1]"),
            ('{"layers": [[[1,2],[3,1.5]]]}', "1.5"),
            ('{"layers": [[[1,2],[3,NaN]]]}', "NaN"),
            ('{"layers": [[[1,2],[3,1e999]]]}', "inf"),
            ('{"layers": []}', "empty"), ('{"layers": 7}', "7"), ('{"other": 1}', "'other'"),
            ('{"layers": [[[1,2],\n[3,4]]', ":2: column"), ("7", "is 7"),
            ("[" * 9 + "]" * 9, "deep"), ('{"layers": {"0": [[1]], "2": [[1]]}}', "keys"),
            ('{"layers": [[[1,2],[3,99999999999999999999]]]}', "999"),
        ):
            with self.subTest(text[:50]):
                self.refused("counts-json", self.write("a.json", text), says=says)


if __name__ == "__main__":
    unittest.main()
