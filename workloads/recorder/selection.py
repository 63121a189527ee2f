# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""From what a router returns to counts per (source rank, expert). Needs numpy only."""

import numpy as np


class SelectionError(ValueError):
    """A router's output cannot be turned into a selection."""


def to_numpy(value):
    """A torch tensor (any device) or array-like as a numpy array."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if not hasattr(value, "numpy"):
            return np.asarray(value)
        return value.numpy()
    return np.asarray(value)


def _kind(value):
    """'i' for integers, 'b' for booleans, 'f' for anything else, by the name of the type."""
    name = str(getattr(value, "dtype", ""))
    if "bool" in name:
        return "b"
    return "i" if "int" in name else "f"


def _top_k(logits, top_k):
    """Indices of the top_k largest logits of every row."""
    if hasattr(logits, "topk"):
        return to_numpy(logits.topk(top_k, dim=-1)[1])
    return np.argpartition(-to_numpy(logits), top_k - 1, axis=-1)[..., :top_k]


def default_select(output, top_k):
    """Finds the selection in a router's output; returns (experts or None, copies).

    `copies` is a pair of int arrays (token, expert) of equal length, plus the token count. Looked
    for in this order, in the output or in its tuple, list or dict entries:
      1. integers with a last dimension of top_k: expert indices
      2. booleans: a routing map [..., experts]; rows may hold fewer than top_k (dropped tokens)
      3. real numbers with a last dimension of at least top_k: logits, the largest top_k win
    """
    if isinstance(output, dict):
        output = list(output.values())
    parts = list(output) if isinstance(output, (tuple, list)) else [output]
    parts = [part for part in parts if getattr(part, "ndim", 0) >= 2]
    for part in parts:
        if _kind(part) == "i" and part.shape[-1] == top_k:
            return None, from_indices(to_numpy(part))
    for part in parts:
        if _kind(part) == "b":
            return int(part.shape[-1]), from_mask(to_numpy(part))
    for part in parts:
        if _kind(part) == "f" and part.shape[-1] >= top_k:
            return int(part.shape[-1]), from_indices(_top_k(part, top_k))
    shapes = ", ".join(f"{getattr(p, 'dtype', '?')} {tuple(p.shape)}" for p in parts) or "nothing"
    raise SelectionError(
        f"no expert indices, routing map or logits for top-{top_k} in its output ({shapes}); "
        "pass select=callable"
    )


def from_indices(indices):
    """(token, expert, tokens) from expert indices [..., k]; negative indices are dropped copies."""
    indices = np.asarray(indices)
    if indices.ndim < 2 or indices.dtype.kind not in "iu":
        raise SelectionError(
            f"a selection must be integers [tokens, k], not {indices.dtype} {indices.shape}"
        )
    flat = indices.reshape(-1, indices.shape[-1])
    token = np.repeat(np.arange(flat.shape[0]), flat.shape[1])
    expert = flat.reshape(-1).astype(np.int64)
    kept = expert >= 0
    return token[kept], expert[kept], flat.shape[0]


def from_mask(mask):
    """(token, expert, tokens) from a routing map [..., experts]."""
    flat = np.asarray(mask).reshape(-1, mask.shape[-1])
    token, expert = np.nonzero(flat)
    return token, expert, flat.shape[0]


def count(copies, ranks, experts):
    """Counts [rank, expert] and tokens per rank [rank], both int64.

    Tokens in flattened order are split into `ranks` equal contiguous parts: a batch-first tensor
    of B sequences gives B / ranks sequences to each rank.
    """
    token, expert, tokens = copies
    if tokens % ranks != 0:
        raise SelectionError(f"{tokens} tokens do not divide over {ranks} ranks")
    if expert.size and expert.max() >= experts:
        raise SelectionError(f"expert index {int(expert.max())}, but there are {experts} experts")
    share = tokens // ranks
    flat = (token // share) * experts + expert if share else token
    counts = np.bincount(flat, minlength=ranks * experts).reshape(ranks, experts)
    return counts.astype(np.int64), np.full(ranks, share, dtype=np.int64)
