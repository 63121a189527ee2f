# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""The recorder without PyTorch: numpy arrays stand in for tensors, a small class for a module."""

import os
import shutil
import sys
import tempfile
import types
import unittest
import unittest.mock

import h5py
import numpy as np

import workloads_path  # noqa: F401
from mixnet_workloads.schema import Trace
from recorder import RecorderError, RouterRecorder, merge, selection
from recorder.router_recorder import matching_modules


class FakeModule:
    """What the recorder uses of torch.nn.Module, no more."""

    def __init__(self, **children):
        self.training = True
        self.children = children
        self.hooks = {}

    def named_modules(self, prefix=""):
        yield prefix, self
        for name, child in self.children.items():
            yield from child.named_modules(f"{prefix}.{name}" if prefix else name)

    def register_forward_hook(self, hook):
        self.hooks[len(self.hooks)] = hook
        return types.SimpleNamespace(remove=lambda key=len(self.hooks) - 1: self.hooks.pop(key))

    def __call__(self, output):
        for hook in list(self.hooks.values()):
            hook(self, (), output)
        return output


def model(layers=2):
    blocks = {str(i): FakeModule(router=FakeModule(), norm=FakeModule()) for i in range(layers)}
    return FakeModule(blocks=FakeModule(**blocks))


def routers(root):
    return [m for name, m in root.named_modules() if name.endswith("router")]


def logits(tokens=12, experts=5, seed=1):
    return np.random.Generator(np.random.PCG64(seed)).normal(size=(tokens, experts))


