# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""A small decoder-only MoE language model (PyTorch 1.13 or later), made to run on one CPU core.

Every block is RMSNorm, causal attention, RMSNorm, MoE. A router is a linear layer; softmax over
all experts, top_k kept, their weights renormalised to 1. No token is dropped, no shared experts.
"""

import torch
from torch import nn
from torch.nn import functional


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.gain


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x, mask):
        batch, length, width = x.shape
        head = width // self.heads
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, head).permute(2, 0, 3, 1, 4)
        scores = torch.baddbmm(mask, q.reshape(-1, length, head),
                               k.reshape(-1, length, head).transpose(1, 2), alpha=head**-0.5)
        mixed = torch.bmm(torch.softmax(scores, -1), v.reshape(-1, length, head))
        return self.out(mixed.view(batch, self.heads, length, head).transpose(1, 2)
                        .reshape(batch, length, width))


class Router(nn.Module):
    """Returns (weights [tokens, k], indices [tokens, k]) and keeps its auxiliary loss.

    Auxiliary loss (Switch Transformer, eq. 4, over token copies): experts * sum_e f_e p_e, with
    f_e the share of copies and p_e the mean probability of expert e, for each shard by itself as
    each rank of a real job does, then the mean over shards. 1 for a uniform gate.
    """

    def __init__(self, width, experts, top_k, shards):
        super().__init__()
        self.experts, self.top_k, self.shards = experts, top_k, shards
        self.weight = nn.Parameter(torch.empty(experts, width))
        self.balance = torch.zeros(())

    def forward(self, x):
        probabilities = torch.softmax(functional.linear(x, self.weight), -1)
        weights, indices = probabilities.topk(self.top_k, dim=-1)
        shard = torch.arange(x.shape[0]).div(x.shape[0] // self.shards, rounding_mode="floor")
        flat = (shard[:, None] * self.experts + indices).view(-1)
        copies = torch.bincount(flat, minlength=self.shards * self.experts)
        share = copies.view(self.shards, self.experts) * (self.shards / flat.numel())
        mean = probabilities.view(self.shards, -1, self.experts).mean(1)
        self.balance = self.experts * (share * mean).sum(1).mean()
        return weights / weights.sum(-1, keepdim=True), indices


class _Permute(torch.autograd.Function):
    """Rows in another order; the gradient goes back by the inverse order, never by scattering."""

    @staticmethod
    def forward(context, x, order, inverse):
        context.save_for_backward(inverse)
        return x[order]

    @staticmethod
    def backward(context, gradient):
        return gradient[context.saved_tensors[0]], None, None


class _Copies(torch.autograd.Function):
    """The k copies of every token in the order of their experts; gradients of copies add up."""

    @staticmethod
    def forward(context, x, order, inverse, top_k):
        context.save_for_backward(inverse)
        context.top_k = top_k
        return x[order.div(top_k, rounding_mode="floor")]

    @staticmethod
    def backward(context, gradient):
        rows = gradient[context.saved_tensors[0]]
        return rows.view(-1, context.top_k, rows.shape[-1]).sum(1), None, None, None


class MoE(nn.Module):
    """SwiGLU experts; copies are sorted by expert, then each expert is three matrix products."""

    def __init__(self, width, inner, experts, top_k, shards):
        super().__init__()
        self.router = Router(width, experts, top_k, shards)
        self.up = nn.Parameter(torch.empty(experts, width, 2 * inner))
        self.down = nn.Parameter(torch.empty(experts, inner, width))

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        weights, indices = self.router(flat)
        order = torch.argsort(indices.view(-1), stable=True)
        inverse = torch.empty_like(order)
        inverse[order] = torch.arange(order.numel())
        sizes = torch.bincount(indices.view(-1), minlength=self.up.shape[0]).tolist()
        copies = _Copies.apply(flat, order, inverse, self.router.top_k).split(sizes)
        results = []
        for rows, up, down in zip(copies, self.up.unbind(0), self.down.unbind(0)):
            gate, value = (rows @ up).chunk(2, -1)
            results.append((functional.silu(gate) * value) @ down)
        merged = _Permute.apply(torch.cat(results), inverse, order)
        merged = merged.view(*indices.shape, -1)
        return (merged * weights[..., None]).sum(1).view_as(x)


class Block(nn.Module):
    def __init__(self, width, heads, inner, experts, top_k, shards):
        super().__init__()
        self.norm1, self.attention = RMSNorm(width), Attention(width, heads)
        self.norm2, self.moe = RMSNorm(width), MoE(width, inner, experts, top_k, shards)

    def forward(self, x, mask):
        x = x + self.attention(self.norm1(x), mask)
        return x + self.moe(self.norm2(x))


class SmallMoE(nn.Module):
    """forward(ids [batch, length + 1]) -> (cross entropy in nats per token, balance loss)."""

    def __init__(self, vocabulary, length, layers=8, width=128, heads=4, inner=64, experts=64,
                 top_k=6, shards=32):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.position = nn.Parameter(torch.empty(length, width))
        self.blocks = nn.ModuleList(
            Block(width, heads, inner, experts, top_k, shards) for _ in range(layers)
        )
        self.norm = RMSNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.register_buffer("mask", torch.full((length, length), float("-inf")).triu(1))
        self._initialise(layers)

    def _initialise(self, layers):
        """Unit-variance maps, branches that start small against the residual stream, and heads
        and routers that start near uniform."""
        for name, parameter in self.named_parameters():
            if parameter.dim() < 2:
                continue
            if name.startswith(("embed", "position")):
                std = 0.5
            elif name.endswith(("router.weight", "head.weight")):
                std = 0.02
            else:
                fan_in = parameter.shape[1]
                std = fan_in**-0.5
                if name.endswith(("attention.out.weight", "moe.down")):
                    std /= (2 * layers) ** 0.5
            nn.init.normal_(parameter, std=std)

    def forward(self, ids):
        inputs, targets = ids[:, :-1], ids[:, 1:]
        x = self.embed(inputs) + self.position
        for block in self.blocks:
            x = block(x, self.mask)
        logits = self.head(self.norm(x))
        loss = functional.cross_entropy(logits.view(-1, logits.shape[-1]), targets.reshape(-1))
        return loss, torch.stack([b.moe.router.balance for b in self.blocks]).mean()
