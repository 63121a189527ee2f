# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""How the commands end: exit codes of the manual (results page), one line for a mistake of the user."""

import argparse
import sys
import traceback

from .importers.errors import InputError


class Parser(argparse.ArgumentParser):
    """Mistakes in options are one line, too; `command` names who says it."""

    command = "mixnet"

    def error(self, message):
        raise InputError(self.command, message)


def guarded(command, action):
    """Runs action(); returns 0, 1 for a mistake, 3 for an error of ours, 130 when interrupted."""
    try:
        action()
    except InputError as error:
        print(f"mixnet: error: {error}", file=sys.stderr)
        return 1
    except MemoryError:
        print(f"mixnet: error: {command}: out of memory", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("mixnet: interrupted, nothing was written", file=sys.stderr)
        return 130
    except Exception: # pylint: disable=broad-except
        traceback.print_exc()
        print(f"mixnet: error: {command}: internal error, please report it", file=sys.stderr)
        return 3
    return 0
