# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Figures and comparisons from the results of ns3-mixnet; reads only the result schema."""
