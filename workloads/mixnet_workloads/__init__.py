# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Routing traces for ns3-mixnet: the schema, and the statistics of a trace."""