class Selection(unittest.TestCase):
    def test_logits_indices_and_map_agree(self):
        """Three forms of one routing give one count; checked against a plain loop."""
        values = logits()
        chosen = np.argsort(-values, axis=1)[:, :2]
        mask = np.zeros(values.shape, dtype=bool)
        np.put_along_axis(mask, chosen, True, axis=1)
        expected = np.zeros((3, 5), dtype=int)
        for token, row in enumerate(chosen):
            for expert in row:
                expected[token // 4, expert] += 1
        for output in (values, chosen, mask, (values, chosen), {"map": mask, "p": values},
                       (None, values.reshape(3, 4, 5))):
            experts, copies = selection.default_select(output, 2)
            self.assertIn(experts, (None, 5))
            counts, fed = selection.count(copies, 3, 5)
            np.testing.assert_array_equal(counts, expected)
            np.testing.assert_array_equal(fed, [4, 4, 4])

    def test_indices_win_over_logits(self):
        """A router whose choice is not the top of its logits (biased, grouped) is believed."""
        values = np.tile([9.0, 8.0, 1.0, 0.0], (2, 1))
        experts, (_, expert, _) = selection.default_select((values, np.array([[2, 3], [3, 2]])), 2)
        self.assertIsNone(experts)
        self.assertEqual(sorted(expert), [2, 2, 3, 3])

    def test_dropped_copies_are_not_counted(self):
        counts, fed = selection.count(selection.from_indices(np.array([[0, -1], [1, 0]])), 1, 2)
        np.testing.assert_array_equal(counts, [[2, 1]])
        np.testing.assert_array_equal(fed, [2])

    def test_errors(self):
        with self.assertRaises(selection.SelectionError):
            selection.default_select(np.ones(4), 2)
        with self.assertRaises(selection.SelectionError):
            selection.default_select((np.ones((4, 1)), "text"), 2)
        with self.assertRaises(selection.SelectionError):
            selection.from_indices(np.ones((4, 2)))
        copies = selection.from_indices(np.array([[0, 1], [2, 3], [0, 1]]))
        with self.assertRaisesRegex(selection.SelectionError, "3 tokens .* 2 ranks"):
            selection.count(copies, 2, 4)
        with self.assertRaisesRegex(selection.SelectionError, "index 3"):
            selection.count(copies, 3, 3)


class Recorder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(folder.name, "trace.h5")
        self.model = model()

    def recorder(self, path=None, **options):
        values = {"pattern": "blocks.*.router", "top_k": 2, "ranks": 3, "model_name": "fake",
                  "licence": "CC0-1.0", "hidden_size": 8}
        return RouterRecorder(self.model, path or self.path, **{**values, **options})

    def forward(self, seed, tokens=12):
        for layer, router in enumerate(routers(self.model)):
            router(logits(tokens=tokens, seed=10 * seed + layer))

    def read(self):
        with Trace(self.path) as trace:
            return trace.info, np.stack([t for _, t, _ in trace.iterations()])

    def test_iterations_and_layers(self):
        with self.recorder() as recorder:
            self.assertEqual(recorder.modules, ["blocks.0.router", "blocks.1.router"])
            for seed in range(4):
                self.forward(seed)
                recorder.step()
        info, tokens = self.read()
        self.assertEqual((info.experts, info.layers, info.top_k), (5, 2, 2))
        self.assertFalse(info.dropped)
        self.assertEqual(tokens.shape, (4, 2, 3, 5))
        for seed in range(4):
            for layer in range(2):
                _, copies = selection.default_select(logits(seed=10 * seed + layer), 2)
                expected, _ = selection.count(copies, 3, 5)
                np.testing.assert_array_equal(tokens[seed, layer], expected)
        self.assertFalse(any(router.hooks for router in routers(self.model)))

    def test_accumulation_adds_up(self):
        with self.recorder() as recorder:
            self.forward(1)
            self.forward(2)
            recorder.step()
            self.forward(1)
            recorder.step()
            self.forward(2)
            recorder.step()
        _, tokens = self.read()
        np.testing.assert_array_equal(tokens[0], tokens[1] + tokens[2])

    def test_evaluation_is_not_recorded(self):
        with self.recorder() as recorder:
            self.forward(1)
            for router in routers(self.model):
                router.training = False
            self.forward(2)
            recorder.step()
        _, tokens = self.read()
        self.assertEqual(tokens.sum(), 2 * 12 * 2)

    def test_recomputation_inside_backward_is_not_recorded(self):
        """PyTorch says by a graph task id other than -1 that autograd is running."""
        task = [-1]
        fake = types.SimpleNamespace(
            _C=types.SimpleNamespace(_current_graph_task_id=lambda: task[0])
        )
        with unittest.mock.patch.dict(sys.modules, torch=fake), self.recorder() as recorder:
            self.forward(1)
            task[0] = 7
            self.forward(2)
            recorder.step()
        _, tokens = self.read()
        self.assertEqual(tokens.sum(), 2 * 12 * 2)

    def test_selection_by_callable(self):
        choose = lambda module, inputs, output: np.tile([4, 0], (len(output), 1))  # noqa: E731
        with self.recorder(select=choose, experts=5) as recorder:
            self.forward(1)
            recorder.step()
        _, tokens = self.read()
        np.testing.assert_array_equal(tokens[0, 0], np.tile([4, 0, 0, 0, 4], (3, 1)))

    def test_dropping_router_is_marked(self):
        with self.recorder() as recorder:
            mask = np.zeros((12, 5), dtype=bool)
            mask[:, 0] = True
            for router in routers(self.model):
                router(mask)
            recorder.step()
        info, _ = self.read()
        self.assertTrue(info.dropped)

    def test_parts_join_to_the_whole(self):
        """Three processes of one rank each record what one process of three ranks does."""
        with self.recorder() as recorder:
            for seed in range(3):
                self.forward(seed)
                recorder.step()
        parts = []
        for rank in range(3):
            parts.append(os.path.join(self.folder, f"part{rank}.h5"))
            with self.recorder(parts[-1], rank=rank) as recorder:
                for seed in range(3):
                    for layer, router in enumerate(routers(self.model)):
                        router(logits(seed=10 * seed + layer)[4 * rank : 4 * rank + 4])
                    recorder.step()
        joined = os.path.join(self.folder, "joined.h5")
        self.assertEqual(merge.main([*reversed(parts), "-o", joined]), 0)
        with open(self.path, "rb") as one, open(joined, "rb") as other:
            self.assertEqual(one.read(), other.read())
        with self.assertRaisesRegex(ValueError, "rank 1 of 3 is missing"):
            merge.merge([parts[0], parts[2]], joined)
        with self.assertRaisesRegex(ValueError, "rank 2 .* twice"):
            merge.merge([*parts, parts[2]], joined)
        with self.assertRaisesRegex(ValueError, "not a part"):
            merge.merge([self.path], joined)
        larger = os.path.join(self.folder, "larger.h5")
        shutil.copy(parts[2], larger)
        with h5py.File(larger, "a") as file:
            file["tokens"].attrs["part_rank"], file["tokens"].attrs["part_ranks"] = 5, 8
        with self.assertRaisesRegex(ValueError, "larger.h5: a part of 8 ranks, .*part0.h5 is one of 3"):
            merge.merge([*parts, larger], joined)

    def test_wrong_use(self):
        with self.assertRaisesRegex(RecorderError, "matches no module.*blocks.0.router"):
            self.recorder(pattern="*.gate")
        with self.assertRaisesRegex(RecorderError, "hidden_size"):
            self.recorder(hidden_size=None)
        with self.assertRaisesRegex(RecorderError, "rank 3"):
            self.recorder(rank=3)
        with self.assertRaisesRegex(RecorderError, "nothing was recorded"):
            self.recorder().close()
        with self.assertRaisesRegex(RecorderError, "blocks.1.router"):
            with self.recorder() as recorder:
                routers(self.model)[0](logits())
                recorder.step()
        with self.assertRaisesRegex(RecorderError, "blocks.0.router.*5 experts, expected 9"):
            with self.recorder(experts=9):
                self.forward(1)
        with self.assertRaisesRegex(RecorderError, "pass experts=N"):
            with self.recorder():
                routers(self.model)[0](np.zeros((6, 2), dtype=int))
        self.assertEqual(os.listdir(self.folder), [])

    def test_names_in_model_order(self):
        names = matching_modules(model(12), "*.router")
        self.assertEqual(names, [f"blocks.{i}.router" for i in range(12)])


if __name__ == "__main__":
    unittest.main()
