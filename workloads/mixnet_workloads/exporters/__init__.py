# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Exporters: parts of a result, or an imported file, in formats that other tools read.

    ./mixnet export WHAT FILE.h5 -o OUT

A module here that defines NAME, SUMMARY, add_options(parser) and export(path, options) is one; OUT appears
whole or not at all, compressed when its name ends with .gz.
"""
