# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Files of torch.save, read where PyTorch is installed, and never by running what they hold."""

import io

from . import inputs
from .errors import InputError, shorten


def load(path, report):
    """What the file holds; tensors of plain containers only."""
    try:
        import torch
    except ImportError:
        raise InputError(
            path, "needs PyTorch, which this Python does not have",
            "Debian's python3-torch, or where PyTorch is: import torch, numpy; "
            "numpy.save('out.npy', torch.load(FILE)['logical_count'].numpy()), then format npy"
        ) from None
    content = io.BytesIO(inputs.whole(path, report))
    try:
        return torch.load(content, map_location="cpu", weights_only=True)
    except Exception as error:  # whatever a damaged or foreign pickle does
        reason = shorten(str(error).strip().split("\n", 1)[0] or type(error).__name__, 160)
        raise InputError(path, f"torch.load refuses it: {reason}",
                         "torch.save of tensors, numbers, lists and dicts") from None


def array(value, path, what):
    """A tensor or nested list as NumPy array."""
    import numpy
    import torch
    if isinstance(value, torch.Tensor):
        if value.is_sparse or value.is_complex():
            raise InputError(path, f"{what} is a sparse or complex tensor", "a dense one")
        if value.dtype in (torch.bfloat16, torch.float16):
            value = value.float()
        return value.detach().numpy()
    try:
        result = numpy.asarray(value)
    except ValueError:
        result = None
    if result is None or result.dtype.kind not in "iuf":
        raise InputError(path, f"{what} is {shorten(type(value).__name__)}", "a tensor of counts")
    return result
