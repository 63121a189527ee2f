# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Trains a small MoE language model on one CPU core and records its routing.

    cd workloads && /usr/bin/python3 -m recorder.train_small_moe -o small-moe-64e-top6.h5

Needs the Debian packages python3-torch, python3-h5py, python3-numpy, perl-doc and fortunes; with
libopenblas0-pthread it is many times faster.
"""

import argparse
import math
import time

import numpy as np

from . import corpus
from .bpe import BytePairs
from .router_recorder import RouterRecorder


def arguments():
    parser = argparse.ArgumentParser(prog="recorder.train_small_moe", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", required=True, help="trace to write (HDF5)")
    parser.add_argument("--steps", type=int, default=300, help="recorded steps (default 300)")
    parser.add_argument("--warmup", type=int, default=100,
                        help="steps before the first recorded one (default 100)")
    parser.add_argument("--sequences", type=int, default=2,
                        help="sequences per shard and step, one a micro-batch (default 2)")
    parser.add_argument("--length", type=int, default=128, help="tokens a sequence (default 128)")
    parser.add_argument("--vocabulary", type=int, default=2048, help="tokens (default 2048)")
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--experts", type=int, default=64)
    parser.add_argument("--top-k", type=int, default=6)
    parser.add_argument("--shards", type=int, default=32, help="EP ranks (default 32)")
    parser.add_argument("--balance", type=float, default=0.01,
                        help="coefficient of the load-balancing loss (default 0.01)")
    parser.add_argument("--rate", type=float, default=2e-3,
                        help="peak learning rate (default 0.002)")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def load_text(options):
    """Token ids of the whole text, the vocabulary, and its description for the record."""
    parts = {"perl-doc": corpus.perl_pods(), "fortunes": corpus.fortunes()}
    text = b"\n\n".join(b"\n\n".join(documents) for documents in parts.values())
    started = time.time()
    vocabulary = BytePairs(text, options.vocabulary)
    tokens = vocabulary.encode(text)
    names = ", ".join(f"{p} {corpus.package_version(p)}" for p in parts)
    print(f"text: {names}: {len(text)} bytes, {len(tokens)} tokens of a vocabulary of "
          f"{vocabulary.size} ({time.time() - started:.0f} s)", flush=True)
    return tokens, vocabulary.size, names


def learning_rate(step, total, peak):
    """Linear over the first 20 steps, then a cosine down to a tenth of the peak."""
    if step < 20:
        return peak * (step + 1) / 20
    return peak * (0.55 + 0.45 * math.cos(math.pi * (step - 20) / max(1, total - 20)))


def optimizer_for(torch, model, rate):
    plain = [p for p in model.parameters() if p.dim() < 2]
    decayed = [p for p in model.parameters() if p.dim() >= 2]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.95))


def train_step(torch, model, optimizer, shards, options):
    """One optimizer step; each micro-batch is one sequence of every shard. Mean losses."""
    optimizer.zero_grad(set_to_none=True)
    sums = np.zeros(2)
    for _ in range(options.sequences):
        loss, balance = model(torch.from_numpy(shards.batch()))
        ((loss + options.balance * balance) / options.sequences).backward()
        sums += loss.item(), balance.item()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return sums / options.sequences


def train(options):
    import torch

    from .small_moe import SmallMoE

    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    tokens, vocabulary, names = load_text(options)
    shards = corpus.Shards(tokens, options.shards, options.length, options.seed)
    model = SmallMoE(vocabulary, options.length, layers=options.layers, experts=options.experts,
                     top_k=options.top_k, shards=options.shards)
    parameters = sum(p.numel() for p in model.parameters())
    total = options.warmup + options.steps
    print(f"model: {parameters / 1e6:.1f} M parameters; {total} steps of "
          f"{options.shards * options.sequences * options.length} tokens; "
          f"torch {torch.__version__}", flush=True)
    optimizer = optimizer_for(torch, model, options.rate)
    recorder = RouterRecorder(
        model, options.output, pattern="blocks.*.moe.router", top_k=options.top_k,
        ranks=options.shards, experts=options.experts, hidden_size=model.position.shape[1],
        bytes_per_element=4, model_name=f"small-moe-{options.experts}e-top{options.top_k}",
        source=f"recorder.train_small_moe, torch {torch.__version__}, text {names}, seed "
               f"{options.seed}, {options.warmup} steps before the first recorded, balance "
               f"coefficient {options.balance}",
        licence="GPL-2.0-only",
    )
    started = time.time()
    losses = []
    with recorder:
        for step in range(total):
            for group in optimizer.param_groups:
                group["lr"] = learning_rate(step, total, options.rate)
            model.train(step >= options.warmup)
            losses.append(train_step(torch, model, optimizer, shards, options))
            if step >= options.warmup:
                recorder.step()
            if step % 10 == 9 or step == 0 or step == total - 1:
                loss, balance = np.mean(losses[-10:], axis=0)
                print(f"step {step + 1}/{total}  loss {loss:.4f}  balance {balance:.3f}  "
                      f"{time.time() - started:.0f} s, {time.process_time():.0f} CPU s",
                      flush=True)


if __name__ == "__main__":
    train(arguments())
