# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""Records the routing of a running MoE training job as an ns3-mixnet trace."""

from .router_recorder import RecorderError, RouterRecorder

__all__ = ["RecorderError", "RouterRecorder"]
