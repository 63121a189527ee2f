# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Studies: many runs over settings, one table and one figure (doc/studies.rst)."""
