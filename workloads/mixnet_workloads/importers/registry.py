# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Finds the formats: the modules of importers/formats/."""

import importlib
import pkgutil

from . import formats
from .errors import InputError

KINDS = ("trace", "task graph", "flow list", "topology", "times", "size distribution", "node list")


def all_formats():
    """{name: module}, sorted by name."""
    found = {}
    for entry in pkgutil.iter_modules(formats.__path__):
        module = importlib.import_module(f"{formats.__name__}.{entry.name}")
        if module.KIND not in KINDS or module.NAME in found:
            raise RuntimeError(f"{module.__name__}: kind '{module.KIND}', name '{module.NAME}'")
        found[module.NAME] = module
    return dict(sorted(found.items()))


def get(name):
    known = all_formats()
    if name not in known:
        raise InputError("import", f"no format '{name}'", ", ".join(known))
    return known[name]


def listing():
    """The text of --list."""
    known = all_formats()
    width = max(len(name) for name in known)
    becomes = max(len(module.KIND) for module in known.values())
    return "\n".join(
        f"{name:{width}}  {module.KIND:{becomes}}  {module.SUMMARY}"
        for name, module in known.items()
    )
