# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""A forward hook on every router of a PyTorch model that writes a routing trace.

    with RouterRecorder(model, "trace.h5", pattern="*.router", top_k=6, ranks=32,
                        model_name="my model", licence="CC0-1.0") as rec:
        for batch in batches:
            train_step(model, batch)
            rec.step()

One `step()` ends one iteration of the trace: forwards since the last one are added up, so gradient
accumulation is one iteration. See workloads/recorder/README.md for routers of common libraries.
"""

import fnmatch
import sys

import numpy as np

from mixnet_workloads.schema import TraceInfo
from mixnet_workloads.trace_writer import TraceWriter

from . import selection


class RecorderError(ValueError):
    """The recorder was set up or used wrongly; the text names the module."""


class RouterRecorder:
    """Records how many token copies every source rank sends to every expert.

    model       a torch.nn.Module (only named_modules() and register_forward_hook() are used)
    path        trace to write; `path + ".partial"` holds what is recorded so far
    pattern     shell pattern, or list of patterns, of module names: one match per MoE layer, in
                the order of model.named_modules()
    top_k       experts per token
    ranks       EP ranks. Without `rank` this process holds the tokens of all of them, in equal
                contiguous parts of the flattened batch. With `rank` this process is that one
                rank and writes its own part; join the parts with `python3 -m recorder.merge`
    experts     routed experts; needed only where the router returns indices instead of logits
    hidden_size elements of a token; default model.config.hidden_size
    select      select(module, inputs, output) -> integer expert indices [..., k], negative for a
                dropped copy; default: recorder.selection.default_select
    training_only   ignore forwards of modules in eval mode

    Forwards that run inside the backward pass (activation checkpointing) repeat a forward already
    counted and are ignored where PyTorch tells (2.1 and later); with an older PyTorch record
    without activation checkpointing.
    """

    def __init__(self, model, path, *, pattern, top_k, ranks, model_name, licence, source=None,
                 experts=None, hidden_size=None, bytes_per_element=2, rank=None, select=None,
                 training_only=True, flush_every=16, extra=None):
        self._top_k = top_k
        self._ranks = ranks if rank is None else 1
        self._experts = experts
        self._select = select
        self._training_only = training_only
        self._flush_every = flush_every
        self._path = path
        self._writer = None
        self._hooks = []
        self._names = matching_modules(model, pattern)
        self._counts = [None] * len(self._names)
        self._tokens_in = np.zeros((len(self._names), self._ranks), dtype=np.int64)
        if rank is not None and not 0 <= rank < ranks:
            raise RecorderError(f"rank {rank} is not one of {ranks} ranks")
        if hidden_size is None:
            hidden_size = getattr(getattr(model, "config", None), "hidden_size", None)
        if hidden_size is None:
            raise RecorderError("hidden_size: the model has no config.hidden_size, pass it")
        part = {} if rank is None else {"part_rank": rank, "part_ranks": ranks}
        self._about = {
            "model": model_name, "top_k": top_k, "hidden_size": int(hidden_size),
            "bytes_per_element": bytes_per_element, "layers": len(self._names),
            "source": source or f"forward hooks on {pattern}", "licence": licence,
            "extra": {**(extra or {}), **part},
        }
        modules = dict(model.named_modules())
        for layer, name in enumerate(self._names):
            self._hooks.append(modules[name].register_forward_hook(self._hook(layer, name)))

    @property
    def modules(self):
        """Names of the routers, in layer order."""
        return list(self._names)

    @property
    def iterations(self):
        return 0 if self._writer is None else self._writer.iterations

    def step(self):
        """Ends an iteration. Every router must have seen at least one forward since the last."""
        silent = [n for n, counts in zip(self._names, self._counts) if counts is None]
        if silent:
            raise RecorderError(
                f"step(): {len(silent)} of {len(self._names)} routers saw no forward since the "
                f"last step, the first is '{silent[0]}'"
            )
        tokens = np.stack(self._counts)
        if self._writer is None:
            info = TraceInfo(experts=self._experts, **self._about)
            self._writer = TraceWriter(self._path, info, self._ranks, self._flush_every)
        if (tokens.sum(axis=2) < self._tokens_in * self._top_k).any():
            self._writer.mark_dropped()
        self._writer.append(tokens, self._tokens_in)
        self._discard()

    def close(self):
        """Removes the hooks and writes the final file."""
        self._remove_hooks()
        if self._writer is None:
            raise RecorderError(f"{self._path}: nothing was recorded, step() was never called")
        self._writer.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None:
            self.close()
            return
        self._remove_hooks()
        if self._writer is not None:
            self._writer.keep_partial()

    def _hook(self, layer, name):
        def record(module, inputs, output):
            if self._training_only and not getattr(module, "training", True):
                return
            if _inside_backward():
                return
            try:
                self._add(layer, module, inputs, output)
            except selection.SelectionError as error:
                raise RecorderError(f"router '{name}': {error}") from None

        return record

    def _add(self, layer, module, inputs, output):
        if self._select is None:
            experts, copies = selection.default_select(output, self._top_k)
        else:
            chosen = selection.to_numpy(self._select(module, inputs, output))
            experts, copies = None, selection.from_indices(chosen)
        if self._experts is None:
            if experts is None:
                raise selection.SelectionError("returns expert indices: pass experts=N")
            self._experts = experts
        elif experts is not None and experts != self._experts:
            raise selection.SelectionError(f"has {experts} experts, expected {self._experts}")
        counts, tokens_in = selection.count(copies, self._ranks, self._experts)
        if self._counts[layer] is None:
            self._counts[layer] = counts
        else:
            self._counts[layer] += counts
        self._tokens_in[layer] += tokens_in

    def _discard(self):
        self._counts = [None] * len(self._names)
        self._tokens_in[:] = 0

    def _remove_hooks(self):
        for hook in self._hooks:
            hook.remove()
        self._hooks.clear()


def matching_modules(model, pattern):
    """Names of the modules that match, in the model's order; none is an error that lists names."""
    patterns = [pattern] if isinstance(pattern, str) else list(pattern)
    names = [name for name, _ in model.named_modules() if name]
    found = [n for n in names if any(fnmatch.fnmatchcase(n, p) for p in patterns)]
    if not found:
        hints = [n for n in names if "rout" in n.lower() or "gate" in n.lower()][:4] or names[:4]
        raise RecorderError(
            f"pattern {pattern!r} matches no module; names look like {', '.join(hints) or '(none)'}"
        )
    return found


def _inside_backward():
    """Whether autograd is running: then a forward is a recomputation."""
    torch = sys.modules.get("torch")
    current = getattr(getattr(torch, "_C", None), "_current_graph_task_id", None)
    return current is not None and current() != -1
