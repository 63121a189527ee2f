# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""What a GPU kernel does, from its name. The first pattern that matches decides."""

import re

from .errors import InputError

_RULES = (
    # class, communication, pattern (case does not matter)
    ("dispatch", True, r"\bdispatch\b"),
    ("combine", True, r"\bcombine\b"),
    ("ep-notify", True, r"notify_dispatch|notify_combine|cached_notify"),
    ("ep-layout", False, r"get_dispatch_layout"),
    ("all-reduce", True, r"nccl\w*all_?reduce"),
    ("all-gather", True, r"nccl\w*all_?gather"),
    ("reduce-scatter", True, r"nccl\w*reduce_?scatter"),
    ("all-to-all", True, r"nccl\w*all_?to_?all"),
    ("send-recv", True, r"nccl\w*(send|recv)"),
    ("broadcast", True, r"nccl\w*broadcast"),
    ("reduce", True, r"nccl\w*reduce"),
    ("communication", True, r"nccl|nvshmem|mscclpp?"),
    ("attention", False, r"flash|attention|attn|fmha|\bmha_"),
    ("gemm", False, r"gemm|matmul|cublaslt"),
    ("norm", False, r"layer_?norm|rms_?norm|\bln_(fwd|bwd)"),
    ("routing", False, r"top_?k|router|gating|moe_align"),
    ("permute", False, r"permut|scatter_gather|expand_to_fused|reduce_fused|index"),
    ("activation", False, r"swiglu|silu|gelu|relu"),
    ("rotary", False, r"rotary|rope"),
    ("softmax", False, r"softmax|cross_entropy"),
    ("optimizer", False, r"adam|multi_tensor|sgd"),
    ("cast", False, r"cast|quant|fp8"),
    ("transpose", False, r"transpose"),
    ("memory", False, r"memcpy|memset|copy|fill"),
    ("elementwise", False, r"elementwise|vectorized|unrolled"),
    ("reduction", False, r"reduce"),
)
_COMPILED = tuple((name, communication, re.compile(pattern, re.IGNORECASE))
                  for name, communication, pattern in _RULES)


class Classifier:
    """Rules of the user first, given as NAME=PATTERN or NAME:communication=PATTERN."""

    def __init__(self, texts=()):
        self._rules, self._known = [], {}
        for text in texts:
            name, equals, pattern = text.partition("=")
            name, colon, kind = name.partition(":")
            if not name or not equals or not pattern or (colon and kind != "communication"):
                raise InputError("--class", f"'{text}'", "NAME=PATTERN, NAME:communication=PATTERN")
            try:
                self._rules.append((name, bool(colon), re.compile(pattern)))
            except re.error as error:
                raise InputError("--class", f"'{pattern}' is no pattern: {error}") from None
        self._rules.extend(_COMPILED)

    def __call__(self, kernel):
        """(class, whether it is communication)"""
        if kernel not in self._known:
            self._known[kernel] = next(((name, communication)
                                        for name, communication, pattern in self._rules
                                        if pattern.search(kernel)), ("other", False))
        return self._known[kernel]
