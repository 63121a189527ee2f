# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Layout: line 1 is a policy and `key: value` pairs (model_parallel_NPU_group, ep, pp, vpp, ga,
all_gpus, checkpoints, checkpoint_initiates, pp_comm with or without its colon; any of them may be
missing), line 2 the number of layer lines, then one line per layer, blanks or tabs between 12 fields:

    name dep fwd_compute fwd_comm fwd_bytes ig_compute ig_comm ig_bytes
    wg_compute wg_comm wg_bytes wg_update_time                (a 13th field: a policy, ignored)

Times are ns, dep is not used (nor is it by the original). A communication is NONE, ALLREDUCE, ALLGATHER,
REDUCESCATTER, ALLTOALL or BROADCAST, alone or with _EP, _DP, _DP_EP: alone it is over the TP group (forward,
input gradient) or the DP group (weight gradient); over all GPUs for MICRO and DLRM, weight gradients of DATA,
the others of MODEL and DISTRIBUTED_INFERENCE.

Becomes one program that all ranks share: forward over the lines, each computation followed by its
communication; then backward from the last line, input gradient and its communication, weight gradient,
whose communication (and then the update) nothing waits for before the end. Layers between a checkpoint
and a line of checkpoint_initiates are computed again. Ranks are ordered TP, then DP with EP inside, then
PP. The lines describe one stage with all of its micro-batches (ga), whose names repeat; every stage gets
them all, also what only the first or last one does. With --stages transfers (the default where pp is above
1 and pp_comm above 0) each micro-batch is received from the stage before and sent to the next, pp_comm
bytes per GPU, and its gradient goes back: all forward passes first (GPipe), as the lines stand. Virtual
stages (vpp) hand over more often, which the lines do not say where: not modelled, warned of."""

from .. import inputs
from ..errors import InputError, shorten
from ..graph_program import COMPUTE, Program
from ..graph_tables import Graph
from ..simai_program import COMMUNICATIONS, SUFFIXES, build, groups_of, micro_batches
from ..trace_options import positive

NAME = "simai"
KIND = "task graph"
SUMMARY = "SimAI, AICB and ASTRA-sim 1.0 workload text."

POLICIES = {
    # group of a communication without suffix: in the forward and input-gradient pass, for weight gradients
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD": ("tp", "dp"), "HYBRID_TRANSFORMER": ("tp", "dp"),
    "HYBRID_DATA_MODEL": ("tp", "dp"), "HYBRID_MODEL_DATA": ("tp", "dp"),
    "HYBRID_CUSTOMIZED": ("tp", "dp"), "DATA": ("tp", "world"), "MODEL": ("world", "dp"),
    "DISTRIBUTED_INFERENCE": ("world", "dp"), "DLRM": ("world", "world"),
    "HYBRID_DLRM": ("world", "world"), "HYBRID_DLRM_ENHANCED": ("world", "world"),
    "MICRO": ("world", "world"),
}
COUNTS = {"model_parallel_NPU_group": "tp", "ep": "ep", "pp": "pp", "vpp": "vpp", "ga": "ga",
          "all_gpus": "gpus", "pp_comm": "pp_comm", "DLRM_LAST_BOTTOM_LAYER": "dlrm"}
LISTS = ("checkpoints", "checkpoint_initiates")
FIELDS = 12
MOST_GPUS = 1 << 20
MOST_NS = ((1 << 63) - 1) // 1000


def add_options(parser):
    parser.add_argument("--gpus", type=positive, metavar="N",
                        help="number of GPUs where the header has no all_gpus (default of transformers: "
                             "TP x PP x EP)")
    parser.add_argument("--stages", choices=("transfers", "apart"), default="transfers",
                        help="of a pipeline: with transfers of pp_comm bytes between them (default), or "
                             "apart, none waiting for another")
    parser.add_argument("--tp", type=positive, metavar="N",
                        help="GPUs of a TP group where the header has no model_parallel_NPU_group")


def _header(path, text):
    words = text.split()
    if not words or words[0] not in POLICIES:
        raise InputError(path, f"policy {shorten(words[0] if words else '')}", ", ".join(POLICIES),
                         line=1)
    head, place = {"policy": words[0]}, 1
    while place < len(words):
        key = words[place].rstrip(":")
        place += 1
        if key not in COUNTS and key not in LISTS:
            raise InputError(path, f"unknown key {shorten(key)}", ", ".join([*COUNTS, *LISTS]), line=1)
        if place >= len(words):
            raise InputError(path, f"key '{key}' has no value", line=1)
        least = 0 if key in (*LISTS, "pp_comm", "DLRM_LAST_BOTTOM_LAYER") else 1
        number = inputs.whole_number(words[place], path, f"'{key}'", least, line=1)
        place += 1
        if COUNTS.get(key, key) in head:
            raise InputError(path, f"key '{key}' comes twice", line=1)
        if key in COUNTS:
            head[COUNTS[key]] = number
            continue
        if number > len(words) - place:
            raise InputError(path, f"'{key}: {number}' is followed by {len(words) - place} words",
                             f"{number} layers", line=1)
        head[key] = [inputs.whole_number(word, path, f"layer of '{key}'", line=1)
                     for word in words[place : place + number]]
        place += number
    return head


def _communication(path, number, word, size, group):
    if word == "NONE":
        return None
    base, _, suffix = word.partition("_")
    if base not in COMMUNICATIONS or (suffix and suffix not in SUFFIXES):
        raise InputError(path, f"communication {shorten(word)}", "NONE, " + ", ".join(COMMUNICATIONS)
                         + ", each alone or with _" + ", _".join(SUFFIXES), line=number)
    return COMMUNICATIONS[base], SUFFIXES.get(suffix, group), size


def _layer(path, number, text, groups):
    """(name, [(compute in ns, communication or None)] of forward, input, weight gradient, update)"""
    words = text.split()
    if len(words) not in (FIELDS, FIELDS + 1):
        raise InputError(path, f"{len(words)} fields", f"{FIELDS} (or {FIELDS + 1} with a policy): name "
                         "dep, then time, communication, bytes three times, update time", line=number)
    inputs.whole_number(words[1], path, "dependency (field 2)", least=-1, line=number)
    passes = []
    for index, group in zip((2, 5, 8), (groups[0], *groups)):
        time = inputs.whole_number(words[index], path, f"time (field {index + 1})", most=MOST_NS,
                                   line=number)
        size = inputs.whole_number(words[index + 2], path, f"bytes (field {index + 3})", line=number)
        passes.append((time, _communication(path, number, words[index + 1], size, group)))
    update = inputs.whole_number(words[11], path, "update time (field 12)", most=MOST_NS, line=number)
    return words[0], passes, update, number


def _layers(path, report):
    """(header, layers); checks the declared number of lines."""
    head, declared, layers, number, extra = None, None, [], 0, 0
    for number, text in inputs.lines(path, report):
        if head is None:
            head = _header(path, text)
        elif not text.strip():
            continue
        elif declared is None:
            declared = inputs.whole_number(text, path, "number of layers", least=1, line=number)
        elif len(layers) == declared:
            raise InputError(path, f"a line more than the {declared} that line 2 declares", line=number)
        else:
            layers.append(_layer(path, number, text, POLICIES[head["policy"]]))
            extra += len(text.split()) > FIELDS
    if declared is None:
        raise InputError(path, "has no number of layers", "a header and a number of lines", line=2)
    if len(layers) != declared:
        raise InputError(path, f"holds {len(layers)} layer lines, line 2 declares {declared}",
                         "as many as declared (cut off?)", line=number)
    if extra:
        report.warn(f"{extra} lines have a policy of their own (field {FIELDS + 1}): it is not used")
    if "DLRM" in head["policy"]:
        report.warn("the exchange of embeddings runs in the order of the lines, not beside the bottom layers")
    return head, layers


def _sizes(path, head, options, report):
    """TP, EP, DP, PP, GPUs; every inconsistency with its arithmetic."""
    missing = [key for key, name in COUNTS.items() if name in ("tp", "ep", "pp", "vpp", "ga", "gpus")
               and name not in head]
    policy = head["policy"]
    for name in ("gpus", "tp"):
        asked = getattr(options, name)
        if asked and head.setdefault(name, asked) != asked:
            report.warn(f"--{name} {asked}: the header says {head[name]}; {head[name]} is used")
    if not policy.startswith("HYBRID_TRANSFORMER"):
        for name, key in (("gpus", "all_gpus"), ("tp", "model_parallel_NPU_group")):
            if name not in head and (name == "gpus" or "tp" in POLICIES[policy] and policy != "DATA"):
                raise InputError(path, f"policy {policy} without '{key}'", f"--{name} N", line=1)
    tp, ep, pp = (head.get(name, 1) for name in ("tp", "ep", "pp"))
    gpus = head.get("gpus")
    if missing:
        report.warn(f"header without {', '.join(missing)}: 1 each, or as the options say" + (
            "" if gpus else f", GPUs = TP x PP x EP = {tp * pp * ep} (--gpus N)"))
    gpus = gpus or tp * pp * ep
    if gpus > MOST_GPUS:
        raise InputError(path, f"{gpus} GPUs", f"at most {MOST_GPUS}", line=1)
    if gpus % (tp * pp):
        raise InputError(path, f"{gpus} GPUs do not divide by TP {tp} x PP {pp} = {tp * pp}", line=1)
    dp = gpus // (tp * pp)
    if dp % ep:
        raise InputError(path, f"DP = {gpus} / ({tp} x {pp}) = {dp} does not divide by EP {ep}", line=1)
    return {"tp": tp, "ep": ep, "dp": dp, "pp": pp, "gpus": gpus}


def _stage_block(path, head, layers, sizes, options, report):
    """Lines of a micro-batch where stages are to hand over, else None."""
    stages, count, size = sizes["pp"], head.get("ga", 1), head.get("pp_comm", 0)
    if stages == 1:
        return None
    if options.stages == "apart" or size == 0:
        report.warn(f"PP {stages}: " + ("the header has no pp_comm" if size == 0 else "--stages apart") +
                    ": stages neither send to each other nor wait, there is no bubble")
        return None
    block = micro_batches(layers, count)
    if block is None:
        report.warn(f"PP {stages}: the names of the lines do not repeat {count} times (ga), it is not known "
                    f"where stages hand over: transfers between them ({size} B each) are not in the graph")
        return None
    if head.get("vpp", 1) > 1:
        report.warn(f"VPP {head['vpp']}: the lines do not say where chunks hand over; one transfer per "
                    f"micro-batch, direction and boundary is made, not {head['vpp']}, and the order is "
                    "that of the lines")
    return block


def _run(graph, sets, head, layers, sizes, block):
    """One program for all ranks, or those of the first, middle and last stages; returns tasks."""
    stages, ranks = sizes["pp"], sizes["dp"] * sizes["tp"]
    parts = [("all ranks", slice(None), None)]
    if block is not None:
        parts = [("first stage", slice(0, ranks), (block, False, True)),
                 ("middle stages", slice(ranks, (stages - 1) * ranks), (block, True, True)),
                 ("last stage", slice((stages - 1) * ranks, None), (block, True, False))]
    tasks = 0
    for name, where, ends in parts:
        if ends is None or where.stop is None or where.stop > where.start:
            program = Program(name, graph.path)
            build(program, graph, sets, head, layers, ends)
            graph.run(program, where)
            tasks += len(program)
    return tasks


def read(paths, options, report):
    if len(paths) != 1:
        raise InputError(paths[1], "is a second file", "one workload")
    path = paths[0]
    head, layers = _layers(path, report)
    sizes = _sizes(path, head, options, report)
    block = _stage_block(path, head, layers, sizes, options, report)
    graph = Graph(sizes["gpus"], path)
    sets = {name: graph.add_set(name, groups) for name, groups in groups_of(
        sizes, tp_outside=head["policy"] == "HYBRID_MODEL_DATA").items()}
    tasks = _run(graph, sets, head, layers, sizes, block)
    report.count("layers", len(layers))
    report.count("tasks", tasks)
    report.count("ranks", sizes["gpus"])
    report.count("communications", sum(int((program.columns["kind"] != COMPUTE).sum())
                                       for program in graph.programs))
    return graph.tables(policy=head["policy"], tp=sizes["tp"], ep=sizes["ep"], dp=sizes["dp"],
                        pp=sizes["pp"], vpp=head.get("vpp", 1), micro_batches=head.get("ga", 1),
                        pp_bytes=head.get("pp_comm", 0))
