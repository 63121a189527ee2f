# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Logs of single tokens (which experts did each choose?) as traces.

Source ranks: sequence q goes to rank q mod N, in the order in which sequences begin; logs with fewer
sequences than ranks are dealt token by token, with a warning. Iterations: one for the whole log, or
so many sequences or tokens of each rank; what does not fill an iteration at the end is left out.
"""

import numpy as np

from . import trace_options
from .errors import InputError
from .output import Trace
from .route_counts import BySequence, ByToken, Counts, Placement, check_ids, one_copy_per_rank

DEFAULT_EP = 8
REPEATS = 16
BATCH = 1 << 15
MOST_EXPERTS = 1 << 16


def add_options(parser):
    trace_options.add(parser)
    group = parser.add_argument_group("from tokens to source ranks and iterations")
    group.add_argument("--ep", type=trace_options.positive, metavar="N",
                       help=f"source ranks (default: those of the log, else {DEFAULT_EP})")
    group.add_argument("--deal", choices=("auto", "sequences", "tokens"), default="auto",
                       help="sequence q to rank q mod N; or token t of a layer to rank t mod N; "
                            "auto (default): sequences where there are at least N")
    group.add_argument("--sequences-per-iteration", type=trace_options.positive, metavar="S",
                       help="sequences of each rank in an iteration (default: all)")
    group.add_argument("--tokens-per-iteration", type=trace_options.positive, metavar="T",
                       help="tokens of each rank in an iteration (default: all)")
    group.add_argument("--deduplicate", action="store_true",
                       help="destination ranks instead of experts, one copy of a token per rank; "
                            "expert e of E is on rank floor(e N / E)")
    group.add_argument("--skip-repeated", type=trace_options.positive, metavar="R", nargs="?",
                       const=REPEATS,
                       help="leave out what follows R equal rows of a layer in succession "
                            f"(start-up dummies; R = {REPEATS} where it is not given)")


class Routes:
    """Takes the tokens of a log in their order, gives a Trace."""

    def __init__(self, options, report, path):
        self._options, self._report, self._path = options, report, path
        self._experts = options.experts or trace_options.preset(options.model).get("experts")
        self._sequences, self._rows = {}, {}
        self._buffer = []
        self._last, self._runs = {}, {}
        self._choices = set()
        self._repeated = self._twice = self._padded = self._copies = 0
        self._given = None
        if options.deduplicate and not self._experts:
            raise InputError("import", "--deduplicate must know the number of experts",
                             "--experts E or a preset with --model")
        if options.sequences_per_iteration and options.tokens_per_iteration:
            raise InputError("import", "--sequences-per-iteration and --tokens-per-iteration "
                             "exclude each other")
        self._placements = self._choose_placements(options)

    def _choose_placements(self, options):
        ep = options.ep or DEFAULT_EP
        by_sequence = BySequence(ep, options.sequences_per_iteration, options.tokens_per_iteration)
        by_token = ByToken(ep, None, options.tokens_per_iteration)
        if options.sequences_per_iteration or options.deal == "sequences":
            if options.deal == "tokens":
                raise InputError("import", "--sequences-per-iteration does not go with --deal tokens")
            kinds = [by_sequence]
        else:
            kinds = [by_token] if options.deal == "tokens" else [by_sequence, by_token]
        return [(placement, Counts(ep)) for placement in kinds]

    def sequence(self, key):
        """The number of a sequence, in the order of first appearance."""
        return self._sequences.setdefault(key, len(self._sequences))

    def add(self, sequence, layer, ids):
        """One token: its sequence (a number), layer, and the experts it chose (a list)."""
        self._buffer.append((layer, sequence, ids))
        if len(self._buffer) >= BATCH:
            self._flush()

    def add_block(self, sequences, layer, ids):
        """Tokens of one layer: ids [token, choice]; sequences: one number each, or one for all."""
        self._flush()
        ids = np.asarray(ids, dtype=np.int64)
        if len(ids):
            self._add_layer(layer, np.broadcast_to(np.int64(sequences), len(ids)), ids)

    def add_placed(self, iteration, layer, ranks, ids):
        """Tokens whose source rank and iteration the log knows."""
        ep, ranks = self._options.ep, np.asarray(ranks, dtype=np.int64)
        if self._given is None:
            self._given = (Placement(ep or 0), Counts(ep or 1))
            if self._options.deduplicate and not ep:
                raise InputError("import", "--deduplicate must know the number of ranks", "--ep N")
        counts = self._given[1]
        if ep and ranks.max() >= ep:
            raise InputError(self._path, f"source rank {ranks.max()}, --ep asks for {ep} ranks",
                             f"--ep {ranks.max() + 1} or none")
        counts.grow(int(ranks.max()) + 1)
        ids = self._checked(np.asarray(ids, dtype=np.int64))
        to = self._destinations(ids, counts.ranks)
        self._copies += int((to >= 0).sum())
        counts.add(layer, np.full(len(ids), iteration), ranks, to)

    def _flush(self):
        buffer, self._buffer = self._buffer, []
        if not buffer:
            return
        width = max(len(ids) for _, _, ids in buffer)
        table = np.full((len(buffer), width), -1, dtype=np.int64)
        for row, (_, _, ids) in enumerate(buffer):
            table[row, : len(ids)] = ids
        layers = np.array([layer for layer, _, _ in buffer])
        sequences = np.array([sequence for _, sequence, _ in buffer], dtype=np.int64)
        for layer in np.unique(layers):
            mine = layers == layer
            self._add_layer(int(layer), sequences[mine], table[mine])

    def _add_layer(self, layer, sequences, ids):
        ids = self._checked(ids)
        keep = self._not_repeated(layer, ids)
        if not keep.all():
            sequences, ids = sequences[keep], ids[keep]
        start = self._rows.get(layer, 0)
        self._rows[layer] = start + len(ids)
        tokens = start + np.arange(len(ids))
        if len(self._placements) == 2 and len(self._sequences) >= self._placements[0][1].ranks:
            del self._placements[1]
        to = self._destinations(ids, self._placements[0][1].ranks)
        self._copies += int((to >= 0).sum())
        for placement, counts in self._placements:
            iterations, ranks = placement.place(layer, sequences, tokens)
            counts.add(layer, iterations, ranks, to)

    def _checked(self, ids):
        check_ids(ids, self._path, self._experts or MOST_EXPERTS)
        chosen = (ids >= 0).sum(axis=1)
        self._choices.update(np.unique(chosen).tolist())
        self._padded += int((chosen == 0).sum())
        ordered = np.sort(ids, axis=1)
        self._twice += int(((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).sum())
        self._report.count("tokens x layers", len(ids))
        return ids

    def _not_repeated(self, layer, ids):
        """False where a row follows so many equal ones that it is left out."""
        last, run = self._last.get(layer), self._runs.get(layer, 0)
        same = np.zeros(len(ids), dtype=bool)
        same[1:] = (ids[1:] == ids[:-1]).all(axis=1)
        same[0] = last is not None and np.array_equal(last, ids[0])
        index = np.arange(len(ids))
        begin = np.maximum.accumulate(np.where(same, -1, index))
        runs = np.where(begin >= 0, index - begin, index + run + 1)
        self._last[layer], self._runs[layer] = ids[-1].copy(), int(runs[-1])
        self._repeated += int((runs >= REPEATS).sum())
        limit = self._options.skip_repeated
        keep = runs < limit if limit else np.ones(len(ids), dtype=bool)
        if limit:
            self._report.count("skipped rows", (~keep).sum())
        return keep

    def _destinations(self, ids, ranks):
        if not self._options.deduplicate:
            return ids
        return one_copy_per_rank(ids, self._experts, ranks)

    def _chosen(self):
        """The placement that applies, now that the log has ended."""
        self._flush()
        if self._given and self._rows:
            raise InputError(self._path, "some tokens have a source rank, others have none",
                             "one kind of rows")
        if self._given:
            return self._given
        placement, counts = self._placements[0]
        if len(self._sequences) >= counts.ranks or isinstance(placement, ByToken):
            return placement, counts
        if len(self._placements) == 2:
            self._report.warn(
                f"{len(self._sequences)} sequences for {counts.ranks} source ranks: single tokens "
                "are dealt to the ranks (--deal sequences and a smaller --ep keep them together)")
            return self._placements[1]
        raise InputError(self._path, f"{len(self._sequences)} sequences cannot fill {counts.ranks} "
                         "source ranks", f"--ep up to {len(self._sequences)}, or --deal tokens")

    def trace(self, source, **stated):
        """The Trace; `stated` is what the log says of the job, see trace_options.describe()."""
        placement, counts = self._chosen()
        filled = counts.filled()
        if not filled.any():
            raise InputError(self._path, "holds no route of a token")
        whole = placement.complete(len(self._sequences), filled)
        if whole == 0:
            raise InputError(self._path, "the log does not fill one iteration",
                             "fewer --sequences-per-iteration or --tokens-per-iteration")
        self._warn(len(filled), whole, counts)
        info = self._describe(source, counts, stated)
        width = counts.ranks if self._options.deduplicate else info.experts
        layers = counts.layers

        def iterations():
            for index in range(whole):
                yield counts.copies(index, layers, width), filled[index]

        left = counts.total(len(filled)) - counts.total(whole)
        return Trace(info, counts.ranks, iterations(), copies=lambda: self._copies - left,
                     has_tokens_in=True)

    def _warn(self, iterations, whole, counts):
        warn = self._report.warn
        if whole < iterations:
            left = counts.total(iterations) - counts.total(whole)
            self._report.count("copies left out", left)
            warn(f"{left} copies at the end do not fill an iteration and are left out")
        if self._repeated:
            rows = self._report.counts["tokens x layers"]
            skipped = self._report.counts.get("skipped rows", 0)
            warn(f"{self._repeated} of {rows} rows follow {REPEATS} or more equal ones: dummies of "
                 "a start-up? " + (f"({skipped} are left out)" if skipped
                                 else "(--skip-repeated leaves them out)"))
        if self._twice:
            warn(f"{self._twice} choices name an expert that the same token chose already")
        if self._padded:
            warn(f"{self._padded} rows choose no expert at all")

    def _describe(self, source, counts, stated):
        most = max(self._choices)
        said = stated.get("top_k")
        if said is not None and said != most:
            self._report.warn(f"top-k {said} is declared, tokens choose up to {most} experts")
        uniform = self._choices == {most}
        if not uniform:
            self._report.warn(f"tokens choose {min(self._choices)} to {most} experts: top-k "
                              f"{most} is taken, rows may hold fewer copies")
        stated["top_k"] = most
        if self._options.top_k not in (None, most):
            raise InputError(self._path, f"tokens choose {most} experts, --top-k asks for "
                             f"{self._options.top_k}", f"--top-k {most} or none")
        stated["experts"] = self._count_experts(counts, stated.get("experts"))
        layers = counts.layers
        extra = {} if layers == list(range(len(layers))) else {
            "layer_ids": np.array(layers, dtype=np.uint32)}
        dedup = self._options.deduplicate
        return trace_options.describe(
            self._options, self._report, source, len(layers), path=self._path, extra=extra,
            destination="rank" if dedup else "expert", deduplicated=dedup, dropped=not uniform,
            **stated)

    def _count_experts(self, counts, said):
        if self._options.deduplicate:
            return self._experts
        used = counts.width
        known = self._experts or said
        if known is None:
            self._report.warn(f"the number of experts is not stated: {used} are used, so {used} "
                              "are taken (--experts E)")
        elif used > known:
            raise InputError(self._path, f"expert {used - 1} is used, but {known} experts are "
                             "declared", f"--experts {used} or more")
        return known or used
